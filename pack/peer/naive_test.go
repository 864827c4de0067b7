package peer

import (
	"cmp"
	"math"
	"slices"

	"plimsoll.dev/pack"
)

// pod by pod and node by node: what the rules say, with nothing counted in groups.

// machine is one node, planned or running; kind is -1 while it is open.
type machine struct {
	kind    int
	pods    []int64 // of each item
	options []int
}

func (m *machine) total() int64 { return sum(m.pods) }

// fits says whether one more of item i fits on a node of the kind.
func fits(p pack.Problem, kind int, pods []int64, i int) bool {
	item := p.Items[i]
	if item.On != nil && !item.On[kind] || item.MaxPerNode > 0 && pods[i] == item.MaxPerNode {
		return false
	}
	for d, room := range p.Nodes[kind].Capacity {
		for j, n := range pods {
			room -= n * p.Items[j].Need[d]
		}
		if item.Need[d] > room {
			return false
		}
	}
	for _, c := range p.Conflicts {
		if c[0] == i && pods[c[1]] > 0 || c[1] == i && pods[c[0]] > 0 {
			return false
		}
	}
	return true
}

// put puts a pod on the first machine that can take it.
func put(p pack.Problem, machines []*machine, i int) bool {
	for _, m := range machines {
		if fits(p, m.kind, m.pods, i) {
			m.pods[i]++
			return true
		}
	}
	return false
}

// naiveFirstFit packs on one kind, after what stands already.
func naiveFirstFit(p pack.Problem, order []int, demand []int64, kind int, stock int64,
	before []*machine) (nodes int64, left []int64, machines []*machine) {
	left = make([]int64, len(demand))
	machines = slices.Clone(before)
	for _, i := range order {
		for range demand[i] {
			if put(p, machines, i) {
				continue
			}
			m := &machine{kind: kind, pods: make([]int64, len(p.Items))}
			if nodes == stock || !fits(p, kind, m.pods, i) {
				left[i]++
				continue
			}
			m.pods[i]++
			nodes++
			machines = append(machines, m)
		}
	}
	return nodes, left, machines
}

// naiveAutoscaler tries the nodes of all earlier rounds first, which the real
// one does, too.
func naiveAutoscaler(p pack.Problem, e Expander) (nodes, left []int64) {
	nodes, left = make([]int64, len(p.Nodes)), counts(p)
	var running []*machine
	for slices.Max(append(left, 0)) > 0 {
		type choice struct {
			kind     int
			nodes    int64
			left     []int64
			score    float64
			machines []*machine
		}
		var all []choice
		for k, n := range p.Nodes {
			order := make([]int, len(p.Items))
			for i := range order {
				order[i] = i
			}
			share := func(i int) float64 {
				s := 0.0
				for d := 0; d < len(n.Capacity) && d < 2; d++ {
					if n.Capacity[d] > 0 {
						s += float64(p.Items[i].Need[d]) / float64(n.Capacity[d])
					}
				}
				return s
			}
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
			stock := int64(-1)
			if n.Stock >= 0 {
				stock = n.Stock - nodes[k]
			}
			before := make([]*machine, len(running))
			for m := range running {
				before[m] = &machine{kind: running[m].kind, pods: slices.Clone(running[m].pods)}
			}
			c := choice{kind: k}
			c.nodes, c.left, c.machines = naiveFirstFit(p, order, left, k, stock, before)
			var taken [2]float64
			pods := 0.0
			for i := range left {
				for d := 0; d < len(n.Capacity) && d < 2; d++ {
					taken[d] += float64(left[i]-c.left[i]) * float64(p.Items[i].Need[d])
				}
				pods += float64(left[i] - c.left[i])
			}
			switch e {
			case MostPods:
				c.score = -pods
			case LeastWaste:
				for d := 0; d < len(n.Capacity) && d < 2; d++ {
					if offered := float64(n.Capacity[d]) * float64(c.nodes); offered > 0 {
						c.score += (offered - taken[d]) / offered
					}
				}
			}
			if c.nodes > 0 {
				all = append(all, c)
			}
		}
		if len(all) == 0 {
			break
		}
		least := math.Inf(1)
		for _, c := range all {
			least = min(least, c.score)
		}
		all = slices.DeleteFunc(all, func(c choice) bool { return c.score > least })
		slices.SortStableFunc(all, func(a, b choice) int {
			return cmp.Compare(a.nodes*p.Nodes[a.kind].Cost, b.nodes*p.Nodes[b.kind].Cost)
		})
		c := all[(len(all)-1)/2]
		nodes[c.kind] += c.nodes
		left, running = c.left, c.machines
	}
	return nodes, left
}

// naiveKarpenter sorts all claims before each pod.
func naiveKarpenter(p pack.Problem) (nodes, left []int64) {
	nodes, left = make([]int64, len(p.Nodes)), make([]int64, len(p.Items))
	rest := counts(p)
	var running []*machine
	for slices.Max(append(rest, 0)) > 0 {
		var claims []*machine
		order := make([]int, len(p.Items))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			for d := 0; d < len(p.Items[a].Need) && d < 2; d++ {
				if p.Items[a].Need[d] != p.Items[b].Need[d] {
					return cmp.Compare(p.Items[b].Need[d], p.Items[a].Need[d])
				}
			}
			return 0
		})
		for _, i := range order {
			for range rest[i] {
				if put(p, running, i) {
					continue
				}
				slices.SortStableFunc(claims, func(a, b *machine) int { return cmp.Compare(a.total(), b.total()) })
				fresh := &machine{pods: make([]int64, len(p.Items))}
				for k, n := range p.Nodes {
					if n.Stock < 0 || nodes[k] < n.Stock {
						fresh.options = append(fresh.options, k)
					}
				}
				placed := false
				for _, c := range append(slices.Clone(claims), fresh) {
					options := slices.DeleteFunc(slices.Clone(c.options), func(k int) bool { return !fits(p, k, c.pods, i) })
					if len(options) == 0 {
						continue
					}
					c.options = options
					c.pods[i]++
					if c == fresh {
						claims = append(claims, c)
					}
					placed = true
					break
				}
				if !placed {
					left[i]++
				}
			}
			rest[i] = 0
		}
		slices.SortStableFunc(claims, func(a, b *machine) int { return cmp.Compare(a.total(), b.total()) })
		for _, c := range claims {
			c.kind = -1
			for _, k := range c.options {
				if (p.Nodes[k].Stock < 0 || nodes[k] < p.Nodes[k].Stock) && (c.kind < 0 || p.Nodes[k].Cost < p.Nodes[c.kind].Cost) {
					c.kind = k
				}
			}
			if c.kind < 0 {
				for i, n := range c.pods {
					rest[i] += n
				}
				continue
			}
			nodes[c.kind]++
			running = append(running, c)
		}
	}
	return nodes, left
}
