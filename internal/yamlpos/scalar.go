package yamlpos

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The forms of YAML 1.2's core schema, with 1_000 and 1:30 left as text.
var (
	intForm   = regexp.MustCompile(`^([-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)$`)
	floatForm = regexp.MustCompile(
		`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$|^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$`)
)

// classify says what an unquoted scalar is.
func classify(text string) Kind {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	switch {
	case strings.IndexByte("+-.0123456789", text[0]) < 0: // most are words
		return Text
	case intForm.MatchString(text):
		return Int
	case floatForm.MatchString(text):
		return Float
	}
	return Text
}

// Quote quotes what a file holds for a message: control characters escaped,
// long text shortened.
func Quote(text string) string { return strconv.Quote(Shorten(text)) }

// Shorten cuts what a file holds to a length that a message can carry.
func Shorten(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return text[:offsetOf([]byte(text), most-len(ellipsis)+1)] + ellipsis
}
