package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func drawn(r *rand.Rand, n int, mean time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(r.ExpFloat64() * float64(mean))
	}
	slices.Sort(out)
	return out
}

// Two runs of the same differ in less than 5 of 100 comparisons, of twenty series each; one that is a
// third slower is found; what hangs is slower than all.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	false1 := 0
	for range 200 {
		var old, new []Series
		for i := range 20 {
			id := string(rune('a' + i))
			old = append(old, Series{ID: id, Times: drawn(r, 60, time.Second)})
			new = append(new, Series{ID: id, Times: drawn(r, 60, time.Second)})
		}
		if slices.ContainsFunc(Compare(old, new, 0.05), func(c Change) bool { return c.Different }) {
			false1++
		}
	}
	if false1 > 20 {
		t.Errorf("%d of 200 equal runs differ", false1)
	}
	old := []Series{{ID: "a", Times: drawn(r, 2000, 3*time.Second)}, {ID: "gone", Times: drawn(r, 9, 1)}}
	got := Compare(old, []Series{{ID: "a", Times: drawn(r, 2000, 4*time.Second)}}, 0.05)
	if len(got) != 1 || !got[0].Different || got[0].Median < 1.2 || got[0].Median > 1.5 || got[0].P99 < 1 {
		t.Errorf("%+v", got)
	}
	hung := Series{ID: "a", Times: old[0].Times[:1000], Censored: 1000}
	if got := Compare(old, []Series{hung}, 0.05); !got[0].Different || got[0].New.P99.Known {
		t.Errorf("%+v", got)
	}
}
