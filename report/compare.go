package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// orderColumn is the column of an order of arrival.
var orderColumn = map[string]int{"runs": 3, "shuffled": 4, "largestFirst": 5}

// compareGrid sets floor, packing and scheduler side by side: a row for each option and
// each of the scheduler's settings.
func compareGrid(list []v1alpha1.NodeComparison, w terms) Grid {
	head := []string{"Option", ">Floor", ">Packed", ">Type by type", ">Shuffled", ">Largest first", "Scheduler"}
	g := newTable(title(w.Place)+"s by method", head, nil, compareNotes(list, w)...)
	end := 0.0
	for _, c := range list {
		end = max(end, comparedRange(c).Last())
	}
	for _, c := range list {
		drawing := comparedRange(c).Draw(end)
		for i := 0; i < len(c.Needed); {
			rules := c.Needed[i].Rules
			row := []string{c.Option, words.Number(c.Floor), words.Number(c.Packed), "", "", "", rules}
			for ; i < len(c.Needed) && c.Needed[i].Rules == rules; i++ {
				if at, ok := orderColumn[c.Needed[i].Order]; ok {
					row[at] = neededText(c.Needed[i])
				} else {
					row[len(row)-1] += ", " + c.Needed[i].Order + " " + neededText(c.Needed[i])
				}
			}
			g.row(row...)
			g.Rows[len(g.Rows)-1][0].Drawing, drawing = drawing, ""
		}
	}
	return g
}

// comparedRange is the comparison as it is drawn.
func comparedRange(c v1alpha1.NodeComparison) chart.Range {
	r := chart.Range{Floor: float64(c.Floor), Packed: float64(c.Packed)}
	r.Least, r.Most = scheduled(c)
	return r
}

// neededText is "231 (228-236)" for several shuffles, the median first.
func neededText(n v1alpha1.NeededNodes) string {
	if n.Most > n.Least {
		return fmt.Sprintf("%s (%s-%s)", words.Number(n.Nodes), words.Number(n.Least), words.Number(n.Most))
	}
	return words.Number(n.Nodes)
}

// compareNotes say what the columns mean, and what follows.
func compareNotes(list []v1alpha1.NodeComparison, w terms) []string {
	others := "what kube-scheduler needs when pods arrive in that order, by the rules of that Kubernetes release; " +
		"in brackets over other orders of the types, or several shuffles. All: every node scored, " +
		"where it else looks at a part of more than 100."
	if w == serverWords {
		others = "what Nova's filters and weighers need when VMs arrive in that order; " +
			"in brackets over other orders of the types, or several shuffles."
	}
	notes := []string{"Floor: no packing needs fewer, proven. Packed: the plan's. The others: " + others}
	for _, c := range list {
		if c.Advice != "" {
			notes = append(notes, c.Option+": "+c.Advice)
		}
	}
	return notes
}

// comparedTitle stands above the comparison of a plan.
func comparedTitle(w terms) string {
	return title(w.Place) + "s by method: the proven floor, the packing, and what the scheduler needs"
}

// comparisons are those of the options that have one.
func comparisons(options []v1alpha1.Option) []v1alpha1.NodeComparison {
	var out []v1alpha1.NodeComparison
	for _, o := range options {
		if o.Comparison != nil {
			out = append(out, *o.Comparison)
		}
	}
	return out
}

// proofsText says that the plan carries certificates; it is empty when it has none.
func proofsText(list []v1alpha1.Proof) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("Certificates: %s with proven floors, in the JSON; plimsoll certify checks them.",
		words.Count(len(list), "packing"))
}

// proofLines are the packings with certificates, one a line.
func proofLines(list []v1alpha1.Proof, w terms) []string {
	return each(list, func(p v1alpha1.Proof) string {
		return fmt.Sprintf("%s, %s: %s, none with fewer than %s (by %s)", p.Option, basisText(p.Basis),
			words.Count(p.Nodes, w.Place), words.Number(p.Bound), p.Method)
	})
}

// basisText is what a packing takes for the size of a node.
func basisText(basis string) string {
	switch basis {
	case "nominal":
		return "nothing reserved"
	case "allocatable":
		return "system reserved"
	}
	return basis
}
