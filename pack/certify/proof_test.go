package certify

import (
	"slices"

	"plimsoll.dev/pack"
)

// proveBox is a naive proof that no pattern of the box is worth more than limit:
// it halves the box until nothing is left to prove. Where the prices are too
// high, it ends in a box that proves nothing.
func proveBox(p pack.Problem, k int, prices []int64, limit int64, from, to []int64) *pack.Proof {
	node := p.Nodes[k]
	worth, widest := int64(0), 0
	for i := range prices {
		worth += prices[i] * to[i]
		if to[i]-from[i] > to[widest]-from[widest] {
			widest = i
		}
	}
	flat := &pack.Proof{Weights: make([]int64, len(node.Capacity)), Unit: 1}
	if worth <= limit {
		return flat
	}
	for d, room := range node.Capacity {
		for i, item := range p.Items {
			room -= from[i] * item.Need[d]
		}
		if room < 0 { // no pattern is in the box: let the dimension weigh more than all items are worth
			flat.Weights[d] = worth + 1
			return flat
		}
	}
	if len(to) == 0 || to[widest] == from[widest] {
		return flat
	}
	middle := (from[widest] + to[widest]) / 2
	low, high := slices.Clone(to), slices.Clone(from)
	low[widest], high[widest] = middle, middle+1
	return &pack.Proof{Item: widest, At: middle,
		Below: proveBox(p, k, prices, limit, from, low), Above: proveBox(p, k, prices, limit, high, to)}
}

// most is what a node of kind k can hold of each item alone.
func most(p pack.Problem, k int) []int64 {
	out := make([]int64, len(p.Items))
	for i, item := range p.Items {
		for n := int64(1); n <= item.Count; n++ {
			if misfit(p, k, []pack.Stack{{Item: i, Count: n}}) {
				break
			}
			out[i] = n
		}
	}
	return out
}

// misfit says whether a node of kind k can't hold the items. It is written
// without a look at the checker.
func misfit(p pack.Problem, k int, items []pack.Stack) bool {
	on := make([]int64, len(p.Items))
	for _, s := range items {
		on[s.Item] += s.Count
	}
	for d, room := range p.Nodes[k].Capacity {
		for i := range on {
			room -= on[i] * p.Items[i].Need[d]
		}
		if room < 0 {
			return true
		}
	}
	for i, n := range on {
		if n > 0 && (p.Items[i].On != nil && !p.Items[i].On[k] || p.Items[i].MaxPerNode > 0 && n > p.Items[i].MaxPerNode) {
			return true
		}
	}
	return slices.ContainsFunc(p.Conflicts, func(c [2]int) bool { return on[c[0]] > 0 && on[c[1]] > 0 })
}

// certificate proves what it can by the prices, for nodes that cost up to dearest.
func certificate(p pack.Problem, left []int64, scale int64, prices []int64, dearest int64) pack.Certificate {
	ce := pack.Certificate{Scale: scale, Prices: prices}
	worth, divisor := int64(0), int64(0)
	for i, price := range prices {
		worth += price * (p.Items[i].Count - left[i])
	}
	for k, n := range p.Nodes {
		if n.Cost > dearest {
			ce.Proofs = append(ce.Proofs, pack.Proof{})
			continue
		}
		for a, b := divisor, n.Cost; ; a, b = b%a, a {
			if a == 0 {
				divisor = b
				break
			}
		}
		ce.Proofs = append(ce.Proofs, *proveBox(p, k, prices, n.Cost*scale, make([]int64, len(prices)), most(p, k)))
	}
	ce.Bound = (worth + scale*divisor - 1) / (scale * divisor) * divisor
	return ce
}

// firstFit is a packing that no one is proud of: each item on the first node
// with room, a new one of the first kind that can hold it when there is none.
func firstFit(p pack.Problem) pack.Solution {
	s := pack.Solution{Nodes: make([]int64, len(p.Nodes)), Left: make([]int64, len(p.Items))}
	for i, item := range p.Items {
		for range item.Count {
			if !placed(p, &s, i) {
				s.Left[i]++
			}
		}
	}
	return s
}

func placed(p pack.Problem, s *pack.Solution, i int) bool {
	for n := range s.Patterns {
		at := &s.Patterns[n]
		if items := plus(at.Items, i); !misfit(p, at.Node, items) {
			at.Items = items
			return true
		}
	}
	for k, n := range p.Nodes {
		if s.Nodes[k] != n.Stock && !misfit(p, k, []pack.Stack{{Item: i, Count: 1}}) {
			s.Patterns = append(s.Patterns, pack.Pattern{Node: k, Items: []pack.Stack{{Item: i, Count: 1}}, Copies: 1})
			s.Nodes[k]++
			return true
		}
	}
	return false
}

// plus is the items and one more.
func plus(items []pack.Stack, i int) []pack.Stack {
	items = slices.Clone(items)
	for n := range items {
		if items[n].Item == i {
			items[n].Count++
			return items
		}
	}
	return append(items, pack.Stack{Item: i, Count: 1})
}

// withSpares adds spares of the first kind that can take the place of any node;
// false when there is none, or too few.
func withSpares(p pack.Problem, s *pack.Solution) bool {
	if p.Spares == 0 || len(s.Patterns) == 0 {
		return true
	}
	s.Spares = make([]int64, len(p.Nodes))
	for k, n := range p.Nodes {
		able := n.Stock < 0 || n.Stock-s.Nodes[k] >= int64(p.Spares)
		for _, pattern := range s.Patterns {
			able = able && !misfit(p, k, pattern.Items)
		}
		if able {
			s.Spares[k] = int64(p.Spares)
			s.Nodes[k] += int64(p.Spares)
			return true
		}
	}
	return false
}

// solved is the first fit of a problem with the bound that the prices prove;
// false when there are too few spares.
func solved(p pack.Problem, scale int64, prices []int64) (pack.Solution, bool) {
	s := firstFit(p)
	if !withSpares(p, &s) {
		return s, false
	}
	dearest := int64(0)
	for k, n := range p.Nodes {
		s.Cost += s.Nodes[k] * n.Cost
		dearest = max(dearest, n.Cost)
	}
	prices = slices.Clone(prices)
	for i := range prices {
		if p.Items[i].Count == s.Left[i] {
			prices[i] = 0
		}
	}
	s.Certificate = certificate(p, s.Left, scale, prices, dearest)
	s.Bound.Cost = s.Certificate.Bound
	if p.Spares > 0 {
		s.Bound.Cost = spareProofs(p, &s, scale, prices)
	}
	nodes := int64(0)
	for _, n := range s.Nodes {
		nodes += n
	}
	s.Bound.GapCost, s.Bound.GapNodes = s.Cost-s.Bound.Cost, nodes
	s.Bound.Gap = float64(s.Bound.GapCost) / float64(max(s.Cost, 1))
	s.Optimal = s.Bound.GapCost == 0
	return s, true
}

func spareProofs(p pack.Problem, s *pack.Solution, scale int64, prices []int64) int64 {
	least := int64(-1)
	for k, n := range p.Nodes {
		if slices.ContainsFunc(p.Nodes[:k], func(m pack.NodeType) bool { return m.Cost == n.Cost }) {
			continue
		}
		ce := certificate(p, s.Left, scale, prices, n.Cost)
		proof := pack.SpareProof{Dearest: n.Cost, Certificate: ce, Bound: ce.Bound + int64(p.Spares)*n.Cost}
		s.Certificate.Spares = append(s.Certificate.Spares, proof)
		if least < 0 || proof.Bound < least {
			least = proof.Bound
		}
	}
	if len(s.Patterns) == 0 {
		return 0
	}
	return max(least, s.Certificate.Bound)
}
