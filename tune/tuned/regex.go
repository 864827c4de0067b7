package tuned

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxSearch bounds the steps that an expression takes: its size times that of the text.
const maxSearch = 1 << 26

// maxPattern is the size in bytes of the longest expression that is searched for.
const maxPattern = 4 << 10

// search is re.search of an expression in Python's syntax. Expressions that Go
// doesn't have (looking around, back references) leave the text; those that Python
// doesn't take stop the load.
func search(pattern, text string, lines bool) (bool, error) {
	t := translation{lines: lines}
	t.translate(pattern)
	if t.wrong && t.foreign == "" {
		return false, noExpression(pattern)
	}
	if len(pattern) > maxPattern || len(pattern)*len(text) > maxSearch {
		return false, &stays{BeyondUs, "has an expression that takes too long", "look at what it comes to on the node", "what TuneD makes of the expression"}
	}
	re, err := regexp.Compile(t.out.String())
	if t.edges && (text == "" || strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })) {
		t.foreign = "an edge of words, of which Python has other ones in such a text"
	}
	if t.foreign == "" && tooLarge(err) {
		t.foreign = manyTimes
	}
	switch {
	case t.foreign != "": // what is behind it may have been misread
		return false, &stays{BeyondUs, fmt.Sprintf("has an expression with %s, which is not understood here", t.foreign), "look at what it comes to on the node", "what TuneD makes of the expression"}
	case err == nil:
		return re.MatchString(text), nil
	}
	return false, noExpression(pattern)
}

// classWork is what reading a class of Unicode (\w) counts as, in bytes of text.
const classWork = 4096

// searching is the work of reading the expressions that a function is given.
func searching(f builtin, args []string) int {
	if !slices.Contains([]string{"regex_search_ternary", "cpuinfo_check", "lscpu_check"}, f.name) {
		return 0
	}
	work := 0
	for _, a := range args {
		work += len(a) + classWork*strings.Count(a, `\`)
	}
	return work
}

func noExpression(pattern string) error {
	return &aborts{Crash, fmt.Sprintf("%q is no regular expression", clip(pattern)), "error"}
}

// maxRepeats is the most that Go repeats a part, the parts around it included.
const maxRepeats = 1000

var manyTimes = fmt.Sprintf("a part that is repeated more than %d times", maxRepeats)

// tooLarge says that Go doesn't take an expression which is one.
func tooLarge(err error) bool {
	var e *syntax.Error
	return errors.As(err, &e) && slices.Contains([]syntax.ErrorCode{syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth}, e.Code)
}

// translation turns an expression of Python's into one of Go's.
type translation struct {
	out   strings.Builder
	lines bool
	// foreign names what Go doesn't have; wrong is set for what Python refuses.
	foreign string
	wrong   bool
	// repeated says that what came last was repeated, anchor that it has no size.
	repeated, anchor bool
	// begun is set behind the flags with which an expression may begin.
	begun bool
	names map[string]bool // of groups
	// edges says that it looks for the edges of words.
	edges bool
}

// The classes that know all of Unicode in Python.
var classes = map[byte]string{'d': `\p{Nd}`, 'w': `\p{L}\p{N}_`, 's': `\s\v\x1c-\x1f\x{85}\x{a0}\p{Z}`}

// translate goes from left to right, as Python does, up to what decides the answer:
// what is wrong, what Go doesn't have, or the end of what is searched for.
func (t *translation) translate(p string) {
	for i := 0; i < min(len(p), maxPattern) && !t.wrong && t.foreign == ""; i++ {
		if size := t.repeat(p[i:]); size > 0 {
			i += size - 1
			continue
		}
		rest := p[i:]
		t.repeated, t.anchor = false, anchors.MatchString(rest)
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
		case strings.HasPrefix(rest, "(?"):
			i += t.group(rest) - 1
			continue // flags may follow flags
		case c == '{' || c == '}':
			t.out.WriteString(`\` + string(rune(c)))
		default:
			t.out.WriteByte(c)
		}
		t.begun = true
	}
}

// anchors are what Python doesn't repeat.
var anchors = regexp.MustCompile(`^(?:[$^]|\\[AbBZ])`)

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
		t.wrong = t.wrong || t.repeated || t.anchor
		t.out.WriteByte(rest[0])
		t.repeated = true
		return 1
	case m != nil && m[0] != "{}":
		t.wrong = t.wrong || t.repeated || t.anchor
		t.count(cmp.Or(m[1], "0"), strings.TrimPrefix(m[2], ","))
		t.out.WriteString("{" + cmp.Or(m[1], "0") + m[2] + "}")
		t.repeated = true
		return len(m[0])
	}
	return 0
}

// endless is the first number of repetitions that Python refuses.
const endless = 1<<32 - 1

// count judges a repetition from least to most times; most is empty where it is
// least, or has no end.
func (t *translation) count(least, most string) {
	n, err := strconv.ParseUint(least, 10, 32)
	m := n
	if most != "" && err == nil {
		m, err = strconv.ParseUint(most, 10, 32)
	}
	switch {
	case err != nil || max(n, m) >= endless || m < n:
		t.wrong = true
	case m > maxRepeats:
		t.foreign = manyTimes
	}
}

var (
	// flags stand for all that follows, or for the group behind a colon.
	flags = regexp.MustCompile(`^\(\?([aiLmsux]*)(-[imsx]+)?([:)])`)
	// lookingBack begins groups that look around or back, and that Go doesn't have.
	lookingBack = regexp.MustCompile(`^\(\?(?:P=|P>|[=!#(>]|<[=!])`)
)

// group takes what stands behind an opening bracket and its question mark; it says
// how many bytes it took.
func (t *translation) group(rest string) int {
	if behind, ok := strings.CutPrefix(rest, "(?P<"); ok {
		return len("(?P<") + t.named(behind)
	}
	m := flags.FindStringSubmatch(rest)
	switch {
	case m == nil && lookingBack.MatchString(rest):
		t.foreign = "a group that looks around or back"
	case m == nil:
		t.wrong = true
	case strings.ContainsAny(m[1]+m[2], "aLux") || m[3] == ":" && strings.Contains(m[1]+m[2], "m"):
		t.foreign = "the flags " + m[1] + m[2]
	case m[3] == ")":
		t.wrong = t.wrong || t.begun || m[1] == "" || m[2] != ""
		t.lines = t.lines || strings.Contains(m[1], "m")
	}
	if m == nil || m[3] == ":" {
		t.begun = true
	}
	if m == nil {
		t.out.WriteString("(?:")
		return len("(?")
	}
	t.out.WriteString(m[0])
	return len(m[0])
}

// named takes the name of a group and the bracket behind it, without which Python
// refuses the expression; it says how many bytes it took.
func (t *translation) named(rest string) int {
	name, _, closed := strings.Cut(rest, ">")
	if !closed || !isIdentifier(name) || t.names[name] {
		t.wrong = true
		return len(rest)
	}
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name], t.begun = true, true
	t.out.WriteByte('(')
	return len(name) + len(">")
}

// isIdentifier says whether Python takes a text for a name.
func isIdentifier(text string) bool {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)) {
			return false
		}
	}
	return text != ""
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
		t.edges = t.edges || c == 'b' || c == 'B'
		t.out.WriteString(rest[:2])
	case c == 'x' && hexadecimal.MatchString(rest[2:]):
		t.out.WriteString(rest[:4])
		return 3
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

// hexadecimal are the digits that Python demands behind \x.
var hexadecimal = regexp.MustCompile(`^[0-9a-fA-F]{2}`)

// class takes a set in square brackets, where a first ] stands for itself. It says
// how many bytes more than one were taken.
func (t *translation) class(rest string) int {
	t.out.WriteByte('[')
	i := 1
	if strings.HasPrefix(rest[i:], "^") {
		t.out.WriteByte('^')
		i++
	}
	for first := true; i < len(rest); first = false {
		if rest[i] == ']' && !first {
			t.out.WriteByte(']')
			return i
		}
		size, set := t.member(rest[i:])
		i += size
		if i+1 >= len(rest) || rest[i] != '-' {
			continue
		}
		t.out.WriteByte('-')
		i++
		if rest[i] == ']' { // the hyphen stands for itself
			continue
		}
		size, another := t.member(rest[i:])
		t.wrong = t.wrong || set || another
		i += size
	}
	t.wrong = true
	return len(rest) - 1
}

// member takes a sign of a set, or a set in it; it says how many bytes it took.
func (t *translation) member(rest string) (size int, set bool) {
	c, next := rest[0], byte(0)
	if len(rest) > 1 {
		next = rest[1]
	}
	switch {
	case c == '[' || c == ']' || c == '-' || c == '^':
		t.out.WriteString(`\` + string(rune(c)))
	case c != '\\':
		t.out.WriteByte(c)
	case strings.IndexByte("dws", next) >= 0 && next != 0:
		t.out.WriteString(classes[next])
		return 2, true
	case strings.IndexByte("DWS", next) >= 0 && next != 0:
		t.foreign = "a set that has the complement of another"
		return 2, true
	case next == 'b':
		t.out.WriteString(`\x08`)
		return 2, false
	case next > ' ' && next < 0x7f && isNotWord(rune(next)):
		t.out.WriteString(rest[:2])
		return 2, false
	case next == 'A' || next == 'B' || next == 'Z':
		t.wrong = true
		return 2, false
	default:
		return 1 + t.escape(rest), false
	}
	return 1, false
}
