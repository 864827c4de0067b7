package openflow

import (
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// item is key=value, key:value, key(value), or a key alone.
type item struct {
	key   string
	value line
	has   bool // a value
	whole line
}

const blanks = ", \t"

// items of a list, cut as Open vSwitch does: at commas and blanks outside of brackets.
func items(l line) []item {
	var out []item
	for {
		from := len(l.text) - len(strings.TrimLeft(l.text, blanks))
		if l = l.sub(from, len(l.text)); l.text == "" {
			return out
		}
		var one item
		one, l = next(l)
		out = append(out, one)
	}
}

// next is the first item, and the rest.
func next(l line) (item, line) {
	n := strings.IndexAny(l.text, ":=("+blanks)
	if n < 0 {
		n = len(l.text)
	}
	it := item{key: l.text[:n], value: l.sub(n, n)}
	end := n
	switch {
	case n == len(l.text) || strings.IndexByte(blanks, l.text[n]) >= 0:
	case l.text[n] == '(':
		end = closing(l.text, n)
		it.has, it.value = true, l.sub(n+1, max(n+1, end-1))
	default:
		end = n + 1
		for end < len(l.text) && strings.IndexByte(blanks, l.text[end]) < 0 {
			if l.text[end] == '(' {
				end = closing(l.text, end)
			} else {
				end++
			}
		}
		it.has, it.value = true, l.sub(n+1, end)
	}
	if end == 0 { // a stray bracket
		end = 1
	}
	it.whole = l.sub(0, end)
	return it, l.sub(end, len(l.text))
}

// closing is behind the bracket that closes the one at from; the text's end where there is none.
func closing(text string, from int) int {
	deep := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '(':
			deep++
		case ')':
			if deep--; deep == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// wrong collects problems of a line.
type wrong struct {
	number   int
	problems []yamlpos.Problem
}

func (w *wrong) bad(at line, what, fix string) {
	w.problems = append(w.problems, yamlpos.Problem{Line: w.number, Col: at.col(), What: what, Fix: fix})
}
