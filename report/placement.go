package report

import (
	"cmp"
	"io"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// WritePlacement writes a placement in a format of Formats. It returns an error
// for an unknown format, or the writer's.
func WritePlacement(w io.Writer, p *v1alpha1.Placement, format string, opt Options) error {
	return placementDocument(p, format, opt).write(w, format, opt)
}

// placementDocument is a placement of pods for people.
func placementDocument(p *v1alpha1.Placement, format string, opt Options) *Document {
	d := placedDocument(p.PlacementHead, podWords, format)
	d.Value = p
	d.Verdict.Named = append(d.Verdict.Named, inWords("Assumed", unsaid(p.Assumptions))...)
	d.Names = slices.Concat(each(p.PodTypes, func(t v1alpha1.PodOutcome) string { return "pod/" + t.Name }),
		each(p.Nodes, func(n v1alpha1.PlacedNode) string { return "node/" + n.Name }))
	d.addAs("packing", "How full the nodes are", "How full", placementCharts(p))
	if len(p.PodTypes) > 0 {
		d.add("pods", "Pods", noted(outcomes(p, format), roomNote)...)
	}
	d.addAs("unplaced", "What does not run, and why", "What does not run", unplaced(p, format)...)
	d.placedNodes(p, opt.columns(format), format)
	d.machines(p.Machines, refusedBy(p), nil, nil, format)
	d.addAs("admission", "Admission, step by step", "Admission", admissions(p.Admissions, format)...)
	d.titled("resources", "Resources", resourceGrid(p.Resources, "Resources of the cluster", "Allocatable", "Requested",
		podWords))
	if p.Comparison != nil {
		d.titled("comparison", "By method", compareGrid([]v1alpha1.NodeComparison{*p.Comparison}, podWords))
	}
	d.whatIf(whatIfs(p, mostNamed(format)))
	d.placedEnd(p.Assumptions, p.Skipped, format, opt)
	return d
}

// inTrouble reports whether pods of the type do not run, or were refused on the way.
func inTrouble(o v1alpha1.PodOutcome) bool { return o.Pending > 0 || o.Refused > 0 }

// outcomes is the table of the pod types. The default output has all when they are few,
// else those in trouble, the worst first, and the most numerous.
func outcomes(p *v1alpha1.Placement, format string) Grid {
	shown := shownOf(p.PodTypes, !short(format), func(a, b v1alpha1.PodOutcome) int {
		return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(b.Refused, a.Refused), cmp.Compare(b.Wanted, a.Wanted))
	}, inTrouble)
	g := Grid{ID: "pods", Columns: heads("Type", "QoS", ">Wanted", ">Run", ">Pending", ">Refused", ">More", ">Together")}
	g.Columns[1].Keep = true
	row := func(o v1alpha1.PodOutcome, more, together string) {
		g.row(o.Name, oneLine(o.QOSClass), words.Number(o.Wanted), words.Number(o.Placed), orNone(o.Pending),
			orNone(o.Refused), more, together)
		if o.Pending > 0 {
			g.Rows[len(g.Rows)-1][4].Style = table.Bad
		}
	}
	for _, o := range shown {
		row(o, words.Number(o.More), words.Number(o.MoreMixed))
	}
	if len(p.PodTypes) > len(shown) {
		row(otherTypes(p.PodTypes, shown), "", "")
	}
	refused := slices.ContainsFunc(p.PodTypes, func(o v1alpha1.PodOutcome) bool { return o.Refused > 0 })
	return g.with(func(i int) bool { return refused || g.Columns[i].Title != "Refused" })
}

// roomNote explains the last columns of the pods' table.
const roomNote = "More: how many more fit, if no other type grows. Together: how many more, if " +
	"all types grow in proportion."

// otherTypes sums up the types that have no row.
func otherTypes(all, shown []v1alpha1.PodOutcome) v1alpha1.PodOutcome {
	rest := func(of func(v1alpha1.PodOutcome) int) int { return sumOf(all, of) - sumOf(shown, of) }
	return v1alpha1.PodOutcome{Name: words.Count(len(all)-len(shown), "type") + " more (-o wide)",
		Wanted:  rest(func(o v1alpha1.PodOutcome) int { return o.Wanted }),
		Placed:  rest(func(o v1alpha1.PodOutcome) int { return o.Placed }),
		Pending: rest(func(o v1alpha1.PodOutcome) int { return o.Pending }),
		Refused: rest(func(o v1alpha1.PodOutcome) int { return o.Refused })}
}

// orNone leaves out what there is none of.
func orNone(n int) string {
	if n == 0 {
		return ""
	}
	return words.Number(n)
}

// refusedBy are the nodes whose kubelets refused pods.
func refusedBy(p *v1alpha1.Placement) map[string]bool {
	out := map[string]bool{}
	for _, a := range p.Admissions {
		out[a.Node] = out[a.Node] || !a.Admitted
	}
	return out
}
