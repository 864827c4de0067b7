package bench

import (
	"time"

	"golang.org/x/perf/benchmath"
)

// Series is what was measured under one name in one run.
type Series struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Times in ascending order, and how many more never ended.
	Times    []time.Duration `json:"times"`
	Censored int             `json:"censored,omitempty"`
}

// Change of a series between two runs.
type Change struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Old   Summary `json:"old"`
	New   Summary `json:"new"`
	// P is the probability that two runs of the same differ as much or more, by the U test of Mann and
	// Whitney. Different says that it is below alpha, divided by the number of series (Bonferroni): of
	// many comparisons one would differ by chance.
	P         float64 `json:"p"`
	Different bool    `json:"different"`
	// Ratios of the new median and 99th percentile to the old ones; 0 where one is not known.
	Median float64 `json:"median,omitempty"`
	P99    float64 `json:"p99,omitempty"`
}

// Compare the series that both runs have, in the order of the old one. What never ended counts as
// slower than all that did.
func Compare(old, new []Series, alpha float64) []Change {
	byID := map[string]Series{}
	for _, s := range new {
		byID[s.ID] = s
	}
	var out []Change
	for _, a := range old {
		b, both := byID[a.ID]
		if !both || len(a.Times)+a.Censored == 0 || len(b.Times)+b.Censored == 0 {
			continue
		}
		c := Change{ID: a.ID, Title: a.Title, Old: Summarize(a.Times, a.Censored), New: Summarize(b.Times, b.Censored)}
		slowest := 2 * max(c.Old.Max, c.New.Max, 1)
		c.P = benchmath.AssumeNothing.Compare(sample(a, slowest), sample(b, slowest)).P
		c.Median, c.P99 = ratio(c.Old.P50, c.New.P50), ratio(c.Old.P99, c.New.P99)
		out = append(out, c)
	}
	for i := range out {
		out[i].Different = out[i].P < alpha/float64(len(out))
	}
	return out
}

// sample has what never ended at a time that is longer than all others: the test looks at ranks only.
func sample(s Series, slowest time.Duration) *benchmath.Sample {
	values := make([]float64, 0, len(s.Times)+s.Censored)
	for _, t := range s.Times {
		values = append(values, float64(t))
	}
	for range s.Censored {
		values = append(values, float64(slowest))
	}
	return benchmath.NewSample(values, &benchmath.DefaultThresholds)
}

func ratio(old, new Quantile) float64 {
	if !old.Known || !new.Known || old.Value <= 0 {
		return 0
	}
	return float64(new.Value) / float64(old.Value)
}
