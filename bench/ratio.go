package bench

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a figure that was measured several times, such as the rate of each repetition.
type Estimate struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	// Low and High bound the mean with 95 % (Student's t), if Bounded: one repetition says nothing of others.
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Bounded bool    `json:"bounded"`
	// Spread is half of the distance between the least and the largest, as a share of the median.
	Spread float64 `json:"spread"`
}

// Estimated is the estimate by the values of the repetitions, which stay as they are.
func Estimated(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(values))
	e := Estimate{N: len(values), Mean: stat.Mean(values, nil)}
	e.Median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	if e.Median != 0 {
		e.Spread = (sorted[len(sorted)-1] - sorted[0]) / 2 / math.Abs(e.Median)
	}
	if e.Bounded = e.N > 1; e.Bounded {
		of := benchmath.AssumeNormal.Summary(benchmath.NewSample(sorted, &benchmath.DefaultThresholds), confidence)
		e.Low, e.High = of.Lo, of.Hi
	}
	return e
}

// Ratio of a figure to that of a base, both measured in several repetitions.
type Ratio struct {
	Old Estimate `json:"old"`
	New Estimate `json:"new"`
	// Value is that of the geometric means; 0 where one side has nothing.
	Value float64 `json:"value"`
	// Low and High bound it with 95 %, if Bounded, which takes two repetitions on both sides.
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Bounded bool    `json:"bounded"`
	// P is the probability that equal sides differ as much or more; 1 where it is not bounded.
	P float64 `json:"p"`
}

// RatioOf compares repetitions by Welch's t test of their logarithms: a repetition is one value, for
// what differs between repetitions is more than what differs within them. Values are above 0.
func RatioOf(old, new []float64) Ratio {
	r := Ratio{Old: Estimated(old), New: Estimated(new), P: 1}
	if r.Old.N == 0 || r.New.N == 0 {
		return r
	}
	a, av := stat.MeanVariance(logs(old), nil)
	b, bv := stat.MeanVariance(logs(new), nil)
	r.Value = math.Exp(b - a)
	r.Low, r.High = r.Value, r.Value
	if r.Bounded = r.Old.N > 1 && r.New.N > 1; !r.Bounded {
		return r
	}
	na, nb := float64(r.Old.N), float64(r.New.N)
	av, bv = av/na, bv/nb
	se := math.Sqrt(av + bv)
	if se == 0 {
		if a != b {
			r.P = 0
		}
		return r
	}
	t := distuv.StudentsT{Sigma: 1, Nu: (av + bv) * (av + bv) / (av*av/(na-1) + bv*bv/(nb-1))}
	r.P = 2 * t.CDF(-math.Abs(b-a)/se)
	reach := t.Quantile(1-(1-confidence)/2) * se
	r.Low, r.High = math.Exp(b-a-reach), math.Exp(b-a+reach)
	return r
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}
