package report

import (
	_ "embed" // template
	"fmt"
	"html/template"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

//go:embed placement.html
var placementTemplate string

//go:embed placement.css
var placementStyle string

// placementPage is a placement prepared for its template.
type placementPage struct {
	*page
	P    *v1alpha1.Placement
	Pods *rowsView
	// Unplaced are the pod types that do not run, with all reasons. Summed are
	// they by their reasons, where that makes fewer.
	Unplaced, Summed []linesView
	Charts           []chartView
	Kinds            []kindView
	Machines         []machineView
	MoreMachines     string
	// MachineKey explains the marks of the machines.
	MachineKey string
	Admissions []admissionView
	Nodes      *rowsView
	Resources  *rowsView
	Compared   *rowsView
	WhatIf     []whatIfView
}

// rowsView is a table; a heading that begins with ">" is aligned to the right,
// with its column.
type rowsView struct {
	Title string
	Head  []headView
	Rows  [][]headView
	Notes []string
}

// headView is a heading or a cell. Keep keeps a short name on one line.
type headView struct {
	Title       string
	Right, Keep bool
	// Long text gets some width, also on a phone.
	Long bool
}

// Lengths of a name that stays on one line, and from which a text is long; rows
// from which a table is folded.
const (
	keptName = 32
	longText = 24
	manyRows = 40
)

// Fold is what the summary of a table with many rows says; else it is empty.
func (v *rowsView) Fold() string {
	if len(v.Rows) < manyRows {
		return ""
	}
	return "All " + whole(len(v.Rows)) + " rows"
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

// newRows makes a table of headings and cells.
func newRows(title string, head []string, rows [][]string, notes ...string) *rowsView {
	if len(rows) == 0 {
		return nil
	}
	v := &rowsView{Title: title, Notes: notes}
	for _, h := range head {
		name, right := strings.CutPrefix(h, ">")
		v.Head = append(v.Head, headView{Title: name, Right: right})
	}
	for _, row := range rows {
		var cells []headView
		for i, text := range row {
			cells = append(cells, headView{text, i < len(v.Head) && v.Head[i].Right, i == 0 && len(text) <= keptName, len(text) >= longText})
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

// placementHTML is the placement as one HTML file.
func placementHTML(p *v1alpha1.Placement, opt Options) (string, error) {
	v := &placementPage{page: newPage(placementIndex(p, opt)), P: p}
	v.CSS += template.CSS(placementStyle) //nolint:gosec // a constant
	head, rows := outcomeRows(p)
	v.Pods = newRows("Pods by type", head, rows, roomNote)
	v.unplaced()
	v.charts()
	v.MachineKey = machineKey(p.Machines)
	for i, m := range p.Machines {
		if i == pageMachines {
			v.MoreMachines = fmt.Sprintf("and %s more, as the JSON has them", plural(len(p.Machines)-i, "machine"))
			break
		}
		v.Machines = append(v.Machines, newMachineView(m))
	}
	for _, a := range p.Admissions {
		v.Admissions = append(v.Admissions, admissionView{admissionTitle(a), remediesTitle(a), a})
	}
	head, rows = placedRows(p, usedOf)
	v.Nodes = newRows("Nodes", head, rows)
	v.Resources = newRows("Resources of the cluster", resourceHeads(p), resourceRows(p), resourceNotes(p)...)
	if p.Comparison != nil {
		list := []v1alpha1.NodeComparison{*p.Comparison}
		v.Compared = newRows("Nodes by method", compareHead(), compareRows(list), compareNotes(list)...)
	}
	v.WhatIf = whatIfs(p, 0)
	v.contents()
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

// pageMachines bounds the machines that a page draws.
const pageMachines = 24

func (v *placementPage) contents() {
	add := func(show bool, anchor, text string) {
		if show {
			v.Contents = append(v.Contents, link{anchor, text})
		}
	}
	add(true, "verdict", "Verdict")
	add(v.Pods != nil, "pods", "Pods")
	add(len(v.Charts) > 0, "packing", "How full")
	add(len(v.Machines) > 0, "machines", "Machines")
	add(len(v.Admissions) > 0, "admission", "Admission")
	add(v.Nodes != nil, "nodes", "Nodes")
	add(v.Resources != nil, "resources", "Stranded")
	add(v.Compared != nil, "comparison", "By method")
	add(len(v.WhatIf) > 0, "what-if", "What if")
	add(len(v.P.Findings) > 0, "findings", "Findings")
	add(len(v.P.Assumptions) > 0, "assumptions", "Assumptions")
	add(len(v.P.Skipped) > 0, "skipped", "Not counted, or otherwise")
}
