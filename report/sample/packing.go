package sample

import (
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/peer"
	"plimsoll.dev/unit"
)

// Packing is a problem with two kinds of node and three of item, a packing with
// spares that is not proven to be the cheapest, one without spares, and what other
// planners would buy.
func Packing() (problem pack.Problem, solution, bare pack.Solution, peers []peer.Result) {
	gib := int64(unit.GiB)
	problem = pack.Problem{Resources: []string{"cpu", "memory", "pods"},
		Nodes:  []pack.NodeType{{Name: "m5.2xlarge", Capacity: []int64{7500, 29 * gib, 250}, Cost: 384, Stock: -1}, {Name: "m5.4xlarge", Capacity: []int64{15500, 60 * gib, 250}, Cost: 768, Stock: 10}},
		Items:  []pack.Item{{Name: "web", Count: 120, Need: []int64{500, gib / 2, 1}}, {Name: "search", Count: 24, Need: []int64{2500, 8 * gib, 1}, MaxPerNode: 1}, {Name: "database", Count: 6, Need: []int64{6000, 24 * gib, 1}, MaxPerNode: 1}},
		Spares: 2}
	solution = pack.Solution{Patterns: []pack.Pattern{
		{Node: 0, Items: []pack.Stack{{Item: 0, Count: 5}, {Item: 1, Count: 1}}, Copies: 24}, {Node: 1, Items: []pack.Stack{{Item: 2, Count: 1}}, Copies: 6}},
		Nodes: []int64{26, 6}, Spares: []int64{2, 0}, Cost: 26*384 + 6*768,
		Bound: pack.Bound{Cost: 32 * 384, Nodes: 30, Method: "patterns", GapCost: 6 * 384, GapNodes: 2, Gap: 6 * 384.0 / (26*384 + 6*768)}}
	bare = solution
	bare.Nodes, bare.Spares, bare.Cost, bare.Optimal = []int64{30, 0}, nil, 30*384, true
	peers = []peer.Result{
		{Name: "first fit decreasing, best single kind", Nodes: []int64{34, 0}, Cost: 34 * 384, Fits: true, Note: "without spares and zones"},
		{Name: "totals divided", Nodes: []int64{0, 10}, Cost: 10 * 768, Left: []int64{0, 14, 0}}}
	return problem, solution, bare, peers
}
