package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func upTo(n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[n-1-i] = time.Duration(i + 1)
	}
	return out
}

// Nearest rank: of 99 values, one of which is far off, the 99th percentile is that one by definition,
// and is not claimed, for fewer than one value in a hundred lies above it.
func TestNearestRank(t *testing.T) {
	s := Summarize(upTo(100), 0)
	if s.P50.Value != 50 || s.P90.Value != 90 || s.P95.Value != 95 || s.P99.Value != 99 || !s.P99.Known || s.Max != 100 {
		t.Errorf("%+v", s)
	}
	if s = Summarize(upTo(99), 0); s.P99.Known || !s.P95.Known || s.P95.Value != 95 {
		t.Errorf("99 values: %+v", s)
	}
	if s = Summarize(nil, 0); s.N != 0 || s.P50.Known {
		t.Errorf("nothing: %+v", s)
	}
}

// What never ends counts: with two of a hundred the 99th percentile is not known, with one it is the largest.
func TestCensored(t *testing.T) {
	if s := Summarize(upTo(98), 2); s.P99.Known || s.N != 100 || s.P95.Value != 95 {
		t.Errorf("2 of 100: %+v", s)
	}
	if s := Summarize(upTo(99), 1); !s.P99.Known || s.P99.Value != 99 {
		t.Errorf("1 of 100: %+v", s)
	}
	if s := Summarize(nil, 7); s.N != 7 || s.P50.Known || s.Max != 0 {
		t.Errorf("none of 7: %+v", s)
	}
}

// The interval of the median of 100 values, as tables of order statistics have it: ranks 40 and 61.
func TestInterval(t *testing.T) {
	s := Summarize(upTo(100), 0)
	if s.P50.Low != 40 || s.P50.High != 61 || !s.P50.Bounded || s.P99.Bounded {
		t.Errorf("%+v %+v", s.P50, s.P99)
	}
}

// In 95 of 100 draws or more the interval holds the true quantile.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{30, 200, 1000} {
		inside := 0
		const draws = 2000
		for range draws {
			values := make([]time.Duration, n)
			for i := range values {
				values[i] = time.Duration(r.IntN(1_000_000_000))
			}
			q := Summarize(values, 0).P90
			if q.Low <= 900_000_000 && (!q.Bounded || q.High >= 900_000_000) {
				inside++
			}
		}
		if inside < draws*94/100 {
			t.Errorf("%d values: %d of %d", n, inside, draws)
		}
	}
}

// The naive twin: a quantile is the least value that at least that share of all does not exceed.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Map(rapid.IntRange(0, 20), func(i int) time.Duration { return time.Duration(i) })
		values := rapid.SliceOfN(one, 1, 300).Draw(t, "values")
		s := Summarize(slices.Clone(values), 0)
		for p, q := range map[int]Quantile{50: s.P50, 90: s.P90, 95: s.P95, 99: s.P99} {
			want := time.Duration(-1)
			for v := time.Duration(0); v <= 20 && want < 0; v++ {
				below := 0
				for _, x := range values {
					if x <= v {
						below++
					}
				}
				if below*100 >= p*len(values) {
					want = v
				}
			}
			if known := len(values)*(100-p) >= 100; q.Known != known || known && q.Value != want {
				t.Fatalf("p%d of %v is %+v, want %v", p, values, q, want)
			}
			if q.Known && (q.Low > q.Value || q.Bounded && q.High < q.Value) {
				t.Fatalf("p%d: the interval %+v does not hold the value", p, q)
			}
		}
	})
}

// A histogram's quantiles are the ends of the buckets that hold the values' own.
func TestFromBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 70), func(i int) time.Duration { return time.Duration(i) }),
			1, 400).Draw(t, "values")
		buckets := []Bucket{{10, 0}, {20, 0}, {40, 0}, {60, 0}, {Unbounded, 0}}
		for _, v := range values {
			for i := range buckets {
				if v <= buckets[i].Most {
					buckets[i].Count++
				}
			}
		}
		got, want := FromBuckets(buckets), Summarize(values, 0)
		for _, q := range [][2]Quantile{{got.P50, want.P50}, {got.P90, want.P90}, {got.P95, want.P95}, {got.P99, want.P99}} {
			switch {
			case q[0].Known && !q[1].Known, q[1].Known && q[1].Value <= 60 && !q[0].Known:
				t.Fatalf("%+v of %+v", q[0], q[1])
			case q[0].Known && (q[1].Value > q[0].Value || q[1].Value < q[0].Low):
				t.Fatalf("%+v does not hold %v", q[0], q[1].Value)
			}
		}
		if got.N != len(values) {
			t.Fatalf("%d of %d", got.N, len(values))
		}
	})
}
