package table

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is the number of terminal columns that s takes: two for a wide East
// Asian character, none for a combining mark.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Clean makes text from a file harmless on a terminal: line breaks and tabs
// become spaces, other control characters and direction overrides are written
// as escapes, broken UTF-8 as the replacement character.
func Clean(s string) string {
	return rewritten(s, Harmful, func(r rune) string {
		if r == '\n' || r == '\t' || r == '\r' {
			return " "
		}
		return escape(r)
	})
}

// rewritten is a text with other words for the characters that are bad.
func rewritten(s string, bad func(r rune) bool, other func(r rune) string) string {
	if !strings.ContainsFunc(s, bad) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if bad(r) {
			b.WriteString(other(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Harmful says whether a character does something on a terminal but stand there: controls,
// those of the second half of Latin-1 too, and what turns or hides text.
func Harmful(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
}

func escape(r rune) string {
	const hex = "0123456789abcdef"
	if r == unicode.ReplacementChar {
		return "\ufffd"
	}
	if r < 0x100 {
		return `\x` + string([]byte{hex[r>>4&15], hex[r&15]})
	}
	digits := []byte{}
	for ; r > 0; r >>= 4 {
		digits = append([]byte{hex[r&15]}, digits...)
	}
	return `\u{` + string(digits) + "}"
}

// Wrap breaks s at spaces into lines of at most limit columns. A word longer
// than a line is broken inside, so that nothing is lost. A limit below 1 means
// no limit. There is always at least one line.
func Wrap(s string, limit int) []string { return Hang(s, limit, limit) }

// Hang is Wrap with another limit for the lines after the first one.
func Hang(s string, first, rest int) []string {
	if first < 1 || Width(s) <= first {
		return []string{s}
	}
	var lines []string
	line, used, limit := "", 0, first
	end := func(l string) {
		lines = append(lines, l)
		limit = max(1, rest)
	}
	for _, word := range strings.Fields(s) {
		w := Width(word)
		if line != "" && used+1+w <= limit {
			line, used = line+" "+word, used+1+w
			continue
		}
		if line != "" {
			end(line)
		}
		for w > limit {
			head, tail := splitAt(word, limit)
			end(head)
			word, w = tail, Width(tail)
		}
		line, used = word, w
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// splitAt cuts a word after at most limit columns, after a separator where
// there is one in the second half. It always takes at least one character.
func splitAt(word string, limit int) (head, tail string) {
	cut, nice, used := 0, 0, 0
	for i, r := range word {
		if used+runeWidth(r) > limit && i > 0 {
			break
		}
		used += runeWidth(r)
		cut = i + len(string(r))
		if used > limit/2 && strings.ContainsRune("./,-_[]()=", r) {
			nice = cut
		}
	}
	if nice > 0 {
		cut = nice
	}
	return word[:cut], word[cut:]
}

// Cut is the beginning of s that takes at most so many columns, at least one
// character.
func Cut(s string, columns int) string {
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > columns && i > 0 {
			return s[:i]
		}
	}
	return s
}

// Escaped writes the harmful characters of a text whose form has escapes of its own
// (JSON, quoted YAML) as escape gives them. Ends of lines and the like stay: they are
// the form's.
func Escaped(text []byte, escape func(r rune) string) []byte {
	if !bytes.ContainsFunc(text, invisible) {
		return text
	}
	return []byte(rewritten(string(text), invisible, escape))
}

// invisible are the harmful characters that JSON and YAML may hold as they are.
func invisible(r rune) bool { return r >= 0x7f && r != unicode.ReplacementChar && Harmful(r) }
