package uperf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"plimsoll.dev/internal/yamlpos"
)

// MaxText is more than any profile has bytes.
const MaxText = 1 << 20

// place in a file, from 1; a column is a character.
type place struct{ line, col int }

// attribute of a tag.
type attribute struct {
	name, value string
	at          place // of the value
}

// tag is <name attributes> or, with close, </name>. One with a slash at its end is both.
type tag struct {
	name        string
	at          place
	open, close bool
	attributes  []attribute
}

// scanner cuts a text into tags.
type scanner struct {
	file     string
	rest     string
	at       place
	problems yamlpos.Problems
}

func (s *scanner) bad(at place, what, fix string) {
	s.problems.Add(yamlpos.Problem{File: s.file, Line: at.line, Col: at.col, What: what, Fix: fix})
}

// take the first n bytes.
func (s *scanner) take(n int) string {
	taken := s.rest[:n]
	s.rest = s.rest[n:]
	if i := strings.LastIndexByte(taken, '\n'); i >= 0 {
		s.at = place{s.at.line + strings.Count(taken, "\n"), 1 + utf8.RuneCountInString(taken[i+1:])}
	} else {
		s.at.col += utf8.RuneCountInString(taken)
	}
	return taken
}

// until takes what comes before one of the signs, or all.
func (s *scanner) until(signs string) string {
	if i := strings.IndexAny(s.rest, signs); i >= 0 {
		return s.take(i)
	}
	return s.take(len(s.rest))
}

func (s *scanner) blanks() {
	s.take(len(s.rest) - len(strings.TrimLeftFunc(s.rest, unicode.IsSpace)))
}

// past takes all up to the end of a comment or the like.
func (s *scanner) past(end, what string) {
	at := s.at
	if i := strings.Index(s.rest, end); i >= 0 {
		s.take(i + len(end))
		return
	}
	s.bad(at, what+" does not end", end)
	s.take(len(s.rest))
}

// tags of the text. What is none is a problem, and passed over.
func (s *scanner) tags() []tag {
	var out []tag
	for !s.problems.Full() {
		s.blanks()
		switch {
		case s.rest == "":
			return out
		case strings.HasPrefix(s.rest, "<!--"):
			s.past("-->", "the comment")
		case strings.HasPrefix(s.rest, "<?"):
			s.past("?>", "the declaration")
		case strings.HasPrefix(s.rest, "<!"):
			s.past(">", "the declaration")
		case s.rest[0] == '>': // of a tag that has ended with its line
			s.take(1)
		case s.rest[0] == '<':
			out = append(out, s.tag())
		default:
			at := s.at
			s.bad(at, yamlpos.Quote(strings.TrimSpace(s.until("<"))), "only tags stand in a profile")
		}
	}
	return out
}

// tag takes one, which ends with > or where the next one begins.
func (s *scanner) tag() tag {
	t := tag{at: s.at, open: true}
	s.take(1)
	s.blanks()
	if strings.HasPrefix(s.rest, "/") {
		s.take(1)
		s.blanks()
		t.open, t.close = false, true
	}
	t.name = strings.ToLower(s.word("/"))
	for {
		s.blanks()
		switch {
		case s.rest == "" || s.rest[0] == '<':
			return t
		case s.rest[0] == '>':
			s.take(1)
			return t
		case s.rest[0] == '/':
			s.take(1)
			t.close = true
		default:
			t.attributes = append(t.attributes, s.attribute())
		}
	}
}

// word up to a blank or a sign that ends it.
func (s *scanner) word(signs string) string { return s.until("<>= \t\r\n\v\f" + signs) }

func (s *scanner) attribute() attribute {
	a := attribute{at: s.at, name: strings.ToLower(s.word("/"))}
	s.blanks()
	if !strings.HasPrefix(s.rest, "=") {
		s.bad(a.at, yamlpos.Quote(a.name)+" has no value", "NAME=VALUE")
		return a
	}
	s.take(1)
	s.blanks()
	a.at = s.at
	if s.rest == "" || s.rest[0] != '"' && s.rest[0] != '\'' {
		a.value = s.unquoted()
		return a
	}
	quote := s.take(1)
	a.at = s.at
	a.value = s.until(quote)
	if s.rest == "" {
		s.bad(a.at, "the value of "+a.name+" does not end", quote)
		return a
	}
	s.take(1)
	return a
}

// unquoted value: up to a blank or the end of the tag. A slash belongs to it, unless it ends the tag.
func (s *scanner) unquoted() string {
	word := s.until("<> \t\r\n\v\f")
	if strings.HasSuffix(word, "/") && strings.HasPrefix(s.rest, ">") {
		s.rest = "/" + s.rest
		s.at.col--
		return word[:len(word)-1]
	}
	return word
}
