package report

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// documentMarkdown is a document for tickets, with everything.
func documentMarkdown(d *Document) string {
	m := &markdown{}
	m.heading(1, titled(d.Title, d.Sub))
	m.para(md(d.Description))
	if v := d.Verdict; v != nil {
		sign, _ := signOf(v.Mark)
		m.para("**" + md(sign+" "+v.Text) + "**")
		for _, s := range v.More {
			m.item(0, md(s))
		}
		for _, n := range v.Named {
			m.item(0, "**"+md(n.Name)+"**: "+md(strings.Join(n.Says, "; ")))
		}
	}
	for _, s := range d.Sections {
		if body := inside(s.Blocks); body != "" {
			if s.Title != "" {
				m.heading(2, s.Title)
			} else {
				m.apart()
			}
			m.b.WriteString(body)
		}
	}
	return strings.TrimRight(strings.TrimLeft(m.b.String(), "\n"), "\n") + "\n"
}

// inside is what blocks come to.
func inside(list []Block) string {
	m := &markdown{}
	m.blocks(list)
	return m.b.String()
}

func (m *markdown) blocks(list []Block) {
	for _, b := range list {
		if _, ok := b.(List); !ok {
			m.apart()
		}
		switch b := b.(type) {
		case Para:
			m.styledPara(b)
		case List:
			m.list(b.Items, 0)
		case Grid:
			m.drawGrid(b)
		case Findings:
			m.findings(b)
		case Gauges:
			m.gauges(b)
		case Figures:
			m.drawGrid(b.table())
			m.fold("How these were found", func() { m.derivations(b) })
		case Layers:
			m.layers(b)
		case Timeline:
			m.timeline(b.Timeline)
		case Course:
			m.course(b.Course)
		case Machines:
			m.machines(b)
		case Listing:
			m.listing(b.Text)
		case Fold:
			m.fold(b.Title, func() { m.blocks(b.Blocks) })
		}
	}
}

// apart leaves a line empty, where none is.
func (m *markdown) apart() {
	if s := m.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		m.b.WriteByte('\n')
	}
}

// styled is Markdown in a style.
func styled(style table.Style, s string) string {
	if (style == table.Bold || style == table.Bad) && s != "" {
		return "**" + s + "**"
	}
	return s
}

func (m *markdown) styledPara(p Para) {
	text := p.Text
	if p.Mark != "" {
		sign, _ := signOf(p.Mark)
		text = sign + " " + text
	}
	m.para(styled(p.Style, md(text)))
}

// list writes items, and theirs below them.
func (m *markdown) list(list []Item, depth int) {
	for _, x := range list {
		text := x.Text
		if x.Mark == "bad" || x.Mark == "warn" {
			sign, _ := signOf(x.Mark)
			text = sign + " " + text
		}
		out := styled(x.Style, md(text))
		if x.Code {
			out = code(text)
		}
		if x.Lead != "" && x.Lead != "- " {
			out = md(strings.TrimRight(x.Lead, " ")) + " " + out
		}
		if x.Link != "" {
			out += ", " + md(x.Link)
		}
		m.item(min(depth, deepest), out)
		m.list(x.Items, depth+1)
	}
}

// drawGrid writes a table below its title, folded where it is long.
func (m *markdown) drawGrid(g Grid) {
	if len(g.Rows) == 0 {
		return
	}
	if g.Title != "" {
		m.para("**" + md(g.Title) + "**")
	}
	if len(g.Rows) < manyRows {
		m.table(g)
	} else {
		m.fold(foldTitle(len(g.Rows)), func() { m.table(g) })
	}
	m.notes(g.Notes)
}

func markdownCell(col Column, c Cell) string {
	mark, style := markOfCell(c.Mark)
	if c.Style != table.Plain {
		style = c.Style
	}
	switch {
	case len(c.List) > 0:
		return "- " + joined(c.List, "<br>- ", md)
	case col.Code:
		return code(c.Text)
	}
	return styled(style, md(mark+c.Text))
}

// findings are those in files as a table, and the others as a list.
func (m *markdown) findings(f Findings) {
	placed, rest := apart(f.List)
	if len(placed) > 0 {
		g := Findings{List: placed}.table().dropped()
		g.Title = "Findings in files"
		m.drawGrid(g)
	}
	for _, x := range rest {
		m.item(0, "**"+md(string(x.Severity))+"** "+code(x.ID)+": "+md(x.Message))
		if x.Remedy != "" {
			m.item(1, "**Remedy**: "+md(x.Remedy))
		}
		if where := aboutFinding(x); where != "" {
			m.item(1, md(where))
		}
	}
}

// gauges are a table, and folded below it where their numbers come from.
func (m *markdown) gauges(g Gauges) {
	m.drawGrid(g.table().cut(8))
	all := slices.Concat(g.List, g.Rest)
	for _, x := range all {
		for _, n := range x.Notes {
			m.item(0, "**"+md(scoped(x.Gauge))+"**: "+md(n))
		}
	}
	m.apart()
	m.fold("How the limits were found", func() {
		for _, x := range all {
			m.item(0, "**"+md(scoped(x.Gauge))+"** "+code(x.ID)+": "+md(x.Value.Text)+", from "+md(origin(x.Value.From))+
				"; limit "+md(x.Limit.Text)+", from "+md(origin(x.Limit.From)))
		}
	})
}

func (m *markdown) derivations(f Figures) {
	for _, x := range slices.Concat(f.List, f.Details) {
		m.item(0, "**"+md(x.Title)+"** "+code(x.ID)+" = "+md(x.Value.Text)+inParentheses(exact(x.Value)))
		m.list(x.items(), 1)
	}
}

// layers are a table for each node, with bars of letters in its last row.
func (m *markdown) layers(l Layers) {
	legend := layerLetters(l.Nodes)
	for _, n := range l.Nodes {
		g := layerGrid(n, l.Words)
		bars := []Cell{{Text: legendText(lettersOn(n, legend))}}
		for _, r := range n.Resources {
			bars = append(bars, Cell{Text: stackBar(r, legend)})
		}
		g.Rows = append(g.Rows, bars)
		m.drawGrid(g)
	}
}

// timeline writes a timeline as a drawing of letters, and as tables.
func (m *markdown) timeline(src *v1alpha1.Timeline) {
	v := newTimeView(src, drawnRows)
	if src.Title != "" {
		m.para("**" + md(src.Title) + "**")
	}
	m.para(md(src.Description))
	g := newTimeGrid(v, freeWidth)
	m.fenced("text", strings.Join(append(g.lines(), "", "  "+g.key()), "\n"))
	m.para(md(v.note))
	if v.Level != nil {
		m.para(md(levelText(v.Level)))
	}
	m.asTables(v.tables())
}

// asTables are a drawing as tables.
func (m *markdown) asTables(list []Grid) {
	m.fold("The drawing as tables", func() {
		for _, g := range list {
			m.drawGrid(g)
		}
	})
}

func (m *markdown) course(src *v1alpha1.Course) {
	v := newCourseView(src, drawnRows)
	if src.Title != "" {
		m.para("**" + md(src.Title) + "**")
	}
	m.para(md(src.Description))
	m.fenced("text", strings.Join(append(v.lines(freeWidth), "", "  "+v.key()), "\n"))
	for _, s := range v.says() {
		m.para(md(s))
	}
	m.asTables(v.tables())
}

// machines are drawn as text.
func (m *markdown) machines(x Machines) {
	t := newText(Options{}, Wide)
	x.Full = true
	t.machines(x)
	m.para("```text\n" + strings.TrimRight(strings.ReplaceAll(t.b.String(), "```", "'''"), "\n") + "\n```")
}

func inParentheses(s string) string {
	if s == "" {
		return ""
	}
	return " (" + md(s) + ")"
}
