// Package derive carries a number together with the way it was found: value,
// formula, inputs, sources. A plan is a Book of such figures; each input names
// the fact, the scenario field or the other figure that it came from, so that
// every number can be followed down to the documents.
//
// It is not a calculator: Go functions compute, and the formula text beside the
// value is an independent restatement that Book.Verify evaluates and compares.
//
//	var b derive.Book
//	pods := derive.Given("workload.pods", 2200, "pods")
//	each := fact.Value() // 500 pods, from the facts catalogue
//	n := b.Calc("nodes.required", "Nodes needed", 5, "nodes",
//		"ceil(pods / podsPerNode)", derive.In("pods", pods), derive.In("podsPerNode", each))
package derive
