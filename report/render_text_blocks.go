package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
)

// gauges writes bars of ten signs.
func (t *text) gauges(g Gauges) {
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
	mark, style := signOf(gaugeMark(g.Verdict, g.Kind))
	if style == table.Good {
		style = table.Plain
	}
	value, most := paired(g.Value, g.Limit)
	from := string(g.Kind) + ", " + source(g.Limit)
	if full && len(g.Notes) > 0 {
		from += "; " + strings.Join(g.Notes, "; ")
	}
	tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: scoped(g.Gauge)},
		table.Cell{Text: asciiBar(g.Share, barWidth), Style: style},
		table.Cell{Text: percent(g.Share), Style: style}, table.Cell{Text: value}, table.Cell{Text: "/ " + most},
		table.Cell{Text: from, Style: table.Faint})
	for _, d := range g.Doubts {
		mark, style := signOf(gaugeMark(d.Verdict, limit.Assumed))
		if style == table.Good {
			style = table.Faint
		}
		_, most := paired(g.Value, d.Limit)
		tb.AddCells(table.Cell{Text: mark, Style: style}, table.Cell{Text: "alternative limit", Style: style},
			table.Cell{Text: asciiBar(d.Share, barWidth), Style: style},
			table.Cell{Text: percent(d.Share), Style: style}, table.Cell{}, table.Cell{Text: "/ " + most},
			table.Cell{Text: source(d.Limit), Style: table.Faint})
	}
}

// figures writes "title  value", and with all how each was found.
func (t *text) figures(f Figures) {
	list := slices.Concat(f.List, f.Details)
	tb := table.Table{Bare: true, Indent: "  ", Columns: []table.Column{{Title: "Figure"}, {Title: "Value", Right: true}}}
	for _, x := range list {
		if table.Width(x.Value.Text) > 24 {
			tb.Columns[1].Right = false
		}
	}
	if f.How {
		tb.Columns = append(tb.Columns, table.Column{Title: "Id", Keep: t.width == 0}, table.Column{Title: "How"},
			table.Column{Title: "Source"})
	}
	for _, x := range list {
		row := []table.Cell{{Text: x.Title}, {Text: x.Value.Text, Style: table.Bold}}
		if f.How {
			row = append(row, table.Cell{Text: x.ID, Style: table.Faint}, table.Cell{Text: worked(x.explanation)},
				table.Cell{Text: sources(x.Sources), Style: table.Faint})
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
func (t *text) layers(l Layers) {
	legend := layerLetters(l.Nodes)
	for i, n := range l.Nodes {
		if i > 0 && l.Full {
			t.b.WriteByte('\n')
		}
		t.line("  ", table.Plain, nodeTitle(n, l.Words))
		tb := table.Table{Bare: true, Indent: "    ", Columns: []table.Column{{Title: "Resource"}, {Title: "", Keep: true},
			{Title: "Capacity", Right: true}, {Title: "Free", Right: true}}}
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
func (t *text) listing(x Listing) {
	t.blank()
	if x.Title != "" {
		t.line("  ", table.Bold, x.Title)
	}
	lines := bodyLines(x.Body)
	for i, l := range lines {
		if i == x.Most && x.Most > 0 {
			t.line("    ", table.Faint, fmt.Sprintf("and %s more (-o wide)", words.Count(len(lines)-i, "line")))
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
func (t *text) timeline(x Timeline) {
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
			t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", words.Count(len(g.moments)-i, "event")))
			break
		}
		_, style := markOfCell(m.Mark)
		t.mark("  ", eventSign(m.Mark), style, table.Plain, m.says())
	}
}

// course writes a course as letters and digits.
func (t *text) course(x Course) {
	v := newCourseView(x.Course, x.Phases)
	if x.Title != "" {
		t.b.WriteByte('\n')
		t.line("  ", table.Plain, x.Title+":")
	}
	for _, l := range v.lines(t.width) {
		t.b.WriteString(l + "\n")
	}
	t.line("  ", table.Faint, v.key())
	if s := v.note(); s != "" {
		t.line("  ", table.Faint, s)
	}
	for _, s := range v.says() {
		t.line("  ", table.Plain, s)
	}
}

// machines draws who owns what.
func (t *text) machines(x Machines) {
	t.line("  ", table.Faint, machineKey(x.All, keptText))
	for _, m := range x.Shown {
		t.b.WriteByte('\n')
		t.machine(m, x)
	}
	if n := len(x.All) - len(x.Shown); n > 0 {
		t.b.WriteByte('\n')
		t.line("  ", table.Faint, fmt.Sprintf("and %s more: -o wide draws them", words.Count(n, "machine")))
	}
}

// findings writes those that stand in files as compilers do, many of them under the
// names of their files, and the others with a mark.
func (t *text) findings(f Findings) {
	placed, _ := apart(f.List)
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
		case inFile(x.Finding) && grouped:
		case inFile(x.Finding):
			t.placed("", x.at(), x.Finding, !f.Brief, f.Full)
		case f.Full:
			t.finding(x.Finding)
		default:
			t.brief(x.Finding, f.Plain, i+1 == len(list) || list[i+1].Remedy != x.Remedy)
		}
	}
	if left > 0 {
		t.line("  ", table.Faint, fmt.Sprintf("and %s more (-o wide)", words.Count(left, "finding")))
	}
	if f.Remarks > 0 {
		t.line("  ", table.Faint, moreRemarks(f.Remarks, len(list)))
	}
}

// byFile writes findings under the names of their files, in the order of the worst
// finding of each.
func (t *text) byFile(list []v1alpha1.Finding, full bool) {
	for _, g := range groupByFile(list) {
		t.line("", table.Bold, g.title())
		for _, x := range g.list {
			t.placed("  ", position(*x.Place), x, full, full)
		}
	}
}

// finding writes a finding under its id.
func (t *text) finding(f v1alpha1.Finding) {
	mark, style := signOf(severityMark(f.Severity))
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
func (t *text) brief(f v1alpha1.Finding, plain, remedy bool) {
	mark, style := signOf(severityMark(f.Severity))
	says := f.Message
	if f.ID != "" && !plain {
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
func (t *text) placed(indent, at string, f v1alpha1.Finding, excerpt, about bool) {
	_, style := signOf(severityMark(f.Severity))
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
