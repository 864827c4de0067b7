// Package facts is the catalogue of every figure that a document or a vendor
// states about a platform: maximums, sizing tables, overheads, defaults, each
// with unit, source, kind and grade of trust.
//
// It holds data and look-ups, no arithmetic: what follows from a fact is
// computed in the packages above. The figures are written by people in
// data/*.yaml (see data/README.md); catalogue.json is generated from them.
//
//	c := facts.Load()
//	f, _ := c.Get("ocp.max.nodes/4.4") // 250 nodes, tested, OCP 9.2
package facts

//go:generate go run ./gen
