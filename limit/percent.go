package limit

import (
	"math"

	"plimsoll.dev/unit"
)

// Percent writes a share, as of a limit, as "81 %", with one decimal where rounding would
// move it over a threshold or to nothing: "79.9 %", "0.3 %". One that is exceeded never reads
// 100 %: "100.4 %", ">100 %".
func Percent(share float64) string {
	p := share * 100
	whole, tenth := math.Round(p), math.Round(p*10)/10
	crosses := false
	for _, edge := range []float64{NearShare * 100, 100} {
		crosses = crosses || (p < edge) != (whole < edge) || (p > edge) != (whole > edge)
		if p < edge && tenth >= edge {
			tenth = edge - 0.1
		}
	}
	switch {
	case share >= 1e9:
		return "over"
	case p > 0 && p < 0.1:
		return "<0.1 %"
	case p > 100 && tenth <= 100:
		return ">100 %"
	case crosses || math.Abs(p) < 1:
		return unit.Format(tenth, unit.Percent)
	}
	return unit.Format(whole, unit.Percent)
}
