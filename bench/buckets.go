package bench

import (
	"math"
	"time"
)

// Bucket of a histogram as Prometheus has it: the number of values up to Most, those of the buckets
// before it included. The last bucket has the largest Most that a duration can be.
type Bucket struct {
	Most  time.Duration
	Count int
}

// Unbounded is Most of a bucket without an end.
const Unbounded = time.Duration(math.MaxInt64)

// FromBuckets is the summary of a histogram, whose buckets are in ascending order. A quantile is the
// end of the bucket that it lies in, and Low where that begins; it is not known in the last one. Min, Max
// and Mean are not known and stay 0.
func FromBuckets(buckets []Bucket) Summary {
	if len(buckets) == 0 {
		return Summary{}
	}
	s := Summary{N: buckets[len(buckets)-1].Count}
	for p, q := range map[float64]*Quantile{0.5: &s.P50, 0.9: &s.P90, 0.95: &s.P95, 0.99: &s.P99} {
		if float64(s.N)*(1-p) < 1-1e-9 {
			continue
		}
		rank := int(math.Ceil(p*float64(s.N) - 1e-9))
		for i, b := range buckets {
			if b.Count >= rank {
				if i > 0 {
					q.Low = buckets[i-1].Most
				}
				q.Known = b.Most != Unbounded
				q.Bounded = q.Known
				if q.Known {
					q.Value, q.High = b.Most, b.Most
				}
				break
			}
		}
	}
	return s
}
