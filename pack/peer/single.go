package peer

import (
	"math/big"

	"plimsoll.dev/pack"
)

// FFD is first fit decreasing on nodes of one kind, for each kind, and the
// cheapest of those that hold everything; when none does, the one that leaves
// the fewest items. An item's size is its largest share of a node. (Johnson
// 1973 for one dimension; the vector form is folklore.)
func FFD(p pack.Problem) Result {
	var best Result
	for k, next := range eachFFD(p) {
		if k == 0 || sum(next.Left) < sum(best.Left) || sum(next.Left) == sum(best.Left) && next.Cost < best.Cost {
			best = next
		}
	}
	return best
}

// eachFFD is first fit decreasing on each kind of node.
func eachFFD(p pack.Problem) []Result {
	r := newRules(p)
	var out []Result
	for k, node := range p.Nodes {
		order := decreasing(len(p.Items), func(i int) float64 {
			largest := 0.0
			for d, need := range p.Items[i].Need {
				largest = max(largest, float64(need)/float64(max(node.Capacity[d], 1)))
			}
			return largest
		})
		nodes := make([]int64, len(p.Nodes))
		var filled rack
		var left []int64
		filled, nodes[k], left = r.firstFit(order, counts(p), k, node.Stock)
		next := result(p, "first fit decreasing, best single kind", nodes, left)
		next.Patterns = filled.patterns()
		out = append(out, next)
	}
	return out
}

// Sizer divides the totals by a node's capacity, in each dimension, for each
// kind, and takes the cheapest, as section 9.4 of the OpenShift guide and most
// calculators do. It places nothing: pods may not fit on as many nodes, and On,
// MaxPerNode and conflicts are not looked at.
func Sizer(p pack.Problem) Result {
	best := Result{Name: "totals divided", Nodes: make([]int64, len(p.Nodes))}
	found := false
	for k := range p.Nodes {
		n, ok := divided(p, k)
		if cost := n * p.Nodes[k].Cost; ok && (!found || cost < best.Cost) {
			best.Nodes = make([]int64, len(p.Nodes))
			best.Nodes[k], best.Cost, found = n, cost, true
		}
	}
	best.Note = "totals only: may be fewer than the items fit on"
	if !found {
		best.Note = "totals only: no kind of node alone has enough of everything in stock"
	}
	return best
}

// divided is the number of nodes of kind k that the totals ask for; false when
// the kind has none of something, or too few are in stock.
func divided(p pack.Problem, k int) (int64, bool) {
	nodes := int64(0)
	for d, room := range p.Nodes[k].Capacity {
		total := new(big.Int)
		for _, item := range p.Items {
			total.Add(total, new(big.Int).Mul(big.NewInt(item.Need[d]), big.NewInt(item.Count)))
		}
		if total.Sign() == 0 {
			continue
		}
		if room == 0 {
			return 0, false
		}
		total.Add(total, big.NewInt(room-1)).Div(total, big.NewInt(room))
		if !total.IsInt64() {
			return 0, false
		}
		nodes = max(nodes, total.Int64())
	}
	return nodes, p.Nodes[k].Stock < 0 || nodes <= p.Nodes[k].Stock
}

func sum(list []int64) int64 {
	total := int64(0)
	for _, n := range list {
		total += n
	}
	return total
}
