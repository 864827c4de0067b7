package plan

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/node"
	"plimsoll.dev/pack"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Priced is a packing problem, and what its costs mean.
type Priced struct {
	Problem pack.Problem
	// Unit is what is paid with: "core", or "price".
	Unit string
	// Scale is the number of cost units in one unit of the prices; 1 for cores.
	Scale float64
}

// Problem is the question for the cheapest mix of a scenario's worker types that
// holds its pods: with their stock, the policy's spare nodes and zones, on what
// is allocatable. Where not all types have a price, cores are counted.
func Problem(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue) Priced {
	p := &planner{s: s, c: c, o: part.NewOrigin(assumed, c)}
	p.workload()
	p.settle()
	o := node.OfPolicy(s.Policy)
	out := price(p.rooms)
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
		out.Problem.Nodes = append(out.Problem.Nodes, n)
	}
	return out
}
