package table

import "strings"

// Style is how a text is painted: the parameters of an ANSI SGR sequence.
type Style string

// The styles. Colour is never the only carrier of meaning: a mark or a word
// always says the same.
const (
	Plain Style = ""
	Bold  Style = "1"
	Faint Style = "2"
	Good  Style = "32"
	Warn  Style = "33"
	Bad   Style = "1;31"
)

// Paint wraps s in the style's escape sequences when on is true.
func Paint(on bool, style Style, s string) string {
	if !on || style == Plain || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + string(style) + "m" + s + "\x1b[0m"
}
