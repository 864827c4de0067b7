package tuned

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// finding makes a finding of a rule at a place.
func finding(r object.Rule, at v1alpha1.Place, what, fix string) v1alpha1.Finding {
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources, Place: &at}
}

func (p *parser) note(r object.Rule, line, col int, what, fix string) {
	p.found = append(p.found, finding(r, p.source.at(line, col), what, fix))
}

// refuse notes what makes TuneD read nothing of the file.
func (p *parser) refuse(r object.Rule, line, col int, what, fix string) {
	p.file.Refused = true
	p.note(r, line, col, what, fix)
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 60
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + "..."
	}
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return s
}

// missingSection is text before the first header, where TuneD stops reading.
func (p *parser) missingSection(text string, number, indent int) {
	what := fmt.Sprintf("%q stands before the first [section]: TuneD refuses the whole file", clip(text))
	fix := "begin with [main]"
	if strings.HasPrefix(text, "\ufeff") {
		what, fix = "the file begins with a byte order mark: TuneD refuses it", "save it as UTF-8 without one"
	}
	p.refuse(NoSection, number, indent+1, what, fix)
}

// noValue is a line without =, for which TuneD refuses the file.
func (p *parser) noValue(text string, number, indent int) {
	fix := "write key=value, or indent the line to continue the value above"
	if strings.Contains(text, ":") {
		fix = "only = separates a key from its value, a colon doesn't"
	}
	p.refuse(NoValue, number, indent+1, fmt.Sprintf("%q has no =: TuneD refuses the whole file", clip(text)), fix)
}

func (p *parser) checkHeader(name, rest string, number, indent int) {
	if rest != "" {
		p.note(HeaderRest, number, indent+1, fmt.Sprintf("%q behind [%s] is dropped", clip(strip(rest)), clip(name)),
			"begin a new line")
	}
	if strip(name) != name {
		p.note(HeaderRest, number, indent+1, fmt.Sprintf("the name of the section %q has blanks, which count", name),
			fmt.Sprintf("write [%s]", strip(name)))
	}
}

// checkComment warns of what looks like a comment and becomes part of the value.
func (p *parser) checkComment(value string, number int) {
	kept := ""
	for _, mark := range []string{" ;", "\t;"} {
		if i := strings.Index(value, mark); i >= 0 {
			kept = value[i+1:]
		}
	}
	if kept == "" {
		if i := strings.IndexByte(value, '#'); i > 0 {
			kept = value[i:]
		}
	}
	if kept != "" {
		p.note(CommentKept, number, p.indent+1, fmt.Sprintf("%q is part of the value of %s", clip(strip(kept)), p.option.Key),
			"only # after a blank begins a comment behind a value")
	}
}

// checkJoin warns of a line that was hardly meant as the rest of a value.
func (p *parser) checkJoin(text string, number, indent int) {
	key, _, assigns := strings.Cut(text, "=")
	_, _, isHeader := header(text)
	switch {
	case isHeader:
		p.note(Joined, number, indent+1, fmt.Sprintf("the indented %s begins no section but continues the value of %s",
			clip(text), p.option.Key), "begin the line at the left")
	case assigns && !strings.ContainsAny(strip(key), " \t"):
		p.note(Joined, number, indent+1, fmt.Sprintf("the indented %q sets nothing but continues the value of %s", clip(text),
			p.option.Key),
			"give all keys of a section the same indentation")
	}
}

func (p *parser) duplicate(old, now FileOption) {
	p.found = append(p.found, finding(DuplicateKey, now.Place,
		fmt.Sprintf("%s is set a second time: its first value %q (line %d) is lost", now.Key, clip(old.Value),
			old.Place.Line), "keep one of them"))
}
