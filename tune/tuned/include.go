package tuned

import (
	"fmt"
	"slices"
	"strings"
)

// maxOutcomes is how many texts a name is tried with, and maxName the bytes of the
// longest that is.
const (
	maxOutcomes = 64
	maxName     = 512
)

// included cuts the list of an include. Names that the node decides are left out,
// with a finding that names the profiles that they may be.
func (l *load) included(text string, o *Option) []string {
	if !strings.Contains(text, mark) {
		return splitInclude(text)
	}
	e := &l.expander
	var names, left []string
	for _, name := range splitInclude(e.apart(text)) {
		switch {
		case !strings.Contains(name, mark):
			if name != "" {
				names = append(names, name)
			}
		case strings.HasPrefix(name, "-") && len(l.candidates([]string{name})) == 0:
			l.note(NotThere, o.From.Place, fmt.Sprintf("no profile fits the optional %s", clip(e.show(name[1:]))), "")
		default:
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		l.leave(left, o)
	}
	return names
}

// leave notes names that are left out.
func (l *load) leave(names []string, o *Option) {
	needs := l.expander.needs(strings.Join(names, ""))
	for _, n := range needs {
		if !slices.Contains(l.unknown, n) {
			l.unknown = append(l.unknown, n)
		}
	}
	what := fmt.Sprintf("what else is included depends on %s, and is left out", strings.Join(needs, " and "))
	if may := l.candidates(names); len(may) > 0 {
		what += ": perhaps " + strings.Join(may, ", ")
	}
	l.note(UnknownInclude, o.From.Place, what,
		"flatten the profile together with what the node includes, blanks between the names")
}

// apart puts a comma before holes that are nothing or begin with a separator, and
// behind those that end with one: the names beside them are known.
func (e *expander) apart(text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			return b.String() + text
		}
		before, after := e.hole(text[i:]).separates()
		b.WriteString(text[:i])
		if before {
			b.WriteByte(',')
		}
		b.WriteString(text[i : i+markSize])
		if after {
			b.WriteByte(',')
		}
		text = text[i+markSize:]
	}
}

// separates says whether names before a hole, and behind it, are names of their own.
func (h *hole) separates() (before, after bool) {
	before, after = len(h.outcomes) > 0, len(h.outcomes) > 0
	for _, o := range h.outcomes {
		o = strip(o)
		before = before && (o == "" || strings.ContainsAny(o[:1], ",;"))
		after = after && (o == "" || strings.ContainsAny(o[len(o)-1:], ",;"))
	}
	return before, after
}

// candidates are the profiles that names with holes may come to, sorted.
func (l *load) candidates(names []string) []string {
	var out []string
	for _, name := range names {
		for _, one := range l.expander.outcomesOf(name) {
			for _, part := range splitInclude(one) {
				out = append(out, l.named(strings.TrimPrefix(strip(part), "-"))...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// outcomesOf are the texts that a text with holes may come to; holes that may be
// anything stay.
func (e *expander) outcomesOf(text string) []string {
	i := strings.Index(text, mark)
	switch {
	case len(text) > maxName:
		return nil
	case i < 0:
		return []string{text}
	}
	heads := e.hole(text[i:]).outcomes
	if len(heads) == 0 {
		heads = []string{text[i : i+markSize]}
	} else {
		var deep []string
		for _, h := range heads {
			deep = append(deep, e.outcomesOf(h)...)
		}
		heads = deep
	}
	var out []string
	for _, tail := range e.outcomesOf(text[i+markSize:]) {
		for _, h := range heads {
			if len(out) < maxOutcomes && i+len(h)+len(tail) <= maxName {
				out = append(out, text[:i]+h+tail)
			}
		}
	}
	return out
}

// named are the profiles of a name, in which holes may be anything.
func (l *load) named(name string) []string {
	if !strings.Contains(name, mark) {
		if l.set.Has(name) {
			return []string{name}
		}
		return nil
	}
	var out []string
	for _, known := range l.set.order {
		if likely(known, name) {
			out = append(out, known)
		}
	}
	return out
}

// likely says whether a name fits one with holes.
func likely(name, pattern string) bool {
	first, rest, holed := strings.Cut(pattern, mark)
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for holed {
		var piece string
		piece, rest, holed = strings.Cut(rest[markSize-1:], mark)
		if !holed {
			return strings.HasSuffix(name, piece)
		}
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
	return name == ""
}
