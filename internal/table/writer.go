package table

import (
	"io"
	"unicode/utf8"
)

// Writer makes harmless what is written to a terminal through it, as Clean does, but
// for the ends of lines and tabs: messages have several lines. Names of files, of
// profiles and of whatever else stands in a file of strangers reach a terminal so
// without a place that must remember to clean them.
type Writer struct {
	to io.Writer
	// held is the beginning of a character whose rest is still to come.
	held []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes p, cleaned.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.held, p...)
	w.held = nil
	if n := broken(text); n > 0 {
		text, w.held = text[:len(text)-n], append([]byte(nil), text[len(text)-n:]...)
	}
	if _, err := io.WriteString(w.to, cleanLines(string(text))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// broken is the length of the character that text breaks off in; 0 where it doesn't.
func broken(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// cleanLines cleans each line by itself.
func cleanLines(s string) string {
	return rewritten(s, func(r rune) bool { return r != '\n' && r != '\t' && Harmful(r) }, escape)
}
