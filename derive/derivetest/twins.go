// Package derivetest compares figures with naive twins of their formulas: the same
// rule in Go, written by the document's words and tried on its examples.
//
// It is for tests, and not for plans that come as files: derive's Book.Verify checks
// those.
//
//	derivetest.Compare(t, book.Figures(), derivetest.Twins{
//		"nodes.byPods": func(in derivetest.Inputs) float64 { return math.Ceil(in["pods"] / in["podsPerNode"]) },
//	})
package derivetest

import (
	"math"
	"strings"

	"plimsoll.dev/derive"
)

// Inputs are the numbers of a figure's inputs by name.
type Inputs map[string]float64

// Twins are by the figure's id, or by what stands before its bracket.
type Twins map[string]func(Inputs) float64

// Compare reports each figure of which the twin finds another value, up to the
// rounding of float64.
func Compare(t interface{ Errorf(string, ...any) }, figures []derive.Figure, twins Twins) {
	for _, f := range figures {
		family, _, _ := strings.Cut(f.ID, "[")
		twin, ok := twins[f.ID]
		if !ok {
			twin, ok = twins[family]
		}
		if !ok || f.Formula == "" {
			continue
		}
		in := Inputs{}
		for _, i := range f.Inputs {
			in[i.Name] = i.Value.Number
		}
		if want := twin(in); !(math.Abs(want-f.Value.Number) <= 1e-9*math.Max(1, math.Abs(want))) {
			t.Errorf("%s: %s gives %v, its twin %v", f.ID, f.Formula, f.Value.Number, want)
		}
	}
}
