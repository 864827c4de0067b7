package tuned

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// How says what became of a value when it met the one that the machine has.
type How string

// What becomes of a value.
const (
	// Written is a value without operator, which is written.
	Written How = "written"
	// Raised and Lowered are limits that the machine's value was beyond.
	Raised  How = "raised"
	Lowered How = "lowered"
	// Kept is a limit that the machine's value keeps to: nothing is written.
	Kept How = "kept"
	// Raw is a limit that can't be compared: it is written with its operator.
	Raw How = "raw"
)

// operator reads a limit: > or < and a whole number.
func operator(value string) (op byte, limit *big.Int, ok bool) {
	if utf8.RuneCountInString(value) < 2 || value[0] != '>' && value[0] != '<' {
		return 0, nil, false
	}
	limit, ok = number(value[1:], 10)
	return value[0], limit, ok
}

// Effective is what TuneD writes for a value when the machine has current, and
// how it comes to that. >N is written only if N is larger than what the machine
// has, <N only if it is smaller; where one of the two is no whole number the text
// is written as it is, operator included. A value of one character is never an
// operator. The result is current where nothing is written.
func Effective(value, current string) (result string, how How) {
	if utf8.RuneCountInString(value) < 2 || value[0] != '>' && value[0] != '<' {
		return value, Written
	}
	op, limit, ok := operator(value)
	now, isNumber := number(current, 10)
	if !ok || !isNumber {
		return value, Raw
	}
	switch c := limit.Cmp(now); {
	case op == '>' && c > 0:
		return value[1:], Raised
	case op == '<' && c < 0:
		return value[1:], Lowered
	}
	return current, Kept
}

// Unquote takes the double quotes around a value away, as the plug-in sysctl does.
func Unquote(value string) string {
	body, end := value, ""
	if strings.HasSuffix(body, "\n") {
		body, end = body[:len(body)-1], "\n"
	}
	if len(body) < 2 || body[0] != '"' || body[len(body)-1] != '"' || strings.Contains(body, "\n") {
		return value
	}
	return body[1:len(body)-1] + end
}

// Verify compares a value with what the machine has as TuneD's verification does,
// and says why they are equal or not: as whole numbers, else as hexadecimal ones,
// else as texts, else with the alternatives that | separates. Before that leading
// zeros are taken away, which makes a lone 0 an empty text.
func Verify(want, current string) (ok bool, why string) {
	w, c := normal(want), normal(current)
	for _, base := range []int{10, 16} {
		a, isNumber := number(w, base)
		if b, both := number(c, base); isNumber && both {
			return compared(a.Cmp(b) == 0, want, current, fmt.Sprintf("as numbers to base %d", base))
		}
	}
	if w == c {
		return true, fmt.Sprintf("%q is what is wanted", current)
	}
	for one := range strings.SplitSeq(w, "|") {
		if strip(one) == c {
			return true, fmt.Sprintf("%q is one of %q", current, want)
		}
	}
	return compared(false, want, current, "as texts")
}

func compared(equal bool, want, current, as string) (bool, string) {
	verb := "is not"
	if equal {
		verb = "equals"
	}
	return equal, fmt.Sprintf("%q %s %q, compared %s", current, verb, want, as)
}

// normal takes quotes and leading zeros away, the latter from what consists of
// hexadecimal digits and commas.
func normal(value string) string {
	value = Unquote(value)
	text := strings.TrimLeftFunc(value, isSpace)
	if !strings.HasPrefix(text, "0") || strings.Trim(strings.TrimRightFunc(text, isSpace),
		"0123456789abcdefABCDEF,") != "" {
		return value
	}
	for strings.HasPrefix(text, "0") {
		text = strings.TrimPrefix(strings.TrimLeft(text, "0"), ",")
	}
	return text
}

// oneBlank makes each run of blanks one, and strips those around.
func oneBlank(s string) string { return strings.Join(strings.FieldsFunc(s, isSpace), " ") }

// VerifySysctl says whether TuneD's verification of a sysctl passes; want has its
// operator and its quotes, current is nil for a parameter that doesn't exist. That
// fails, although TuneD means to pass over missing ones.
func VerifySysctl(want string, current *string) (ok bool, why string) {
	if current == nil {
		if utf8.RuneCountInString(want) > 1 && (want[0] == '>' || want[0] == '<') {
			want = want[1:]
		}
		missing := "None"
		ok, why = Verify(oneBlank(want), missing)
		if !ok {
			why = "the parameter doesn't exist"
		}
		return ok, why
	}
	value, how := Effective(want, *current)
	if how == Kept {
		return true, fmt.Sprintf("%q keeps to %s", *current, want)
	}
	return Verify(oneBlank(value), oneBlank(*current))
}
