package plan

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/node"
	"plimsoll.dev/pack"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/unit"
)

// Priced is a packing problem, and what its costs mean.
type Priced struct {
	Problem pack.Problem
	// Unit is what is paid with: "core", or "price".
	Unit string
	// Scale is the number of cost units in one unit of the prices; 1 for cores.
	Scale float64
	// Open is what the workload needs and the scenario does not give.
	Open []string

	planner *planner
}

// Placed says whether the schedulers, which move no pod, find a place for every pod on
// a mix, and what they need when they don't.
func (q Priced) Placed(nodes []int64) (says string, holds bool) {
	p := q.planner
	if p.idle() {
		return "There are no pods to place.", true
	}
	c := choice{opt: v1alpha1.Option{Name: "packing"}}
	for i, n := range nodes {
		c.rooms, c.stated = append(c.rooms, p.rooms[i]), append(c.stated, int(n))
		c.opt.Nodes = append(c.opt.Nodes, v1alpha1.OptionNodes{Type: p.rooms[i].Type.Name, Count: int(n)})
	}
	p.few()
	s := p.holding(&c)
	s.open = -1
	s.search()
	h, tried := s.tried[0]
	switch {
	case !tried:
		return "Whether the scheduler finds it was not tried: that takes too long.", false
	case h.Holds():
		return "The scheduler finds a place for every pod on it" + survives(asked(s.demand)) + ".", true
	}
	says = "By itself the scheduler does not find it: " + breaks(h) + "."
	if p.choice != nil && p.choice.held() != nil && !p.choice.holding.ended { // the plan may search on, and find fewer
		says += fmt.Sprintf(" It needs %s (plimsoll plan).", p.choice.nodes())
	}
	return says, false
}

// Cheaper is the plan's own choice, by the problem's nodes, where it is known by placement to
// hold all that is asked and costs less than a packing; nil where it does not.
func (q Priced) Cheaper(than int64) []int64 {
	c := q.planner.choice
	if c == nil || c.held() == nil || !c.held().Holds() {
		return nil
	}
	cost, nodes := int64(0), make([]int64, len(q.Problem.Nodes))
	for _, n := range c.opt.Nodes {
		k := slices.IndexFunc(q.Problem.Nodes, func(of pack.NodeType) bool { return of.Name == n.Type })
		if k < 0 {
			return nil
		}
		nodes[k] += int64(n.Count)
		cost += int64(n.Count) * q.Problem.Nodes[k].Cost
	}
	if cost >= than {
		return nil
	}
	return nodes
}

// nodes are the option's in words.
func (c *choice) nodes() string {
	var parts []string
	for _, n := range c.opt.Nodes {
		if n.Count > 0 {
			parts = append(parts, fmt.Sprintf("%d x %s", n.Count, n.Type))
		}
	}
	return strings.Join(parts, " + ")
}

// Problem is the question for the cheapest mix of a scenario's worker types that
// holds its pods: with their stock, the policy's spare nodes and zones, on what
// is allocatable. Where not all types have a price, cores are counted.
func Problem(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue) Priced {
	p := &planner{s: s, c: c, o: part.NewOrigin(assumed, c), assumed: assumed,
		trials: place.Budget{Pods: fewTrials}}
	p.workload()
	p.settle()
	o := node.OfPolicy(s.Policy)
	out := price(p.rooms)
	out.planner, out.Open = p, slices.Concat(p.lacking, p.diskless())
	if p.load.count.Number == 0 && !p.idle() {
		out.Open = append(out.Open, `pods: of DaemonSets alone, whose nodes "plimsoll plan" counts`)
	}
	q := &out.Problem
	q.Resources, q.Spares = p.dims, *s.Policy.SpareNodes
	if s.Policy.Zones > 1 && s.Policy.SurviveZoneLoss {
		q.Zones, q.SurviveZoneLoss = s.Policy.Zones, true // else zones only say where nodes stand
	}
	for i, r := range p.rooms {
		q.Nodes[i].Capacity = bounded(p.dims.capacity(r, o))
	}
	for _, i := range p.items(p.rooms, o) {
		q.Items = append(q.Items, pack.Item{Name: i.Name, Count: int64(i.Count), Need: bounded(i.Need),
			MaxPerNode: int64(i.MaxPerNode), On: i.On})
	}
	return out
}

// price gives each type its cost in whole numbers: exactly its price, or its
// cores where a type has none. Prices that whole numbers can't tell are not
// let in (source/scenario), and count for nothing here.
func price(rooms []roomOf) Priced {
	out := Priced{Unit: "core", Scale: 1}
	var prices []float64
	for _, r := range rooms {
		prices = append(prices, r.Type.Price)
	}
	costs, scale, priced := unit.WholePrices(prices)
	if priced = priced && len(rooms) > 0; priced {
		out.Unit, out.Scale = "price", scale
	}
	for k, r := range rooms {
		n := pack.NodeType{Name: r.Type.Name, Cost: int64(r.Type.CPUs), Stock: -1}
		if priced {
			n.Cost = costs[k]
		}
		if r.Type.Available != nil {
			n.Stock = int64(*r.Type.Available)
		}
		if masterNode(r.Type.Labels) && r.Type.Count != nil { // members of etcd, of which no more are bought
			n.Stock = int64(*r.Type.Count)
		}
		out.Problem.Nodes = append(out.Problem.Nodes, n)
	}
	return out
}
