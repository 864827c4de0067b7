package report

import (
	_ "embed" // template
	"fmt"
	"html/template"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

//go:embed placement.html
var placementTemplate string

//go:embed placement.css
var placementStyle string

// placementPage is a placement prepared for its template.
type placementPage struct {
	*page
	P            *v1alpha1.Placement
	Pods         *rowsView
	Unplaced     []linesView
	Charts       []chartView
	Bound        string
	Kinds        []kindView
	Machines     []machineView
	MoreMachines string
	Admissions   []admissionView
	Nodes        *rowsView
	Resources    *rowsView
	Compared     *rowsView
	WhatIf       []whatIfView
}

// rowsView is a table; a heading that begins with ">" is aligned to the right,
// with its column.
type rowsView struct {
	Title string
	Head  []headView
	Rows  [][]headView
	Notes []string
}

// headView is a heading or a cell.
type headView struct {
	Title string
	Right bool
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

// admissionView is an admission with its title.
type admissionView struct {
	Title string
	A     v1alpha1.Admission
}

// whatIfView is a what-if in a sentence.
type whatIfView struct {
	Text string
	Bad  bool
}

// newRows makes a table of headings and cells.
func newRows(title string, head []string, rows [][]string, notes ...string) *rowsView {
	if len(rows) == 0 {
		return nil
	}
	v := &rowsView{Title: title, Notes: notes}
	for _, h := range head {
		name, right := strings.CutPrefix(h, ">")
		v.Head = append(v.Head, headView{name, right})
	}
	for _, row := range rows {
		var cells []headView
		for i, text := range row {
			cells = append(cells, headView{text, i < len(v.Head) && v.Head[i].Right})
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

// placementHTML is the placement as one HTML file.
func placementHTML(p *v1alpha1.Placement, opt Options) (string, error) {
	ix := newIndex(&v1alpha1.Plan{Platform: p.Platform, Metadata: p.Metadata, Assumptions: p.Assumptions, Skipped: p.Skipped}, opt)
	v := &placementPage{page: newPage(ix), P: p}
	v.CSS += template.CSS(placementStyle) //nolint:gosec // a constant
	v.Pods = newRows("Pods by type", outcomeHead, outcomeRows(p))
	for _, o := range p.PodTypes {
		if o.Pending > 0 || o.Refused > 0 {
			v.Unplaced = append(v.Unplaced, linesView{pendingTitle(o), outcomeReasons(o)})
		}
	}
	v.charts()
	for i, m := range p.Machines {
		if i == pageMachines {
			v.MoreMachines = fmt.Sprintf("and %s more, as the JSON has them", plural(len(p.Machines)-i, "machine"))
			break
		}
		v.Machines = append(v.Machines, newMachineView(m))
	}
	for _, a := range p.Admissions {
		v.Admissions = append(v.Admissions, admissionView{admissionTitle(a), a})
	}
	head, rows := placedRows(p)
	v.Nodes = newRows("Nodes", head, rows)
	v.Resources = newRows("Resources of the cluster", resourceHead, resourceRows(p))
	if p.Comparison != nil {
		list := []v1alpha1.NodeComparison{*p.Comparison}
		v.Compared = newRows("Nodes by method", compareHead(), compareRows(list), compareNotes(list)...)
	}
	v.whatIfs()
	v.contents()
	return execute("placement", v)
}

// pageMachines bounds the machines that a page draws.
const pageMachines = 24

func (v *placementPage) whatIfs() {
	for _, l := range v.P.Losses {
		v.WhatIf = append(v.WhatIf, whatIfView{lossText(v.P, l), l.Survived < l.Tried})
	}
	for _, d := range v.P.Drains {
		v.WhatIf = append(v.WhatIf, whatIfView{drainText(v.P, d), d.Worst != ""})
	}
}

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

// charts draws how full the nodes are, a drawing for each resource that somebody
// asks for in earnest.
func (v *placementPage) charts() {
	if len(v.P.Nodes) == 0 || len(v.P.PodTypes) == 0 {
		return
	}
	bound := 0
	if c := v.P.Comparison; c != nil {
		bound = c.Floor
		v.Bound = fmt.Sprintf("no packing needs fewer than %s nodes, proven.", whole(c.Floor))
	}
	for _, r := range v.P.Resources {
		if r.Requested > 0 && r.Allocatable > 0 && (r.Resource == "cpu" || r.Resource == "memory" || !plainResource(r.Resource)) {
			drawing := chart.Packing(columnsOf(v.P, r.Resource), bound)
			v.Charts = append(v.Charts, chartView{r.Resource, template.HTML(drawing)}) //nolint:gosec // escaped by chart
		}
	}
	for i, o := range v.P.PodTypes {
		if i < chart.Kinds-1 || len(v.P.PodTypes) == chart.Kinds {
			v.Kinds = append(v.Kinds, kindView{o.Name, template.HTML(chart.KindSwatch(i))}) //nolint:gosec // a number
		}
	}
	if n := len(v.P.PodTypes) - len(v.Kinds); n > 0 {
		v.Kinds = append(v.Kinds, kindView{plural(n, "further type"), template.HTML(chart.KindSwatch(chart.Kinds - 1))}) //nolint:gosec // a number
	}
	v.Kinds = append(v.Kinds, kindView{"stranded", template.HTML(chart.StrandedSwatch())}) //nolint:gosec // a constant
}

// plainResource says whether a resource is one that every pod takes.
func plainResource(name string) bool { return name == "pods" || name == "ephemeral-storage" }

// columnsOf are the nodes as columns of one resource. What each kind of pod takes
// is shared out by the number of pods, since nodes don't say it by kind.
func columnsOf(p *v1alpha1.Placement, resource string) []chart.Column {
	var out []chart.Column
	for _, n := range p.Nodes {
		for _, r := range n.Resources {
			if r.Resource != resource || r.Allocatable <= 0 {
				continue
			}
			c := chart.Column{Nodes: n.Count, Label: columnLabel(p, n)}
			for _, x := range n.Pods {
				kind := min(x.PodType, chart.Kinds-1)
				c.Blocks = append(c.Blocks, chart.Block{Kind: kind, Share: float64(requestOf(p, x.PodType, resource)*int64(x.Count)) / float64(r.Allocatable)})
			}
			if n.Full {
				c.Stranded = float64(r.Allocatable-r.Requested) / float64(r.Allocatable)
			}
			out = append(out, c)
		}
	}
	return out
}

func requestOf(p *v1alpha1.Placement, podType int, resource string) int64 {
	if podType < 0 || podType >= len(p.PodTypes) {
		return 0
	}
	return p.PodTypes[podType].Requests[resource]
}

func columnLabel(p *v1alpha1.Placement, n v1alpha1.PlacedNode) string {
	return oneLine(fmt.Sprintf("%s, %s: %s", n.Name, plural(n.Count, "node"), podsText(p, n.Pods)))
}
