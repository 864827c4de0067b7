package peer

import (
	"cmp"
	"math"
	"slices"

	"plimsoll.dev/pack"
)

// Expander is the rule by which cluster-autoscaler picks among the node groups
// that could help.
type Expander string

// Expanders of cluster-autoscaler that decide by themselves. Random draws;
// priority and grpc ask the user.
const (
	// LeastWaste takes the group that leaves the least share of CPU and of
	// memory idle, added up (expander/waste/waste.go).
	LeastWaste Expander = "least-waste"
	// Price takes the group whose nodes cost least for what its pods are worth
	// (expander/price/price.go). There is no price list for pods here: a unit of
	// CPU or memory is worth half of what it costs on the cheapest node.
	// How well a node's size suits the cluster is left out: it counts for
	// little where many nodes are added at once.
	Price Expander = "price"
	// MostPods takes the group that can take most pods (expander/mostpods/mostpods.go).
	MostPods Expander = "most-pods"
)

// unfit is by what the price expander multiplies the price of nodes with
// devices, so that nobody gets them who needs none.
const unfit = 1000

// ClusterAutoscaler is the Kubernetes cluster-autoscaler with a node group for
// each kind of node, each without nodes. Each round estimates for each group how
// many nodes the pods need that fit on one: first fit, the pods falling by their
// share of CPU plus their share of memory (estimator/binpacking_estimator.go and
// decreasing_pod_orderer.go). The expander picks one group, and what has no
// place yet is in the next round. The first two dimensions count as CPU and memory.
//
// Among equals it draws; here the one of middle cost is taken, so that half of
// the draws would cost as much or more. What is left over fits on no node of an
// earlier round, or it would have been placed there.
func ClusterAutoscaler(p pack.Problem, e Expander) Result {
	r := newRules(p)
	nodes, left := make([]int64, len(p.Nodes)), counts(p)
	var filled rack
	for slices.ContainsFunc(left, positive) {
		o, ok := r.pick(r.options(nodes, left), e)
		if !ok {
			break
		}
		nodes[o.kind] += o.nodes
		filled, left = append(filled, o.filled...), o.left
	}
	out := result(p, "cluster-autoscaler, "+string(e), nodes, left)
	out.Patterns = filled.patterns()
	return out
}

// option is that a node group grows.
type option struct {
	kind   int
	nodes  int64
	filled rack
	left   []int64 // of each item
	taken  []int64
	score  float64 // the least is best
}

// options are the groups that can take any of the items, besides the nodes that
// there are.
func (r *rules) options(nodes, demand []int64) []option {
	var out []option
	for k, node := range r.Nodes {
		order := decreasing(len(r.Items), func(i int) float64 {
			score := 0.0
			for d := range min(2, len(node.Capacity)) {
				if node.Capacity[d] > 0 {
					score += float64(r.Items[i].Need[d]) / float64(node.Capacity[d])
				}
			}
			return score
		})
		stock := node.Stock
		if stock >= 0 {
			stock -= nodes[k]
		}
		o := option{kind: k, taken: make([]int64, len(demand))}
		o.filled, o.nodes, o.left = r.firstFit(order, demand, k, stock)
		for i := range demand {
			o.taken[i] = demand[i] - o.left[i]
		}
		if o.nodes > 0 {
			out = append(out, o)
		}
	}
	return out
}

// pick chooses among the options; false when there are none.
func (r *rules) pick(options []option, e Expander) (option, bool) {
	least := math.Inf(1)
	for n := range options {
		o := &options[n]
		switch e {
		case LeastWaste:
			o.score = r.waste(o)
		case Price:
			o.score = r.price(o)
		case MostPods:
			o.score = -float64(sum(o.taken))
		}
		least = min(least, o.score)
	}
	best := slices.DeleteFunc(options, func(o option) bool { return o.score > least })
	if len(best) == 0 {
		return option{}, false
	}
	slices.SortStableFunc(best, func(a, b option) int {
		return cmp.Compare(a.nodes*r.Nodes[a.kind].Cost, b.nodes*r.Nodes[b.kind].Cost)
	})
	return best[(len(best)-1)/2], true
}

// waste is the idle share of CPU and of memory, added up.
func (r *rules) waste(o *option) float64 {
	total := 0.0
	for d := range min(2, len(r.Nodes[o.kind].Capacity)) {
		offered := float64(r.Nodes[o.kind].Capacity[d]) * float64(o.nodes)
		if offered > 0 {
			total += (offered - r.taken(o, d)) / offered
		}
	}
	return total
}

// taken is what the option's pods need of a dimension.
func (r *rules) taken(o *option, d int) float64 {
	total := 0.0
	for i, n := range o.taken {
		total += float64(n) * float64(r.Items[i].Need[d])
	}
	return total
}

// price is what the option's nodes cost for what its pods are worth.
func (r *rules) price(o *option) float64 {
	worth := 0.0
	for d := range min(2, len(r.Nodes[o.kind].Capacity)) {
		unit := math.Inf(1)
		for _, n := range r.Nodes {
			if n.Capacity[d] > 0 {
				unit = min(unit, float64(n.Cost)/float64(n.Capacity[d])/2)
			}
		}
		if taken := r.taken(o, d); taken > 0 {
			worth += unit * taken
		}
	}
	score := float64(o.nodes) * float64(r.Nodes[o.kind].Cost) / max(worth, math.SmallestNonzeroFloat32)
	if r.hasDevice(o.kind) {
		score *= unfit
	}
	return score
}

// hasDevice says whether nodes of the kind have something, beside CPU and
// memory, that others have none of.
func (r *rules) hasDevice(kind int) bool {
	for d := 2; d < len(r.Nodes[kind].Capacity); d++ {
		if r.Nodes[kind].Capacity[d] > 0 &&
			slices.ContainsFunc(r.Nodes, func(n pack.NodeType) bool { return n.Capacity[d] == 0 }) {
			return true
		}
	}
	return false
}
