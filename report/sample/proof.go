package sample

import "plimsoll.dev/api/v1alpha1"

// proofs sets beside two options what the scheduler needs, and adds certificates,
// which prove nothing.
func (b *builder) proofs() {
	for i, needed := range [][]v1alpha1.NeededNodes{
		{{Rules: "1.17", Order: "runs", Nodes: 167, Least: 167, Most: 202}, {Rules: "1.17", Order: "shuffled", Nodes: 239, Least: 236, Most: 241}, {Rules: "1.17", Order: "largestFirst", Nodes: 167},
			{Rules: "1.34, all", Order: "shuffled", Nodes: 240, Least: 236, Most: 242}},
		{{Rules: "1.17", Order: "runs", Nodes: 75, Least: 74, Most: 89}, {Rules: "1.17", Order: "largestFirst", Nodes: 74}},
	} {
		o := &b.plan.Options[i]
		o.FloorMethod = "patterns"
		o.Comparison = &v1alpha1.NodeComparison{Option: o.Name, Floor: o.Floor, Planned: o.Needed, Method: o.FloorMethod, Needed: needed,
			Advice: "roll out the largest pods first, or have more nodes for pods that arrive as they like"}
		for _, basis := range []string{"nominal", "allocatable"} {
			b.plan.Proofs = append(b.plan.Proofs, v1alpha1.Proof{Option: o.Name, Basis: basis, Nodes: o.Needed, Bound: o.Floor, Method: o.FloorMethod, Packing: []byte(`{"kind":"Packing"}`)})
		}
	}
}
