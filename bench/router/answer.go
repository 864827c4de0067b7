package router

import (
	"fmt"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// RunKind is the kind of a run's answer, by which it is known when it is read again.
const RunKind = "RouterRun"

// Answer is the run for people and programs.
func (r *Run) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: RunKind, Title: "Router " + r.RunID, Result: r,
		Findings: r.Findings()}
	a.Verdict.OK = true
	for _, f := range a.Findings {
		if f.Severity == v1alpha1.Error && a.Verdict.OK {
			a.Verdict.OK, a.Verdict.Problem = false, f.Message
		}
	}
	limited := 0
	for _, m := range r.Cells {
		if r.Limited(m) {
			limited++
		}
	}
	a.Verdict.Summary = fmt.Sprintf("%s of %s", words.Count(len(r.Cells), "cell"), r.router())
	if r.Target == "" {
		a.Verdict.Summary += fmt.Sprintf(", which was full in %s of them", words.Number(limited))
	}
	tables := []v1alpha1.Table{r.rates(), r.parts()}
	a.Parts = []v1alpha1.Part{{Title: "Measured", Lead: []string{r.lead()}, Tables: tables}, r.forPlan()}
	return a
}

// lead says what the result depends on.
func (r *Run) lead() string {
	s := r.Setup
	parts := []string{s.text(Cell{Encryption: "edge"}) + "."}
	if r.Target == "" {
		parts[0] = "Of each kind: " + parts[0]
	}
	if s.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%g requests a second are meant, and timed from when they were.", s.Rate))
	}
	if r.Target == "" {
		parts = append(parts, r.where())
	}
	parts = append(parts, "Linux "+r.Host.Kernel+".")
	if r.Repeated > 0 {
		parts = append(parts, "Measured twice, since the first was disturbed: "+words.Count(r.Repeated, "sample")+".")
	}
	return strings.Join(parts, " ")
}

// where the parts ran.
func (r *Run) where() string {
	p := r.Pins
	switch {
	case p.Router.IsEmpty():
		return fmt.Sprintf("Router, generator and back end share %s.", words.Count(r.Host.CPUs, "CPU"))
	case p.Generator == p.BackEnd:
		return fmt.Sprintf("The router ran on CPU %s, generator and back end on %s.", p.Router, p.Generator)
	}
	return fmt.Sprintf("The router ran on CPU %s, the generator on %s, the back end on %s.", p.Router, p.Generator,
		p.BackEnd)
}

// document is the published rate of a cell on as many threads; false when there is none.
func document(c *facts.Catalogue, threads int, m Cell) (f facts.Fact, ok bool) {
	name := fmt.Sprint(threads)
	if threads == 1 {
		name = "unset"
	}
	return c.Get("rout.router.requests/" + m.Name() + "/" + name)
}

// rates are the table of the documents.
func (r *Run) rates() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cells",
		Columns: cell.Columns("Cell", ">Requests/s", ">±", ">p50", "*>p90", ">p99", "*>Max", "Full", ">Document", ">Ratio",
			"*>Document 4.4", "*>Resumed"),
		Notes: []string{"Latencies are of all repetitions, rates are medians; ± is half of their spread. Full is what " +
			"had no CPU left: where that is not the router, it takes more than this. The document's router had another " +
			"machine; its table is that of 3.x for as many threads, which are 1 or 4."}}
	c, whole := facts.Load(), r.whole()
	for i, m := range r.Cells {
		rate := m.Rate()
		row := append(cell.Texts(m.Name()), number(rate), cell.Text("-"))
		if e := bench.Estimated(m.rates()); e.N > 1 {
			row[2].Text = fmt.Sprintf("%.0f %%", 100*e.Spread)
		}
		all, _ := whole.Cells[i].Latency()
		for _, q := range []bench.Quantile{all.P50, all.P90, all.P99} {
			row = append(row, latency(q.Value))
		}
		row = append(row, latency(all.Max), cell.Text(r.fullText(m)))
		row = append(row, r.published(c, m, rate)...)
		t.Rows = append(t.Rows, append(row, cell.Text(m.resumed())))
	}
	return t
}

func (r *Run) fullText(m Measured) string {
	if full := r.Full(m); len(full) > 0 {
		return strings.Join(full, ", ")
	}
	return "-"
}

// published are the documents' rates of a cell, with the ratio to the first: of a router whose threads are known, and
// that was asked for all that it takes.
func (r *Run) published(c *facts.Catalogue, m Measured, rate float64) []v1alpha1.Cell {
	f, ok := document(c, r.Setup.Threads, m.Cell)
	if !ok || r.Target != "" || r.Setup.Rate > 0 {
		return cell.Texts("-", "-", "-")
	}
	doc := number(f.Number)
	doc.Figure = f.ID
	later := cell.Text("-")
	if g, ok := c.Get("ocp.router.requests/" + m.Name() + "/HostNetwork"); ok {
		later = number(g.Number)
		later.Figure = g.ID
	}
	return []v1alpha1.Cell{doc, cell.Text(fmt.Sprintf("%.2f", rate/f.Number)), later}
}

// resumed is the share of handshakes that resumed a session.
func (m Measured) resumed() string {
	all, resumed := 0.0, 0.0
	for _, r := range m.Repetitions {
		all, resumed = all+r.Handshakes, resumed+r.Resumed
	}
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*resumed/all)
}

// parts are the CPUs that each part used, and their time for a request.
func (r *Run) parts() v1alpha1.Table {
	t := v1alpha1.Table{ID: "cpu", Title: "CPU time of a request, and CPUs used",
		Columns: cell.Columns("Cell", ">Router", ">CPUs", ">Generator", ">CPUs", ">Back end", ">CPUs", "*>Others")}
	for _, m := range r.Cells {
		row := cell.Texts(m.Name())
		for _, of := range []func(Repetition) *measure.CPU{ofRouter, ofGenerator, ofBackEnd} {
			used := m.used(of)
			if used == 0 {
				row = append(row, cell.Texts("-", "-")...)
				continue
			}
			row = append(row, latency(time.Duration(used/m.Rate()*1e9)), cell.Text(fmt.Sprintf("%.2f", used)))
		}
		foreign, known := 0.0, false
		for _, x := range m.Repetitions {
			foreign, known = max(foreign, x.Foreign()), known || x.Machine != nil
		}
		row = append(row, cell.Text("-"))
		if known {
			row[len(row)-1].Text = fmt.Sprintf("%.2f", foreign)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func number(v float64) v1alpha1.Cell {
	return v1alpha1.Cell{Text: unit.Format(measure.Round3(v), unit.None), Number: &v, Unit: "requests/s"}
}

func latency(d time.Duration) v1alpha1.Cell {
	if d <= 0 {
		return cell.Text("-")
	}
	v := d.Seconds()
	return v1alpha1.Cell{Text: bench.Round(d).String(), Number: &v, Unit: unit.Seconds}
}
