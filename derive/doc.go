// Package derive carries a number together with the way it was found: value,
// formula, inputs, sources. A plan is a Book of such figures; each input names
// the fact, the scenario field or the other figure that it came from, so that
// every number can be followed down to the documents.
//
// It is not what decides: packages plan and tune choose the formulas and the inputs.
// A formula stands once, as text, and Calc computes the value from it. What a search
// or a placement found is told to Found; its formula restates it, and Book.Verify
// compares the two, as it does with the figures of a plan that comes from a file.
//
//	var b derive.Book
//	pods := derive.Given("workload.pods", 2200, "pods")
//	each := fact.Value() // 500 pods, from the facts catalogue
//	n := b.Calc("nodes.required", "Nodes needed", "nodes",
//		"ceil(pods / podsPerNode)", derive.In("pods", pods), derive.In("podsPerNode", each))
package derive
