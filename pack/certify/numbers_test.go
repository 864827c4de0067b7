package certify

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// 128 bits give what big integers give, up to the largest lists.
func TestDot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "length")
		a := rapid.SliceOfN(rapid.Int64Range(0, 1<<53), n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Int64Range(0, 1<<62), n, n).Draw(t, "b")
		want := new(big.Int)
		for i := range a {
			want.Add(want, product(a[i], b[i]))
		}
		if got := dot(a, b); got.Cmp(want) != 0 {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
	for _, c := range []struct {
		terms  int
		factor int64
	}{{maxKinds, 1 << 62}, {maxItems, 1 << 53}} {
		a, b := make([]int64, c.terms), make([]int64, c.terms)
		for i := range a {
			a[i], b[i] = 1<<53, c.factor
		}
		if got, want := dot(a, b), product(int64(c.terms), 1<<53, c.factor); got.Cmp(want) != 0 {
			t.Errorf("%d terms of %d: got %v, want %v", c.terms, c.factor, got, want)
		}
	}
}

func TestCeil(t *testing.T) {
	for _, c := range [][3]int64{{0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2}, {-1, 3, 0}, {-3, 3, -1}} {
		if got := ceil(big.NewInt(c[0]), big.NewInt(c[1])); got.Int64() != c[2] {
			t.Errorf("%d/%d: got %v, want %d", c[0], c[1], got, c[2])
		}
	}
}
