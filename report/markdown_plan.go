package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// planMarkdown is the whole plan in Markdown, derivations folded.
func planMarkdown(ix *index) string {
	m := &markdown{}
	m.top(ix)
	if s := purchase(ix.plan.Decisions); s != nil {
		m.section(ix, *s)
	}
	m.gauges(ix)
	m.options(ix.plan.Options, ix.terms())
	m.grid(compareGrid(comparisons(ix.plan.Options), ix.terms()))
	m.proofs(ix.plan.Proofs, ix.terms())
	m.findings(ix)
	for _, s := range ix.plan.Sections {
		m.section(ix, s)
	}
	if rest := ix.unlisted(); len(rest) > 0 {
		m.heading(2, "Further figures")
		m.figures(rest)
	}
	if d := decisions(ix.plan.Decisions); len(d.Tables) > 0 {
		m.section(ix, d)
	}
	m.nodes(ix.plan.Nodes, ix.terms())
	m.assumptions(ix.plan)
	m.facts(ix)
	return strings.TrimLeft(m.b.String(), "\n")
}

func (m *markdown) top(ix *index) {
	p := ix.plan
	m.heading(1, "Plan "+p.Metadata.Name+": "+strings.ToLower(ix.verdict()[:1])+ix.verdict()[1:])
	m.para(md(platform(p.Platform)))
	m.para(md(p.Metadata.Description))
	for _, s := range [][2]string{{"Needs", p.Verdict.Summary}, {"Breaks first", p.Verdict.Tightest}, {"Problem", p.Verdict.Problem}} {
		if s[1] != "" {
			m.item(0, "**"+s[0]+"**: "+md(s[1]))
		}
	}
}

func (m *markdown) gauges(ix *index) {
	gauges := ix.gauges()
	if len(gauges) == 0 {
		return
	}
	m.heading(2, "Limits, the nearest first")
	var rows [][]string
	for _, g := range gauges {
		value, most := pair(g.Value, g.Limit)
		rows = append(rows, []string{verdictWord(g.Verdict), md(scoped(g)), "`" + asciiBar(g.Share, barWidth) + "`", md(percent(g.Share)), md(value), md(most),
			md(string(g.Kind)), md(limitSource(g.Limit))})
		for _, d := range g.Doubts {
			rows = append(rows, []string{verdictWord(d.Verdict), "*or, in doubt*", "`" + asciiBar(d.Share, barWidth) + "`", md(percent(d.Share)), "", md(d.Limit.Text), "", md(limitSource(d.Limit))})
		}
	}
	m.table([]string{"Verdict", "Limit", "", ">Used", ">Planned", ">Limit", "Kind", "Source"}, rows)
	for _, g := range gauges {
		for _, n := range g.Notes {
			m.item(0, "**"+md(scoped(g))+"**: "+md(n))
		}
	}
	m.b.WriteByte('\n')
	m.fold("How the limits were found", func() {
		for _, g := range gauges {
			m.item(0, "**"+md(scoped(g))+"** "+code(g.ID)+": "+md(g.Value.Text)+", from "+md(origin(g.Value.From))+"; limit "+md(g.Limit.Text)+", from "+md(origin(g.Limit.From)))
		}
	})
}

// verdictWord is a verdict on a limit, the worse the louder.
func verdictWord(v limit.Verdict) string {
	if v == limit.Passed {
		return "**passed**"
	}
	return md(string(v))
}

func (m *markdown) options(options []v1alpha1.Option, w words) {
	if len(options) == 0 {
		return
	}
	m.heading(2, optionsTitle(w))
	titles := []string{""}
	for _, o := range options {
		titles = append(titles, ">"+o.Name)
	}
	var rows [][]string
	for _, r := range optionRows(options, true, w) {
		row := []string{md(r.Title)}
		for _, c := range r.Cells {
			row = append(row, mdCell(c))
		}
		rows = append(rows, row)
	}
	m.table(titles, rows)
	m.para(md(shareNote(options, w)))
	for _, o := range options {
		if o.Why != "" {
			m.item(0, "**"+md(o.Name)+"**: "+md(o.Why))
		}
	}
}

func (m *markdown) findings(ix *index) {
	list := ix.findings()
	if len(list) > 0 {
		m.heading(2, "Findings")
	}
	for _, f := range list {
		m.item(0, "**"+md(string(f.Severity))+"** "+code(f.ID)+": "+md(f.Message))
		if f.Remedy != "" {
			m.item(1, "**Remedy**: "+md(f.Remedy))
		}
		if where := aboutFinding(f); where != "" {
			m.item(1, md(where))
		}
	}
}

func (m *markdown) section(ix *index, s v1alpha1.Section) {
	m.heading(2, s.Title)
	m.para(md(s.Summary))
	m.figures(ix.figuresOf(slices.Concat(s.Figures, s.Details)))
	for _, t := range s.Tables {
		m.planTable(t)
	}
	if s.Timeline != nil {
		m.timeline(s.Timeline)
	}
}

// figures writes a table of values, and folded below it how they were found.
func (m *markdown) figures(list []derive.Figure) {
	if len(list) == 0 {
		return
	}
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{md(f.Title), "**" + md(f.Value.Text) + "**", code(f.ID)})
	}
	m.table([]string{"Figure", ">Value", "Id"}, rows)
	m.fold("How these were found", func() {
		for _, f := range list {
			m.derivation(f)
		}
	})
}

func (m *markdown) derivation(f derive.Figure) {
	e := explain(f)
	m.item(0, "**"+md(f.Title)+"** "+code(f.ID)+" = "+md(f.Value.Text)+inParentheses(exact(f.Value)))
	if e.Formula != "" {
		m.item(1, code(e.Formula)+" = "+code(numbers(e.Numbers, e.Result)))
	}
	if e.Problem != "" {
		m.item(1, "**!** "+md(e.Problem))
	}
	if e.Method != "" {
		m.item(1, "by "+md(e.Method))
	}
	for _, in := range e.Inputs {
		line := code(in.Name) + " = " + md(in.Value.Text) + inParentheses(exact(in.Value))
		if from := origin(in.Value.From); from != "" {
			line += ", " + md(from)
		}
		m.item(1, line)
	}
	for _, n := range e.Notes {
		m.item(1, md(n))
	}
	if len(e.Sources) > 0 {
		m.item(1, "stated in "+md(sources(e.Sources)))
	}
}

func inParentheses(s string) string {
	if s == "" {
		return ""
	}
	return " (" + md(s) + ")"
}

func (m *markdown) nodes(nodes []v1alpha1.NodeLayers, w words) {
	if len(nodes) == 0 {
		return
	}
	m.heading(2, layersTitle(w))
	legend := layerLetters(nodes)
	for _, n := range nodes {
		m.heading(3, nodeTitle(n, w))
		titles, bars := []string{"Layer"}, []string{legendText(lettersOn(n, legend))}
		for _, r := range n.Resources {
			titles = append(titles, ">"+r.Resource)
			bars = append(bars, "`"+stackBar(r, legend)+"`")
		}
		rows := [][]string{}
		for _, r := range layerRows(n) {
			for i := range r {
				r[i] = md(r[i])
			}
			rows = append(rows, r)
		}
		bars[0] = md(bars[0])
		m.table(titles, append(rows, bars))
	}
}

func (m *markdown) assumptions(p *v1alpha1.Plan) {
	if len(p.Assumptions) > 0 {
		m.heading(2, "Assumptions: fields that the scenario left open")
		var rows [][]string
		for _, a := range p.Assumptions {
			rows = append(rows, []string{code(a.Field), md(a.Value), md(a.Why), code(a.Fact)})
		}
		m.table([]string{"Field", "Value", "Why", "Fact"}, rows)
	}
	if len(p.Skipped) > 0 {
		m.heading(2, "Not counted, or otherwise")
		var rows [][]string
		for _, s := range p.Skipped {
			rows = append(rows, []string{code(s.Place), md(counted(s)), md(s.Why)})
		}
		m.table([]string{"Place", "What", "Why"}, rows)
	}
}

func (m *markdown) facts(ix *index) {
	if used := ix.usedFacts(); len(used) > 0 {
		m.heading(2, "Facts used")
		m.fold(fmt.Sprintf("%s with kind, grade and source", plural(len(used), "fact")), func() {
			var rows [][]string
			for _, v := range used {
				n := ix.grower().value("", v)
				rows = append(rows, []string{code(v.From.ID), md(n.Title), md(v.Text), md(sourceOf(v.From).String()), md(strings.Join(remarks(n), "; "))})
			}
			m.table([]string{"Fact", "What", ">Value", "Source", "Conditions"}, rows)
		})
	}
	if cited := ix.cited(); len(cited) > 0 {
		m.heading(2, "Sources")
		for _, d := range cited {
			m.item(0, strings.TrimSpace("**"+md(d.Code)+"** "+md(d.Title))+inParentheses(strings.Join(d.Sections, "; ")))
		}
	}
}
