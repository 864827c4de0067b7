package report

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// resourceGrid is the table of the resources of the whole; have and taken are the
// headings of what there is and of what is in use.
func resourceGrid(list []v1alpha1.ClusterResource, title, have, taken string, w terms) Grid {
	g := Grid{Title: title, Columns: heads("Resource", ">"+have, ">"+taken, ">Share")}
	stranded := slices.ContainsFunc(list, func(r v1alpha1.ClusterResource) bool { return r.Stranded != 0 })
	if stranded {
		g.Columns = append(g.Columns, heads(">Stranded", "Lacking")...)
		g.Notes = []string{"Stranded: free, but on " + w.Place + "s where no " + w.Unit + " of any type fits any more. " +
			"Lacking: what most of these " + w.Place + "s are out of."}
	}
	for _, r := range list {
		row := []string{r.Resource, unit.FormatResource(r.Resource, r.Allocatable),
			unit.FormatResource(r.Resource, r.Requested), ""}
		if r.Allocatable > 0 {
			row[3] = percent(ratio(r.Requested, r.Allocatable))
		}
		if stranded {
			row = append(row, strandedText(r), r.By)
		}
		g.row(row...)
	}
	return g
}

func strandedText(r v1alpha1.ClusterResource) string {
	if r.Stranded == 0 {
		return ""
	}
	return unit.FormatResource(r.Resource, r.Stranded)
}

// ratio is a share of a whole; 0 where there is none.
func ratio(part, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return float64(part) / float64(of)
}
