package bench

import (
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/perf/benchmath"
)

// The table of Student's t: 4.303 for two degrees of freedom.
func TestEstimated(t *testing.T) {
	e := Estimated([]float64{12, 10, 11})
	if e.Median != 11 || e.Mean != 11 || !e.Bounded || math.Abs(e.High-11-4.303/math.Sqrt(3)) > 0.001 ||
		math.Abs(e.Spread-1.0/11) > 1e-9 {
		t.Errorf("%+v", e)
	}
	if e = Estimated([]float64{7}); e.Bounded || e.Median != 7 {
		t.Errorf("one: %+v", e)
	}
	if e = Estimated([]float64{1, 2, 4, 100}); e.Median != 3 {
		t.Errorf("four: %+v", e)
	}
}

// In about 95 of 100 draws the interval holds the true ratio, and equal sides differ in about 5.
func TestRatioCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	draw := func(mean, spread float64, n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = mean * math.Exp(spread*r.NormFloat64())
		}
		return out
	}
	const draws = 4000
	inside, false1 := 0, 0
	for range draws {
		if x := RatioOf(draw(100, 0.05, 3), draw(150, 0.1, 4)); x.Low <= 1.5 && x.High >= 1.5 {
			inside++
		}
		if RatioOf(draw(100, 0.05, 3), draw(100, 0.05, 3)).P < 0.05 {
			false1++
		}
	}
	if inside < draws*93/100 || inside > draws*975/1000 || false1 > draws*6/100 {
		t.Errorf("%d of %d inside, %d differ", inside, draws, false1)
	}
}

// The P value is that of the peer's Welch test.
func TestRatioTwin(t *testing.T) {
	old, new := []float64{100, 104, 97}, []float64{120, 118, 131, 127}
	got := RatioOf(old, new)
	sample := func(v []float64) *benchmath.Sample { return benchmath.NewSample(logs(v), &benchmath.DefaultThresholds) }
	if want := benchmath.AssumeNormal.Compare(sample(old), sample(new)).P; math.Abs(got.P-want) > 1e-9 {
		t.Errorf("P is %v, want %v", got.P, want)
	}
	if got.Low >= got.Value || got.High <= got.Value || got.Low <= 1 {
		t.Errorf("%+v", got)
	}
	if one := RatioOf(old, new[:1]); one.Bounded || one.P != 1 || math.Abs(one.Value-1.196) > 0.01 {
		t.Errorf("one: %+v", one)
	}
	if same := RatioOf([]float64{2, 2}, []float64{3, 3}); same.P != 0 || math.Abs(same.Low-1.5) > 1e-9 {
		t.Errorf("no spread: %+v", same)
	}
}
