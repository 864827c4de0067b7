package certify

import (
	"math"
	"math/big"
	"slices"

	"plimsoll.dev/pack"
)

// bound checks what no packing is said to be below.
func (c *checker) bound(s pack.Solution) {
	b, nodes, costs := s.Bound, int64(0), []int64{}
	for k, n := range c.Nodes {
		nodes, costs = nodes+s.Nodes[k], append(costs, n.Cost)
	}
	slices.Sort(costs)
	dearest := costs[len(costs)-1]
	zones := int64(1)
	if c.SurviveZoneLoss {
		zones = int64(c.Zones)
	}
	proven := c.prove(&s.Certificate, dearest, zones)
	if c.Spares > 0 {
		proven = larger(proven, c.proveSpares(s.Certificate.Spares, slices.Compact(costs)))
	}
	fewest := larger(c.volume(), ceil(proven, big.NewInt(dearest)))
	c.must(proven.Cmp(big.NewInt(b.Cost)) >= 0, "bound.cost: %d, where %v is proven", b.Cost, proven)
	c.must(fewest.Cmp(big.NewInt(b.Nodes)) >= 0, "bound.nodes: %d, where %v is proven", b.Nodes, fewest)
	c.must(b.GapCost == s.Cost-b.Cost && b.GapNodes == nodes-b.Nodes &&
		math.Abs(b.Gap-float64(b.GapCost)/float64(max(s.Cost, 1))) < 1e-9,
		"bound: the gaps are not what the packing is above it")
	c.must(!s.Optimal || s.Cost == b.Cost, "optimal: is said of a packing that costs %d more than its bound", b.GapCost)
}

// volume is the number of nodes that the total need asks for, in each dimension
// over the largest node, and the spares.
func (c *checker) volume() *big.Int {
	fewest := new(big.Int)
	for d := range c.Nodes[0].Capacity {
		total, room := new(big.Int), int64(1)
		for i, item := range c.Items {
			total.Add(total, product(item.Need[d], c.demand[i]))
		}
		for _, n := range c.Nodes {
			room = max(room, n.Capacity[d])
		}
		fewest = larger(fewest, ceil(total, big.NewInt(room)))
	}
	return fewest.Add(fewest, product(int64(c.Spares), int64(fewest.Sign())))
}

// proveSpares returns the bound with spares. Those of the dearest nodes may
// fail together; the rest holds everything, and none of it costs more.
func (c *checker) proveSpares(cases []pack.SpareProof, costs []int64) *big.Int {
	var least *big.Int
	if !slices.ContainsFunc(c.demand, func(n int64) bool { return n > 0 }) {
		return new(big.Int) // there is no node that could fail
	}
	for _, dearest := range costs {
		i := slices.IndexFunc(cases, func(p pack.SpareProof) bool { return p.Dearest == dearest })
		if !c.must(i >= 0 || c.impossible(dearest), "certificate: no case of spares that cost %d", dearest) || i < 0 {
			continue
		}
		bound := c.prove(&cases[i].Certificate, dearest, 1)
		bound.Add(bound, product(dearest, int64(c.Spares)))
		c.must(bound.Cmp(big.NewInt(cases[i].Bound)) == 0, "certificate.spares[%d].bound: %d, where %v is proven", i,
			cases[i].Bound, bound)
		if least == nil || bound.Cmp(least) < 0 {
			least = bound
		}
	}
	if least == nil {
		return new(big.Int)
	}
	return least
}

// impossible says that no node in stock that costs up to dearest can hold some item.
func (c *checker) impossible(dearest int64) bool {
	for i, n := range c.demand {
		held := n == 0
		for k := range c.Nodes {
			held = held || c.Nodes[k].Cost <= dearest && c.Nodes[k].Stock != 0 && c.most(k, i) > 0
		}
		if c.steps += len(c.Nodes) * (len(c.Nodes[0].Capacity) + 1); !held || c.steps > maxSteps {
			return !held
		}
	}
	return false
}
