package report

import (
	_ "embed" // templates and style sheet
	"fmt"
	"html/template"
	"slices"
)

//go:embed placement.html
var placementTemplate string

//go:embed servers.html
var serversTemplate string

const placementStyle, serversStyle = "", ""

// placedPage is what pages of placements have in common, whatever is placed.
type placedPage struct {
	*page
	A answer
	// Charts draw how full nodes or hosts are; ChartsSay explains them.
	Charts    []chartView
	ChartsSay string
	Kinds     []kindView
	Machines  []machineView
	// MoreMachines says that not all are drawn; MachineKey explains the marks.
	MoreMachines, MachineKey string
	Resources, Compared      *rowsView
	WhatIf                   []whatIfView
}

// pageMachines bounds the machines that a page draws.
const pageMachines = 24

func newPlacedPage(a answer, by ownedBy) *placedPage {
	v := &placedPage{page: newPage(a.index), A: a, Resources: a.Resources.view(), Compared: a.Compared.view(), WhatIf: a.WhatIf(0), MachineKey: machineKey(a.Machines, keptPage)}
	v.CSS += template.CSS(placementStyle) //nolint:gosec // a constant
	for i, m := range a.Machines {
		if i == pageMachines {
			v.MoreMachines = fmt.Sprintf("and %s more, as the JSON has them", plural(len(a.Machines)-i, "machine"))
			break
		}
		v.Machines = append(v.Machines, newMachineView(m, by))
	}
	return v
}

// part is a part of a page that is there or not.
type part struct {
	There        bool
	Anchor, Text string
}

// contents lists the verdict, a platform's own parts and the common ones; some of
// its own come late.
func (v *placedPage) contents(own []part, late ...part) {
	for _, p := range slices.Concat([]part{{true, "verdict", "Verdict"}}, own, []part{
		{v.Resources != nil, "resources", "Stranded"}, {v.Compared != nil, "comparison", "By method"}, {len(v.WhatIf) > 0, "what-if", "What if"},
	}, late, []part{
		{len(v.plan.Findings) > 0, "findings", "Findings"}, {len(v.plan.Assumptions) > 0, "assumptions", "Assumptions"},
		{len(v.plan.Skipped) > 0, "skipped", "Not counted, or otherwise"},
	}) {
		if p.There {
			v.Contents = append(v.Contents, link{p.Anchor, p.Text})
		}
	}
}
