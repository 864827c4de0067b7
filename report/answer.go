package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// answer is what the answers of place have in common, whatever they place.
type answer struct {
	words
	*index
	Metadata v1alpha1.Metadata
	Platform v1alpha1.Platform
	Rules    []string
	Verdict  v1alpha1.PlacementVerdict
	Machines []v1alpha1.MachineMap
	// Resources of the whole, and Compared: by how many methods how many are needed.
	Resources, Compared grid
	// WhatIf are failures and drains, that name so many types at most; 0 is all.
	WhatIf func(most int) []whatIfView
}

// answerIndex is what the parts of a plan's report need to know of a placement.
func answerIndex(m v1alpha1.Metadata, p v1alpha1.Platform, findings []v1alpha1.Finding, assumptions []v1alpha1.Assumption, skipped []v1alpha1.Skipped, opt Options) *index {
	return newIndex(&v1alpha1.Plan{Metadata: m, Platform: p, Findings: findings, Assumptions: assumptions, Skipped: skipped}, opt)
}

// about are the sentences at the head of an answer, by name.
func (a answer) about() [][2]string {
	return [][2]string{{"Problem", a.Verdict.Problem}, {"Fullest", a.Verdict.Tightest}}
}

// placing writes what answers have in common for terminals.
type placing struct {
	*text
	a answer
}

func newPlacing(a answer, format string) placing { return placing{newText(a.index, format), a} }

func (t placing) top() {
	v := t.a.Verdict
	t.line("", table.Bold, "Placement "+t.a.Metadata.Name+": "+platform(t.a.Platform))
	if t.a.Metadata.Description != "" {
		t.line("", table.Plain, t.a.Metadata.Description)
	}
	t.b.WriteByte('\n')
	mark, style := "+", table.Good
	if !v.Fits {
		mark, style = "!", table.Bad
	}
	t.mark("", mark, style, style, cmp.Or(v.Summary, "no "+t.a.Unit+"s"))
	for _, s := range t.a.about() {
		t.named(s[0], s[1])
	}
	for i, r := range t.a.Rules {
		t.named(map[bool]string{true: "Rules"}[i == 0], r)
	}
}

// resources is the table of the resources of the whole.
func (t placing) resources() {
	g := t.a.Resources
	if i := slices.Index(g.Head, ">Share"); i >= 0 {
		g.Head = slices.Clone(g.Head)
		g.Head[i] = ">" // the cells say it
	}
	t.grid(g)
}

// end is what follows the parts that are a platform's own.
func (t placing) end() {
	t.findings()
	t.assumptions()
	t.skipped()
	if !t.wide {
		t.b.WriteByte('\n')
		t.command("Everything, to attach:", "plimsoll place "+oneLine(t.opt.file())+" -o html")
	}
}

// findings are grouped by remedy in the default output, which says the rest of
// them above; wide has each with its id.
func (t placing) findings() {
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

// topOf heads an answer in Markdown.
func (m *markdown) topOf(a answer) {
	m.heading(1, "Placement "+a.Metadata.Name+": "+a.Verdict.Summary)
	m.para(md(platform(a.Platform)))
	m.para(md(a.Metadata.Description))
	for _, s := range append(a.about(), [2]string{"Rules", strings.Join(a.Rules, "; ")}) {
		if s[1] != "" {
			m.item(0, "**"+s[0]+"**: "+md(s[1]))
		}
	}
}

// endOf is what follows the parts that are a platform's own.
func (m *markdown) endOf(a answer) {
	m.findings(a.index)
	m.assumptions(a.plan)
}

// drawings are the machines as text.
func (m *markdown) drawings(a answer, by ownedBy) {
	if len(a.Machines) == 0 {
		return
	}
	m.heading(2, "Machines")
	opt := a.opt
	opt.Color, opt.Width = false, 0
	t := newText(newIndex(&v1alpha1.Plan{}, opt), Wide)
	t.line("  ", "", machineKey(a.Machines, keptText))
	for _, x := range a.Machines {
		t.b.WriteByte('\n')
		t.machine(x, by)
	}
	m.para("```text\n" + strings.ReplaceAll(t.b.String(), "```", "'''") + "```")
}
