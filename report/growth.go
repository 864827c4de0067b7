package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/report/chart"
)

// Bounds of the growth that is drawn: limits, and how much more than the nearest the others
// may leave for growth.
const (
	growingLimits = 5
	growthBeyond  = 3
)

// growth adds when which limit is reached, if the workload that the plan has with its growth
// grows on in proportion.
func (d *Document) growth(ix *index) {
	s := ix.plan.Scenario
	if s == nil || s.Policy.Growth <= 0 {
		return
	}
	planned := 1 + float64(s.Policy.Growth)
	growing := slices.DeleteFunc(ix.gauges(), func(g limit.Gauge) bool { return g.Local || g.Share <= 0 })
	slices.SortStableFunc(growing, func(a, b limit.Gauge) int { return cmp.Compare(b.Share, a.Share) })
	growing = growing[:min(growingLimits, len(growing))]
	if len(growing) == 0 {
		return
	}
	c := Charts{Says: fmt.Sprintf("Each line is the use of a limit as the workload grows in proportion, from today's to "+
		"the heavy line, where it is reached. The dashed line is the planned growth: %s times today's workload.",
		plain(planned))}
	g := Grid{ID: "growth", Columns: heads("Limit", ">Today", ">As planned", ">Reached at", "Kind")}
	to := growthBeyond * planned / growing[0].Share
	last := planned / growing[len(growing)-1].Share
	var lines []chart.Growing
	for i, x := range growing {
		today := x.Share / planned
		reached := words.Number(int(math.Floor(1/today))) + " x"
		if today > 0.1 {
			reached = fmt.Sprintf("%.1f x", math.Floor(10/today)/10)
		}
		g.Rows = append(g.Rows, []Cell{{Text: scoped(x), Mark: gaugeMark(x.Verdict, x.Kind)}, {Text: percent(today)},
			{Text: percent(x.Share)}, {Text: reached}, {Text: string(x.Kind)}})
		lines = append(lines, chart.Growing{Today: today, Label: scoped(x) + ": " + reached})
		c.Legend = append(c.Legend, kindView{fmt.Sprintf("%d %s", i+1, scoped(x)), chart.KindSwatch(i)})
	}
	drawn := chart.Growth(lines, max(planned*1.1, min(to, last)), planned)
	c.List = []chartView{{"Share of each limit", drawn}}
	d.addAs("growth", "Growth: which limit is reached first", "Growth", c, g)
}
