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
	ownerRows    = 16
	admissionMax = 3
	typesNamed   = 4 // pod types in a list within a line
)

// placed writes a placement for terminals.
type placed struct {
	*text
	p *v1alpha1.Placement
}

// placementIndex is what the parts of a plan's report need to know of a placement.
func placementIndex(p *v1alpha1.Placement, opt Options) *index {
	return newIndex(&v1alpha1.Plan{Platform: p.Platform, Metadata: p.Metadata, Findings: p.Findings, Assumptions: p.Assumptions, Skipped: p.Skipped}, opt)
}

func placementText(p *v1alpha1.Placement, format string, opt Options) string {
	t := placed{newText(placementIndex(p, opt), format), p}
	t.top()
	t.podTypes()
	t.unplaced()
	t.nodes()
	t.machines()
	t.refusals()
	t.resources()
	t.comparison()
	t.whatIfs()
	t.findings()
	t.assumptions()
	t.skipped()
	if !t.wide {
		t.b.WriteByte('\n')
		t.line("Everything, to attach: ", table.Plain, "plimsoll place "+oneLine(t.opt.file())+" -o html")
	}
	return t.b.String()
}

func (t placed) top() {
	v := t.p.Verdict
	t.line("", table.Bold, "Placement "+t.p.Metadata.Name+": "+platform(t.p.Platform))
	if t.p.Metadata.Description != "" {
		t.line("", table.Plain, t.p.Metadata.Description)
	}
	t.b.WriteByte('\n')
	mark, style := "+", table.Good
	if !v.Fits {
		mark, style = "!", table.Bad
	}
	t.mark("", mark, style, style, cmp.Or(v.Summary, "no pods"))
	t.named("Problem", v.Problem)
	t.named("Fullest", v.Tightest)
	for i, r := range t.p.Rules {
		t.named(map[bool]string{true: "Rules"}[i == 0], r)
	}
}

// inTrouble says that pods of the type do not run, or were refused on the way.
func inTrouble(o v1alpha1.PodOutcome) bool { return o.Pending > 0 || o.Refused > 0 }

// shownTypes are the pod types of the table in the default output: all when they
// are few, else those in trouble, the worst first, and the most numerous.
func (t placed) shownTypes() []v1alpha1.PodOutcome {
	all := t.p.PodTypes
	if t.wide || len(all) <= allTypes {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b v1alpha1.PodOutcome) int {
		return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(b.Refused, a.Refused), cmp.Compare(b.Wanted, a.Wanted))
	})
	bad := 0
	for bad < len(sorted) && inTrouble(sorted[bad]) {
		bad++
	}
	return sorted[:max(leastRows, min(bad, troubleRows))]
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

// resources is the table of the cluster's resources.
func (t placed) resources() {
	if len(t.p.Resources) == 0 {
		return
	}
	t.heading("Resources of the cluster")
	tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Resource"}, {Title: "Allocatable", Right: true}, {Title: "Requested", Right: true},
		{Title: "", Right: true}}}
	stranded := hasStranded(t.p.Resources)
	if stranded {
		tb.Columns = append(tb.Columns, table.Column{Title: "Stranded", Right: true}, table.Column{Title: "Lacking"})
	}
	for _, row := range resourceRows(t.p) {
		tb.Add(row...)
	}
	t.table(tb)
	if stranded {
		t.line("  ", table.Faint, strandedNote)
	}
}

// strandedNote says what stranded means.
const strandedNote = "Stranded: free, but on nodes where no pod of any type fits any more."

// comparison sets floor, packing and scheduler side by side.
func (t placed) comparison() {
	if t.p.Comparison != nil {
		t.heading("Nodes by method")
		t.compareTable([]v1alpha1.NodeComparison{*t.p.Comparison})
	}
}

// findings are grouped by remedy in the default output, which says the rest of
// them above; wide has each with its id.
func (t placed) findings() {
	if t.wide {
		t.findingList()
		return
	}
	list := slices.DeleteFunc(t.text.findings(), func(f v1alpha1.Finding) bool { return severityRank(f.Severity) == 2 })
	if len(list) == 0 {
		return
	}
	t.heading("Findings")
	for i, f := range list {
		if i == problemRows {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", plural(len(list)-i, "finding")))
			break
		}
		mark, style := markOfFinding(f.Severity)
		t.mark("  ", mark, style, table.Plain, f.Message)
		if f.Remedy != "" && (i+1 == len(list) || i+1 == problemRows || list[i+1].Remedy != f.Remedy) {
			t.line("    -> ", table.Plain, f.Remedy)
		}
	}
}
