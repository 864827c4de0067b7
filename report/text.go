package report

import (
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// text writes a document for terminals.
type text struct {
	b      strings.Builder
	opt    Options
	format string
	width  int // 0 is no limit
}

func newText(opt Options, format string) *text {
	return &text{opt: opt, format: format, width: opt.columns(format)}
}

// line writes s, wrapped, the first line behind lead and the others behind as
// many blanks.
func (t *text) line(lead string, style table.Style, s string) { t.write(lead, lead, 0, style, s) }

// hang is line with the further lines indented by four more.
func (t *text) hang(lead string, style table.Style, s string) { t.write(lead, lead, 4, style, s) }

// command writes a command that can be pasted: on one line where it fits behind lead,
// else below it, broken between words with a backslash. A word that is longer than a
// line stays whole, and so does a command with quotes, in which a break could be part
// of a word.
func (t *text) command(lead, s string) {
	s = oneLine(s)
	if t.width <= 0 || table.Width(lead)+1+table.Width(s) <= t.width {
		t.b.WriteString(lead + " " + s + "\n")
		return
	}
	t.b.WriteString(lead + "\n")
	parts := strings.Split(s, " ")
	if strings.ContainsAny(s, `'"`) {
		parts = []string{s}
	}
	line := " "
	for _, word := range parts {
		if line != " " && table.Width(line)+1+table.Width(word)+2 > t.width {
			t.b.WriteString(line + " \\\n")
			line = "   "
		}
		line += " " + word
	}
	t.b.WriteString(line + "\n")
}

// mark is line behind a mark in its own style.
func (t *text) mark(indent, mark string, of, style table.Style, s string) {
	t.write(indent+mark+" ", indent+t.paint(of, mark)+" ", 0, style, s)
}

// write wraps s behind lead, which is shown as painted.
func (t *text) write(lead, painted string, more int, style table.Style, s string) {
	first, indent := 0, table.Width(lead)
	if t.width > 0 {
		first = max(1, t.width-indent)
	}
	for _, l := range table.Hang(oneLine(s), first, first-more) {
		t.b.WriteString(strings.TrimRight(painted+t.paint(style, l), " ") + "\n")
		painted = strings.Repeat(" ", indent+more)
	}
}

func (t *text) paint(style table.Style, s string) string { return table.Paint(t.opt.Color, style, s) }

// heading begins a part of the report.
func (t *text) heading(s string) {
	if t.b.Len() > 0 {
		t.b.WriteByte('\n')
	}
	t.line("", table.Bold, s)
}

// table writes a table in the report's width and colour.
func (t *text) table(tb table.Table) {
	tb.Color = t.opt.Color
	t.b.WriteString(tb.String(t.width))
}

// blank leaves a line empty, where none is.
func (t *text) blank() {
	if s := t.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		t.b.WriteByte('\n')
	}
}

// signOf is the ASCII mark and the style of a judgement; "-" of none.
func signOf(mark string) (string, table.Style) {
	switch mark {
	case "bad":
		return "!", table.Bad
	case "warn":
		return "~", table.Warn
	case "good":
		return "+", table.Good
	}
	return "-", table.Plain
}

// markOfCell is what stands before a judged cell, and its style.
func markOfCell(mark string) (string, table.Style) {
	sign, style := signOf(mark)
	return strings.TrimPrefix(sign+" ", "- "), style
}

// severityMark is the mark of a severity.
func severityMark(s v1alpha1.Severity) string { return []string{"bad", "warn", ""}[s.Rank()] }
