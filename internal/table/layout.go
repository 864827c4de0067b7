package table

import "strings"

// Widths of columns of text: the least of a column of sentences, and the least of
// any where even that does not suffice.
const (
	sentence = 18
	narrow   = 10
)

// paragraphs are the lines of a cell before they are wrapped: one, or the entries of
// its list.
func (c Cell) paragraphs() []string {
	if len(c.List) == 0 {
		return []string{c.Text}
	}
	out := make([]string, len(c.List))
	for i, e := range c.List {
		out[i] = "- " + e
	}
	return out
}

// needs are the widths that a column would have: whole, with its longest word in one
// piece, and with the longest piece of a word. Keys have but one word in each cell.
type needs struct {
	whole, word, piece int
	keys               bool
}

// add counts a text.
func (n *needs) add(s string) {
	n.whole = max(n.whole, Width(s))
	for _, word := range strings.Fields(s) {
		n.word = max(n.word, Width(word))
		for _, piece := range pieces(word) {
			n.piece = max(n.piece, Width(piece))
		}
	}
}

// floors are the least widths of a column of text, step by step: words stay in one
// piece, then keys alone do, then words break at / . and -, then anywhere.
var floors = []func(n needs) int{
	func(n needs) int { return max(n.word, min(n.whole, sentence)) },
	func(n needs) int {
		if n.keys {
			return n.whole
		}
		return max(n.piece, min(n.whole, sentence))
	},
	func(n needs) int { return max(n.piece, min(n.whole, sentence*3/4)) },
	func(n needs) int { return n.piece },
	func(n needs) int { return min(n.piece, narrow) },
}

// needed is what column i needs.
func (t Table) needed(i int) needs {
	n := needs{keys: true}
	for _, row := range t.Rows {
		for _, p := range row[i].paragraphs() {
			n.add(p)
			n.keys = n.keys && !strings.Contains(strings.TrimLeft(p, "!~+ "), " ")
		}
	}
	if c := t.Columns[i]; c.Right || c.Keep {
		n.word = n.whole
	}
	if !t.Bare {
		n.add(t.Columns[i].Title)
	}
	return n
}

// layout finds widths that fit the limit: where there is not enough room, the widest
// columns of text become narrower, as floors let them, and headings wrap at blanks.
// The widths may still be too many.
func (t Table) layout(limit int) []int {
	need, widths := make([]needs, len(t.Columns)), make([]int, len(t.Columns))
	for i := range need {
		need[i] = t.needed(i)
		widths[i] = need[i].whole
	}
	over := t.total(widths) - limit
	for step := 0; limit > 0 && step < len(floors) && over > 0; {
		widest := -1
		for i, c := range t.Columns {
			floor := need[i].word
			if !c.Right && !c.Keep {
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
		narrower := 1
		if t.Columns[widest].Right { // a heading that wraps leaves all the room
			narrower = widths[widest] - need[widest].word
		}
		widths[widest] -= narrower
		over -= narrower
	}
	return widths
}

// wrapped breaks a text at blanks, and words that are longer than a line after each
// slash, and where that does not suffice after dots and dashes. A width below 1 is no
// limit.
func wrapped(s string, width int) []string {
	if width < 1 || Width(s) <= width {
		return []string{s}
	}
	w := wrapper{width: width}
	for _, word := range strings.Fields(s) {
		if Width(word) <= width {
			w.add(word, true)
			continue
		}
		for i, part := range strings.SplitAfter(word, "/") {
			if Width(part) <= width {
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
	if Width(joined) <= w.width {
		w.line = joined
		return
	}
	w.end()
	for Width(part) > w.width {
		head := Cut(part, w.width)
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
