package cell

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

func TestColumns(t *testing.T) {
	want := []v1alpha1.Column{{Title: "Pool"}, {Title: "Nodes", Right: true}, {Title: "Place", Wide: true},
		{Title: "Order", Right: true, Wide: true}}
	if diff := cmp.Diff(want, Columns("Pool", ">Nodes", "*Place", "*>Order")); diff != "" {
		t.Error(diff)
	}
}

func TestRow(t *testing.T) {
	three := 3.0
	want := []v1alpha1.Cell{{Text: "a"}, {Text: "b"}, {Text: "3", Number: &three}, {Text: "c"}}
	if diff := cmp.Diff(want, append(Texts("a", "b"), Count(3), Text("c"))); diff != "" {
		t.Error(diff)
	}
}
