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
	ix := placementIndex(p, opt)
	m.findings(ix)
	m.assumptions(ix.plan)
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

// drawings are the machines as text.
func (m *markdown) drawings(p *v1alpha1.Placement, opt Options) {
	if len(p.Machines) == 0 {
		return
	}
	m.heading(2, "Machines")
	opt.Color, opt.Width = false, 0
	t := placed{newText(newIndex(&v1alpha1.Plan{}, opt), Wide), p}
	t.line("  ", "", machineKey(p.Machines))
	for _, x := range p.Machines {
		t.b.WriteByte('\n')
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

func (m *markdown) clusterResources(p *v1alpha1.Placement) {
	if len(p.Resources) == 0 {
		return
	}
	m.heading(2, "Resources of the cluster")
	m.table(resourceHeads(p), escaped(resourceRows(p)))
	for _, n := range resourceNotes(p) {
		m.item(0, md(n))
	}
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
	list := whatIfs(p, 0)
	if len(list) > 0 {
		m.heading(2, "What if")
	}
	for _, w := range list {
		if w.Bad {
			w.Text = "! " + w.Text
		}
		m.item(0, md(w.Text))
	}
}

// packingMarkdown is the whole packing in Markdown.
func packingMarkdown(p Packing) string {
	m := &markdown{}
	m.heading(1, "Packing: "+mixText(p))
	for _, s := range p.sentences() {
		m.item(0, md(s))
	}
	m.heading(2, "Nodes")
	m.table(boughtHead, escaped(boughtRows(p, true)))
	m.heading(2, "How they are filled")
	var rows [][]string
	for _, x := range p.Solution.Patterns {
		rows = append(rows, []string{grouped(float64(x.Copies)), md(p.Problem.Nodes[x.Node].Name), md(stacksText(p.Problem, x.Items))})
	}
	m.table([]string{">Nodes", "Type", "Each runs"}, rows)
	if len(p.Peers) > 0 {
		m.heading(2, "What other rules would buy")
		m.table(peerHead, escaped(peerRows(p)))
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
