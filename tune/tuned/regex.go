package tuned

import (
	"fmt"
	"regexp"
	"strings"
)

// maxSearch bounds the steps that an expression takes: its size times that of the text.
const maxSearch = 1 << 26

// search is re.search of an expression in Python's syntax. Expressions that Go
// doesn't have (looking around, back references) leave the text; those that Python
// doesn't take stop the load.
func search(pattern, text string, lines bool) (bool, error) {
	if len(pattern)*len(text) > maxSearch {
		return false, &stays{BeyondUs, "has an expression that takes too long", "look at what it comes to on the node", "what TuneD makes of the expression"}
	}
	t := translation{lines: lines}
	t.translate(pattern)
	re, err := regexp.Compile(t.out.String())
	switch {
	case t.foreign != "" || err != nil && !t.wrong && strings.Contains(err.Error(), "repeat count"):
		return false, &stays{BeyondUs, fmt.Sprintf("has an expression with %s, which is not understood here", t.foreign), "look at what it comes to on the node", "what TuneD makes of the expression"}
	case t.wrong || err != nil:
		return false, &aborts{Crash, fmt.Sprintf("%q is no regular expression", clip(pattern)), "error"}
	}
	return re.MatchString(text), nil
}

// translation turns an expression of Python's into one of Go's.
type translation struct {
	out   strings.Builder
	lines bool
	// foreign names what Go doesn't have; wrong is set for what Python refuses.
	foreign string
	wrong   bool
	// repeated says that what came last was repeated.
	repeated bool
}

// The classes that know all of Unicode in Python.
var classes = map[byte]string{'d': `\p{Nd}`, 'w': `\p{L}\p{N}_`, 's': `\s\v\x1c-\x1f\x{85}\x{a0}\p{Z}`}

func (t *translation) translate(p string) {
	for i := 0; i < len(p); i++ {
		if size := t.repeat(p[i:]); size > 0 {
			i += size - 1
			continue
		}
		t.repeated = false
		rest := p[i:]
		switch c := p[i]; {
		case c == '\\':
			i += t.escape(rest)
		case c == '[':
			i += t.class(rest)
		case c == '$' && t.lines:
			t.out.WriteString(`(?m:$)`)
		case c == '$':
			t.out.WriteString(`(?:\n?\z)`)
		case c == '^' && t.lines:
			t.out.WriteString(`(?m:^)`)
		case c == '(' && strings.HasPrefix(rest, "(?"):
			t.group(rest)
			t.out.WriteByte(c)
			t.out.WriteByte('?')
			i++
		case c == '{' || c == '}':
			t.out.WriteString(`\` + string(rune(c)))
		default:
			t.out.WriteByte(c)
		}
	}
}

// repetition is a repetition by numbers; {} is none.
var repetition = regexp.MustCompile(`^\{([0-9]*)(,[0-9]*)?\}`)

// repeat takes what repeats the part before it; it says how many bytes it took.
func (t *translation) repeat(rest string) int {
	m := repetition.FindStringSubmatch(rest)
	switch {
	case t.repeated && rest[0] == '?':
		t.out.WriteByte('?')
		t.repeated = false
		return 1
	case t.repeated && rest[0] == '+':
		t.foreign = "a possessive quantifier"
		return 1
	case rest[0] == '*' || rest[0] == '+' || rest[0] == '?':
		t.wrong = t.wrong || t.repeated
		t.out.WriteByte(rest[0])
		t.repeated = true
		return 1
	case m != nil && m[0] != "{}":
		t.wrong = t.wrong || t.repeated
		least := m[1]
		if least == "" {
			least = "0"
		}
		t.out.WriteString("{" + least + m[2] + "}")
		t.repeated = true
		return len(m[0])
	}
	return 0
}

// group looks at what stands behind an opening bracket.
func (t *translation) group(rest string) {
	for _, known := range []string{"(?:", "(?P<", "(?i", "(?m", "(?s", "(?-"} {
		if strings.HasPrefix(rest, known) {
			return
		}
	}
	t.foreign = "a group that looks around or back"
}

// escape takes a backslash and what belongs to it; it says how many bytes more
// than one were taken.
func (t *translation) escape(rest string) int {
	if len(rest) < 2 {
		t.wrong = true
		return 0
	}
	c := rest[1]
	switch {
	case strings.IndexByte("dws", c) >= 0:
		t.out.WriteString("[" + classes[c] + "]")
	case strings.IndexByte("DWS", c) >= 0:
		t.out.WriteString("[^" + classes[c|0x20] + "]")
	case c == 'Z':
		t.out.WriteString(`\z`)
	case strings.IndexByte("AbBafnrtv", c) >= 0:
		t.out.WriteString(rest[:2])
	case c == 'x':
		t.out.WriteString(rest[:2])
	case c >= '1' && c <= '9':
		t.foreign = "a back reference"
	case c == '0', c == 'u', c == 'U', c == 'N':
		t.foreign = "the escape " + rest[:2]
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		t.wrong = true
	default:
		t.out.WriteString(regexp.QuoteMeta(string(rest[1])))
		if c >= 0x80 {
			t.foreign = "an escaped letter"
		}
	}
	return 1
}

// class takes a set in square brackets, where a first ] stands for itself.
func (t *translation) class(rest string) int {
	t.out.WriteByte('[')
	i := 1
	if strings.HasPrefix(rest[i:], "^") {
		t.out.WriteByte('^')
		i++
	}
	for first := true; i < len(rest); first = false {
		c := rest[i]
		switch {
		case c == ']' && !first:
			t.out.WriteByte(c)
			return i
		case c == ']' || c == '[':
			t.out.WriteString(`\` + string(c))
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("dws", rest[i+1]) >= 0:
			t.out.WriteString(classes[rest[i+1]])
			i++
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("DWS", rest[i+1]) >= 0:
			t.foreign = "a set that has the complement of another"
			i++
		case c == '\\' && i+1 < len(rest) && rest[i+1] == 'b':
			t.out.WriteString(`\x08`)
			i++
		case c == '\\':
			i += t.escape(rest[i:])
		default:
			t.out.WriteByte(c)
		}
		i++
	}
	t.wrong = true
	return len(rest) - 1
}
