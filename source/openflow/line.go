package openflow

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"plimsoll.dev/bench/ovs"
	"plimsoll.dev/internal/yamlpos"
)

// line is a text and where in the file's line each of its bytes stands.
type line struct {
	text string
	cols []int
}

func newLine(text string) line {
	l := line{text, make([]int, len(text)+1)}
	for i, n := 0, 0; i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		for range size {
			l.cols[i] = n + 1
			i++
		}
		l.cols[i] = n + 2
	}
	return l
}

// sub is a part of the line.
func (l line) sub(from, to int) line { return line{l.text[from:to], l.cols[from : to+1]} }

// col is where the line begins.
func (l line) col() int { return l.cols[0] }

// trim blanks.
func (l line) trim() line {
	from := len(l.text) - len(strings.TrimLeft(l.text, " \t"))
	return l.sub(from, max(from, len(strings.TrimRight(l.text, " \t"))))
}

// replace a part of the line by a shorter text.
func (l line) replace(from, to int, by string) line {
	cols := slices.Clone(l.cols[:from])
	for range len(by) {
		cols = append(cols, l.cols[from])
	}
	return line{l.text[:from] + by + l.text[to:], append(cols, l.cols[to:]...)}
}

var (
	marker  = regexp.MustCompile(`^[ \t]*(?:(?:[-*•]|[0-9A-Za-z]{0,2}\.{1,2})[ \t]+)+`)
	gap     = regexp.MustCompile(`=[ \t]+[0-9A-Fa-f.:]`)
	heading = regexp.MustCompile(`^[ \t]*#+[ \t]*[Tt]able[ \t]*=[ \t]*([0-9]{1,3})[ \t]*$`)
)

// splitNames are names with low lines, which may have become blanks, or are marked for Markdown.
var splitNames = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, name := range slices.Concat(ovs.AllNames(), slices.Collect(maps.Keys(verbs))) {
		if strings.Contains(name, "_") {
			out[name] = true
		}
	}
	return out
})

// mostPieces is of how many pieces a name is at most: NXM_NX_TUN_IPV4_SRC.
const mostPieces = 5

// pieces of a word, and what may stand between them in place of a low line.
var (
	piece   = regexp.MustCompile(`^[A-Za-z0-9]+`)
	between = regexp.MustCompile(`^(?:\\?_|[ \t]+)`)
)

// splitName is the longest name with which a text begins, as it should be, and how long it is in the text.
func splitName(text string) (name string, length int) {
	joined, at := "", 0
	for range mostPieces {
		word := piece.FindString(text[at:])
		if word == "" {
			break
		}
		joined, at = joined+word, at+len(word)
		if splitNames()[joined] {
			name, length = joined, at
		}
		gap := between.FindString(text[at:])
		if gap == "" {
			break
		}
		joined, at = joined+"_", at+len(gap)
	}
	return name, length
}

// repair undoes what typesetting does to rules: marks of lists, escaped or lost low lines, blanks behind =.
func (l line) repair() (line, []ovs.Remark) {
	var out []ovs.Remark
	if m := marker.FindString(l.text); m != "" {
		out = append(out, ovs.Remark{Col: l.cols[len(m)-len(strings.TrimLeft(m, " \t"))],
			What: "the list's mark " + yamlpos.Quote(strings.TrimSpace(m)) + " is left out"})
		l = l.sub(len(m), len(l.text))
	}
	for at := 0; at < len(l.text); {
		word := piece.FindString(l.text[at:])
		if word == "" {
			at++
			continue
		}
		name, length := splitName(l.text[at:])
		if found := l.text[at : at+length]; found != name {
			out = append(out, ovs.Remark{Col: l.cols[at], What: `"` + found + `" is read as ` + name})
			l = l.replace(at, at+length, name)
		}
		at += max(len(word), len(name))
	}
	for m := gap.FindStringIndex(l.text); m != nil; m = gap.FindStringIndex(l.text) {
		out = append(out, ovs.Remark{Col: l.cols[m[0]+1], What: "the blank behind = is left out"})
		l = l.replace(m[0]+1, m[1]-1, "")
	}
	return l, out
}
