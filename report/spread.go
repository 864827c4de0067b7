package report

import (
	"fmt"
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// spreadCharts draws where quantiles lie, on a scale of powers of ten.
func spreadCharts(s *v1alpha1.Spread) Charts {
	low, high := decades(s)
	place := func(v float64) float64 {
		return (math.Log10(math.Max(v, math.SmallestNonzeroFloat64)) - low) / (high - low)
	}
	d := chart.Spread{}
	every := math.Ceil((high - low) / 6) // labels that have room on a phone
	for k := low; k <= high; k++ {
		tick := chart.Tick{At: (k - low) / (high - low)}
		if math.Mod(k-low, every) == 0 {
			tick.Label = decadeText(k)
		}
		d.Ticks = append(d.Ticks, tick)
	}
	for _, r := range s.Rows {
		row := chart.SpreadRow{Name: oneLine(r.Name), Passed: r.Passed}
		if r.Limit > 0 {
			row.Limit = &chart.Tick{At: place(r.Limit), Label: oneLine(r.LimitName)}
		}
		for _, m := range r.Marks {
			label := fmt.Sprintf("%s, p%s: %s", row.Name, oneLine(m.Name), secondsText(m.At))
			if m.High > m.Low {
				label += fmt.Sprintf(" (from %s to %s with 95 %%)", secondsText(m.Low), secondsText(m.High))
			}
			row.Marks = append(row.Marks, chart.SpreadMark{At: place(m.At), Low: place(m.Low), High: place(m.High),
				Char: oneLine(m.Name), Label: label})
		}
		d.Rows = append(d.Rows, row)
	}
	return Charts{Says: oneLine(s.Description), List: []chartView{{oneLine(s.Title), d.Draw()}}}
}

// decadeText is a power of ten in seconds, or in parts of one.
func decadeText(k float64) string {
	switch {
	case k >= 0:
		return unit.Format(math.Pow(10, k), unit.None) + " s"
	case k >= -3:
		return unit.Format(math.Pow(10, k+3), unit.None) + " ms"
	}
	return unit.Format(math.Pow(10, math.Round(k+6)), unit.None) + " µs"
}

// decades are the powers of ten between which all times and limits lie.
func decades(s *v1alpha1.Spread) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	take := func(v float64) {
		if v > 0 && !math.IsInf(v, 0) {
			low, high = math.Min(low, math.Floor(math.Log10(v))), math.Max(high, math.Ceil(math.Log10(v)))
		}
	}
	for _, r := range s.Rows {
		take(r.Limit)
		for _, m := range r.Marks {
			take(m.At)
			take(m.High)
		}
	}
	if low >= high || math.IsInf(low, 0) {
		if math.IsInf(low, 0) {
			low = 0
		}
		high = low + 1
	}
	return math.Max(low, high-12), high
}
