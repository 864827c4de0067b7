package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// planTable writes a table of the plan. The default output leaves out the wide
// columns, and of the entries of a cell all but the first.
func (t *text) planTable(src v1alpha1.Table) {
	if len(src.Rows) == 0 {
		return
	}
	if src.Title != "" {
		t.b.WriteByte('\n')
		t.line("  ", table.Plain, src.Title+":")
	}
	if !t.wide {
		src = withoutWide(src)
	}
	tb := t.laidOut(src)
	if !tb.Fits(t.width) {
		oldNameFirst(tb, src)
	}
	t.table(tb)
	for _, n := range src.Notes {
		t.line("  - ", table.Faint, n)
	}
}

// laidOut is a table of the plan with a line for each entry of its cells.
func (t *text) laidOut(src v1alpha1.Table) table.Table {
	tb := table.Table{Indent: "  "}
	for _, c := range src.Columns {
		tb.Columns = append(tb.Columns, table.Column{Title: c.Title, Right: c.Right})
	}
	for _, row := range src.Rows {
		cells := make([]table.Cell, len(row))
		for i, c := range row {
			mark, style := markOfCell(c.Mark)
			cells[i] = table.Cell{Text: mark + c.Text, Style: style, List: t.entries(c)}
		}
		tb.AddCells(cells...)
	}
	return tb
}

// entries are the lines of a cell that has several; nil for any other.
func (t *text) entries(c v1alpha1.Cell) []string {
	if len(c.List) < 2 {
		return nil
	}
	if n := len(c.List) - entriesShown; n > 0 && !t.wide {
		return append(slices.Clone(c.List[:entriesShown]), fmt.Sprintf("and %d more (-o wide)", n))
	}
	return c.List
}

// withoutWide is the table without its wide columns, and says so.
func withoutWide(src v1alpha1.Table) v1alpha1.Table {
	if !slices.ContainsFunc(src.Columns, func(c v1alpha1.Column) bool { return c.Wide }) {
		return src
	}
	out := v1alpha1.Table{Title: src.Title, Notes: slices.Clone(src.Notes), Rows: make([][]v1alpha1.Cell, len(src.Rows))}
	var names []string
	for i, c := range src.Columns {
		if c.Wide {
			names = append(names, c.Title)
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range src.Rows {
			if i < len(row) {
				out.Rows[j] = append(out.Rows[j], row[i])
			}
		}
	}
	out.Notes = append(out.Notes, "With -o wide also: "+strings.ToLower(strings.Join(names, ", "))+".")
	return out
}

// nameFirst puts the heading before a number that will stand as the title of a
// block, where the table is too narrow for columns.
func oldNameFirst(tb table.Table, src v1alpha1.Table) {
	for _, row := range tb.Rows {
		if len(row) > 0 && row[0].Text != "" && src.Columns[0].Right {
			row[0].Text = src.Columns[0].Title + " " + row[0].Text
		}
	}
}
