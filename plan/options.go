package plan

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
)

// choice is one option with the packing that measures it.
type choice struct {
	opt v1alpha1.Option
	// stated are the counts that the scenario states by entry; 0 is open.
	stated []int
	rooms  []roomOf
	bins   []fit.Bin // on what is allocatable, under the policy's overcommit
	items  []fit.Item
	pack   fit.Packing
	// proof of the packing, and of that on nodes of nominal size; nil where there is none.
	proof, bareProof *proved
	total            derive.Value
	// holding is how the number was found by placement; nil where it was not.
	holding *holding
	// small says that one of the types is below what the platform is installed on.
	small bool
}

// packOptions measures every option and chooses one.
func (p *planner) packOptions() {
	p.options = p.options[:0]
	candidates := p.candidates()
	for _, o := range candidates {
		p.options = append(p.options, p.measureOption(o, !p.manyTypes()))
	}
	p.priced = !slices.ContainsFunc(p.options, func(c choice) bool {
		return slices.ContainsFunc(c.rooms, func(r roomOf) bool { return r.Type.Price == 0 })
	})
	p.holdOptions()
	candidates = append(candidates, p.mixFromStock()...)
	p.choice = nil
	chosen := -1
	for i := range p.options {
		if c := &p.options[i]; c.wanted(p.s.Policy.Node) && (p.choice == nil || p.better(c, p.choice)) {
			p.choice, chosen = c, i
		}
	}
	if p.choice == nil {
		return
	}
	if p.manyTypes() {
		proven := p.measureOption(candidates[chosen], true)
		if h := p.choice.holding; h != nil {
			h.tell(p, &proven)
		}
		p.options[chosen] = proven
	}
	p.choice.opt.Chosen = true
}

// candidates are the scenario's options, or each worker type by itself.
func (p *planner) candidates() []v1alpha1.HardwareOption {
	if len(p.s.Hardware.Options) > 0 {
		return p.s.Hardware.Options
	}
	var list []v1alpha1.HardwareOption
	for _, r := range p.rooms {
		list = append(list, v1alpha1.HardwareOption{Name: r.Type.Name, Nodes: []v1alpha1.OptionNodes{{Type: r.Type.Name}}})
	}
	return list
}

// wanted says whether the option consists of the node type that the policy names.
func (c *choice) wanted(name string) bool {
	return name == "" || c.opt.Name == name || len(c.rooms) == 1 && c.rooms[0].Type.Name == name
}

// cheaper compares options: one that fits beats one that does not, machines that the platform is
// installed on those that are too small, then the lower price where all types have one, then the fewer CPUs,
// then the fewer nodes.
func (p *planner) cheaper(a, b *choice) bool {
	if a.opt.Fits != b.opt.Fits {
		return a.opt.Fits
	}
	if a.small != b.small {
		return b.small
	}
	if p.priced && a.opt.Price != b.opt.Price {
		return a.opt.Price < b.opt.Price
	}
	return cmp.Or(cmp.Compare(a.cpus(), b.cpus()), cmp.Compare(a.opt.Total, b.opt.Total)) < 0
}

// better compares options that were tried: the number of one that was not confirmed says little, be it
// cheaper or not. Today's nodes are nobody's to replace.
func (p *planner) better(a, b *choice) bool {
	sure := func(c *choice) bool { return c.opt.Name == TodaysNodes || c.verified() }
	if a.opt.Fits == b.opt.Fits && a.small == b.small && sure(a) != sure(b) {
		return sure(a)
	}
	return p.cheaper(a, b)
}

// price is that of all nodes; 0 where one of them has none.
func (c *choice) price() (sum float64) {
	for i, r := range c.rooms {
		n := c.opt.Nodes[i].Count
		if n > 0 && r.Type.Price == 0 {
			return 0
		}
		sum += r.Type.Price * float64(n)
	}
	return sum
}

// cpus is the number of CPUs of the option's nodes.
func (c *choice) cpus() int {
	n := 0
	for i, r := range c.rooms {
		n += r.Type.CPUs * c.opt.Nodes[i].Count
	}
	return n
}

// measureOption packs the workload on one option in every way that the plan
// shows: nominal, allocatable, and under the policy's overcommit; with proofs, or
// without.
func (p *planner) measureOption(h v1alpha1.HardwareOption, prove bool) choice {
	c := choice{opt: v1alpha1.Option{Name: h.Name, Nodes: slices.Clone(h.Nodes)}}
	for _, n := range h.Nodes {
		c.stated = append(c.stated, n.Count)
		for _, r := range p.rooms {
			if r.Type.Name == n.Type {
				c.rooms = append(c.rooms, r)
			}
		}
	}
	if len(c.rooms) != len(h.Nodes) {
		c.opt.Why = "the option names a node type that is not a worker"
		return c
	}
	c.small = slices.ContainsFunc(c.rooms, p.belowMinimum)
	c.opt.Given = c.given()
	o := node.OfPolicy(p.s.Policy)
	c.items, c.bins = p.items(c.rooms, o), c.binsOf(p.dims, o, dims.capacity)
	c.pack, c.proof = p.packOn(c.items, c.bins, h.Name, prove)
	c.opt.Base = c.pack.Nodes
	c.opt.Needed = c.opt.Base
	if o != node.NoOvercommit {
		needed, _ := p.packOn(p.items(c.rooms, node.NoOvercommit), c.binsOf(p.dims, node.NoOvercommit, dims.capacity),
			h.Name, prove)
		c.opt.Needed = needed.Nodes
	}
	c.opt.Bare, c.bareProof = p.bareProven(&c, prove && !p.manyTypes())
	c.floor(p.dims)
	p.count(&c)
	p.implied(&c)
	p.fits(&c)
	return c
}

// given is the number of nodes that the scenario has in mind; 0 when an entry
// takes as many as are needed.
func (c *choice) given() int {
	n := 0
	for i, count := range c.stated {
		switch {
		case count > 0:
			n += count
		case c.rooms[i].Type.Count != nil:
			n += *c.rooms[i].Type.Count
		default:
			return 0
		}
	}
	return n
}

// binsOf are the option's nodes: as many as the option says, in a mix the stock, or
// without limit: how many of one type it takes is said whatever there is of it.
func (c *choice) binsOf(d dims, o node.Overcommit, capacity func(dims, roomOf, node.Overcommit) fit.Vec) []fit.Bin {
	bins := make([]fit.Bin, len(c.rooms))
	for i, r := range c.rooms {
		bins[i] = fit.Bin{Cap: capacity(d, r, o), Count: fit.Unlimited}
		switch {
		case c.stated[i] > 0:
			bins[i].Count = c.stated[i]
		case r.Type.Available != nil && len(c.rooms) > 1:
			bins[i].Count = *r.Type.Available
		}
	}
	return bins
}

// nominal are the pods and the nodes of nominal size at a CPU overcommit.
func (p *planner) nominal(c *choice, cpuFactor float64) ([]fit.Item, []fit.Bin) {
	o := node.Overcommit{CPU: cpuFactor, Memory: 1}
	bins := c.binsOf(p.dims, o, dims.nominal)
	for i := range bins {
		if c.stated[i] == 0 {
			bins[i].Count = fit.Unlimited
		}
	}
	return p.items(c.rooms, o), bins
}

// bare is the number of nodes of nominal size at a CPU overcommit.
func (p *planner) bare(c *choice, cpuFactor float64) int {
	packed := fit.Best(p.nominal(c, cpuFactor))
	if len(packed.Left) > 0 {
		return 0
	}
	return packed.Nodes
}

// bareProven is the number of nodes of nominal size without overcommit, with its
// proof.
func (p *planner) bareProven(c *choice, prove bool) (int, *proved) {
	items, bins := p.nominal(c, 1)
	packed, proof := p.packOn(items, bins, c.opt.Name, prove)
	if len(packed.Left) > 0 {
		return 0, nil
	}
	return packed.Nodes, proof
}

// floor sets the bound that the totals give, and the resource that decides it.
func (c *choice) floor(d dims) {
	floor, by := fit.FloorBy(c.items, c.bins)
	c.opt.Floor, c.opt.FloorMethod = floorOf(floor, c.proof)
	switch {
	case by >= 0:
		c.opt.Binding = d[by]
	case floor > 0:
		c.opt.Binding = "maxPerNode"
	}
}
