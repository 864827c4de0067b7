package report

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// heads makes headings; a title that begins with ">" is of numbers, one with "*" is wide.
func heads(titles ...string) []Column {
	out := make([]Column, len(titles))
	for i, t := range titles {
		t, out[i].Wide = strings.CutPrefix(t, "*")
		out[i].Title, out[i].Right = strings.CutPrefix(t, ">")
	}
	return out
}

// newTable makes a table of texts; headings that begin with ">" are of numbers.
func newTable(title string, head []string, rows [][]string, notes ...string) Grid {
	t := Grid{Title: title, Columns: heads(head...), Notes: notes}
	for _, row := range rows {
		t.row(row...)
	}
	return t
}

// row appends a row of texts.
func (t *Grid) row(texts ...string) {
	cells := make([]Cell, len(texts))
	for i, s := range texts {
		cells[i].Text = s
	}
	t.Rows = append(t.Rows, cells)
}

// tableOf is a table of a plan or an answer.
func tableOf(src v1alpha1.Table) Grid {
	t := Grid{ID: src.ID, Title: src.Title, Notes: src.Notes}
	for _, c := range src.Columns {
		t.Columns = append(t.Columns, Column{Title: c.Title, Right: c.Right, Wide: c.Wide})
	}
	for _, row := range src.Rows {
		cells := make([]Cell, len(t.Columns))
		for i := range min(len(row), len(cells)) {
			cells[i] = cellOf(row[i])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// cellOf is a cell of a plan or an answer.
func cellOf(c v1alpha1.Cell) Cell {
	out := Cell{Text: c.Text, Mark: c.Mark}
	switch {
	case areNames(c.List):
		out.Text = joinedNames(c.List)
	case len(c.List) > 1:
		out.List = c.List
	}
	out.To = toFigure(c.Figure)
	return out
}

// with is the table with the columns that are wanted.
func (t Grid) with(wanted func(i int) bool) Grid {
	out := t
	out.Columns, out.Rows = nil, make([][]Cell, len(t.Rows))
	for i, c := range t.Columns {
		if !wanted(i) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	return out
}

// dropped is the table without the columns that say nothing in any row.
func (t Grid) dropped() Grid {
	return t.with(func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" || len(row[i].List) > 0 })
	})
}

// narrow is the table as a format has it: the default output goes without the wide
// columns, and says so.
func (t Grid) narrow(format string) Grid {
	out := t.with(func(i int) bool { return !t.Columns[i].Wide || !short(format) })
	if len(out.Columns) < len(t.Columns) {
		var left []string
		for _, c := range t.Columns {
			if c.Wide {
				left = append(left, c.Title)
			}
		}
		out.Notes = append(slices.Clone(t.Notes), "With -o wide also: "+strings.ToLower(strings.Join(left, ", "))+".")
	}
	return out
}

// cut is the table with its first n columns.
func (t Grid) cut(n int) Grid { return t.with(func(i int) bool { return i < n }) }

// table is the findings as one.
func (f Findings) table() Grid {
	t := Grid{ID: "findings", Prose: true, Columns: heads("Severity", "Where", "What is wrong", "Remedy", "Rule", "About")}
	for _, x := range f.List {
		t.row(string(x.Severity), whereFound(x), x.Message, x.Remedy, x.ID, aboutFinding(x))
	}
	return t
}

// table is the gauges as one, with their doubts.
func (g Gauges) table() Grid {
	t := Grid{ID: "limits", Columns: heads("Verdict", "Limit", "", ">Used", ">Planned", ">Limit", "Kind", "Source", "Id")}
	t.Columns[2].Code, t.Columns[8].Code = true, true
	for _, x := range slices.Concat(g.List, g.Rest) {
		value, most := pair(x.Value, x.Limit)
		t.Rows = append(t.Rows, []Cell{{Text: string(x.Verdict), Style: loud(x.Verdict)}, {Text: scoped(x.Gauge)},
			{Text: asciiBar(x.Share, barWidth)}, {Text: percent(x.Share)},
			{Text: value}, {Text: most}, {Text: string(x.Kind)}, {Text: limitSource(x.Limit)}, {Text: x.ID}})
		for _, d := range x.Doubts {
			t.Rows = append(t.Rows, []Cell{{Text: string(d.Verdict), Style: loud(d.Verdict)}, {Text: "alternative limit"},
				{Text: asciiBar(d.Share, barWidth)}, {Text: percent(d.Share)},
				{}, {Text: d.Limit.Text}, {}, {Text: limitSource(d.Limit)}, {Text: x.ID}})
		}
	}
	return t
}

// loud is the style of a verdict that must be seen.
func loud(v limit.Verdict) table.Style {
	if v == limit.Passed {
		return table.Bold
	}
	return table.Plain
}

// figuresID names the table of figures.
const figuresID = "figures"

// table is the figures as one.
func (f Figures) table() Grid {
	t := Grid{ID: figuresID, Columns: heads("Figure", ">Value", "Id")}
	t.Columns[2].Code = true
	for _, x := range slices.Concat(f.List, f.Details) {
		t.Rows = append(t.Rows, []Cell{{Text: x.Title}, {Text: x.Value.Text, Style: table.Bold}, {Text: x.ID}})
	}
	return t
}
