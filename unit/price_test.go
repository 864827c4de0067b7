package unit_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/unit"
)

func TestWholePrices(t *testing.T) {
	for _, c := range []struct {
		prices []float64
		whole  []int64
		scale  float64
	}{
		{[]float64{3, 20}, []int64{3, 20}, 1},
		{[]float64{0.84, 1}, []int64{84, 100}, 100},
		{[]float64{0.1, 0.3, 1.125}, []int64{100, 300, 1125}, 1000},
		{[]float64{0.0000015, 0.0000024}, []int64{15, 24}, 1e7}, // of seconds
		{[]float64{1e15, 7}, []int64{1e15, 7}, 1},
		{[]float64{1e300, 0.05}, nil, 0},
		{[]float64{1e17, 0.01}, nil, 0},
		{[]float64{5e-324, 1}, nil, 0},
		{[]float64{0, 1}, nil, 0},
		{[]float64{math.NaN()}, nil, 0},
		{[]float64{math.Inf(1)}, nil, 0},
	} {
		whole, scale, ok := unit.WholePrices(c.prices)
		if d := cmp.Diff(c.whole, whole); d != "" || scale != c.scale || ok != (c.whole != nil) {
			t.Errorf("%v: got %v in 1/%v, %v", c.prices, whole, scale, ok)
		}
	}
}
