package plan

import (
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/plan/fit"
)

// count finds the number of worker nodes of an option: what the packing needs,
// with spare nodes and with what the loss of a zone asks for; or, where the
// option states all its nodes, that number.
func (p *planner) count(c *choice) {
	base := p.base(c)
	if fixed, all := c.fixed(); all {
		c.opt.Total = fixed
		c.total = p.b.Record(derive.Figure{ID: "nodes.workers[" + c.opt.Name + "]", Title: "Worker nodes of " + c.opt.Name,
			Value: derive.Of(float64(fixed), "nodes"), Method: "the option states its nodes",
			Inputs: []derive.Input{derive.In("base", base)}})
	} else {
		p.openCount(c, base)
	}
	c.opt.Figure = "nodes.workers[" + c.opt.Name + "]"
	c.opt.Price = c.price()
}

// base records the packing as a figure.
func (p *planner) base(c *choice) derive.Value {
	id := "nodes.base[" + c.opt.Name + "]"
	in := []derive.Input{derive.In("pods", p.load.count), derive.In("cpu", p.load.cpu), derive.In("memory", p.load.memory)}
	for _, r := range c.rooms {
		in = append(in, derive.In("CPU on each "+r.Type.Name, r.CPU), derive.In("memory on each "+r.Type.Name, r.Memory),
			derive.In("pods on each "+r.Type.Name, r.Pods))
	}
	method := "every pod packed by first fit decreasing, "
	if len(c.pack.Left) > 0 {
		method = "packed by first fit decreasing, which leaves pods over, "
	}
	v := p.b.Record(derive.Figure{ID: id, Title: "Nodes that the workload needs on " + c.opt.Name,
		Value: derive.Of(float64(c.opt.Base), "nodes"), Inputs: in,
		Method: method + c.pack.Order})
	if c.opt.Floor > 0 && len(c.pack.Left) == 0 {
		p.b.Note(id, fmt.Sprintf("no packing needs fewer than %s, by %s: %s decides",
			derive.Of(float64(c.opt.Floor), "nodes"), c.opt.FloorMethod, c.opt.Binding))
	}
	return v
}

// fixed is the sum of the stated counts, and whether all entries state one.
func (c *choice) fixed() (int, bool) {
	sum := 0
	for _, n := range c.stated {
		if n == 0 {
			return 0, false
		}
		sum += n
	}
	return sum, true
}

// openCount finds the number of the open entry's nodes, with the spare ones.
func (p *planner) openCount(c *choice, base derive.Value) {
	if len(c.rooms) > 1 {
		p.openMix(c, base)
		return
	}
	spares, z := *p.s.Policy.SpareNodes, p.s.Policy.Zones
	total, formula := c.opt.Base+spares, "base + spare"
	in := []derive.Input{derive.In("base", base),
		derive.In("spare", p.o.Value("policy.spareNodes", float64(spares), "nodes"))}
	if p.s.Policy.SurviveZoneLoss && z > 1 {
		total = max(total, ZoneLossCount(c.opt.Base, z))
		formula = "max(base + spare, base + ceil(base / (zones - 1)))"
		in = append(in, derive.In("zones", p.o.Value("policy.zones", float64(z), "zones")))
	}
	c.total = p.b.Found("nodes.workers["+c.opt.Name+"]", "Worker nodes of "+c.opt.Name, float64(total), "nodes",
		formula, in...)
	c.opt.Total, c.opt.Nodes[0].Count = total, total
}

// ZoneLossCount is the least number of nodes, spread evenly over zones, of
// which base are left when the fullest zone is lost. zones is at least 2.
func ZoneLossCount(base, zones int) int { return base + (base+zones-2)/(zones-1) }

// implied says what it means to carry the workload on the nodes that the
// scenario has in mind: the overcommit of each resource on their nominal size,
// and the CPU overcommit at which a packing succeeds.
func (p *planner) implied(c *choice) {
	if c.opt.Given == 0 {
		return
	}
	for d, total := range []derive.Value{p.load.cpu, p.load.memory} {
		c.opt.Overcommit = append(c.opt.Overcommit, p.impliedShare(c, d, total))
	}
	if c.opt.Bare > 0 && c.opt.Bare <= c.opt.Given {
		c.opt.FitsAt = 1
		return
	}
	c.opt.FitsAt = p.fitsAt(c)
}

// impliedShare records total over what the given nodes have by their label.
func (p *planner) impliedShare(c *choice, d int, total derive.Value) v1alpha1.ResourceShare {
	have, sum := 0.0, derive.Terms{In: []derive.Input{derive.In("requested", total)}}
	for i, r := range c.rooms {
		each := []derive.Value{r.CPUCapacity, r.MemoryCapacity}[d]
		n := c.givenOf(i)
		have += n.Number * each.Number
		sum.Product(derive.In(fmt.Sprintf("nodes%d", i+1), n), derive.In(fmt.Sprintf("size%d", i+1), each))
	}
	name := p.dims[d]
	share := v1alpha1.ResourceShare{Resource: name, Used: total, Total: p.dims.value(d, have)}
	if have > 0 {
		v := p.b.Calc("nodes.overcommit."+name+"["+c.opt.Name+"]",
			"Overcommit of "+name+" on the nodes given of "+c.opt.Name, "ratio", "requested / ("+sum.Sum()+")", sum.In...)
		share.Share, share.Figure = v.Number, v.From.ID
	}
	return share
}

// givenOf is the number of nodes in mind of entry i.
func (c *choice) givenOf(i int) derive.Value {
	r := c.rooms[i]
	if c.stated[i] > 0 {
		return derive.Given(fmt.Sprintf("hardware.options[%s].nodes[%d].count", c.opt.Name, i), c.stated[i], "nodes")
	}
	n := 0
	if r.Type.Count != nil {
		n = *r.Type.Count
	}
	return derive.Given(fmt.Sprintf("hardware.nodeTypes[%d].count", r.index), n, "nodes")
}

// fitsAt is the least CPU overcommit, in steps of a thousandth, at which the
// workload packs on the given nodes of nominal size; 0 when memory or something
// else stands in the way.
func (p *planner) fitsAt(c *choice) float64 {
	ok := func(factor float64) bool {
		n := p.bare(c, factor)
		return n > 0 && n <= c.opt.Given
	}
	low := math.Max(1, derive.Floor(c.opt.Overcommit[0].Share*1000)/1000)
	high := low * 2
	if !ok(high) {
		return 0
	}
	if ok(low) && low >= c.opt.Overcommit[0].Share {
		return low
	}
	lo, hi := int(math.Round(low*1000)), int(math.Round(high*1000))
	for lo+1 < hi {
		mid := (lo + hi) / 2
		if ok(float64(mid) / 1000) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return float64(hi) / 1000
}

// fits decides whether the workload fits on the option, and says why not.
func (p *planner) fits(c *choice) {
	c.opt.Utilisation = p.use(c, p.items(c.rooms, node.NoOvercommit), c.binsOf(p.dims, node.NoOvercommit, dims.capacity))
	c.opt.Stranded = p.stranded(c)
	if len(c.pack.Left) > 0 {
		// Counts of a packing that failed say nothing.
		c.opt.Needed, c.opt.Floor, c.opt.Binding, c.opt.Price, c.opt.Stranded = 0, 0, "", 0, nil
		c.opt.Why = p.whyLeft(c, c.pack.Left[0])
		return
	}
	p.judge(c)
}

// judge says anew whether there are as many nodes as the option takes, and as the scenario has in mind.
func (p *planner) judge(c *choice) {
	c.opt.Fits, c.opt.Why = true, ""
	if i := c.short(); i >= 0 {
		c.opt.Fits = false
		c.opt.Why = fmt.Sprintf("%s needed with the spare ones, %d in stock", words.Count(c.opt.Nodes[i].Count,
			c.opt.Nodes[i].Type+" node is", c.opt.Nodes[i].Type+" nodes are"), *c.rooms[i].Type.Available)
	}
	given := c.opt.Given
	switch confirmed := c.verified() && c.opt.Total <= given; {
	case given == 0:
	case confirmed && p.s.Policy.Overcommit.CPU <= 1:
		c.opt.FitsAt = 1
	case !confirmed && c.opt.Base > given:
		c.opt.Why = p.whyMore(c)
	case !confirmed && c.opt.Total > given && c.holding != nil && c.opt.Fits:
		c.opt.Why = fmt.Sprintf("%s given, and what the policy asks for takes %d",
			words.Count(given, "node is", "nodes are"), c.opt.Total)
	}
}

// whyMore says why the nodes in mind are too few: in the document's way, which
// reserves nothing, and on what is allocatable.
func (p *planner) whyMore(c *choice) string {
	s := words.Count(c.opt.Given, "node is", "nodes are") + " over-committed: "
	if c.opt.Bare > 0 {
		s += fmt.Sprintf("%s needed without overcommit, %d with what the system reserves",
			words.Count(c.opt.Bare, "is", "are"), c.opt.Needed)
	} else {
		s += words.Count(c.opt.Needed, "is", "are") + " needed without overcommit"
	}
	if c.opt.FitsAt > 1 {
		s += fmt.Sprintf("; %s only at %.4g CPU overcommit", words.Count(c.opt.Given, "holds", "hold"), c.opt.FitsAt)
	}
	return s
}

// short is the entry of whose type the option needs more machines than there are; -1 is none.
func (c *choice) short() int {
	for i, r := range c.rooms {
		if r.Type.Available != nil && c.opt.Nodes[i].Count > *r.Type.Available {
			return i
		}
	}
	return -1
}

// whyLeft says why pods found no place.
func (p *planner) whyLeft(c *choice, l fit.Left) string {
	it := c.items[l.Item]
	switch {
	case l.Resource == -2:
		return fmt.Sprintf("%s not allowed on these nodes (nodeSelector or taints)",
			words.Count(l.Count, "pod of "+it.Name+" is", "pods of "+it.Name+" are"))
	case l.Resource == dimPods:
		return fmt.Sprintf("no place for pods such as %s is left on these nodes: "+
			"maxPods is filled by the platform and DaemonSets", it.Name)
	case l.Resource >= 0:
		most := int64(0)
		for i, b := range c.bins {
			if it.On == nil || it.On[i] {
				most = max(most, b.Cap[l.Resource])
			}
		}
		return fmt.Sprintf("a pod of %s needs %s of %s, a node gives %s", it.Name,
			p.dims.value(l.Resource, float64(it.Need[l.Resource])), p.dims[l.Resource], p.dims.value(l.Resource, float64(most)))
	}
	return fmt.Sprintf("%s no room beside what fills %s",
		words.Count(l.Count, "pod of "+it.Name+" finds", "pods of "+it.Name+" find"), words.Count(c.pack.Nodes, "node"))
}

// use is the share of each resource of the option's nodes, spare ones included,
// that the items take.
func (p *planner) use(c *choice, items []fit.Item, bins []fit.Bin) []v1alpha1.ResourceShare {
	var out []v1alpha1.ResourceShare
	for d := range p.dims {
		used, have := 0.0, 0.0
		for _, it := range items {
			used += float64(it.Need[d]) * float64(it.Count)
		}
		for i, b := range bins {
			have += float64(b.Cap[d]) * float64(c.opt.Nodes[i].Count)
		}
		if have <= 0 || have > 1e18 {
			continue
		}
		out = append(out, v1alpha1.ResourceShare{Resource: p.dims[d], Used: p.dims.value(d, used),
			Total: p.dims.value(d, have), Share: used / have})
	}
	return out
}

// stranded is what is free on the nodes that take no further pod of the
// workload, as a share of all nodes in use: room that is paid for and lost to
// the shape of the pods. Only CPU and memory are told.
func (p *planner) stranded(c *choice) []v1alpha1.ResourceShare {
	var free, have [dimMemory + 1]float64
	leasts := c.leasts()
	for _, g := range c.pack.Groups {
		full := !slices.ContainsFunc(leasts[g.Bin], func(l fit.Item) bool { return l.Fits(g.Bin, g.Free) })
		for d := range free {
			have[d] += float64(c.bins[g.Bin].Cap[d]) * float64(g.Nodes)
			if full {
				free[d] += float64(g.Free[d]) * float64(g.Nodes)
			}
		}
	}
	var out []v1alpha1.ResourceShare
	for d := range free {
		if have[d] > 0 && free[d] > 0 {
			out = append(out, v1alpha1.ResourceShare{Resource: p.dims[d], Used: p.dims.value(d, free[d]),
				Total: p.dims.value(d, have[d]), Share: free[d] / have[d]})
		}
	}
	return out
}

// leasts are for each entry the pods that may go there and need no more than another in
// everything: where none of these fits, none of the workload does.
func (c *choice) leasts() [][]fit.Item {
	out := make([][]fit.Item, len(c.bins))
	for b := range out {
		for _, it := range c.items {
			if it.On != nil && !it.On[b] ||
				slices.ContainsFunc(out[b], func(l fit.Item) bool { return atLeast(it.Need, l.Need) }) {
				continue
			}
			out[b] = slices.DeleteFunc(out[b], func(l fit.Item) bool { return atLeast(l.Need, it.Need) })
			out[b] = append(out[b], it)
		}
	}
	return out
}

// atLeast says whether a is not below b in anything.
func atLeast(a, b fit.Vec) bool {
	for d := range a {
		if a[d] < b[d] {
			return false
		}
	}
	return true
}
