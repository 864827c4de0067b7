package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// Widths of columns: that between two, the least of a column of sentences, and the
// least of any column of text where even that does not suffice. A list of names is
// joined when none is longer than listedName.
const (
	columnGap     = 2
	sentenceWidth = 18
	leastWidth    = 10
	listedName    = 24
)

// tunedTable writes a table of an answer. The default output leaves out the wide
// columns; columns that say nothing are left out everywhere.
func (t *text) tunedTable(src v1alpha1.Table) {
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
	src = t.shortLists(slim(src))
	tb := t.inLines(src, t.fitted(src))
	if !tb.Fits(t.width) {
		tb = t.inLines(src, make([]int, len(src.Columns)))
		nameFirst(tb, src)
	}
	t.table(tb)
	for _, n := range src.Notes {
		t.line("  - ", table.Faint, n)
	}
}

// slim is a table without the columns that say nothing in any row, and with lists of
// names in a line.
func slim(src v1alpha1.Table) v1alpha1.Table {
	said := make([]bool, len(src.Columns))
	for _, row := range src.Rows {
		for i := range min(len(row), len(said)) {
			said[i] = said[i] || row[i].Text != "" || len(row[i].List) > 0
		}
	}
	out := src
	out.Columns, out.Rows = nil, make([][]v1alpha1.Cell, len(src.Rows))
	for i, c := range src.Columns {
		if !said[i] {
			continue
		}
		out.Columns = append(out.Columns, c)
		for j, row := range src.Rows {
			cell := v1alpha1.Cell{}
			if i < len(row) {
				cell = row[i]
			}
			if areNames(cell.List) {
				cell.Text, cell.List = joinedNames(cell.List), nil
			}
			out.Rows[j] = append(out.Rows[j], cell)
		}
	}
	return out
}

// areNames says whether a list has but short names without blanks.
func areNames(list []string) bool {
	return len(list) > 1 && !slices.ContainsFunc(list, func(s string) bool { return len(s) > listedName || strings.Contains(s, " ") })
}

// joinedNames are names in a line: with ranges in the order of their numbers, or as
// they are where that makes no range.
func joinedNames(names []string) string {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, func(a, b string) int {
		x, n := apartNumber(a)
		y, m := apartNumber(b)
		return cmp.Or(strings.Compare(x, y), len(n)-len(m), strings.Compare(n, m))
	})
	if folded := foldedNames(sorted); strings.Contains(folded, "[") {
		return folded
	}
	return strings.Join(names, ", ")
}

// shortLists is a table whose long lists are cut, for the default output.
func (t *text) shortLists(src v1alpha1.Table) v1alpha1.Table {
	if t.wide {
		return src
	}
	for _, row := range src.Rows { // slim has made rows of their own
		for i, c := range row {
			if names := strings.Split(c.Text, ", "); len(c.List) == 0 && len(names) > 2*entriesShown && areNames(names) {
				row[i].Text = fmt.Sprintf("%s and %d more (-o wide)", strings.Join(names[:entriesShown], ", "), len(names)-entriesShown)
			}
		}
	}
	return src
}

// paragraphs are the lines of a cell before they are wrapped: one, or the entries
// of a list.
func (t *text) paragraphs(c v1alpha1.Cell) []string {
	entries := t.entries(c)
	if entries == nil {
		mark, _ := markOfCell(c.Mark)
		return []string{mark + c.Text}
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = "- " + e
	}
	return out
}

// needs are the widths that a column of text would have: whole, with its longest word
// in one piece, and with the longest piece of a word. Numbers are not broken; keys
// have but one word in each cell.
type needs struct {
	whole, word, piece int
	numbers, keys      bool
}

// floors are the least widths of a column of text, step by step: words stay in one
// piece, then keys alone do, then words break at / . and -, then anywhere.
var floors = []func(n needs) int{
	func(n needs) int { return max(n.word, min(n.whole, sentenceWidth)) },
	func(n needs) int {
		if n.keys {
			return n.whole
		}
		return max(n.piece, min(n.whole, sentenceWidth))
	},
	func(n needs) int { return max(n.piece, min(n.whole, sentenceWidth*3/4)) },
	func(n needs) int { return n.piece },
	func(n needs) int { return min(n.piece, leastWidth) },
}

// add counts a text.
func (n *needs) add(s string) {
	s = oneLine(s)
	n.whole = max(n.whole, table.Width(s))
	for _, word := range strings.Fields(s) {
		n.word = max(n.word, table.Width(word))
		for _, piece := range pieces(word) {
			n.piece = max(n.piece, table.Width(piece))
		}
	}
}

// needed is what column i needs.
func (t *text) needed(src v1alpha1.Table, i int) needs {
	n := needs{keys: true}
	for _, row := range src.Rows {
		if i < len(row) {
			for _, p := range t.paragraphs(row[i]) {
				n.add(p)
				n.keys = n.keys && !strings.Contains(strings.TrimLeft(p, "!~+ "), " ")
			}
		}
	}
	if src.Columns[i].Right {
		n.word, n.numbers = n.whole, true
	}
	n.add(src.Columns[i].Title)
	return n
}

// fitted are widths for the columns of a table. Where there is not enough room the
// widest columns of text become narrower, as floors let them. The widths may still be
// too many.
func (t *text) fitted(src v1alpha1.Table) []int {
	need, widths := make([]needs, len(src.Columns)), make([]int, len(src.Columns))
	over := columnGap*len(src.Columns) - t.width // the indent, and a gap before each but the first
	for i := range need {
		need[i] = t.needed(src, i)
		widths[i] = need[i].whole
		over += widths[i]
	}
	for step := 0; t.width > 0 && step < len(floors) && over > 0; {
		widest := -1
		for i := range need {
			floor := need[i].word
			if !need[i].numbers {
				floor = floors[step](need[i])
			}
			if widths[i] > floor && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			step++
			continue
		}
		widths[widest]--
		over--
	}
	return widths
}

// inLines is a table with a row for each line of its cells; a column of width 0 has
// them all in one.
func (t *text) inLines(src v1alpha1.Table, widths []int) table.Table {
	tb := table.Table{Indent: "  "}
	for i, c := range src.Columns {
		tb.Columns = append(tb.Columns, table.Column{Title: oneLine(c.Title), Right: c.Right, Keep: widths[i] > 0})
	}
	for _, row := range src.Rows {
		cells, height := make([][]string, len(row)), 1
		for i, c := range row[:min(len(row), len(widths))] {
			for _, p := range t.paragraphs(c) {
				cells[i] = append(cells[i], wrapped(oneLine(p), widths[i])...)
			}
			if widths[i] == 0 {
				cells[i] = []string{strings.Join(cells[i], " ")}
			}
			height = max(height, len(cells[i]))
		}
		for n := range height {
			line := make([]table.Cell, len(row))
			for i, c := range row {
				if n < len(cells[i]) {
					_, style := markOfCell(c.Mark)
					line[i] = table.Cell{Text: cells[i][n], Style: style}
				}
			}
			tb.AddCells(line...)
		}
	}
	return tb
}

// wrapped breaks a text at blanks, and words that are longer than a line after each
// slash, and where that does not suffice after dots and dashes. A width below 1 is no
// limit.
func wrapped(s string, width int) []string {
	if width < 1 || table.Width(s) <= width {
		return []string{s}
	}
	w := wrapper{width: width}
	for _, word := range strings.Fields(s) {
		if table.Width(word) <= width {
			w.add(word, true)
			continue
		}
		for i, part := range strings.SplitAfter(word, "/") {
			if table.Width(part) <= width {
				w.add(part, i == 0)
				continue
			}
			w.end()
			for _, piece := range pieces(part) {
				w.add(piece, false)
			}
		}
	}
	w.end()
	return w.lines
}

// wrapper fills lines.
type wrapper struct {
	lines []string
	line  string
	width int
}

// end ends a line, if there is something in it.
func (w *wrapper) end() {
	if w.line != "" {
		w.lines = append(w.lines, w.line)
	}
	w.line = ""
}

// add adds a part to the line, or to the next ones; apart puts a blank before it.
func (w *wrapper) add(part string, apart bool) {
	joined := w.line + part
	if apart && w.line != "" {
		joined = w.line + " " + part
	}
	if table.Width(joined) <= w.width {
		w.line = joined
		return
	}
	w.end()
	for table.Width(part) > w.width {
		head := cut(part, w.width)
		w.lines = append(w.lines, head)
		part = part[len(head):]
	}
	w.line = part
}

// pieces are the parts of a word that is broken after each / . and -.
func pieces(word string) []string {
	var out []string
	from := 0
	for i := 0; i+1 < len(word); i++ {
		if strings.IndexByte("/.-", word[i]) >= 0 {
			out = append(out, word[from:i+1])
			from = i + 1
		}
	}
	return append(out, word[from:])
}

// foldedNames writes names with ranges where three or more follow each other:
// "worker-[1-10], infra-0".
func foldedNames(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		j := i + 1
		for j < len(names) && follows(names[j-1], names[j]) {
			j++
		}
		if j-i < 3 {
			parts = append(parts, names[i:j]...)
		} else {
			stem, first := apartNumber(names[i])
			_, last := apartNumber(names[j-1])
			parts = append(parts, fmt.Sprintf("%s[%s-%s]", stem, first, last))
		}
		i = j
	}
	return strings.Join(parts, ", ")
}

// follows says whether b is the name after a: the same with the next number.
func follows(a, b string) bool {
	stem, digits := apartNumber(a)
	if digits == "" || strings.Trim(digits, "9") == "" && digits[0] == '0' {
		return false
	}
	next := []byte(digits)
	i := len(next) - 1
	for i >= 0 && next[i] == '9' {
		next[i] = '0'
		i--
	}
	if i < 0 {
		return b == stem+"1"+string(next)
	}
	next[i]++
	return b == stem+string(next)
}

// apartNumber cuts a name before the number at its end.
func apartNumber(name string) (stem, digits string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}
