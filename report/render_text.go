package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// prose writes a document for terminals.
type prose struct {
	*text
	format string
}

func newProse(opt Options, format string) prose {
	return prose{newText(newIndex(&v1alpha1.Plan{}, opt), format), format}
}

// documentText is a document for terminals.
func documentText(d *Document, format string, opt Options) string {
	t := newProse(opt, format)
	t.documentTop(d)
	for i, s := range d.Sections {
		if body := t.sectionBody(s); body != "" {
			switch {
			case s.Title != "":
				t.heading(s.Title)
			case i > 0 || !d.Headless || d.Verdict != nil:
				t.blank()
			}
			t.b.WriteString(body)
		}
	}
	for _, s := range d.Foot {
		t.blank()
		t.line("", table.Faint, s)
	}
	if d.Why != "" || d.Again != "" && !t.wide {
		t.blank()
	}
	if d.Why != "" {
		t.command("Any number explained: ", d.Why)
	}
	if d.Again != "" && !t.wide {
		t.command("Everything, to attach:", d.Again)
	}
	return t.b.String()
}

// titled joins two parts of a title.
func titled(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

func (t prose) documentTop(d *Document) {
	if d.Headless && d.Verdict == nil {
		return
	}
	if !d.Headless {
		t.line("", table.Bold, titled(d.Title, d.Sub))
		if d.Description != "" {
			t.line("", table.Plain, d.Description)
		}
	}
	if v := d.Verdict; v != nil {
		t.blank()
		mark, style := signOf(v.Mark)
		t.mark("", mark, style, style, v.Text)
		for _, s := range v.More {
			t.line("  ", table.Plain, s)
		}
		for _, n := range v.Named {
			t.named(n[0], n[1])
		}
	}
}

// signOf is the ASCII mark and the style of a judgement; "-" of none.
func signOf(mark string) (string, table.Style) {
	sign, style := markOfCell(mark)
	if sign == "" {
		return "-", style
	}
	return strings.TrimSpace(sign), style
}

// sectionBody is what stands below the heading.
func (t prose) sectionBody(s Section) string {
	inner := newProse(t.opt, t.format)
	inner.b.WriteString("\n") // as if there were a heading above
	inner.blocks(s.Blocks)
	return inner.b.String()[1:]
}

func (t prose) blocks(list []Block) {
	for i, b := range list {
		switch b := b.(type) {
		case Para:
			t.para(b)
		case List:
			indent := 2
			if b.Flush {
				indent = 0
			}
			t.list(b.Items, indent)
		case Grid:
			if _, after := previous(list, i).(Grid); after && b.Title == "" {
				t.blank()
			}
			t.drawGrid(b)
		case Findings:
			t.findings(b)
		case Gauges:
			t.gauges(b)
		case Figures:
			t.figures(b)
		case Layers:
			t.layers(b)
		case Timeline:
			t.timeline(b)
		case Machines:
			t.machines(b)
		case Listing:
			t.listing(b)
		case Fold:
			t.blocks(b.Blocks)
		}
	}
}

// previous is the block before one; nil before the first.
func previous(list []Block, i int) Block {
	if i == 0 {
		return nil
	}
	return list[i-1]
}

func (t prose) para(p Para) {
	lead := ""
	if p.Style == table.Faint {
		lead = "  "
	}
	if p.Mark != "" {
		sign, style := signOf(p.Mark)
		t.mark("", sign, style, p.Style, p.Text)
		return
	}
	t.line(lead, p.Style, p.Text)
}

// list writes items behind so many blanks, and theirs behind two more.
func (t prose) list(list []Item, indent int) {
	pad := strings.Repeat(" ", min(indent, 2*deepest))
	for _, x := range list {
		style := x.Style
		switch {
		case x.Mark != "":
			sign, of := signOf(x.Mark)
			t.mark(pad, sign, of, style, x.Text)
		case x.Lead != "":
			t.line(pad+x.Lead, style, x.Text)
		default:
			t.hang(pad, style, x.Text)
		}
		t.list(x.Items, indent+2)
	}
}

// drawGrid writes a table below its title, with its notes.
func (t prose) drawGrid(g Grid) {
	if len(g.Rows) == 0 {
		return
	}
	if g.Title != "" {
		t.b.WriteByte('\n')
		t.line("  ", table.Plain, g.Title+":")
	}
	for i, part := range t.parted(g) {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		tb := layout(part)
		if !tb.Fits(t.width) {
			nameFirst(tb)
		}
		t.table(tb)
	}
	lead := "  - "
	for _, n := range g.Notes {
		t.line(lead, table.Faint, n)
	}
}

// parted are the parts of a table with names at the side that fit the width.
func (t prose) parted(g Grid) []Grid {
	var out []Grid
	for g.Side && len(g.Columns) > 2 && !layout(g).Fits(t.width) {
		n := len(g.Columns) - 1
		for n > 2 && !layout(g.cut(n)).Fits(t.width) {
			n--
		}
		out = append(out, g.cut(n))
		rest := g
		rest.Columns, rest.Rows = slices.Concat(g.Columns[:1], g.Columns[n:]), nil
		for _, row := range g.Rows {
			rest.Rows = append(rest.Rows, slices.Concat(row[:1], row[n:]))
		}
		g = rest
	}
	return append(out, g)
}

// layout is a table as the layout takes it.
func layout(g Grid) table.Table {
	tb := table.Table{Indent: "  ", Bare: g.Bare}
	switch {
	case g.Inner:
		tb.Indent = "    "
	case g.Flush:
		tb.Indent = ""
	}
	for _, c := range g.Columns {
		tb.Columns = append(tb.Columns, table.Column{Title: c.Title, Right: c.Right, Keep: c.Keep})
	}
	for _, row := range g.Rows {
		cells := make([]table.Cell, len(row))
		for i, c := range row {
			mark, style := markOfCell(c.Mark)
			if c.Style != table.Plain {
				style = c.Style
			}
			cells[i] = table.Cell{Text: mark + c.Text, Style: style, List: c.List}
		}
		tb.AddCells(cells...)
	}
	return tb
}

// nameFirst puts the heading before a number that will stand as the title of a
// block, where the table is too narrow for columns.
func nameFirst(tb table.Table) {
	for _, row := range tb.Rows {
		if len(row) > 0 && row[0].Text != "" && tb.Columns[0].Right {
			row[0].Text = tb.Columns[0].Title + " " + row[0].Text
		}
	}
}

// gauges writes bars of ten signs.
func (t prose) gauges(g Gauges) {
	tb := table.Table{Bare: true, Columns: []table.Column{
		{Title: ""}, {Title: "Limit"}, {Title: "", Keep: true}, {Title: "Used", Right: true},
		{Title: "Planned", Right: true}, {Title: "Limit", Keep: true}, {Title: "Kind and source"},
	}}
	for i, x := range g.List {
		if i > 0 && setApart(x.Gauge) && !setApart(g.List[i-1].Gauge) {
			tb.AddCells(table.Cell{}, table.Cell{Text: g.Local, Style: table.Faint})
		}
		gaugeRows(&tb, x, g.Full)
	}
	t.table(tb)
	if g.Left != "" {
		t.line("  ", table.Faint, g.Left)
	}
}

// gaugeRows adds the row of a gauge and those of its doubts.
func gaugeRows(tb *table.Table, g Gauge, full bool) {
	paired, source := bare, shortSource
	if full {
		paired, source = pair, limitSource
	}
	mark, style := markOf(g.Verdict)
	if style == table.Good {
		style = table.Plain
	}
	value, most := paired(g.Value, g.Limit)
	from := string(g.Kind) + ", " + source(g.Limit)
	if full && len(g.Notes) > 0 {
		from += "; " + strings.Join(g.Notes, "; ")
	}
	tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: scoped(g.Gauge)}, table.Cell{Text: asciiBar(g.Share, barWidth), Style: style},
		table.Cell{Text: percent(g.Share), Style: style}, table.Cell{Text: value}, table.Cell{Text: "/ " + most}, table.Cell{Text: from, Style: table.Faint})
	for _, d := range g.Doubts {
		mark, style := markOf(d.Verdict)
		if style == table.Good {
			style = table.Faint
		}
		_, most := paired(g.Value, d.Limit)
		tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: "or, in doubt", Style: style}, table.Cell{Text: asciiBar(d.Share, barWidth), Style: style},
			table.Cell{Text: percent(d.Share), Style: style}, table.Cell{}, table.Cell{Text: "/ " + most}, table.Cell{Text: source(d.Limit), Style: table.Faint})
	}
}

// figures writes "title  value", and with all how each was found.
func (t prose) figures(f Figures) {
	list := slices.Concat(f.List, f.Details)
	tb := table.Table{Bare: true, Indent: "  ", Columns: []table.Column{{Title: "Figure"}, {Title: "Value", Right: true}}}
	for _, x := range list {
		if table.Width(x.Value.Text) > 24 {
			tb.Columns[1].Right = false
		}
	}
	if f.How {
		tb.Columns = append(tb.Columns, table.Column{Title: "Id", Keep: t.width == 0}, table.Column{Title: "How"}, table.Column{Title: "Source"})
	}
	for _, x := range list {
		row := []table.Cell{{Text: x.Title}, {Text: x.Value.Text, Style: table.Bold}}
		if f.How {
			row = append(row, table.Cell{Text: x.ID, Style: table.Faint}, table.Cell{Text: worked(x.explanation)}, table.Cell{Text: sources(x.Sources), Style: table.Faint})
		}
		tb.AddCells(row...)
	}
	t.table(tb)
	if !f.How {
		return
	}
	for _, x := range list {
		for _, n := range x.Notes {
			t.line("  - ", table.Plain, x.Title+": "+n)
		}
	}
}

// layers draws what nodes are used for with letters.
func (t prose) layers(l Layers) {
	legend := layerLetters(l.Nodes)
	for i, n := range l.Nodes {
		if i > 0 && l.Full {
			t.b.WriteByte('\n')
		}
		t.line("  ", table.Plain, nodeTitle(n, l.Words))
		tb := table.Table{Bare: true, Indent: "    ", Columns: []table.Column{{Title: "Resource"}, {Title: "", Keep: true}, {Title: "Capacity", Right: true}, {Title: "Free", Right: true}}}
		for _, r := range n.Resources {
			tb.Add(r.Resource, stackBar(r, legend), r.Capacity.Text, freeOf(r))
		}
		t.table(tb)
		if l.Full {
			rows := layerGrid(n, l.Words)
			rows.Title = ""
			t.drawGrid(rows)
		}
	}
	t.line("  ", table.Faint, legendText(legend))
}

// listing writes a text line by line under its title, each line by itself and with
// its blanks; longer lines go on behind a backslash.
func (t prose) listing(x Listing) {
	t.blank()
	if x.Title != "" {
		t.line("  ", table.Bold, x.Title)
	}
	lines := bodyLines(x.Body)
	for i, l := range lines {
		if i == x.Most && x.Most > 0 {
			t.line("    ", table.Faint, fmt.Sprintf("and %s more (-o wide)", plural(len(lines)-i, "line")))
			return
		}
		style := table.Plain
		if x.Language == "diff" {
			style = diffStyle(l)
		}
		t.verbatim("    ", style, l)
	}
}

// timeline writes a timeline as letters.
func (t prose) timeline(x Timeline) {
	g := newTimeGrid(newTimeView(x.Timeline, x.Rows), t.width)
	if x.Title != "" {
		t.b.WriteByte('\n')
		t.line("  ", table.Plain, x.Title+":")
	}
	for _, l := range g.lines() {
		t.b.WriteString(l + "\n")
	}
	t.line("  ", table.Faint, g.key())
	if g.note != "" {
		t.line("  ", table.Faint, g.note)
	}
	if g.Level != nil {
		if s := levelText(g.Level); s != "" {
			t.line("  ", table.Plain, s)
		}
	}
	for i, m := range g.moments {
		if i == x.Events && x.Events > 0 {
			t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", plural(len(g.moments)-i, "event")))
			break
		}
		_, style := markOfCell(m.Mark)
		t.mark("  ", eventSign(m.Mark), style, table.Plain, m.says())
	}
}

// machines draws who owns what.
func (t prose) machines(x Machines) {
	t.line("  ", table.Faint, machineKey(x.All, keptText))
	for _, m := range x.Shown {
		t.b.WriteByte('\n')
		t.machine(m, x.By, x.Full)
	}
	if n := len(x.All) - len(x.Shown); n > 0 {
		t.b.WriteByte('\n')
		t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide draws them", counting(n, "machine")))
	}
}

// findings writes those that stand in files as compilers do, many of them under the
// names of their files, and the others with a mark.
func (t prose) findings(f Findings) {
	var placed []v1alpha1.Finding
	for _, x := range f.List {
		if x.Place != nil {
			placed = append(placed, x)
		}
	}
	grouped := !f.Brief && len(placed) >= groupedFindings
	if grouped {
		t.byFile(placed, f.Full)
	}
	list, left := gathered(f.List, f.Brief), 0
	if f.Most > 0 && len(list) > f.Most+1 {
		list, left = list[:f.Most], len(list)-f.Most
	}
	for i, x := range list {
		switch {
		case x.Place != nil && grouped:
		case x.Place != nil:
			t.placed("", x.at(), x.Finding, !f.Brief, f.Full)
		case f.Full:
			t.finding(x.Finding)
		default:
			t.brief(x.Finding, i+1 == len(list) || list[i+1].Remedy != x.Remedy)
		}
	}
	if left > 0 {
		t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", plural(left, "finding")))
	}
	if f.Remarks > 0 {
		t.line("  ", table.Faint, moreRemarks(f.Remarks, len(list)))
	}
}

// byFile writes findings under the names of their files, in the order of the worst
// finding of each.
func (t prose) byFile(list []v1alpha1.Finding, full bool) {
	for _, g := range groupByFile(list) {
		t.line("", table.Bold, g.title())
		for _, x := range g.list {
			t.placed("  ", position(*x.Place), x, full, full)
		}
	}
}

// finding writes a finding under its id.
func (t prose) finding(f v1alpha1.Finding) {
	mark, style := markOfFinding(f.Severity)
	t.mark("", mark, style, style, f.ID)
	t.line("  ", table.Plain, f.Message)
	if f.Remedy != "" {
		t.line("  -> ", table.Plain, f.Remedy)
	}
	if where := aboutFinding(f); where != "" {
		t.line("     ", table.Faint, where)
	}
}

// brief writes a finding in a line, and its remedy, if it is wanted.
func (t prose) brief(f v1alpha1.Finding, remedy bool) {
	mark, style := markOfFinding(f.Severity)
	says := f.Message
	if f.ID != "" {
		says += " [" + f.ID + "]"
	}
	t.mark("", mark, style, table.Plain, says)
	if f.Remedy != "" && remedy {
		t.line("  -> ", table.Plain, f.Remedy)
	}
}

// placed writes a finding behind its place as "file:line:col: error: message
// (remedy) [rule]", and below it the lines of the file and what it is about, where
// they are wanted.
func (t prose) placed(indent, at string, f v1alpha1.Finding, excerpt, about bool) {
	_, style := markOfFinding(f.Severity)
	word := oneLine(string(f.Severity)) + ":"
	says := oneLine(at+": ") + " " + word + " " + f.Message
	if f.Remedy != "" {
		says += " (" + f.Remedy + ")"
	}
	if f.ID != "" {
		says += " [" + f.ID + "]"
	}
	first := 0
	if t.width > 0 {
		first = t.width - len(indent)
	}
	for i, l := range table.Hang(oneLine(says), first, first-4) {
		if i > 0 {
			l = "    " + l
		}
		t.b.WriteString(indent + strings.Replace(l, word, t.paint(style, word), 1) + "\n")
		if i == 0 {
			word = " " // stands on the first line
		}
	}
	if excerpt {
		t.excerpt(f.Place.Excerpt)
	}
	if where := aboutFinding(f); where != "" && about {
		t.line(indent+"    ", table.Faint, where)
	}
}

// machine draws a machine and the legend of its owners.
func (t prose) machine(m v1alpha1.MachineMap, by ownedBy, full bool) {
	t.text.wide = full
	t.text.machine(m, by)
}
