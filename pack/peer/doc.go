// Package peer says what other planners would need for the same packing
// problem: first fit decreasing on the best single kind of node, Karpenter,
// cluster-autoscaler with three of its expanders, and the calculators that only
// divide totals.
//
// The rules are told anew from the documents and the sources that each function
// names, without what a packing problem doesn't have: topology, consolidation,
// limits per scale-up. None of them plans spares or zones. Nothing here proves
// anything, and the program's own answer uses none of it.
//
//	for _, r := range peer.Compare(problem) {
//		fmt.Println(r.Name, r.Cost, r.Fits)
//	}
package peer
