package whatif_test

import (
	"fmt"
	"slices"
	"testing"

	"plimsoll.dev/place/whatif"
)

// TestArrive lists each type as often as it counts, in the order asked for.
func TestArrive(t *testing.T) {
	count := func(k int32) int { return []int{2, 1, 3}[k] }
	sizes := func() []float64 { return []float64{1, 2, 1} }
	types := []int32{0, 1, 2}
	for order, want := range map[string]string{whatif.Runs: "[0 0 1 2 2 2]", whatif.LargestFirst: "[1 0 0 2 2 2]"} {
		if got := fmt.Sprint(whatif.Arrive(order, 1, types, count, sizes)); got != want {
			t.Errorf("%s: %s", order, got)
		}
	}
	a, b := whatif.Arrive(whatif.Shuffled, 3, types, count, sizes), whatif.Arrive(whatif.Shuffled, 3, types, count, sizes)
	if !slices.Equal(a, b) {
		t.Error("a seed draws two orders")
	}
	if slices.Sort(a); fmt.Sprint(a, types) != "[0 0 1 2 2 2] [0 1 2]" {
		t.Errorf("shuffled: %v, types %v", a, types)
	}
}
