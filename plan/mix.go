package plan

import (
	"slices"

	"plimsoll.dev/derive"
)

// openMix begins with the stated nodes of a mix of types, and as many of its open
// entry as the packing takes; what the policy wants survived is found by placement.
func (p *planner) openMix(c *choice, base derive.Value) {
	open := slices.Index(c.stated, 0)
	counts := slices.Clone(c.stated)
	for _, g := range c.pack.Groups {
		if g.Bin == open {
			counts[open] += g.Nodes
		}
	}
	sum := 0
	for i, n := range counts {
		c.opt.Nodes[i].Count = n
		sum += n
	}
	c.opt.Total = sum
	c.total = p.b.Record(derive.Figure{ID: "nodes.workers[" + c.opt.Name + "]", Title: "Worker nodes of " + c.opt.Name,
		Value:  derive.Of(float64(sum), "nodes"),
		Method: "the stated nodes, and as many of " + c.opt.Nodes[open].Type + " as the packing takes",
		Inputs: []derive.Input{derive.In("base", base)}})
}
