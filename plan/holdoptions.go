package plan

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/fit"
)

// candidate is an option, and what it is at best.
type candidate struct{ option, promise *choice }

// holdOptions counts the nodes of the options by placement, today's first, which say what
// is asked of others, then those that are wanted, the cheapest first, and leaves out what is dearer than
// a verified one even on as few nodes as are proven to be needed, where placing takes its time.
func (p *planner) holdOptions() {
	if p.idle() {
		return
	}
	var best *choice
	var order []candidate
	for i := range p.options {
		c := &p.options[i]
		_, all := c.fixed()
		switch {
		case !c.placeable() || all && p.read.Placing && len(p.options) == 1 && len(c.pack.Left) == 0:
		case c.opt.Name == TodaysNodes:
			p.hold(c, nil)
			p.lackedToday(c)
			best = p.best(c, best)
		default:
			order = append(order, candidate{option: c})
		}
	}
	for i := range order {
		order[i].promise = p.promise(order[i].option)
	}
	many := p.load.count.Number > comparedPods
	for len(order) > 0 {
		slices.SortStableFunc(order, p.byPromise)
		o := order[0]
		c := o.option
		order = order[1:]
		if best != nil && (!p.cheaper(o.promise, best) || !c.wanted(p.s.Policy.Node)) && many {
			p.leave(c)
			continue
		}
		rival := best
		if len(order) > 0 && (best == nil || p.cheaper(order[0].promise, best)) {
			rival = order[0].promise
		}
		if !many || p.s.Policy.Node != "" {
			rival = nil
		}
		if !p.hold(c, rival) {
			order = append(order, candidate{c, c.on(c.holding.least())})
			continue
		}
		best = p.best(c, best)
	}
}

// best is the better of two, of which one may be none.
func (p *planner) best(c, best *choice) *choice {
	if c.opt.Fits && c.verified() && c.wanted(p.s.Policy.Node) && (best == nil || p.cheaper(c, best)) {
		return c
	}
	return best
}

// byPromise is the order in which options are tried.
func (p *planner) byPromise(a, b candidate) int {
	wanted := a.option.wanted(p.s.Policy.Node)
	switch {
	case wanted != b.option.wanted(p.s.Policy.Node):
		if wanted {
			return -1
		}
		return 1
	case p.cheaper(a.promise, b.promise):
		return -1
	case p.cheaper(b.promise, a.promise):
		return 1
	}
	return 0
}

// leave an option that was not tried.
func (p *planner) leave(c *choice) {
	if c.holding == nil {
		d := p.demand(c)
		c.opt.Fits, c.opt.Why = p.promise(c).opt.Fits, "" // of which nobody has tried how many
		c.opt.Verified = &v1alpha1.Verification{Status: v1alpha1.Estimated, Order: d.Order, Asked: asked(d),
			Problem: "not placed on trial: " + p.whyNoMore(c)}
	}
}

// lackedToday notes which pods have no other place on today's nodes.
func (p *planner) lackedToday(c *choice) {
	if h := c.held(); h != nil {
		if d, ok := h.Borne(c.holding.demand, c.holding.budget); ok {
			p.today = d.Lacking
		}
	}
}

// placeable says whether each pod has a place by itself: a packing may not find one for all where there is one.
func (c *choice) placeable() bool {
	return len(c.bins) > 0 && !slices.ContainsFunc(c.pack.Left, func(l fit.Left) bool { return l.Resource != full })
}

// full is the Resource of pods that are left over since the nodes are full.
const full = -1

// promise is the option on the fewest nodes that its proven floor leaves.
func (p *planner) promise(c *choice) *choice { return c.on(c.rest(p.least(c))) }

// rest is how many of n nodes are left for the open entry.
func (c *choice) rest(n int) int {
	for _, count := range c.stated {
		n -= count
	}
	return max(0, n)
}

// on is the option on so many nodes of its open entry, where it has one.
func (c *choice) on(n int) *choice {
	out := *c
	if open := slices.Index(c.stated, 0); open >= 0 {
		out.opt.Nodes = slices.Clone(c.opt.Nodes)
		out.opt.Nodes[open].Count = n
	}
	out.opt.Total = 0
	for _, n := range out.opt.Nodes {
		out.opt.Total += n.Count
	}
	out.opt.Price = out.price()
	out.opt.Fits = out.short() < 0
	return &out
}
