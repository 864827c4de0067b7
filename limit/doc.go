// Package limit holds gauges: how much of a limit a quantity uses, what kind
// of limit it is and who says so.
//
// It does not know which limits a platform has; package facts does.
//
//	g := limit.Measure("nodes", "Nodes", "cluster", nodes, most, limit.Tested)
//	g.Share   // 0.55
//	g.Verdict // limit.Within
package limit
