package report

import (
	"strings"

	"plimsoll.dev/internal/table"
)

// grid is a table that all formats show alike.
type grid struct {
	// Title stands above it.
	Title string
	// Head are the headings; those that begin with ">" are of columns of numbers.
	Head []string
	Rows [][]string
	// Notes stand below it.
	Notes []string
}

// dropped is the grid without the columns that say nothing in any row.
func (g grid) dropped() grid {
	out := grid{Title: g.Title, Notes: g.Notes, Rows: make([][]string, len(g.Rows))}
	for i, head := range g.Head {
		said := false
		for _, row := range g.Rows {
			said = said || row[i] != ""
		}
		if !said {
			continue
		}
		out.Head = append(out.Head, head)
		for j, row := range g.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// grid writes a grid under its title, if it has rows.
func (t *text) grid(g grid) {
	if len(g.Rows) == 0 {
		return
	}
	t.heading(g.Title)
	t.gridBody(g)
}

func (t *text) gridBody(g grid) {
	t.table(headed(g.Head, g.Rows))
	lead := "  "
	if len(g.Notes) > 1 {
		lead = "  - "
	}
	for _, n := range g.Notes {
		t.line(lead, table.Faint, n)
	}
}

func (m *markdown) grid(g grid) {
	if len(g.Rows) == 0 {
		return
	}
	m.heading(2, g.Title)
	m.table(g.Head, escaped(g.Rows))
	for _, n := range g.Notes {
		m.item(0, md(n))
	}
}

// foldedGrid is grid with many rows folded.
func (m *markdown) foldedGrid(g grid) {
	if len(g.Rows) < manyRows {
		m.grid(g)
		return
	}
	m.heading(2, g.Title)
	m.fold(foldTitle(len(g.Rows)), func() { m.table(g.Head, escaped(g.Rows)) })
	for _, n := range g.Notes {
		m.item(0, md(n))
	}
}

// view is the grid for a page; nil without rows.
func (g grid) view() *rowsView { return newRows(g.Title, g.Head, g.Rows, g.Notes...) }

// headed is a table with headings of which those that begin with ">" are of numbers.
func headed(head []string, rows [][]string) table.Table {
	tb := table.Table{Indent: "  "}
	for _, h := range head {
		title, right := strings.CutPrefix(h, ">")
		tb.Columns = append(tb.Columns, table.Column{Title: title, Right: right})
	}
	for _, row := range rows {
		tb.Add(row...)
	}
	return tb
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
