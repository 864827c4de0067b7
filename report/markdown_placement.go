package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// placementMarkdown is the whole placement in Markdown.
func placementMarkdown(p *v1alpha1.Placement, opt Options) string {
	m, a := &markdown{}, podAnswer(p, opt)
	m.topOf(a)
	m.outcomes(p)
	m.placedNodes(p)
	m.drawings(a, nil)
	m.admissions(p.Admissions)
	m.grid(a.Resources)
	m.grid(a.Compared)
	m.whatIfs(a.WhatIf(0))
	m.endOf(a)
	return strings.TrimLeft(m.b.String(), "\n")
}

func (m *markdown) outcomes(p *v1alpha1.Placement) {
	if len(p.PodTypes) == 0 {
		return
	}
	m.heading(2, "Pods")
	head, rows := outcomeRows(p)
	m.table(head, escaped(rows))
	m.item(0, md(roomNote))
	for _, o := range p.PodTypes {
		if inTrouble(o) {
			m.item(0, "**"+md(pendingTitle(o))+"**")
			for _, s := range outcomeReasons(o) {
				m.item(1, md(s))
			}
		}
	}
}

func (m *markdown) placedNodes(p *v1alpha1.Placement) {
	if len(p.Nodes) == 0 {
		return
	}
	m.heading(2, "Nodes")
	head, rows := placedRows(p, usedOf)
	m.table(head, escaped(rows))
}

func (m *markdown) admissions(list []v1alpha1.Admission) {
	if len(list) == 0 {
		return
	}
	m.heading(2, "Admission, step by step")
	for _, a := range list {
		m.item(0, "**"+md(admissionTitle(a))+"** "+md(a.Message))
		if a.Slow != "" {
			m.item(1, md(a.Slow))
		}
		for _, s := range a.Steps {
			title := stepTitle(s)
			if s.Failed {
				title += ": failed"
			}
			m.item(1, md(title))
			for _, l := range s.Lines {
				m.item(2, md(l))
			}
		}
		if len(a.Remedies) > 0 {
			m.item(1, remediesTitle(a)+":")
		}
		for _, r := range a.Remedies {
			m.item(2, md(r))
		}
	}
}
