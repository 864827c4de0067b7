package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Histogram counts times in buckets that are at most 1/64 wide of what they hold, as HdrHistogram has
// them: exact below 128 ns, and of one size whatever is counted. Histograms of several connections are
// merged without loss. The zero value is empty and ready.
type Histogram struct {
	counts   []int64
	n        int64
	sum      float64
	min, max time.Duration
}

// half is the number of buckets of a power of two.
const half = 64

// bucketOf a time, which is at least 0.
func bucketOf(t time.Duration) int {
	u := uint64(max(t, 0))
	shift := max(0, bits.Len64(u)-7)
	return shift*half + int(u>>shift)
}

// most that bucket i holds.
func most(i int) time.Duration {
	shift := max(0, i/half-1)
	return time.Duration((uint64(i-shift*half)+1)<<shift - 1)
}

// Add a time; one below 0 counts as 0.
func (h *Histogram) Add(t time.Duration) {
	t = max(t, 0)
	h.count(bucketOf(t), 1)
	if h.n == 1 || t < h.min {
		h.min = t
	}
	h.max = max(h.max, t)
	h.sum += float64(t)
}

func (h *Histogram) count(bucket int, n int64) {
	if more := bucket + 1 - len(h.counts); more > 0 {
		h.counts = append(h.counts, make([]int64, more)...)
	}
	h.counts[bucket] += n
	h.n += n
}

// Merge adds all that o has.
func (h *Histogram) Merge(o *Histogram) {
	if o.n == 0 {
		return
	}
	if h.n == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max, h.sum = max(h.max, o.max), h.sum+o.sum
	for i, n := range o.counts {
		if n > 0 {
			h.count(i, n)
		}
	}
}

// N is how many times it has.
func (h *Histogram) N() int64 { return h.n }

// Summary of the times, with the quantiles of the buckets and the exact extremes and mean.
func (h *Histogram) Summary() Summary {
	buckets := make([]Bucket, len(h.counts))
	n := int64(0)
	for i, c := range h.counts {
		n += c
		buckets[i] = Bucket{Most: most(i), Count: int(n)}
	}
	s := FromBuckets(buckets)
	if h.n > 0 {
		s.Min, s.Max, s.Mean = h.min, h.max, time.Duration(math.Round(h.sum/float64(h.n)))
		for _, q := range []*Quantile{&s.P50, &s.P90, &s.P95, &s.P99} {
			q.Value, q.High = min(q.Value, h.max), min(q.High, h.max)
		}
	}
	return s
}

// Quantile that a share p of all times does not exceed, at most 1/64 above it; ok is false where fewer times than one
// lie above it.
func (h *Histogram) Quantile(p float64) (t time.Duration, ok bool) {
	if float64(h.n)*(1-p) < 1-1e-9 {
		return 0, false
	}
	left := int64(math.Ceil(p*float64(h.n) - 1e-9))
	for i, n := range h.counts {
		if left -= n; left <= 0 {
			return min(most(i), h.max), true
		}
	}
	return h.max, true
}

// written is a histogram in JSON: the buckets that are not empty, as number and count.
type written struct {
	Min    time.Duration `json:"min"`
	Max    time.Duration `json:"max"`
	Sum    float64       `json:"sum"`
	Counts [][2]int64    `json:"counts"`
}

// MarshalJSON writes the buckets that are not empty.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	w := written{h.min, h.max, h.sum, [][2]int64{}}
	for i, n := range h.counts {
		if n > 0 {
			w.Counts = append(w.Counts, [2]int64{int64(i), n})
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote, and refuses what no histogram writes.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*h = Histogram{min: w.Min, max: w.Max, sum: w.Sum}
	for _, c := range w.Counts {
		if c[0] < 0 || c[0] > int64(bucketOf(Unbounded)) || c[1] < 1 || c[1] > 1<<53 {
			return fmt.Errorf("a histogram has no bucket %d of %d times", c[0], c[1])
		}
		h.count(int(c[0]), c[1])
	}
	if h.n > 0 && (w.Min < 0 || w.Max < w.Min || bucketOf(w.Max) != len(h.counts)-1) {
		return errors.New("a histogram's longest time is not in its last bucket")
	}
	return nil
}
