package bench

import (
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary of times that were measured.
type Summary struct {
	// N is the number of all that began, Censored of those among them that never ended while somebody
	// looked. They count as slower than all others.
	N        int `json:"n"`
	Censored int `json:"censored,omitempty"`
	// Min, Mean and Max of those that ended.
	Min  time.Duration `json:"min"`
	Mean time.Duration `json:"mean"`
	Max  time.Duration `json:"max"`
	P50  Quantile      `json:"p50"`
	P90  Quantile      `json:"p90"`
	P95  Quantile      `json:"p95"`
	P99  Quantile      `json:"p99"`
}

// Quantile by nearest rank: the least value that a share of all values does not exceed.
type Quantile struct {
	// Value, if Known: a quantile is not known where it falls among what never ended, and not claimed
	// where fewer values lie above it than one.
	Value time.Duration `json:"value"`
	Known bool          `json:"known"`
	// Low and High bound it with a confidence of 95 %, whatever the distribution; High is not Bounded
	// where too few values lie above.
	Low     time.Duration `json:"low"`
	High    time.Duration `json:"high"`
	Bounded bool          `json:"bounded"`
}

// confidence of the intervals.
const confidence = 0.95

// Summarize sorts the values.
func Summarize(values []time.Duration, censored int) Summary {
	slices.Sort(values)
	s := Summary{N: len(values) + censored, Censored: censored}
	if len(values) > 0 {
		s.Min, s.Max = values[0], values[len(values)-1]
		s.Mean = mean(values)
	}
	for p, q := range map[float64]*Quantile{0.5: &s.P50, 0.9: &s.P90, 0.95: &s.P95, 0.99: &s.P99} {
		*q = quantile(values, s.N, p)
	}
	return s
}

func mean(values []time.Duration) time.Duration {
	floats := make([]float64, len(values))
	for i, v := range values {
		floats[i] = float64(v)
	}
	return time.Duration(math.Round(stat.Mean(floats, nil)))
}

// quantile p of n sorted values, of which the last ones are unknown. The interval is that of order
// statistics: the number of values below the true quantile is binomial.
func quantile(values []time.Duration, n int, p float64) (q Quantile) {
	if float64(n)*(1-p) < 1-1e-9 {
		return q
	}
	rank := func(r int) (time.Duration, bool) {
		if r < 1 || r > len(values) {
			return 0, false
		}
		return values[r-1], true
	}
	q.Value, q.Known = rank(int(math.Ceil(p*float64(n) - 1e-9)))
	below := distuv.Binomial{N: float64(n), P: p}
	tail := (1 - confidence) / 2
	low := sort.Search(n, func(k int) bool { return below.CDF(float64(k)) > tail })
	high := sort.Search(n, func(k int) bool { return below.CDF(float64(k)) >= 1-tail }) + 1
	q.Low, _ = rank(max(low, 1))
	q.High, q.Bounded = rank(high)
	return q
}

// Round to three digits, for people.
func Round(d time.Duration) time.Duration {
	for unit := time.Nanosecond; unit < time.Hour; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
	return d.Round(time.Second)
}
