package yamlpos

import (
	"unicode/utf8"

	"github.com/goccy/go-yaml/token"
)

// text finds characters by line and column in constant time, also in a line of
// ten megabytes.
type text struct {
	runes []rune
	lines []int // index of each line's first character
}

func newText(source []byte) text {
	t := text{runes: make([]rune, 0, len(source)), lines: []int{0}}
	for len(source) > 0 {
		r, size := utf8.DecodeRune(source)
		t.runes = append(t.runes, r)
		if r == '\n' {
			t.lines = append(t.lines, len(t.runes))
		}
		source = source[size:]
	}
	return t
}

// at is the character at a place; ok is false past the end of its line.
func (t text) at(p place) (r rune, ok bool) {
	if p.line < 1 || p.line > len(t.lines) || p.col < 1 {
		return 0, false
	}
	i := t.lines[p.line-1] + p.col - 1
	if i >= len(t.runes) || p.line < len(t.lines) && i >= t.lines[p.line] {
		return 0, false
	}
	return t.runes[i], t.runes[i] != '\n'
}

// place is where a token begins, as the scanner says; before when it is wrong.
func (t text) place(tk *token.Token, before place) place {
	if tk == nil || tk.Position == nil {
		return before
	}
	p := place{tk.Position.Line, tk.Position.Column}
	if !t.begins(tk, p) {
		return before
	}
	return p
}

// valuePlace is where a value's token begins: the first thing after the colon,
// dash or comma before it. The scanner itself misplaces plain texts that have
// blanks behind them or run over several lines.
func (t text) valuePlace(tk *token.Token, before place) place {
	if p := t.after(before); t.begins(tk, p) {
		return p
	}
	return t.place(tk, before)
}

// begins says whether the token's first character stands at p.
func (t text) begins(tk *token.Token, p place) bool {
	r, ok := t.at(p)
	return ok && tk != nil && r == firstRune(tk)
}

// after is the place of the first character after p that is neither blank nor
// in a comment; p when there is none.
func (t text) after(p place) place {
	for q := (place{p.line, p.col + 1}); q.line <= len(t.lines); {
		r, ok := t.at(q)
		switch {
		case !ok || r == '#':
			q = place{q.line + 1, 1}
		case r == ' ' || r == '\t':
			q.col++
		default:
			return q
		}
	}
	return p
}

// firstRune is the character that a token begins with in the source.
func firstRune(tk *token.Token) rune {
	switch tk.Type {
	case token.SingleQuoteType:
		return '\''
	case token.DoubleQuoteType:
		return '"'
	}
	r, _ := utf8.DecodeRuneInString(tk.Value)
	return r
}
