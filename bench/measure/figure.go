package measure

import (
	"math"
	"slices"
	"time"

	"plimsoll.dev/bench"
	"plimsoll.dev/unit"
)

// Figure is one that repetitions have and runs are compared by.
type Figure struct {
	// ID: p50, p99, mean, rate, throughput or cpu.
	ID    string
	Title string
	// Unit of package unit, or /s.
	Unit string
	// Latency is the time of transactions; Less of it, or of CPU time, is better.
	Latency bool
	Less    bool
	// Of is the figure of a repetition; 0 where it is not known.
	Of func(Repetition) float64
}

// figures that there are, the one that a cell is measured for before others.
var figures = []Figure{
	{"p50", "median latency", unit.Seconds, true, true,
		func(r Repetition) float64 { return r.Latency.P50.Value.Seconds() }},
	{"p99", "99th percentile", unit.Seconds, true, true,
		func(r Repetition) float64 { return r.Latency.P99.Value.Seconds() }},
	{"mean", "mean latency", unit.Seconds, true, true,
		func(r Repetition) float64 { return r.Latency.Mean.Seconds() }},
	{"rate", "rate", "/s", false, false, Repetition.Rate},
	{"throughput", "throughput", unit.BytesPerS, false, false, Repetition.Throughput},
	{"cpu", "CPU of a transaction", unit.Seconds, false, true, Repetition.CPUPerTransaction},
}

// Text of a value of the figure, for people; "-" for one that is not known.
func (f Figure) Text(v float64) string {
	switch {
	case v <= 0:
		return "-"
	case f.Unit == unit.Seconds:
		return bench.Round(time.Duration(math.Round(v * 1e9))).String()
	}
	return unit.Format(v, f.Unit)
}

// Figures of a cell that all its repetitions know: latency and rate, or throughput of a stream, and CPU. The
// mean stands in for a median that is not known, unless the rate says the same.
func (m Measured) Figures() []Figure {
	var out []Figure
	for _, f := range figures {
		if !m.known(f) {
			continue
		}
		ofStream := f.ID == "throughput" || f.ID == "cpu"
		ofWaiting := f.ID != "throughput" && !(f.ID == "mean" && (len(out) > 0 || m.Repetitions[0].Derived))
		if m.Waiting > 0 && ofWaiting || m.Waiting == 0 && ofStream {
			out = append(out, f)
		}
	}
	return out
}

func (m Measured) known(f Figure) bool {
	for _, r := range m.Repetitions {
		if f.Of(r) <= 0 {
			return false
		}
	}
	return len(m.Repetitions) > 0
}

// rounded is the share by which values of a figure may be above what was measured: quantiles of histograms are the
// ends of buckets. Repetitions that differ by less than that are equal, and would have an interval of no width.
func (m Measured) rounded(f Figure) float64 {
	ofBuckets := func(r Repetition) bool { return r.Histogram != nil }
	if !f.Latency || f.ID == "mean" || !slices.ContainsFunc(m.Repetitions, ofBuckets) {
		return 0
	}
	return bench.BucketShare
}

// Values of a figure, one a repetition.
func (m Measured) Values(f Figure) []float64 {
	out := make([]float64, len(m.Repetitions))
	for i, r := range m.Repetitions {
		out[i] = f.Of(r)
	}
	return out
}

// Round3 rounds to three digits.
func Round3(v float64) float64 {
	if v <= 0 {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(v))-2)
	return math.Round(v/scale) * scale
}
