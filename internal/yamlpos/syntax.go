package yamlpos

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// What is said more than once.
const (
	tabWhat    = "a tab stands in the indentation"
	tabFix     = "indent with blanks"
	quoteValue = "put the value in quotes"
	keyFix     = "write key: value"
	tightWhat  = "no blank stands behind the colon"
	tightFix   = "write key: value, or put a text with a colon in quotes"
	misfit     = "this does not fit the lines above"
	equally    = "indent keys of one mapping equally"
)

// syntaxAdvice turns the library's messages into what is wrong and what would be
// right. The first whose words the message has is taken; started is for those that are
// best shown where the thing begins.
var syntaxAdvice = []struct {
	words, what, fix string
	started          bool
}{
	{"quoted scalar: found unexpected end", "the closing %c is missing", "close the quotes", true},
	{"quoted scalar: found unexpected document", "a --- stands within quotes that were not closed",
		"close the quotes", true},
	{"quoted scalar", "this escape is not known in a text in double quotes",
		`write \\ for a backslash, or use single quotes`, false},
	{"tab", tabWhat, tabFix, false},
	{"block scalar", "nothing may follow the | or > but a comment", "begin the text in the next line", true},
	{"block sequence entries", "a list can't begin in the line of its key",
		"begin it in the next line, or write [a, b]", false},
	{"scanning an anchor", "the & has no name or no value", "write &name value, or put the text in quotes", true},
	{"scanning an alias", "the * has no name", "write *name, or put the text in quotes", true},
	{" tag", "a value can't begin with !", quoteValue, true},
	{"document-end", "nothing may follow the ...", "put a key that begins with dots in quotes", false},
	{"<document start>", "nothing may follow the end of the value",
		"indent it as a part of the value, or remove it", false},
}

// signAdvice is what to say of a sign that can't stand where it does.
var signAdvice = map[byte][2]string{
	'@':  {"a value can't begin with @ or `", quoteValue},
	'`':  {"a value can't begin with @ or `", quoteValue},
	'%':  {"a value can't begin with %", "write a share as 30%, or " + quoteValue},
	'\t': {tabWhat, tabFix},
	']':  {"there is no [ for this ]", "remove it, or " + quoteValue},
	'}':  {"there is no { for this }", "remove it, or " + quoteValue},
	',':  {"there is no value before this comma", "remove the comma"},
	'&':  {"a value is expected here", "put a value with special characters in quotes"},
}

// explain makes a problem of the library's error: of the first that it found.
func (b *builder) explain(err error) {
	var bad *yaml.LoadError
	if !errors.As(err, &bad) {
		b.bad(place{1, 1}, "the YAML can't be read", err.Error())
		return
	}
	at := place{max(1, bad.Mark.Line), max(1, bad.Mark.Column)}
	started := place{bad.ContextMark.Line, bad.ContextMark.Column}
	if started.line == 0 {
		started = at
	}
	switch message := bad.ContextMsg + ": " + bad.Message; {
	case strings.Contains(message, "max depth"):
		b.tooDeep(at)
	case strings.Contains(message, "unknown anchor"):
		name, _ := b.text.behind(place{at.line, at.col + 1})
		b.bad(at, fmt.Sprintf("there is no anchor %s before this alias", Quote(name)),
			"write &"+printable([]byte(name))+" before the value that it stands for")
	case strings.Contains(message, "mapping values"):
		b.looseColon(at)
	case strings.Contains(message, "expected ':'"):
		b.noColon(started)
	case strings.Contains(message, "expected ','"):
		b.noComma(at, started)
	case strings.Contains(message, "expected key"), strings.Contains(message, "expected '-'"),
		strings.Contains(message, "node content"), strings.Contains(message, "cannot start"):
		b.unexpected(at)
	default:
		b.lookUp(message, at, started)
	}
}

// lookUp says what the table has for a message.
func (b *builder) lookUp(message string, at, started place) {
	for _, a := range syntaxAdvice {
		if !strings.Contains(message, a.words) {
			continue
		}
		if a.started {
			at = started
		}
		what := strings.Replace(a.what, "%c", string(rune(b.text.sign(at))), 1)
		b.bad(at, what, a.fix)
		return
	}
	b.bad(at, "the YAML can't be read: "+message, "")
}

// firstSign is the place of the first thing in a line.
func (b *builder) firstSign(line int) place {
	text := b.text.line(line)
	return place{line, len(text) - len(strings.TrimLeft(text, " ")) + 1}
}

// tight finds a key and a colon without a blank behind it.
var tight = regexp.MustCompile(`^[ -]*[\w./-]+:[^ \t]`)

// looseColon explains a colon behind what is no key.
func (b *builder) looseColon(at place) {
	before := string(b.text.before(at))
	if i := strings.LastIndex(before, ": "); i >= 0 {
		value := strings.TrimLeft(before[i+2:], " ")
		at.col = utf8.RuneCountInString(before) - utf8.RuneCountInString(value) + 1
		b.bad(at, "a value is followed by another colon",
			"put a value that holds \": \" in quotes; write keys of one mapping below each other, equally indented")
		return
	}
	first, above := b.firstSign(at.line), b.text.line(at.line-1)
	switch {
	case at.line == 1:
		b.bad(first, "a key must be one line with a colon behind it", keyFix)
	case tight.MatchString(above):
		b.tightColon(at.line - 1)
	case b.firstSign(at.line-1).col < first.col && strings.Contains(above, ":"):
		b.bad(first, "the line is indented deeper than the one above and so continues its value",
			"indent the keys of one mapping equally")
	default:
		b.bad(first, "a key must be one line with a colon behind it", keyFix)
	}
}

// tightColon explains a key whose colon is not followed by a blank.
func (b *builder) tightColon(line int) {
	b.bad(place{line, strings.Index(b.text.line(line), ":") + 1}, tightWhat, tightFix)
}

// noColon explains a line that should have a colon.
func (b *builder) noColon(at place) {
	above := strings.TrimRight(b.text.line(at.line-1), " ")
	switch {
	case tight.MatchString(b.text.line(at.line)):
		b.tightColon(at.line)
	case at.line > 1 && strings.HasSuffix(above, ":") && b.firstSign(at.line-1).col >= at.col:
		b.bad(at, "this is neither a key nor indented as a value", "write key: value, or indent it deeper than the key above")
	default:
		b.bad(at, "a key with a colon is expected here", "write key: value, indented as the lines above")
	}
}

// noComma explains what follows an entry in brackets that began at a place.
func (b *builder) noComma(at, started place) {
	open, sign := b.text.sign(started), b.text.sign(at)
	closing, what := "]", "list"
	if open == '{' {
		closing, what = "}", "mapping"
	}
	switch {
	case sign == 0:
		b.bad(started, fmt.Sprintf("the %c is not closed", open), "add "+closing)
	case sign == '&':
		b.unexpected(at)
	case sign == ':':
		b.noCommaBefore(at, started, open)
	default:
		b.bad(at, "the "+what+" goes on without a comma", "add , before this or "+closing+" to end the "+what)
	}
}

// noCommaBefore explains a second colon in one entry.
func (b *builder) noCommaBefore(colon, started place, open byte) {
	before := string(b.text.before(colon))
	entry := before[strings.LastIndexAny(before, ",[]{}")+1:]
	if i := strings.LastIndex(entry, ": "); i >= 0 {
		entry = entry[i+2:]
	}
	entry = strings.TrimLeft(entry, " ")
	at := place{colon.line, utf8.RuneCountInString(before) - utf8.RuneCountInString(entry) + 1}
	what, fix := "a comma is missing before ", "separate the entries in brackets by commas"
	if strings.Contains(entry, " ") {
		rest := b.text.line(colon.line)[len(before):]
		if end := strings.IndexAny(rest, ",[]{}"); end >= 0 {
			rest = rest[:end]
		}
		what, entry = "a comma is missing in ", entry+rest
	}
	if started.line != colon.line {
		fix += fmt.Sprintf(", or close the %c of line %d", open, started.line)
	}
	b.bad(at, what+Quote(entry), fix)
}

// unexpected explains something where a value, a key or a dash should be.
func (b *builder) unexpected(at place) {
	sign := b.text.sign(at)
	advice, known := signAdvice[sign]
	switch {
	case sign == 0:
		if open, ok := b.openBracket(); ok {
			b.noComma(at, open)
			return
		}
		b.bad(at, misfit, equally)
	case known:
		b.bad(at, advice[0], advice[1])
	case at.col > b.firstSign(at.line).col:
		b.bad(at, "the key has a value already, and here is another",
			equally+"; put a value with special characters in quotes")
	case !b.oddBlank(at):
		b.bad(at, misfit, equally)
	}
}

// oddBlank refuses a blank of another script, which YAML takes for a letter.
func (b *builder) oddBlank(at place) bool {
	r, _ := utf8.DecodeRune(b.text.source[b.text.at(at):])
	if r < utf8.RuneSelf || !unicode.IsSpace(r) {
		return false
	}
	b.bad(at, fmt.Sprintf("the character %U stands in the indentation", r), tabFix)
	return true
}

// openBracket is the last bracket of the text that is not closed, quotes aside.
func (b *builder) openBracket() (place, bool) {
	closed := 0
	for i := len(b.text.source) - 1; i >= 0; i-- {
		switch b.text.source[i] {
		case ']', '}':
			closed++
		case '[', '{':
			if closed--; closed < 0 {
				return b.text.placeOf(i), true
			}
		}
	}
	return place{}, false
}
