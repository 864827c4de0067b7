package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// placementMarkdown is the whole placement in Markdown.
func placementMarkdown(p *v1alpha1.Placement, opt Options) string {
	m := &markdown{}
	m.heading(1, "Placement "+p.Metadata.Name+": "+p.Verdict.Summary)
	m.para(md(platform(p.Platform)))
	m.para(md(p.Metadata.Description))
	for _, s := range [][2]string{{"Problem", p.Verdict.Problem}, {"Fullest", p.Verdict.Tightest}, {"Rules", strings.Join(p.Rules, "; ")}} {
		if s[1] != "" {
			m.item(0, "**"+s[0]+"**: "+md(s[1]))
		}
	}
	m.outcomes(p)
	m.placedNodes(p)
	m.drawings(p, opt)
	m.admissions(p.Admissions)
	m.clusterResources(p)
	if p.Comparison != nil {
		m.comparison([]v1alpha1.NodeComparison{*p.Comparison})
	}
	m.whatIfs(p)
	m.assumptions(&v1alpha1.Plan{Assumptions: p.Assumptions, Skipped: p.Skipped})
	return strings.TrimLeft(m.b.String(), "\n")
}

func (m *markdown) outcomes(p *v1alpha1.Placement) {
	if len(p.PodTypes) == 0 {
		return
	}
	m.heading(2, "Pods")
	m.table(outcomeHead, escaped(outcomeRows(p)))
	for _, o := range p.PodTypes {
		if o.Pending > 0 || o.Refused > 0 {
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
	head, rows := placedRows(p)
	m.table(escaped([][]string{head})[0], escaped(rows))
}

// drawings are the machines as text.
func (m *markdown) drawings(p *v1alpha1.Placement, opt Options) {
	if len(p.Machines) == 0 {
		return
	}
	m.heading(2, "Machines")
	opt.Color = false
	t := placed{newText(newIndex(&v1alpha1.Plan{}, opt), Table), &v1alpha1.Placement{Machines: p.Machines}}
	t.wide = true
	for i, x := range p.Machines {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.machine(x)
	}
	m.para("```text\n" + strings.ReplaceAll(t.b.String(), "```", "'''") + "```")
}

func (m *markdown) admissions(list []v1alpha1.Admission) {
	if len(list) == 0 {
		return
	}
	m.heading(2, "Admission, step by step")
	for _, a := range list {
		m.item(0, "**"+md(admissionTitle(a))+"** "+md(a.Message))
		for _, s := range a.Steps {
			title := s.Title
			if s.Container != "" {
				title = s.Container + ", " + title
			}
			if s.Failed {
				title += ": failed"
			}
			m.item(1, md(title))
			for _, l := range s.Lines {
				m.item(2, md(l))
			}
		}
		for _, r := range a.Remedies {
			m.item(1, "would admit it: "+md(r))
		}
	}
}

func (m *markdown) clusterResources(p *v1alpha1.Placement) {
	if len(p.Resources) == 0 {
		return
	}
	m.heading(2, "Requested and stranded")
	m.table(resourceHead, escaped(resourceRows(p)))
}

func (m *markdown) comparison(list []v1alpha1.NodeComparison) {
	if len(list) == 0 {
		return
	}
	m.heading(2, "Nodes by method")
	m.table(compareHead(), escaped(compareRows(list)))
	for _, n := range compareNotes(list) {
		m.item(0, md(n))
	}
}

func (m *markdown) whatIfs(p *v1alpha1.Placement) {
	if len(p.Losses)+len(p.Drains) == 0 {
		return
	}
	m.heading(2, "What if")
	for _, l := range p.Losses {
		m.item(0, md(lossText(p, l)))
	}
	for _, d := range p.Drains {
		m.item(0, md(drainText(p, d)))
	}
}

// packingMarkdown is the whole packing in Markdown.
func packingMarkdown(p Packing) string {
	m := &markdown{}
	m.heading(1, "Packing: "+mixText(p))
	for _, s := range p.sentences() {
		m.item(0, md(s))
	}
	m.heading(2, "How they are filled")
	var rows [][]string
	for _, x := range p.Solution.Patterns {
		rows = append(rows, []string{grouped(float64(x.Copies)), md(p.Problem.Nodes[x.Node].Name), md(stacksText(p.Problem, x.Items))})
	}
	m.table([]string{">Nodes", "Type", "Each runs"}, rows)
	if len(p.Peers) > 0 {
		m.heading(2, "What other rules would buy")
		m.table([]string{peerColumns[0], peerColumns[1], ">" + peerColumns[2], ">" + peerColumns[3], peerColumns[4]}, escaped(peerRows(p)))
	}
	return strings.TrimLeft(m.b.String(), "\n")
}

// escaped are cells as Markdown shows them.
func escaped(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			out[i] = append(out[i], md(cell))
		}
	}
	return out
}
