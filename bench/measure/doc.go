// Package measure is what all benchmarks share: repetitions of cells, the figures that they have, the doubts that
// there are of them, and the comparison of two runs (docs/decisions/018-bench.md). Times of single events,
// such as pods that became ready, are not its business: package bench compares them.
//
//	cells := measure.Cells{Subject: "disk", RunID: "before", Cells: measured}
//	findings := cells.Findings()
//	compared := measure.Compare(cells, after, 0.1)
package measure
