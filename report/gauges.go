package report

import (
	"math"
	"strings"

	"plimsoll.dev/limit"
)

// A short report shows the gauges of at least half their limit, and the first
// few of those that grow with the workload.
const (
	half     = 0.5
	fewest   = 6
	barWidth = 10
)

// localTitle stands above the gauges that do not grow with the workload.
func localTitle(w terms) string { return "per " + w.Place + " or setting:" }

// setApart says whether a gauge stands among the local ones; one that is passed
// stands with the others that are.
func setApart(g limit.Gauge) bool { return g.Local && g.Verdict != limit.Passed }

// prominent splits the gauges into those that a short report shows and the rest.
func prominent(gauges []limit.Gauge) (shown, rest []limit.Gauge) {
	for i, g := range gauges {
		if g.Share >= half || i < fewest && !setApart(g) {
			shown = append(shown, g)
		} else {
			rest = append(rest, g)
		}
	}
	return shown, rest
}

// largestShare is the largest share of the gauges.
func largestShare(gauges []limit.Gauge) float64 {
	share := 0.0
	for _, g := range gauges {
		share = math.Max(share, g.Share)
	}
	return share
}

// scoped is the gauge's title with its scope where that says more: "Pods per
// node, node m5.xlarge", but only "Pods on m5.xlarge".
func scoped(g limit.Gauge) string {
	name := g.Scope[strings.LastIndex(g.Scope, " ")+1:]
	if name == "" || g.Scope == "cluster" || strings.Contains(strings.ToLower(g.Title), strings.ToLower(name)) {
		return g.Title
	}
	return g.Title + ", " + g.Scope
}

// asciiBar draws a share as "[#####-----]". Only a limit that is reached fills
// the bar; beyond it the bar ends in ">".
func asciiBar(share float64, width int) string {
	full := int(math.Round(max(0, math.Min(share, 1)) * float64(width)))
	switch {
	case share > 1:
		return "[" + strings.Repeat("#", width-1) + ">]"
	case share < 1 && full == width:
		full--
	case share > 0 && full == 0:
		full = 1
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", width-full) + "]"
}
