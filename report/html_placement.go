package report

import (
	"html/template"

	"plimsoll.dev/api/v1alpha1"
)

// placementPage is a placement of pods prepared for its template.
type placementPage struct {
	*placedPage
	P    *v1alpha1.Placement
	Pods *rowsView
	// Unplaced are the pod types that do not run, with all reasons. Summed are
	// they by their reasons, where that makes fewer.
	Unplaced, Summed []linesView
	Admissions       []admissionView
	Nodes            *rowsView
}

// linesView is a list under a title.
type linesView struct {
	Title string
	Lines []string
}

// chartView is a drawing under its title.
type chartView struct {
	Title   string
	Drawing template.HTML
}

// kindView is an entry of a drawing's legend.
type kindView struct {
	Name   string
	Swatch template.HTML
}

// admissionView is an admission with its titles.
type admissionView struct {
	Title, Remedies string
	A               v1alpha1.Admission
}

// placementHTML is the placement as one HTML file.
func placementHTML(p *v1alpha1.Placement, opt Options) (string, error) {
	v := &placementPage{placedPage: newPlacedPage(podAnswer(p, opt), nil), P: p}
	head, rows := outcomeRows(p)
	v.Pods = newRows("Pods by type", head, rows, roomNote)
	v.unplaced()
	v.charts()
	for _, a := range p.Admissions {
		v.Admissions = append(v.Admissions, admissionView{admissionTitle(a), remediesTitle(a), a})
	}
	head, rows = placedRows(p, usedOf)
	v.Nodes = newRows("Nodes", head, rows)
	v.contents([]part{{v.Pods != nil, "pods", "Pods"}, {len(v.Charts) > 0, "packing", "How full"}, {len(v.Machines) > 0, "machines", "Machines"},
		{len(v.Admissions) > 0, "admission", "Admission"}, {v.Nodes != nil, "nodes", "Nodes"}})
	return execute("placement", v)
}

// unplaced says of the pods that do not run why.
func (v *placementPage) unplaced() {
	each, groups := alike(v.P.PodTypes, true), alike(v.P.PodTypes, false)
	for _, g := range each {
		v.Unplaced = append(v.Unplaced, linesView{g.title(), g.reasons(true, 0)})
	}
	if len(groups) == len(each) {
		return
	}
	for _, g := range groups {
		v.Summed = append(v.Summed, linesView{g.title(), g.reasons(false, nodeCount(v.P))})
	}
}
