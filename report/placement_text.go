package report

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// What the default output holds of each list; wide has all.
const (
	allTypes     = 25 // pod types up to which each has a row
	troubleRows  = 15 // else rows of types that do not run completely
	leastRows    = 8  // and so many rows at least, filled with the most numerous types
	problemRows  = 10
	nodeRows     = 16
	machineMaps  = 4
	hostMaps     = 2 // compute hosts, whose VMs are explained
	ownerRows    = 16
	admissionMax = 3
	typesNamed   = 4 // types in a list within a line
)

// placed writes a placement for terminals.
type placed struct {
	placing
	p *v1alpha1.Placement
}

// podAnswer is what a placement of pods has in common with other answers.
func podAnswer(p *v1alpha1.Placement, opt Options) answer {
	a := answer{words: podWords, index: answerIndex(p.Metadata, p.Platform, p.Findings, p.Assumptions, p.Skipped, opt),
		Metadata: p.Metadata, Platform: p.Platform, Rules: p.Rules, Verdict: p.Verdict, Machines: p.Machines,
		Resources: resourceGrid(p.Resources, "Resources of the cluster", "Allocatable", "Requested", podWords),
		WhatIf:    func(most int) []whatIfView { return whatIfs(p, most) }}
	if p.Comparison != nil {
		a.Compared = compareGrid([]v1alpha1.NodeComparison{*p.Comparison}, podWords)
	}
	return a
}

func placementText(p *v1alpha1.Placement, format string, opt Options) string {
	t := placed{newPlacing(podAnswer(p, opt), format), p}
	t.top()
	t.podTypes()
	t.unplaced()
	t.nodes()
	t.machines(refusedBy(p), nil)
	t.refusals()
	t.resources()
	t.grid(t.a.Compared)
	t.whatIfs()
	t.end()
	return t.b.String()
}

// inTrouble says that pods of the type do not run, or were refused on the way.
func inTrouble(o v1alpha1.PodOutcome) bool { return o.Pending > 0 || o.Refused > 0 }

// shownTypes are the pod types of the table in the default output: all when they
// are few, else those in trouble, the worst first, and the most numerous.
func (t placed) shownTypes() []v1alpha1.PodOutcome {
	return shownOf(t.p.PodTypes, t.wide, func(a, b v1alpha1.PodOutcome) int {
		return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(b.Refused, a.Refused), cmp.Compare(b.Wanted, a.Wanted))
	}, inTrouble)
}

// podTypes is the table of the pods.
func (t placed) podTypes() {
	all := t.p.PodTypes
	if len(all) == 0 {
		return
	}
	t.heading("Pods")
	refused := slices.ContainsFunc(all, func(o v1alpha1.PodOutcome) bool { return o.Refused > 0 })
	tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Type"}, {Title: "QoS", Keep: true}, {Title: "Wanted", Right: true}, {Title: "Run", Right: true},
		{Title: "Pending", Right: true}}}
	if refused {
		tb.Columns = append(tb.Columns, table.Column{Title: "Refused", Right: true})
	}
	tb.Columns = append(tb.Columns, table.Column{Title: "More", Right: true}, table.Column{Title: "Together", Right: true})
	row := func(o v1alpha1.PodOutcome, more, together string) {
		style := table.Plain
		if o.Pending > 0 {
			style = table.Bad
		}
		cells := []table.Cell{{Text: o.Name}, {Text: oneLine(o.QOSClass)}, {Text: whole(o.Wanted)}, {Text: whole(o.Placed)}, {Text: orNone(o.Pending), Style: style}}
		if refused {
			cells = append(cells, table.Cell{Text: orNone(o.Refused)})
		}
		tb.AddCells(append(cells, table.Cell{Text: more}, table.Cell{Text: together})...)
	}
	shown := t.shownTypes()
	for _, o := range shown {
		row(o, whole(o.More), whole(o.MoreMixed))
	}
	if n := len(all) - len(shown); n > 0 {
		row(otherTypes(all, shown), "", "")
	}
	t.table(tb)
	t.line("  ", table.Faint, roomNote)
}

// roomNote explains the last columns of the pods' table.
const roomNote = "More: pods of the type that would still fit, if only they grew. Together: if all types grew in proportion."

// otherTypes sums up the types that have no row.
func otherTypes(all, shown []v1alpha1.PodOutcome) v1alpha1.PodOutcome {
	sum := v1alpha1.PodOutcome{Name: fmt.Sprintf("%s more (-o wide)", plural(len(all)-len(shown), "type"))}
	add := func(list []v1alpha1.PodOutcome, sign int) {
		for _, o := range list {
			sum.Wanted += sign * o.Wanted
			sum.Placed += sign * o.Placed
			sum.Pending += sign * o.Pending
			sum.Refused += sign * o.Refused
		}
	}
	add(all, 1)
	add(shown, -1)
	return sum
}

func whole(n int) string { return unit.Format(float64(n), unit.None) }

// orNone leaves out what there is none of.
func orNone(n int) string {
	if n == 0 {
		return ""
	}
	return whole(n)
}

// refusedBy are the nodes whose kubelets refused pods.
func refusedBy(p *v1alpha1.Placement) map[string]bool {
	out := map[string]bool{}
	for _, a := range p.Admissions {
		out[a.Node] = out[a.Node] || !a.Admitted
	}
	return out
}
