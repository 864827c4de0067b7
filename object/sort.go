package object

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// compare orders findings: severity, file, line, column. What stands nowhere
// comes first.
func compare(a, b v1alpha1.Finding) int {
	var x, y v1alpha1.Place
	if a.Place != nil {
		x = *a.Place
	}
	if b.Place != nil {
		y = *b.Place
	}
	return cmp.Or(cmp.Compare(rank(a.Severity), rank(b.Severity)), cmp.Compare(x.File, y.File),
		cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
}

// rank of a severity, the worst 0.
func rank(s v1alpha1.Severity) int { return slices.Index(v1alpha1.Severities(), s) }
