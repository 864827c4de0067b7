package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/table"
)

// documentText is a document for terminals.
func documentText(d *Document, format string, opt Options) string {
	t := newText(opt, format)
	t.documentTop(d)
	bodies := each(d.Sections, t.sectionBody)
	if d.Lines > 0 {
		end := newText(opt, format)
		end.documentEnd(d)
		d.Foot = append(d.Foot, t.fit(d, bodies, strings.Count(end.b.String(), "\n"))...)
	}
	for i, body := range bodies {
		if body != "" {
			switch title := d.Sections[i].Title; {
			case title != "":
				t.heading(title)
			case i > 0 || !d.Headless || d.Verdict != nil:
				t.blank()
			}
			t.b.WriteString(body)
		}
	}
	t.documentEnd(d)
	return t.b.String()
}

// documentEnd is what stands behind the sections.
func (t *text) documentEnd(d *Document) {
	for _, s := range d.Foot {
		t.blank()
		t.line("", table.Faint, s)
	}
	if d.Why != "" || d.Again != "" && short(t.format) {
		t.blank()
	}
	if d.Why != "" {
		t.command("Any number explained: ", d.Why)
	}
	if d.Again != "" && short(t.format) {
		t.command("Everything, to attach:", d.Again)
	}
}

// A section is begun where leastRoom lines of it have room. What says how to see those that
// are left out takes footLines, where nothing says it yet.
const (
	leastRoom = 8
	footLines = 4
)

// fit empties the sections that have no room above the end of so many lines, ends the last
// one early, and says how to see what is left out.
func (t *text) fit(d *Document, bodies []string, end int) (foot []string) {
	room := d.Lines - end - strings.Count(t.b.String(), "\n")
	told := len(d.Foot) > 0
	if !told {
		room -= footLines
	}
	var left []string
	for _, i := range d.byImportance() {
		lines := strings.SplitAfter(bodies[i], "\n")
		need := len(lines) + 1 // a line is empty, and one the heading
		if bodies[i] == "" || need <= room {
			room -= min(need, room)
			continue
		}
		left = append(left, d.Sections[i].ID)
		bodies[i] = ""
		if room >= leastRoom {
			bodies[i] = strings.Join(lines[:room-3], "") + "  ... (--section " + d.Sections[i].ID + ")\n"
			room = 0
		}
	}
	if len(left) > 0 && !told {
		foot = []string{"More with --section: " + strings.Join(left, ", ") + "; all with -o wide."}
	}
	return foot
}

// byImportance are the sections in the order in which they have room.
func (d *Document) byImportance() []int {
	rank := func(i int) int {
		if at := slices.Index(d.First, d.Sections[i].ID); at >= 0 {
			return at
		}
		return len(d.First)
	}
	out := make([]int, len(d.Sections))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// titled joins two parts of a title.
func titled(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

func (t *text) documentTop(d *Document) {
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
			for i, s := range n.Says {
				if i > 0 {
					n.Name = ""
				}
				t.line(fmt.Sprintf("  %-12s  ", n.Name), table.Plain, s)
			}
		}
	}
}

// sectionBody is what stands below the heading.
func (t *text) sectionBody(s Section) string {
	inner := newText(t.opt, t.format)
	inner.b.WriteString("\n") // as if there were a heading above
	inner.blocks(s.Blocks)
	return inner.b.String()[1:]
}

func (t *text) blocks(list []Block) {
	for i, b := range list {
		switch b := b.(type) {
		case Para:
			t.para(b)
		case Gap:
			t.blank()
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
		case Course:
			t.course(b)
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

func (t *text) para(p Para) {
	lead := ""
	if p.Style == table.Faint || p.Inner {
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
func (t *text) list(list []Item, indent int) {
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
func (t *text) drawGrid(g Grid) {
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
func (t *text) parted(g Grid) []Grid {
	var out []Grid
	for g.Side && len(g.Columns) > 2 && !layout(g).Fits(t.width) {
		n := len(g.Columns) - 1
		for n > 2 && !layout(g.cut(n)).Fits(t.width) {
			n--
		}
		out = append(out, g.cut(n))
		g = g.with(func(i int) bool { return i == 0 || i >= n })
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
