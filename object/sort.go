package object

import (
	"cmp"

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
	return cmp.Or(a.Severity.Rank()-b.Severity.Rank(), cmp.Compare(x.File, y.File),
		cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
}
