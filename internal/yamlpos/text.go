package yamlpos

import (
	"bytes"
	"fmt"
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
	text := unixLines(bytes.TrimPrefix(source, byteOrderMark))
	if checkCharacters(name, text, &ps); len(ps) == 0 && countSigns(text) > MaxSigns {
		bad("the document has too many parts", fmt.Sprintf("at most %d line ends, colons, commas and other signs are read", MaxSigns))
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
		*ps = Problems{{File: name, Line: 1, Col: 1, What: fmt.Sprintf("it is no text: it has %d bytes or characters that no YAML has", wrong), Fix: "name a file of YAML or JSON, saved as UTF-8"}}
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
