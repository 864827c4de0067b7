package whatif_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/whatif"
)

// TestWays counts every combination of single nodes once.
func TestWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var groups [][]int
		n := 0
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			var g []int
			for range rapid.IntRange(1, 4).Draw(t, "members") {
				g = append(g, n)
				n++
			}
			groups = append(groups, g)
		}
		k := rapid.IntRange(1, n).Draw(t, "k")
		w := whatif.New(groups, k)
		cases := w.Cases(math.MaxInt64)
		if int64(len(cases)) != w.Count() {
			t.Fatalf("%d cases, counted %d", len(cases), w.Count())
		}
		seen, all := map[string]bool{}, int64(0)
		for _, c := range cases {
			if len(c) != k || seen[fmt.Sprint(c)] {
				t.Fatalf("case %v of %d nodes", c, k)
			}
			seen[fmt.Sprint(c)] = true
			all += w.Of(c)
		}
		if all != naive(n, k) || whatif.Choose(n, k) != naive(n, k) {
			t.Fatalf("the cases stand for %d combinations of %d, there are %d", all, k, naive(n, k))
		}
	})
}

// naive counts the subsets of k by looking at all.
func naive(n, k int) int64 {
	count := int64(0)
	for set := range 1 << n {
		size := 0
		for i := range n {
			size += set >> i & 1
		}
		if size == k {
			count++
		}
	}
	return count
}

func TestChooseIsBounded(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want int64
	}{{10_000, 2, 49_995_000}, {5, 6, 0}, {5, 0, 1}, {1_000_000, 500_000, math.MaxInt64}, {66, 33, 7219428434016265740}} {
		if got := whatif.Choose(c.n, c.k); got != c.want {
			t.Errorf("Choose(%d, %d) = %d, want %d", c.n, c.k, got, c.want)
		}
	}
}

// TestFewest looks for thresholds, from anywhere.
func TestFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 60).Draw(t, "most")
		floor := rapid.IntRange(0, most).Draw(t, "floor")
		start := rapid.IntRange(0, most+5).Draw(t, "start")
		need := rapid.IntRange(1, most+3).Draw(t, "need")
		n, ok := whatif.Fewest(floor, start, most, func(n int) bool {
			if n < max(1, floor) || n > most {
				t.Fatalf("%d is out of bounds", n)
			}
			return n >= need
		})
		if want := max(1, floor, need); ok != (want <= most) || ok && n != want {
			t.Fatalf("%d, %v; want %d of %d", n, ok, want, most)
		}
	})
}
