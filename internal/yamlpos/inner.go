package yamlpos

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Inner says where the characters of a text stand in its file: the lines of a
// literal block (|), or a quoted or plain text of one line with its escapes. Of
// other texts (folded ones, texts over several lines) it knows the beginning.
type Inner struct {
	start place
	// shift of lines and columns of a literal block; both 0 for none.
	lines, cols int
	// raw is a text of one line as it is written, from start on; empty for none.
	raw string
}

// Inner finds how the text of a scalar stands in the file.
func (t *Tree) Inner(n *Node) Inner {
	in := Inner{start: place{n.Line, n.Col}}
	lines := splitLines(t.Source)
	at := n.Line - max(t.First, 1)
	if n.Kind != Text || at < 0 || at >= len(lines) {
		return in
	}
	head := string(lines[at][offsetOf(lines[at], n.Col):])
	switch {
	case strings.HasPrefix(head, "|"):
		if indent, ok := indentOf(lines[at+1:], n.Text); ok {
			in.lines, in.cols = n.Line, indent
		}
	case strings.HasPrefix(head, ">"):
	case !strings.Contains(n.Text, "\n") || strings.HasPrefix(head, `"`):
		in.raw = head
	}
	return in
}

// indentOf is by how much the lines of a literal block are indented: what the
// first line with something in it has more than the same line of the text.
func indentOf(lines [][]byte, text string) (int, bool) {
	for i, line := range strings.Split(text, "\n") {
		if i >= len(lines) {
			break
		}
		if strings.TrimSpace(line) != "" {
			indent := blanks(string(lines[i])) - blanks(line)
			return indent, indent >= 0 && bytes.HasSuffix(bytes.TrimRight(lines[i], " \t"), []byte(strings.Trim(line, " \t")))
		}
	}
	return 0, false
}

func blanks(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// At is where a line and column of the text, both from 1, stand in the file, or
// where the text begins when that is not known.
func (in Inner) At(line, col int) (int, int) {
	switch {
	case in.lines > 0:
		return in.lines + line, in.cols + col
	case in.raw != "":
		if c, ok := in.within(line, col); ok {
			return in.start.line, in.start.col + c
		}
	}
	return in.start.line, in.start.col
}

// within is the number of characters before a line and column of a text that is
// written in one line.
func (in Inner) within(line, col int) (int, bool) {
	if in.raw[0] != '"' && in.raw[0] != '\'' {
		return col - 1, line == 1
	}
	quote, done := in.raw[:1], 1
	for l, c, rest := 1, 1, in.raw[1:]; rest != "" && !strings.HasPrefix(rest, quote); {
		if l == line && c == col {
			return done, true
		}
		step := letter(rest, quote)
		if c++; strings.HasPrefix(rest, `\n`) && quote == `"` {
			l, c = l+1, 1
		}
		done += utf8.RuneCountInString(rest[:step])
		rest = rest[step:]
	}
	return 0, false
}

// letter is the number of bytes that one character takes at the start of a quoted
// text.
func letter(rest, quote string) int {
	_, size := utf8.DecodeRuneInString(rest)
	if quote != `"` || rest[0] != '\\' || len(rest) < 2 {
		return size
	}
	switch rest[1] {
	case 'x':
		size = 4
	case 'u':
		size = 6
	case 'U':
		size = 10
	default:
		_, size = utf8.DecodeRuneInString(rest[1:])
		size++
	}
	return min(size, len(rest))
}
