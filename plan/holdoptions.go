package plan

import "slices"

// holdOptions counts the nodes of the options by placement, today's first, which say what
// is asked of others, then those that could be cheapest, and leaves out what is dearer than
// a verified one even on as few nodes as are proven to be needed, where placing takes its time.
func (p *planner) holdOptions() {
	if p.idle() {
		return
	}
	type candidate struct{ option, promise *choice }
	order := make([]candidate, 0, len(p.options))
	for i := range p.options {
		_, all := p.options[i].fixed()
		if p.options[i].packed() && !(all && p.read.Placing && len(p.options) == 1) {
			order = append(order, candidate{&p.options[i], p.promise(&p.options[i])})
		}
	}
	slices.SortStableFunc(order, func(a, b candidate) int {
		switch TodaysNodes {
		case a.option.opt.Name:
			return -1
		case b.option.opt.Name:
			return 1
		}
		switch {
		case cheaper(a.promise, b.promise):
			return -1
		case cheaper(b.promise, a.promise):
			return 1
		}
		return 0
	})
	var best *choice
	for _, o := range order {
		c := o.option
		if best != nil && (!cheaper(o.promise, best) || !c.wanted(p.s.Policy.Node)) && p.load.count.Number > comparedPods {
			continue
		}
		p.hold(c)
		if h := c.held(); h != nil && c.opt.Name == TodaysNodes {
			if d, ok := h.Borne(c.holding.demand, c.holding.budget); ok {
				p.today = d.Lacking
			}
		}
		if c.opt.Fits && c.wanted(p.s.Policy.Node) && (best == nil || cheaper(c, best)) {
			best = c
		}
	}
}

// packed says whether a packing has a place for every pod, be the nodes in stock or not.
func (c *choice) packed() bool { return len(c.bins) > 0 && len(c.pack.Left) == 0 }

// promise is the option on the fewest nodes that its proven floor leaves.
func (p *planner) promise(c *choice) *choice {
	out := *c
	if len(c.stated) == 1 && c.stated[0] == 0 {
		n := p.least(c)
		out.opt.Nodes = slices.Clone(c.opt.Nodes)
		out.opt.Nodes[0].Count, out.opt.Total, out.opt.Price = n, n, c.rooms[0].Type.Price*float64(n)
	}
	return &out
}
