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
	byPromise := func(a, b candidate) int {
		switch TodaysNodes {
		case a.option.opt.Name:
			return -1
		case b.option.opt.Name:
			return 1
		}
		switch {
		case p.cheaper(a.promise, b.promise):
			return -1
		case p.cheaper(b.promise, a.promise):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, byPromise)
	var best *choice
	many := p.load.count.Number > comparedPods
	for len(order) > 0 {
		o := order[0]
		c := o.option
		order = order[1:]
		if best != nil && (!p.cheaper(o.promise, best) || !c.wanted(p.s.Policy.Node)) && many {
			c.left = true
			continue
		}
		rival := best
		if len(order) > 0 && (best == nil || p.cheaper(order[0].promise, best)) {
			rival = order[0].promise
		}
		if !many || p.s.Policy.Node != "" || !c.single() {
			rival = nil
		}
		if !p.hold(c, rival) {
			order = append(order, candidate{c, c.on(c.holding.least())})
			slices.SortStableFunc(order, byPromise)
			continue
		}
		if h := c.held(); h != nil && c.opt.Name == TodaysNodes {
			if d, ok := h.Borne(c.holding.demand, c.holding.budget); ok {
				p.today = d.Lacking
			}
		}
		if c.opt.Fits && c.verified() && c.wanted(p.s.Policy.Node) && (best == nil || p.cheaper(c, best)) {
			best = c
		}
	}
}

// packed says whether a packing has a place for every pod, be the nodes in stock or not.
func (c *choice) packed() bool { return len(c.bins) > 0 && len(c.pack.Left) == 0 }

// promise is the option on the fewest nodes that its proven floor leaves.
func (p *planner) promise(c *choice) *choice {
	if c.single() {
		return c.on(p.least(c))
	}
	out := *c
	return &out
}

// single says whether the option is as many nodes of one type as are needed.
func (c *choice) single() bool { return len(c.stated) == 1 && c.stated[0] == 0 }

// on is the single type's option on so many nodes.
func (c *choice) on(n int) *choice {
	out := *c
	out.opt.Nodes = slices.Clone(c.opt.Nodes)
	out.opt.Nodes[0].Count, out.opt.Total = n, n
	out.opt.Price = out.price()
	return &out
}
