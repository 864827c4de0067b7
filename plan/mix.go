package plan

import (
	"fmt"
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/plan/grow"
)

// openMix finds how many nodes of the open entry a mix of types needs. Nodes of
// a mix are not alike, so what is spare is found by packing again: without the
// spare nodes of any one type, and without the fullest zone.
func (p *planner) openMix(c *choice, base derive.Value) {
	open := slices.Index(c.stated, 0)
	counts := slices.Clone(c.stated)
	for _, g := range c.pack.Groups {
		if g.Bin == open {
			counts[open] += g.Nodes
		}
	}
	if len(c.pack.Left) == 0 {
		counts[open] = p.raise(c, counts, open)
	}
	sum := 0
	for i, n := range counts {
		c.opt.Nodes[i].Count = n
		sum += n
	}
	c.opt.Total = sum
	c.total = p.b.Record(derive.Figure{ID: "nodes.workers[" + c.opt.Name + "]", Title: "Worker nodes of " + c.opt.Name,
		Value:  derive.Of(float64(sum), "nodes"),
		Method: "the stated nodes, and as many of " + c.opt.Nodes[open].Type + " as hold every pod" + p.survival(),
		Inputs: []derive.Input{derive.In("base", base)}})
}

// survival says in words what the nodes must survive.
func (p *planner) survival() string {
	s := ""
	if n := *p.s.Policy.SpareNodes; n > 0 {
		s += fmt.Sprintf(" when %s of any one type fail", derive.Of(float64(n), "nodes"))
	}
	if p.s.Policy.SurviveZoneLoss {
		s += " and when the fullest zone is lost"
	}
	return s
}

// raise is the least number of the open entry's nodes, from counts[open] on,
// with which the mix survives what the policy asks for.
func (p *planner) raise(c *choice, counts []int, open int) int {
	ok := func(n int) bool {
		try := slices.Clone(counts)
		try[open] = n
		return p.lost(c, try) == ""
	}
	low, high := counts[open]-1, max(1, counts[open])
	for !ok(high) {
		if high > mostNodesTried {
			return counts[open] // nothing survives: a finding says so
		}
		low, high = high, high*2
	}
	for low+1 < high {
		if mid := (low + high) / 2; mid >= 0 && ok(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// mostNodesTried ends the search for a mix that survives.
const mostNodesTried = 1 << 20

// lost says what the policy wants survived and the nodes do not survive; it is
// empty when they survive all.
func (p *planner) lost(c *choice, counts []int) string {
	spares := *p.s.Policy.SpareNodes
	for i, n := range counts {
		without := slices.Clone(counts)
		without[i] = max(0, n-spares)
		if spares > 0 && n > 0 && !p.holds(c, without) {
			return fmt.Sprintf("the loss of %s of type %s", derive.Of(float64(min(n, spares)), "nodes"), c.rooms[i].Type.Name)
		}
	}
	if !p.s.Policy.SurviveZoneLoss || p.s.Policy.Zones < 2 {
		return ""
	}
	without := slices.Clone(counts)
	for i, n := range counts {
		without[i] -= grow.Spread(n, p.s.Policy.Zones)[0] // the first zones are the fullest
	}
	if !p.holds(c, without) {
		return "the loss of a zone"
	}
	return ""
}

// holds says whether every pod finds a place on so many nodes of each entry.
func (p *planner) holds(c *choice, counts []int) bool {
	bins := slices.Clone(c.bins)
	for i := range bins {
		bins[i].Count = counts[i]
	}
	return len(fit.Best(c.items, bins).Left) == 0
}
