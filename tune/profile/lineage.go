package profile

import (
	"slices"
	"strings"

	"plimsoll.dev/release"
	"plimsoll.dev/tune/sysctl"
	"plimsoll.dev/tune/tuned"
)

// lineage is what the profiles of the CRs are made of. A text is read when it is first
// asked for, and once.
type lineage struct {
	*merged
	texts map[string]text
}

// text is what a profile's text by itself says.
type text struct {
	// includes are the names of the profiles that it includes, in their order. Names
	// that functions make can't be told and are left out.
	includes []string
	// needs are those of them without which TuneD loads nothing.
	needs []string
	// open says that functions make names of some that it includes.
	open bool
	// sysctls that it sets.
	sysctls []string
	// arguments says that it sets kernel arguments.
	arguments bool
}

func newLineage(m *merged) *lineage { return &lineage{merged: m, texts: map[string]text{}} }

// family are the profiles of the CRs that profiles are made of: themselves and what
// they include, each once.
func (l *lineage) family(names ...string) []string {
	var out []string
	seen := map[string]bool{}
	var add func(names []string)
	add = func(names []string) {
		for _, name := range names {
			if t, ok := l.text(name); ok && !seen[name] {
				seen[name], out = true, append(out, name)
				add(t.includes)
			}
		}
	}
	add(names)
	return out
}

// text of a profile, and whether a CR defines it.
func (l *lineage) text(name string) (text, bool) {
	if t, ok := l.texts[name]; ok {
		return t, true
	}
	d := l.definition(name)
	if d == nil {
		return text{}, false
	}
	t := read(d.Data)
	l.texts[name] = t
	return t, true
}

// goneSysctls are sysctls of the profile, and of those in the CRs that it includes,
// that the kernels of a release don't have.
func (l *lineage) goneSysctls(name string, r release.Release) []string {
	var out []string
	for _, p := range l.family(name) {
		for _, key := range l.texts[p].sysctls {
			if _, gone := sysctl.IsGone(key, r); gone && !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

func read(data string) text {
	var t text
	file, _ := tuned.Parse(tuned.Source{Body: data})
	for i := range file.Sections {
		s := &file.Sections[i]
		for _, o := range s.Options {
			switch {
			case s.Name == "main" && o.Key == "include":
				t.includes = append(t.includes, included(o.Value, false)...)
				t.needs = append(t.needs, included(o.Value, true)...)
				t.open = t.open || strings.Contains(o.Value, "${")
			case isType(s, "sysctl"):
				t.sysctls = append(t.sysctls, o.Key)
			case isType(s, "bootloader") && strings.HasPrefix(o.Key, "cmdline") && o.Value != "":
				t.arguments = true
			}
		}
	}
	return t
}

// included are the names in a value of include, or those of them that must exist.
func included(value string, needed bool) []string {
	var out []string
	depth := 0
	separates := func(c rune) bool { // but not between the arguments of a function
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0 && (c == ',' || c == ';')
	}
	for _, name := range strings.FieldsFunc(value, separates) {
		name, optional := strings.CutPrefix(strings.TrimSpace(name), "-")
		if name != "" && !strings.Contains(name, "${") && !(needed && optional) {
			out = append(out, name)
		}
	}
	return out
}
