package table

import (
	"slices"
	"strings"
)

// Column is the heading of a column.
type Column struct {
	Title string
	// Right aligns the column to the right and keeps its cells in one piece.
	Right bool
	// Keep keeps the cells of a left-aligned column in one piece, too.
	Keep bool
}

// Cell is a text with its style.
type Cell struct {
	Text  string
	Style Style
	// List are the entries of a cell that has several, each on lines of its own; Text
	// is not shown then.
	List []string
}

// Table is rows under headings. The zero Table is empty and ready to use.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	// Indent is put before each line.
	Indent string
	// Bare leaves out the headings and their rule.
	Bare bool
	// Color paints the cells in their styles.
	Color bool
}

// gap separates columns.
const gap = 2

// Add appends a row of plain cells.
func (t *Table) Add(cells ...string) {
	row := make([]Cell, len(cells))
	for i, c := range cells {
		row[i].Text = c
	}
	t.Rows = append(t.Rows, row)
}

// AddCells appends a row.
func (t *Table) AddCells(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// Fits reports whether the table can be drawn as columns within limit.
func (t Table) Fits(limit int) bool {
	t = t.cleaned()
	return limit < 1 || t.total(t.layout(limit)) <= limit
}

// String draws the table in at most limit columns; below 1 there is no limit.
func (t Table) String(limit int) string {
	t = t.cleaned()
	var b strings.Builder
	widths := t.layout(limit)
	if limit > 0 && t.total(widths) > limit {
		t.stack(&b, limit)
		return b.String()
	}
	if !t.Bare {
		t.head(&b, widths)
	}
	for _, row := range t.Rows {
		t.row(&b, row, widths)
	}
	return b.String()
}

// cleaned returns the table with harmless texts and rows as long as the head.
func (t Table) cleaned() Table {
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Title = strings.TrimSpace(Clean(t.Columns[i].Title))
	}
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]Cell, len(t.Columns))
		copy(rows[i], row)
		for j := range rows[i] {
			rows[i][j].Text = strings.TrimRight(Clean(rows[i][j].Text), " ")
			rows[i][j].List = slices.Clone(rows[i][j].List)
			for k, entry := range rows[i][j].List {
				rows[i][j].List[k] = strings.TrimSpace(Clean(entry))
			}
		}
	}
	t.Rows = rows
	return t
}

func (t Table) total(widths []int) int {
	sum := Width(t.Indent)
	for i, w := range widths {
		if i > 0 {
			sum += gap
		}
		sum += w
	}
	return sum
}

func (t Table) head(b *strings.Builder, widths []int) {
	titles, rules := make([]Cell, len(widths)), make([]Cell, len(widths))
	for i, c := range t.Columns {
		titles[i] = Cell{Text: c.Title, Style: Bold}
		rules[i] = Cell{Text: strings.Repeat("-", widths[i]), Style: Faint}
		if c.Title == "" {
			rules[i].Text = ""
		}
	}
	t.row(b, titles, widths)
	t.row(b, rules, widths)
}

// row writes one row on as many lines as its longest cell takes.
func (t Table) row(b *strings.Builder, row []Cell, widths []int) {
	cells := make([][]string, len(row))
	height := 1
	for i, c := range row {
		for _, p := range c.paragraphs() {
			cells[i] = append(cells[i], wrapped(p, widths[i])...)
		}
		height = max(height, len(cells[i]))
	}
	for n := range height {
		b.WriteString(t.line(row, cells, widths, n) + "\n")
	}
}

// line is line n of a row whose cells are broken into lines. Blanks are held
// back until a text follows, so that no line ends with one.
func (t Table) line(row []Cell, cells [][]string, widths []int, n int) string {
	out, blanks := t.Indent, 0
	for i, lines := range cells {
		text := ""
		if n < len(lines) {
			text = lines[n]
		}
		pad := max(0, widths[i]-Width(text))
		if i > 0 {
			blanks += gap
		}
		if t.Columns[i].Right {
			blanks, pad = blanks+pad, 0
		}
		if text != "" {
			out += strings.Repeat(" ", blanks) + Paint(t.Color, row[i].Style, text)
			blanks = 0
		}
		blanks += pad
	}
	return out
}

// stack writes each row as a block: the first cell, with the second one when
// the first is but a mark, then a line for each other cell under its heading.
func (t Table) stack(b *strings.Builder, limit int) {
	for _, row := range t.Rows {
		row, first := slices.Clone(row), 0
		if len(row) > 1 && t.Columns[0].Title == "" && Width(row[0].Text) == 1 {
			row[1].Text, first = row[0].Text+" "+row[1].Text, 1
		}
		for i, c := range row {
			c.Text = strings.Join(c.paragraphs(), " ")
			if c.Text == "" || i < first {
				continue
			}
			lead := t.Indent
			if i > first {
				lead += "  "
			}
			if title := t.Columns[i].Title; title != "" && i > first {
				c.Text = title + ": " + c.Text
			}
			for j, line := range Wrap(c.Text, max(1, limit-Width(lead)-2)) {
				if j == 1 {
					lead += "  "
				}
				b.WriteString(lead + Paint(t.Color, c.Style, line) + "\n")
			}
		}
	}
}
