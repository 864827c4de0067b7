package network

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Subject of the benchmark, in findings and comparisons.
const Subject = "network"

// RunKind is the kind of a run's answer, by which it is known when it is read again.
const RunKind = "NetworkRun"

// Answer is the run for people and programs.
func (r *Run) Answer() *v1alpha1.Answer {
	cells := r.Sampled()
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: RunKind, Title: "Network " + r.RunID, Result: r,
		Findings: cells.Findings()}
	broken := cells.Unbelievable()
	a.Verdict.OK = broken == 0
	a.Verdict.Summary = fmt.Sprintf("%s of %s, %s of them not to be believed", words.Count(len(r.Cells), "cell"), r.Tool,
		words.Number(broken))
	if len(a.Findings) > 0 {
		a.Verdict.Problem = a.Findings[0].Message
	}
	a.Parts = []v1alpha1.Part{{Title: "Measured", Lead: r.lead(), Tables: []v1alpha1.Table{cells.Table()}}}
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
