package peer

import (
	"slices"

	"plimsoll.dev/pack"
)

// Result is what a planner would need.
type Result struct {
	// Name of the planner and its rule.
	Name string `json:"name"`
	// Nodes of each kind.
	Nodes []int64 `json:"nodes"`
	// Cost of all nodes.
	Cost int64 `json:"cost"`
	// Fits says that all items have a place on these nodes.
	Fits bool `json:"fits"`
	// Left are the items without a place, by item; nil when there are none, or
	// when the planner doesn't place them.
	Left []int64 `json:"left,omitempty"`
	// Note says what the figure leaves out; empty when nothing.
	Note string `json:"note,omitempty"`
	// Patterns are the filled nodes; nil where the planner places nothing.
	Patterns []pack.Pattern `json:"-"`
}

// Total is the number of nodes.
func (r Result) Total() int64 {
	total := int64(0)
	for _, n := range r.Nodes {
		total += n
	}
	return total
}

// Compare returns what each of the planners would need. The problem's lists
// must be as long as its kinds and dimensions.
func Compare(p pack.Problem) []Result {
	return []Result{
		FFD(p), Karpenter(p),
		ClusterAutoscaler(p, LeastWaste), ClusterAutoscaler(p, Price), ClusterAutoscaler(p, MostPods),
		Sizer(p),
	}
}

// Packings are what the rules make of a problem, one after the other: first fit
// decreasing on each kind of node alone, and the planners that mix kinds. It is
// what a search begins with that is to be no worse than they are (pack.Options.Start).
func Packings(p pack.Problem) [][]pack.Pattern {
	var out [][]pack.Pattern
	for _, r := range append(eachFFD(p), Karpenter(p), ClusterAutoscaler(p, LeastWaste),
		ClusterAutoscaler(p, Price), ClusterAutoscaler(p, MostPods)) {
		out = append(out, r.Patterns)
	}
	return out
}

// result sums up.
func result(p pack.Problem, name string, nodes, left []int64) Result {
	r := Result{Name: name, Nodes: nodes, Fits: !slices.ContainsFunc(left, positive)}
	for k, n := range nodes {
		r.Cost += n * p.Nodes[k].Cost
	}
	if !r.Fits {
		r.Left = left
	}
	if p.Spares > 0 || p.Zones > 1 {
		r.Note = "without spares and zones"
	}
	return r
}

func positive(n int64) bool { return n > 0 }

// counts of all items.
func counts(p pack.Problem) []int64 {
	out := make([]int64, len(p.Items))
	for i, item := range p.Items {
		out[i] = item.Count
	}
	return out
}
