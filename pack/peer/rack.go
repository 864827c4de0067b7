package peer

import (
	"math"
	"slices"

	"plimsoll.dev/pack"
)

// rules are a problem with what is looked up often.
type rules struct {
	pack.Problem
	excludes [][]int // of each item: the items that may not be beside it
}

func newRules(p pack.Problem) *rules {
	r := &rules{Problem: p, excludes: make([][]int, len(p.Items))}
	for _, c := range p.Conflicts {
		r.excludes[c[0]] = append(r.excludes[c[0]], c[1])
		r.excludes[c[1]] = append(r.excludes[c[1]], c[0])
	}
	return r
}

// held is what a node holds, last placed first.
type held struct {
	item  int
	count int64
	next  *held
}

// group is a number of equal nodes with equal content.
type group struct {
	kind  int
	nodes int64
	used  []int64
	holds *held
}

// more is how many more of item i nodes of a kind can take that have used so
// much and hold that.
func (r *rules) more(i, kind int, used []int64, holds *held) int64 {
	if !r.allowed(i, kind) {
		return 0
	}
	n := r.room(i, kind, used)
	if n > 0 {
		n = min(n, r.beside(i, holds))
	}
	return n
}

// allowed says whether item i may be on nodes of the kind.
func (r *rules) allowed(i, kind int) bool { return r.Items[i].On == nil || r.Items[i].On[kind] }

// room is how many of item i the rest of the capacity holds.
func (r *rules) room(i, kind int, used []int64) int64 {
	n := int64(math.MaxInt64)
	room, needs := r.Nodes[kind].Capacity, r.Items[i].Need
	for d, need := range needs {
		if need > max(0, room[d]-used[d]) {
			return 0
		}
	}
	for d, need := range needs {
		if need > 0 {
			n = min(n, (room[d]-used[d])/need)
		}
	}
	return n
}

// beside is how many of item i may join what is held.
func (r *rules) beside(i int, holds *held) int64 {
	n := r.Items[i].MaxPerNode
	if n == 0 {
		n = math.MaxInt64
	}
	for h := holds; h != nil; h = h.next {
		if h.item == i {
			n -= h.count
		}
		if slices.Contains(r.excludes[h.item], i) {
			return 0
		}
	}
	return max(n, 0)
}

// plus is the used amounts with n of item i more.
func (r *rules) plus(used []int64, i int, n int64) []int64 {
	out := make([]int64, len(used))
	for d, need := range r.Items[i].Need {
		out[d] = used[d] + need*n
	}
	return out
}

// rack is a row of nodes that are filled by first fit.
type rack []group

// fill puts up to n of item i on the nodes, each on the first that can take it,
// and returns how many are left. Equal nodes are filled together: one by one,
// each would be full before the next gets any.
func (k *rack) fill(r *rules, i int, n int64) int64 {
	for at := 0; at < len(*k) && n > 0; at++ {
		g := (*k)[at]
		each := min(n, r.more(i, g.kind, g.used, g.holds))
		if each == 0 {
			continue
		}
		var parts []group
		if full := min(g.nodes, n/each); full > 0 {
			parts = append(parts, r.with(g, i, each, full))
			g.nodes -= full
			n -= full * each
		}
		if g.nodes > 0 && n > 0 {
			parts = append(parts, r.with(g, i, n, 1))
			g.nodes--
			n = 0
		}
		if g.nodes > 0 {
			parts = append(parts, g)
		}
		*k = slices.Replace(*k, at, at+1, parts...)
		at += len(parts) - 1
	}
	return n
}

// with is so many nodes of the group after each took so many of item i.
func (r *rules) with(g group, i int, each, nodes int64) group {
	return group{kind: g.kind, nodes: nodes, used: r.plus(g.used, i, each), holds: &held{i, each, g.holds}}
}

// open adds as many nodes of a kind as n of item i ask for, at most stock, and
// fills them. It returns how many it added, and how many items are left.
func (k *rack) open(r *rules, i, kind int, n, stock int64) (nodes, left int64) {
	empty := group{kind: kind, used: make([]int64, len(r.Nodes[kind].Capacity))}
	each := min(n, r.more(i, kind, empty.used, nil))
	if each == 0 {
		return 0, n
	}
	nodes = (n-1)/each + 1
	if stock >= 0 {
		nodes = min(nodes, stock)
	}
	if nodes == 0 {
		return 0, n
	}
	empty.nodes = nodes
	added := rack{empty}
	left = added.fill(r, i, n)
	*k = append(*k, added...)
	return nodes, left
}

// firstFit packs the items in order on nodes of one kind, and returns them, how
// many they are, and what it leaves of each item.
func (r *rules) firstFit(order []int, demand []int64, kind int, stock int64) (k rack, nodes int64, left []int64) {
	left = make([]int64, len(demand))
	for _, i := range order {
		left[i] = k.fill(r, i, demand[i])
		if left[i] > 0 {
			rest := int64(-1)
			if stock >= 0 {
				rest = stock - nodes
			}
			var opened int64
			opened, left[i] = k.open(r, i, kind, left[i], rest)
			nodes += opened
		}
	}
	return k, nodes, left
}

// patterns are the filled nodes of a rack.
func (k rack) patterns() []pack.Pattern {
	var out []pack.Pattern
	for _, g := range k {
		p := pack.Pattern{Node: g.kind, Copies: g.nodes}
		for h := g.holds; h != nil; h = h.next {
			at := slices.IndexFunc(p.Items, func(s pack.Stack) bool { return s.Item == h.item })
			if at < 0 {
				p.Items = append(p.Items, pack.Stack{Item: h.item, Count: h.count})
			} else {
				p.Items[at].Count += h.count
			}
		}
		out = append(out, p)
	}
	return out
}

// decreasing orders the items by a key, largest first, equal ones as they stand.
func decreasing(n int, key func(i int) float64) []int {
	order, keys := make([]int, n), make([]float64, n)
	for i := range order {
		order[i], keys[i] = i, key(i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case keys[a] > keys[b]:
			return -1
		case keys[a] < keys[b]:
			return 1
		}
		return 0
	})
	return order
}
