package plan

import (
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/node"
	"plimsoll.dev/pack"
	"plimsoll.dev/part"
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

// price gives each type its cost in whole numbers.
func price(rooms []roomOf) Priced {
	out := Priced{Unit: "core", Scale: 1}
	priced := len(rooms) > 0
	for _, r := range rooms {
		priced = priced && r.Type.Price > 0
	}
	if priced {
		out.Unit, out.Scale = "price", wholeScale(rooms)
	}
	for _, r := range rooms {
		n := pack.NodeType{Name: r.Type.Name, Cost: int64(r.Type.CPUs), Stock: -1}
		if priced {
			n.Cost = max(1, int64(math.Round(r.Type.Price*out.Scale)))
		}
		if r.Type.Available != nil {
			n.Stock = int64(*r.Type.Available)
		}
		out.Problem.Nodes = append(out.Problem.Nodes, n)
	}
	return out
}

// wholeScale is the least power of ten that makes all prices whole, at most a
// million.
func wholeScale(rooms []roomOf) float64 {
	scale := 1.0
	for scale < 1e6 {
		whole := true
		for _, r := range rooms {
			x := r.Type.Price * scale
			whole = whole && math.Abs(x-math.Round(x)) < 1e-6
		}
		if whole {
			break
		}
		scale *= 10
	}
	return scale
}
