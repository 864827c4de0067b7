package yamlpos

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"plimsoll.dev/unit"
)

// MaxSize is the size of the largest file that is read.
const MaxSize = 10 * unit.MiB

// plainText returns the text without byte order mark and with line ends of \n
// alone, or what no YAML file may hold: too much, no UTF-8, control characters.
func plainText(name string, source []byte) ([]byte, Problems) {
	var ps Problems
	bad := func(what, fix string) { ps.Add(Problem{File: name, Line: 1, Col: 1, What: what, Fix: fix}) }
	switch {
	case unit.Bytes(len(source)) > MaxSize:
		bad("the file is too large", fmt.Sprintf("at most %s are read", unit.FormatBytes(MaxSize)))
		return nil, ps
	case bytes.HasPrefix(source, []byte{0xff, 0xfe}), bytes.HasPrefix(source, []byte{0xfe, 0xff}):
		bad("the file is in UTF-16", "save it as UTF-8")
		return nil, ps
	}
	text := joinSurrogates(unixLines(bytes.TrimPrefix(source, byteOrderMark)))
	if checkCharacters(name, text, &ps); len(ps) == 0 && countSigns(text) > MaxSigns {
		bad("the document has too many parts",
			fmt.Sprintf("at most %d line ends, colons, commas and other signs are read", MaxSigns))
	}
	return text, ps
}

// countSigns counts what can make the scanner begin a new token, so that the
// memory that it takes is bounded.
func countSigns(text []byte) int {
	n := 0
	for _, sign := range []byte("\n:,[]{}-?&*!|>'\"#%@`") {
		n += bytes.Count(text, []byte{sign})
	}
	return n
}

// fewCharacters is how many wrong characters are told one by one; a file with more of
// them is most likely no text.
const fewCharacters = 10

func checkCharacters(name string, text []byte, ps *Problems) {
	line, col, wrong := 1, 0, 0
	bad := func(what, fix string) {
		if wrong++; wrong <= fewCharacters {
			ps.Add(Problem{File: name, Line: line, Col: col, What: what, Fix: fix})
		}
	}
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRune(text[i:])
		col++
		switch {
		case r == '\n':
			line, col = line+1, 0
		case r == utf8.RuneError && size == 1:
			bad(fmt.Sprintf("the byte 0x%02x is not UTF-8", text[i]), "save the file as UTF-8")
		case forbidden(r):
			bad(fmt.Sprintf("the control character %U is not allowed", r), "remove it")
		}
	}
	if wrong > fewCharacters {
		*ps = Problems{
			{File: name, Line: 1, Col: 1, What: fmt.Sprintf("it is no text: it has %d bytes or characters that no YAML has",
				wrong), Fix: "name a file of YAML or JSON, saved as UTF-8"},
		}
	}
}

// forbidden says whether YAML 1.2 (section 5.1) excludes the character.
func forbidden(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
		return true
	}
	return false
}

// YAML 1.1 and the library end lines at these, too; editors and JSON don't. They are
// hidden from it behind characters for private use.
var (
	hideRare = strings.NewReplacer("\u0085", "\U000F0085", "\u2028", "\U000F2028", "\u2029", "\U000F2029")
	showRare = strings.NewReplacer("\U000F0085", "\u0085", "\U000F2028", "\u2028", "\U000F2029", "\u2029")
)

func hideBreaks(text []byte) []byte {
	if !bytes.Contains(text, []byte("\u0085")) && !bytes.Contains(text, []byte("\xe2\x80")) { // most have none
		return text
	}
	return []byte(hideRare.Replace(string(text)))
}

func showBreaks(text string) string {
	if !strings.Contains(text, "\xf3") { // with which those characters begin
		return text
	}
	return showRare.Replace(text)
}

var surrogates = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)

// joinSurrogates writes characters that JSON has as two escapes as the one that YAML
// knows. Where such an escape may stand in single quotes, it is left.
func joinSurrogates(text []byte) []byte {
	if head := bytes.TrimSpace(text); len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return text
	}
	return surrogates.ReplaceAllFunc(text, func(pair []byte) []byte {
		high, _ := strconv.ParseUint(string(pair[2:6]), 16, 16)
		low, _ := strconv.ParseUint(string(pair[8:]), 16, 16)
		return fmt.Appendf(nil, `\U%08X`, utf16.DecodeRune(rune(high), rune(low)))
	})
}

// text finds characters by line and column, also in a line of ten megabytes: places
// that are asked for in order cost what lies between them.
type text struct {
	source []byte
	lines  []int // offset of each line's first byte
	last   place
	offset int // of last
}

// start is the offset of a line's first byte; that of the end beyond the last line.
func (t *text) start(line int) int {
	if t.lines == nil {
		t.lines = []int{0}
		for i, c := range t.source {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	if line < 1 || line > len(t.lines) {
		return len(t.source)
	}
	return t.lines[line-1]
}

// at is the offset of a place; that of the line's end where the line is shorter.
func (t *text) at(p place) int {
	if p.line != t.last.line || p.col < t.last.col {
		t.last, t.offset = place{p.line, 1}, t.start(p.line)
	}
	for ; t.last.col < p.col && t.offset < len(t.source) && t.source[t.offset] != '\n'; t.last.col++ {
		_, size := utf8.DecodeRune(t.source[t.offset:])
		t.offset += size
	}
	return t.offset
}

// sign is the byte at a place, 0 at the end of the text.
func (t *text) sign(p place) byte {
	if at := t.at(p); at < len(t.source) {
		return t.source[at]
	}
	return 0
}

// line is the text of a line, without its end.
func (t *text) line(n int) string {
	line, _, _ := bytes.Cut(t.source[t.start(n):], []byte("\n"))
	return string(line)
}

// before is what stands in the line before a place.
func (t *text) before(p place) []byte { return t.source[t.start(p.line):t.at(p)] }

// behind is the word at a place, and where the next thing begins that is no comment.
func (t *text) behind(p place) (word string, next place) {
	rest := t.source[t.at(p):]
	end := bytes.IndexAny(rest, " \t\n,[]{}")
	if end < 0 {
		end = len(rest)
	}
	word = string(rest[:end])
	p.col += utf8.RuneCountInString(word)
	for rest = rest[end:]; len(rest) > 0; {
		switch rest[0] {
		case '\n':
			p = place{p.line + 1, 1}
		case ' ', '\t':
			p.col++
		case '#':
			_, rest, _ = bytes.Cut(rest, []byte("\n"))
			p = place{p.line + 1, 1}
			continue
		default:
			return word, p
		}
		rest = rest[1:]
	}
	return word, p
}

// mark is the place of the ? before a key.
func (t *text) mark(key place) (place, bool) {
	before := t.before(key)
	head := bytes.TrimRight(before, " ")
	rest, ok := bytes.CutSuffix(head, []byte("?"))
	if ok && (len(rest) == 0 || strings.IndexByte(" {[,", rest[len(rest)-1]) >= 0) {
		return place{key.line, key.col - (len(before) - len(rest))}, true
	}
	return place{}, false
}

// placeOf is the place of an offset.
func (t *text) placeOf(offset int) place {
	head := t.source[:offset]
	begin := bytes.LastIndexByte(head, '\n') + 1
	return place{bytes.Count(head, []byte("\n")) + 1, utf8.RuneCount(head[begin:]) + 1}
}
