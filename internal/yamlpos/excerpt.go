package yamlpos

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"plimsoll.dev/internal/table"
)

// Excerpts of long lines show this many characters before the caret, and this
// many in all.
const (
	excerptBefore = 60
	excerptWidth  = 100
	excerptIndent = "    "
	ellipsis      = "..."
)

var byteOrderMark = []byte("\ufeff")

// splitLines cuts text at \n, \r\n and \r, as YAML does, without the byte
// order mark.
func splitLines(text []byte) [][]byte {
	return bytes.Split(unixLines(bytes.TrimPrefix(text, byteOrderMark)), []byte("\n"))
}

// unixLines makes every line end with \n alone.
func unixLines(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
}

// excerptOf is the excerpt of the line with that index; empty when there is no
// such line, or nothing in it.
func excerptOf(lines [][]byte, index, col int) string {
	if index < 0 || index >= len(lines) || col < 1 || len(bytes.TrimSpace(lines[index])) == 0 {
		return ""
	}
	return excerpt(lines[index], col)
}

// excerpt is the part of a line around column col, and a line with a caret
// below it. Tabs become blanks and control characters question marks, so that
// the caret stands right and a hostile file can't steer the terminal.
func excerpt(line []byte, col int) string {
	before, after := window(line, col)
	text := strings.TrimRight(excerptIndent+before+after, " ")
	return text + "\n" + excerptIndent + strings.Repeat(" ", table.Width(before)) + "^\n"
}

// window returns what is shown of a line before column col and from it on.
func window(line []byte, col int) (before, after string) {
	at := offsetOf(line, col)
	head, tail := line[:at], line[at:]
	if utf8.RuneCount(line) <= excerptWidth {
		return printable(head), printable(tail)
	}
	before = printable(head)
	if utf8.RuneCount(head) > excerptBefore {
		before = ellipsis + printable(lastRunes(head, excerptBefore-len(ellipsis)))
	}
	room := excerptWidth - utf8.RuneCountInString(before)
	if end := offsetOf(tail, room+1); end < len(tail) {
		return before, printable(tail[:offsetOf(tail, room+1-len(ellipsis))]) + ellipsis
	}
	return before, printable(tail)
}

// offsetOf is the byte offset of the col-th character of a line, or the line's
// length when it is shorter.
func offsetOf(line []byte, col int) int {
	offset := 0
	for i := 1; i < col && offset < len(line); i++ {
		_, size := utf8.DecodeRune(line[offset:])
		offset += size
	}
	return offset
}

// lastRunes is the tail of text that has n characters.
func lastRunes(text []byte, n int) []byte {
	at := len(text)
	for range n {
		_, size := utf8.DecodeLastRune(text[:at])
		at -= size
	}
	return text[at:]
}

func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, string(text))
}
