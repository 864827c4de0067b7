package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// RunKind is the kind of a run's answer, by which it is known when it is read again.
const RunKind = "NetworkRun"

// Answer is the run for people and programs.
func (r *Run) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: RunKind, Title: "Network " + r.RunID, Result: r,
		Findings: r.Findings()}
	broken := 0
	for _, m := range r.Cells {
		if n, _ := m.broken(); n > 0 || len(m.Repetitions) == 0 {
			broken++
		}
	}
	a.Verdict.OK = broken == 0
	a.Verdict.Summary = fmt.Sprintf("%s of %s, %s of them not to be believed", words.Count(len(r.Cells), "cell"), r.Tool,
		words.Number(broken))
	if len(a.Findings) > 0 {
		a.Verdict.Problem = a.Findings[0].Message
	}
	a.Parts = []v1alpha1.Part{{Title: "Measured", Lead: r.lead(), Tables: []v1alpha1.Table{r.table()}}}
	if len(r.Ends.Hops) > 0 {
		a.Parts = append(a.Parts, v1alpha1.Part{Title: "On the way", Tables: []v1alpha1.Table{r.hops()}})
	}
	if len(r.Remarks) > 0 {
		a.Parts = append(a.Parts, v1alpha1.Part{Title: "What figures are not", Tables: []v1alpha1.Table{r.remarks()}})
	}
	return a
}

// lead says what the result depends on.
func (r *Run) lead() []string {
	var parts []string
	if r.Place != "" {
		parts = append(parts, "Between: "+r.Place+".")
	}
	if c, s := r.Ends.Client.Pinned, r.Ends.Server.Pinned; c != "" && s != "" {
		parts = append(parts, fmt.Sprintf("The client ran on CPU %s, the server on CPU %s.", c, s))
	} else {
		parts = append(parts, "The ends are not pinned, or nobody wrote it down: on which CPUs they ran may matter more "+
			"than all that is compared.")
	}
	if e := r.Ends.Client; e.Kernel != "" {
		parts = append(parts, fmt.Sprintf("Linux %s, congestion control %s.", e.Kernel, e.Congestion))
	}
	if s := r.Ends.Server.Kernel; s != r.Ends.Client.Kernel {
		parts = append(parts, fmt.Sprintf("The server's is Linux %s.", s))
	}
	if r.Repeated > 0 {
		parts = append(parts, fmt.Sprintf("Measured twice, since the first was disturbed: %s.",
			words.Count(r.Repeated, "sample")))
	}
	return []string{strings.Join(parts, " ")}
}

func (r *Run) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cells",
		Columns: cell.Columns("Cell", ">p50", "*>p90", ">p99", "*>Max", "*>Mean", ">Transactions/s", ">Throughput",
			"*>CPU each", ">±", "*>95 %", ">Waiting"),
		Notes: []string{"Latencies are of the transactions of all repetitions where they were counted, else medians, as " +
			"the rates are. ± is half of the spread of the first figure: a smaller difference is none; 95 % is the " +
			"interval of its mean. Waiting is rate x mean latency, which is the number of connections where both are true " +
			"(Little's law)."}}
	for _, m := range r.Cells {
		row := cell.Texts(m.Name())
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
		t.Rows = append(t.Rows, append(row, spread, interval, waiting))
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
	if !m.known(f) || f.Latency && !m.Waits() {
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

// hops are the devices, with the offloads beside the MTU: it has no effect while segmentation is left to a device.
func (r *Run) hops() v1alpha1.Table {
	t := v1alpha1.Table{ID: "hops", Columns: cell.Columns("Device", ">MTU", "Offloads", "RPS")}
	for _, h := range r.Ends.Hops {
		t.Rows = append(t.Rows, append(cell.Texts(h.Name), cell.Count(h.MTU), cell.Text(strings.Join(h.Offloads, " ")),
			cell.Text(cmp.Or(h.RPS, "-"))))
	}
	return t
}

func (r *Run) remarks() v1alpha1.Table {
	t := v1alpha1.Table{ID: "remarks", Columns: cell.Columns("Figure", "Is", "Taken instead")}
	seen := []string{}
	for _, m := range r.Remarks {
		if !slices.Contains(seen, m.ID) {
			seen = append(seen, m.ID)
			t.Rows = append(t.Rows, cell.Texts(m.Figure, m.Is, m.Instead))
		}
	}
	return t
}

// Answer says what would be measured, and how long that takes.
func (p Parameters) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "NetworkMatrix", Title: "Cells of the network", Result: p}
	a.Verdict.OK = true
	a.Verdict.Summary = fmt.Sprintf("%s, %s each, of %v after %v: %v", words.Count(len(p.Cells), "cell"),
		words.Count(p.Repetitions, "repetition"), p.Duration, p.Warmup, p.Time())
	t := v1alpha1.Table{ID: "cells", Columns: cell.Columns("Cell", "Pattern", ">Connections", ">To the server", ">Back"),
		Notes: []string{"Bytes of a transaction. Repetitions are outermost: cell by cell, then all again."}}
	for _, c := range p.Cells {
		a.Names = append(a.Names, c.Name())
		t.Rows = append(t.Rows, append(cell.Texts(c.Name(), c.Pattern.Title()), cell.Count(c.Connections),
			cell.Count(c.Request), cell.Count(c.Response)))
	}
	a.Parts = []v1alpha1.Part{{Title: "Cells", Tables: []v1alpha1.Table{t}}}
	return a
}
