package certify

import (
	"fmt"

	"plimsoll.dev/pack"
)

// Limits, so that hostile input is refused in bounded time and memory.
const (
	maxAmount = 1 << 53 // of anything that is counted
	maxKinds  = 1 << 12 // of nodes, and dimensions
	maxItems  = 1 << 20
	maxDepth  = 10_000  // of a proof
	maxSteps  = 1 << 29 // of a check; a step takes some nanoseconds
	maxFaults = 50
)

type checker struct {
	pack.Problem
	demand []int64 // of each item: its count without what is left over
	steps  int     // taken so far
	faults []string
}

// Check returns what is wrong with a solution, in words; nil when all that the
// package comment lists is proven. It never panics, and its work is bounded.
func Check(p pack.Problem, s pack.Solution) []string {
	c := &checker{Problem: p, faults: malformed(p, s)}
	if len(c.faults) > 0 {
		return c.faults
	}
	for i, item := range p.Items {
		c.demand = append(c.demand, item.Count-at(s.Left, i))
	}
	c.witness(s)
	c.bound(s)
	return c.faults
}

// must records a fault unless ok.
func (c *checker) must(ok bool, format string, args ...any) bool {
	if !ok && len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Sprintf(format, args...))
	}
	return ok
}

// malformed says why there is nothing to check: lists of a wrong length, and
// amounts that are none.
func malformed(p pack.Problem, s pack.Solution) []string {
	c := &checker{Problem: p}
	kinds, dims := len(p.Nodes), 0
	if c.must(kinds > 0 && kinds <= maxKinds, "problem.nodes: %d kinds (1 to %d can be checked)", kinds, maxKinds) {
		dims = len(p.Nodes[0].Capacity)
	}
	if !c.must(dims <= maxKinds && len(p.Items) <= maxItems && kinds*(dims+1)*(len(p.Items)+1) <= maxSteps,
		"problem: %d items on %d kinds of node in %d dimensions are too many to check", len(p.Items), kinds, dims) {
		return c.faults
	}
	for k, n := range p.Nodes {
		c.must(len(n.Capacity) == dims && natural(n.Capacity),
			"problem.nodes[%d] %q: capacity is not an amount for each of %d dimensions", k, n.Name, dims)
		c.must(n.Cost >= 1 && n.Cost <= maxAmount, "problem.nodes[%d] %q: cost is %d (1 to 2^53)", k, n.Name, n.Cost)
		c.must(n.Stock >= -1 && n.Stock <= maxAmount, "problem.nodes[%d] %q: stock is %d (-1 is no limit)", k,
			n.Name, n.Stock)
	}
	for i, t := range p.Items {
		c.must(len(t.Need) == dims && natural(t.Need),
			"problem.items[%d] %q: need is not an amount for each of %d dimensions", i, t.Name, dims)
		c.must(natural([]int64{t.Count, t.MaxPerNode}),
			"problem.items[%d] %q: count and maxPerNode are %d and %d (0 to 2^53)", i, t.Name, t.Count, t.MaxPerNode)
		c.must(t.On == nil || len(t.On) == kinds, "problem.items[%d] %q: on is not one for each of %d node kinds", i,
			t.Name, kinds)
		c.must(i >= len(s.Left) || s.Left[i] <= t.Count, "left[%d] %q: more than there are", i, t.Name)
	}
	for i, pair := range p.Conflicts {
		c.must(pair[0] != pair[1] && min(pair[0], pair[1]) >= 0 && max(pair[0], pair[1]) < len(p.Items),
			"problem.conflicts[%d]: is not between two items", i)
	}
	c.must(p.Spares >= 0 && p.Spares <= maxAmount, "problem.spares: %d (0 to 2^53)", p.Spares)
	c.must(p.Zones >= 0 && p.Zones != 1 && p.Zones <= maxAmount && (p.Zones > 1 || !p.SurviveZoneLoss),
		"problem.zones: %d (from 2, or 0)", p.Zones)
	c.must(len(s.Nodes) == kinds && natural(s.Nodes), "nodes: is not a count for each of %d kinds", kinds)
	c.must(oneEach(s.Spares, p.Nodes) && natural(s.Spares), "spares: is not a count for each of %d kinds of node", kinds)
	c.must(oneEach(s.Left, p.Items) && natural(s.Left), "left: is not a count for each of %d items", len(p.Items))
	c.must(s.Cost >= 0 && s.Bound.Cost >= 0 && s.Bound.Nodes >= 0, "cost, bound.cost and bound.nodes: are not from 0")
	return c.faults
}
