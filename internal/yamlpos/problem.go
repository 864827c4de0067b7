package yamlpos

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/table"
)

// MaxProblems is the number of problems after which reading gives up.
const MaxProblems = 100

// Problem is one thing that is wrong in a file.
type Problem struct {
	// File is the name that the text was read under.
	File string
	// Line and Col count from 1; Col counts characters, a tab is one.
	Line, Col int
	// Field is the path of the field, such as hardware.nodeTypes[2].memory;
	// empty when the problem is not a field's.
	Field string
	// What is wrong.
	What string
	// Fix says what would be right; it may be empty.
	Fix string
	// Excerpt is the source line, cut to fit, with a caret below it. Readers that
	// don't hand their text on fill it in; it is empty for what was not read.
	Excerpt string
	// Template says that the document has places which a template leaves to be filled in.
	Template bool
	// Kind is the kind of the object that can't be read, as far as its text names one.
	Kind string
}

// Error is the problem in one line: "file:line:col: field: what (fix)". It
// holds no control characters, whatever the file holds.
func (p Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", p.File, p.Line, p.Col)
	if p.Field != "" {
		b.WriteString(Shorten(p.Field) + ": ")
	}
	b.WriteString(p.What)
	if p.Fix != "" {
		b.WriteString(" (" + p.Fix + ")")
	}
	return printable([]byte(b.String()))
}

// Problems are all problems of one file, in the order of their positions.
type Problems []Problem

// Error lists the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Add appends a problem unless an equal one stands at the same position (an
// anchor that is used twice is wrong once) or there are MaxProblems already.
func (ps *Problems) Add(p Problem) {
	if ps.Full() {
		return
	}
	for _, q := range *ps {
		if q.File == p.File && q.Line == p.Line && q.Col == p.Col && q.What == p.What &&
			fieldName(q.Field) == fieldName(p.Field) {
			return
		}
	}
	*ps = append(*ps, p)
}

// Full says that there are so many problems that no more are taken.
func (ps Problems) Full() bool { return len(ps) >= MaxProblems }

// Empty reports whether all that is wrong is that nothing stands in the text.
func (ps Problems) Empty() bool { return len(ps) == 1 && ps[0].What == emptyWhat }

const emptyWhat = "the file is empty"

// fieldName is the last part of a path.
func fieldName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Sort orders the problems by position; those at one position stay in the
// order in which they were found.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
}

// shift moves the problems down.
func (ps Problems) shift(by int) {
	for i := range ps {
		ps[i].Line += by
	}
}

// TakeExcerpts fills in the excerpts of problems that lie in text, whose first
// character stands at line and col of the file.
func (ps Problems) TakeExcerpts(text []byte, line, col int) {
	if len(ps) == 0 {
		return
	}
	lines := splitLines(text)
	for i, p := range ps {
		at := p.Line - line
		if at == 0 {
			p.Col -= col - 1
		}
		ps[i].Excerpt = excerptOf(lines, at, p.Col)
	}
}

// Render writes each problem followed by its excerpt, and a closing line that
// counts them. source is the text that was read, for problems without one; nil
// when there is none.
func (ps Problems) Render(w io.Writer, source []byte) error {
	if len(ps) == 0 {
		return nil
	}
	lines := splitLines(source)
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.Error() + "\n")
		if p.Excerpt == "" {
			p.Excerpt = excerptOf(lines, p.Line-1, p.Col)
		}
		b.WriteString(p.Excerpt)
	}
	b.WriteString(ps.summary() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (ps Problems) summary() string {
	switch file := table.Clean(ps[0].File); {
	case len(ps) == 1:
		return "1 problem in " + file
	case ps.Full():
		return "more than " + strconv.Itoa(len(ps)-1) + " problems in " + file + "; the rest was not read"
	default:
		return strconv.Itoa(len(ps)) + " problems in " + file
	}
}

// SplitFix tells what is wrong from what would be right, which stands in brackets at the
// end of an error's text; fix is empty where it does not.
func SplitFix(err error) (what, fix string) {
	text := err.Error()
	if i := strings.LastIndex(text, " ("); i >= 0 && strings.HasSuffix(text, ")") {
		return text[:i], text[i+2 : len(text)-1]
	}
	return text, ""
}
