package peer

import (
	"cmp"
	"slices"

	"plimsoll.dev/pack"
)

// claim is a number of equal nodes that are being planned: which kind they will
// be is open until the end.
type claim struct {
	nodes   int64
	pods    int64 // on each
	used    []int64
	holds   *held
	options []int // kinds that still fit
	// While one item is handed out: how many each got, and how many more it takes.
	got, takes int64
}

// Karpenter is Karpenter's provisioner, with one pool of all kinds of node. Pods
// come by CPU, then memory, falling (provisioning/scheduling/queue.go). Each goes
// to the claim with the fewest pods that can take it; a claim keeps every kind of
// node on which all of its pods fit (scheduler.go, nodeclaim.go). In the end each
// becomes the cheapest of its kinds. The first two dimensions are CPU and memory.
//
// Claims with as many pods stand as a stable sort before each pod leaves them;
// Karpenter's sort isn't stable. They are bought in this order. Where a kind is
// out of stock, the claim becomes the next cheapest; the pods of those with none
// left come anew without the kinds that are used up, as after an error of the
// cloud, and may then fill nodes that there are. Consolidation, which comes
// minutes later, is left out.
func Karpenter(p pack.Problem) Result {
	r := newRules(p)
	order := byCPUAndMemory(p)
	nodes, rest, left := make([]int64, len(p.Nodes)), counts(p), make([]int64, len(p.Items))
	var running rack
	for slices.ContainsFunc(rest, positive) {
		var claims []*claim
		for _, i := range order {
			n := running.fill(r, i, rest[i])
			claims, n = r.handOut(claims, i, n)
			claims, n = r.newClaims(claims, i, n, nodes)
			left[i] += n
			rest[i] = 0
		}
		for _, c := range claims {
			running = r.launch(running, c, nodes, rest)
		}
	}
	out := result(p, "Karpenter", nodes, left)
	out.Patterns = running.patterns()
	return out
}

func byCPUAndMemory(p pack.Problem) []int {
	order := make([]int, len(p.Items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		for d := range min(2, len(p.Items[a].Need)) {
			if c := cmp.Compare(p.Items[b].Need[d], p.Items[a].Need[d]); c != 0 {
				return c
			}
		}
		return 0
	})
	return order
}

// handOut gives n of item i to the claims, one after the other to the one with
// the fewest pods that can take it, and returns how many are left.
func (r *rules) handOut(claims []*claim, i int, n int64) ([]*claim, int64) {
	for _, c := range claims {
		c.got, c.takes = 0, r.takes(c, i)
	}
	for at := 0; at < len(claims) && n > 0; {
		c := claims[at]
		if c.takes == 0 {
			at++
			continue
		}
		if n < c.nodes { // only some of these equal claims get one
			some := *c
			some.nodes = n
			c.nodes -= n
			claims = slices.Insert(claims, at, &some)
			c = &some
		}
		n -= c.nodes
		c.pods, c.got, c.takes = c.pods+1, c.got+1, c.takes-1
		claims = moved(claims, at)
	}
	for _, c := range claims {
		if c.got > 0 {
			r.commit(c, i)
		}
	}
	return claims, n
}

// moved puts the claim at an index, which got one pod more, in front of those
// with as many.
func moved(claims []*claim, at int) []*claim {
	c := claims[at]
	for ; at+1 < len(claims) && claims[at+1].pods < c.pods; at++ {
		claims[at] = claims[at+1]
	}
	claims[at] = c
	return claims
}

// takes is how many of item i a claim can take, on any of its kinds.
func (r *rules) takes(c *claim, i int) int64 {
	most := int64(0)
	for _, k := range c.options {
		if r.allowed(i, k) {
			most = max(most, r.room(i, k, c.used))
		}
	}
	if most > 0 {
		most = min(most, r.beside(i, c.holds))
	}
	return most
}

// commit makes what each node of a claim got of item i part of it.
func (r *rules) commit(c *claim, i int) {
	c.options = slices.DeleteFunc(slices.Clone(c.options), func(k int) bool {
		return !r.allowed(i, k) || r.room(i, k, c.used) < c.got
	})
	c.used = r.plus(c.used, i, c.got)
	c.holds = &held{i, c.got, c.holds}
}

// newClaims opens claims for n of item i, each filled before the next is opened,
// and returns how many no kind in stock can hold.
func (r *rules) newClaims(claims []*claim, i int, n int64, nodes []int64) ([]*claim, int64) {
	empty := claim{used: make([]int64, len(r.Items[i].Need))}
	for k, node := range r.Nodes {
		if node.Stock < 0 || nodes[k] < node.Stock {
			empty.options = append(empty.options, k)
		}
	}
	each := r.takes(&empty, i)
	for n > 0 && each > 0 {
		c := empty
		c.got = min(n, each)
		c.nodes = n / c.got
		n -= c.nodes * c.got
		c.pods = c.got
		r.commit(&c, i)
		claims = slices.Insert(claims, position(claims, c.pods), &c)
	}
	return claims, n
}

// position is where a new claim stands once it has so many pods: behind all with
// one, as it came; else in front of those with as many, as it grew.
func position(claims []*claim, pods int64) int {
	at := slices.IndexFunc(claims, func(c *claim) bool { return c.pods > pods || c.pods == pods && pods > 1 })
	if at < 0 {
		return len(claims)
	}
	return at
}

// launch makes a claim's nodes the cheapest kind in stock; the pods of those
// for which there is none go back to rest.
func (r *rules) launch(running rack, c *claim, nodes, rest []int64) rack {
	slices.SortStableFunc(c.options, func(a, b int) int { return cmp.Compare(r.Nodes[a].Cost, r.Nodes[b].Cost) })
	left := c.nodes
	for _, k := range c.options {
		n := left
		if stock := r.Nodes[k].Stock; stock >= 0 {
			n = min(n, stock-nodes[k])
		}
		if n > 0 {
			nodes[k] += n
			left -= n
			running = append(running, group{kind: k, nodes: n, used: c.used, holds: c.holds})
		}
	}
	for h := c.holds; h != nil; h = h.next {
		rest[h.item] += left * h.count
	}
	return running
}
