package measure

import (
	"cmp"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Table of a run's cells.
func (c Cells) Table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cells",
		Columns: cell.Columns("Cell", ">p50", "*>p90", ">p99", "*>Max", "*>Mean", ">Transactions/s", ">Throughput",
			"*>CPU each", ">±", "*>95 %", ">Waiting", "*Full"),
		Notes: []string{"Latencies are of the transactions of all repetitions where they were counted, else medians, as " +
			"the rates are. ± is half of the spread of the first figure: a smaller difference is none; 95 % is the " +
			"interval of its mean. Waiting is rate x mean latency, which is the number that wait where both are true " +
			"(Little's law). Full is whose CPUs were busy all the time."}}
	for _, m := range c.Cells {
		row := cell.Texts(m.Name)
		for _, f := range shown {
			row = append(row, m.estimate(f))
		}
		spread, interval, waiting := cell.Text("-"), cell.Text("-"), cell.Text("-")
		if known := m.Figures(); len(known) > 0 && len(m.Repetitions) > 1 {
			e := bench.Estimated(m.Values(known[0]))
			spread.Text = fmt.Sprintf("%.0f %%", 100*e.Spread)
			interval.Text = known[0].Text(max(0, e.Low)) + " to " + known[0].Text(e.High)
		}
		for _, rep := range m.Repetitions {
			if w, ok := m.Little(rep); ok {
				waiting.Text = unit.Format(Round3(w), unit.None)
			}
		}
		if n, worst := m.broken(); n > 0 {
			waiting.Text, waiting.Mark = unit.Format(Round3(worst), unit.None), "bad"
		}
		t.Rows = append(t.Rows, append(row, spread, interval, waiting, cell.Text(cmp.Or(m.Full, "-"))))
	}
	return t
}

// shown are the figures of the table, in the order of its columns.
var shown = []Figure{figures[0],
	{"p90", "90th percentile", unit.Seconds, true, true,
		func(r Repetition) float64 { return r.Latency.P90.Value.Seconds() }},
	figures[1],
	{"max", "longest", unit.Seconds, true, true, func(r Repetition) float64 { return r.Latency.Max.Seconds() }},
	figures[2], figures[3], figures[4], figures[5]}

// estimate is a figure of all repetitions, as a cell: a latency of the merged histograms, or the median.
func (m Measured) estimate(f Figure) v1alpha1.Cell {
	if !m.known(f) || f.Latency && m.Waiting == 0 {
		return v1alpha1.Cell{Text: "-"}
	}
	v := bench.Estimated(m.Values(f)).Median
	if all, ok := m.Latency(); ok && f.Latency {
		v = f.Of(Repetition{Latency: all})
	}
	text := f.Text(v)
	if f.ID == "rate" { // the column has the unit
		text = unit.Format(Round3(v), unit.None)
	}
	return v1alpha1.Cell{Text: text, Number: &v, Unit: f.Unit}
}
