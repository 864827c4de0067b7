// Package certify checks a packing and its certificate, on its own: it shares
// nothing with the solver but the types, searches for nothing, and counts in
// integers that can't overflow.
//
// When Check finds no fault, this is proven of the problem as it is given:
//
//   - Each pattern is a node that can be: within the capacity in each dimension,
//     MaxPerNode, On, and without two items that exclude each other.
//   - The patterns, as often as they are copied, hold the count of each item
//     less what is left over, in even shares where there are zones (once, where Together
//     is said). Nodes and
//     Cost are their sums with the spares, and the stock suffices.
//   - What is left over could be held by no further node that the stock allows.
//     Which items the stock leaves over is the solver's choice: nobody proves
//     that they are the fewest.
//   - Where zones are asked for, each has the same nodes, and each pattern is in each
//     equally often; where one may be lost, the others have room for everything. Where
//     Together is said, the nodes of any zones but one are those of the patterns, or more:
//     they hold everything, filled anew.
//   - However Spares nodes fail, the spares can take their place, one for one, and
//     so can the nodes of a zone that may be lost, or, where Together is said, those that
//     hold nothing. The two are not borne at once.
//   - No packing that holds so many items costs less than Bound.Cost, or has
//     fewer nodes than Bound.Nodes; where spares or zones are asked for, none
//     that can bear the failures, with the same nodes in each zone. Bound.Method and Effort are the solver's word.
//   - Optimal is said only where the cost is the bound.
//
// The bound is shown by prices of the items: all items together are worth the
// bound, and no filled node of any kind is worth more than it costs. The latter
// is shown by cutting the patterns in boxes and by weighting the dimensions, the
// given ones and those that follow from whole counts (certificate.go and box.go,
// each less than a hundred lines). Where numbers of nodes are few, each set of prices
// is an inequality that they fulfil, and counts.go, as short, goes through all that
// cost less than the bound: each breaks one of the inequalities. That the problem is the right one is not
// checked: capacities, needs and costs are taken as they stand.
//
//	faults := certify.Check(problem, solution)
//	len(faults) == 0 // proven
package certify
