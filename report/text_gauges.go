package report

import (
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// A short report shows the gauges of at least half their limit, and the first
// few of those that grow with the workload.
const (
	half     = 0.5
	fewest   = 6
	barWidth = 10
)

func (t *text) gaugeTable() {
	gauges := t.gauges()
	if len(gauges) == 0 {
		return
	}
	shown, rest := gauges, []limit.Gauge(nil)
	if !t.wide {
		shown, rest = prominent(gauges)
	}
	t.heading("Limits, the nearest first")
	tb := table.Table{Bare: true, Columns: []table.Column{
		{Title: ""}, {Title: "Limit"}, {Title: "", Keep: true}, {Title: "Used", Right: true},
		{Title: "Planned", Right: true}, {Title: "Limit", Keep: true}, {Title: "Kind and source"},
	}}
	for i, g := range shown {
		if i > 0 && setApart(g) && !setApart(shown[i-1]) {
			tb.AddCells(table.Cell{}, table.Cell{Text: localTitle(t.terms()), Style: table.Faint})
		}
		t.gaugeRows(&tb, g)
	}
	t.table(tb)
	if len(rest) > 0 {
		t.line("  ", table.Faint, fmt.Sprintf("and %d more at %s or less (-o wide)", len(rest), percent(largestShare(rest))))
	}
}

// localTitle stands above the gauges that do not grow with the workload.
func localTitle(w words) string { return "of a " + w.Place + " or a setting:" }

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

// gaugeRows adds the row of a gauge and those of its doubts.
func (t *text) gaugeRows(tb *table.Table, g limit.Gauge) {
	mark, style := markOf(g.Verdict)
	if style == table.Good {
		style = table.Plain
	}
	value, most := t.pair(g.Value, g.Limit)
	from := string(g.Kind) + ", " + t.source(g.Limit)
	if t.wide && len(g.Notes) > 0 {
		from += "; " + strings.Join(g.Notes, "; ")
	}
	tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: scoped(g)}, table.Cell{Text: asciiBar(g.Share, barWidth), Style: style},
		table.Cell{Text: percent(g.Share), Style: style}, table.Cell{Text: value}, table.Cell{Text: "/ " + most}, table.Cell{Text: from, Style: table.Faint})
	for _, d := range g.Doubts {
		mark, style := markOf(d.Verdict)
		if style == table.Good {
			style = table.Faint
		}
		_, most := t.pair(g.Value, d.Limit)
		tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: "or, in doubt", Style: style}, table.Cell{Text: asciiBar(d.Share, barWidth), Style: style},
			table.Cell{Text: percent(d.Share), Style: style}, table.Cell{}, table.Cell{Text: "/ " + most}, table.Cell{Text: t.source(d.Limit), Style: table.Faint})
	}
}

// pair writes value and limit as short as the width asks for.
func (t *text) pair(value, most derive.Value) (string, string) {
	if t.wide {
		return pair(value, most)
	}
	return bare(value, most)
}

// source is the origin of a limit, short in a short report.
func (t *text) source(v derive.Value) string {
	t.cites[sourceOf(v.From).Code] = true
	if t.wide {
		return limitSource(v)
	}
	return shortSource(v)
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
	full := int(math.Round(math.Min(share, 1) * float64(width)))
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
