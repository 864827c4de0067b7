package profile

import (
	"strings"

	"plimsoll.dev/tune/era"
)

// option is a line of a profile's text that sets something; for checks, not for
// working values out.
type option struct {
	// line counts from 0.
	line                int
	section, key, value string
	// heading marks the line that begins a section.
	heading bool
}

// scan reads a profile's text. A line that is indented goes on with the value
// before it and is no option.
func scan(text string) []option {
	var out []option
	section := ""
	n := -1
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case trimmed[0] == '[' && strings.Contains(trimmed, "]"):
			section = trimmed[1:strings.IndexByte(trimmed, ']')]
			out = append(out, option{line: n, section: section, heading: true})
		case line[0] == ' ' || line[0] == '\t':
		default:
			if key, value, ok := strings.Cut(line, "="); ok {
				out = append(out, option{line: n, section: section, key: strings.TrimSpace(key), value: strings.TrimSpace(value)})
			}
		}
	}
	return out
}

// includes are the names of the profiles that a text includes, in their order.
// Names that functions make can't be told and are left out.
func includes(text string) []string {
	var out []string
	for _, o := range scan(text) {
		if o.section != "main" || o.key != "include" {
			continue
		}
		out = out[:0]
		for _, name := range strings.FieldsFunc(o.value, func(c rune) bool { return c == ',' || c == ';' }) {
			name = strings.TrimPrefix(strings.TrimSpace(name), "-")
			if name != "" && !strings.Contains(name, "${") {
				out = append(out, name)
			}
		}
	}
	return out
}

// Reload says whether TuneD is reloaded on a node with this profile when the CRs'
// profiles change from before to after, while the choice stays the same; why says
// which change did it, or what is missed.
func Reload(before, after []Definition, profile string, e era.Era) (reloaded bool, why string) {
	old := merged{definitions: before}
	now := merged{definitions: after}
	own := changed(&old, &now, profile)
	parent := ""
	for _, name := range append(now.family(profile), old.family(profile)...) {
		if parent == "" && name != profile && changed(&old, &now, name) {
			parent = name
		}
	}
	switch {
	case own:
		return true, "the text of " + profile + " changed"
	case parent != "" && reloads.In(e) == reloadOwn:
		return false, "only " + parent + ", which " + profile + " includes, changed: the node keeps the old settings until TuneD is restarted"
	case parent != "":
		return true, "the text of " + parent + ", which " + profile + " includes, changed"
	case reloads.In(e) == reloadAny && anyChanged(&old, &now):
		return true, "the text of another profile changed"
	}
	return false, "nothing that " + profile + " is made of changed"
}

// changed compares the text of a profile.
func changed(a, b *merged, name string) bool {
	x, y := a.definition(name), b.definition(name)
	return (x == nil) != (y == nil) || x != nil && x.Data != y.Data
}

func anyChanged(a, b *merged) bool {
	for _, list := range [][]Definition{a.definitions, b.definitions} {
		for i := range list {
			if changed(a, b, list[i].Name) {
				return true
			}
		}
	}
	return false
}
