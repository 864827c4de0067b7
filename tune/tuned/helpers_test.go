package tuned

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// oneDirectory is a set of a directory /p with profiles: name, text, name, text.
func oneDirectory(pairs ...string) *Set { return NewSet(directory("/p", pairs...)) }

func directory(path string, pairs ...string) Directory {
	d := Directory{Path: path}
	for i := 0; i < len(pairs); i += 2 {
		d.Profiles = append(d.Profiles, Profile{Name: pairs[i], Source: Source{Body: pairs[i+1]}})
	}
	return d
}

// findingOf is the first finding of a rule, or nil.
func findingOf(found []v1alpha1.Finding, r object.Rule) *v1alpha1.Finding {
	for i := range found {
		if found[i].ID == r.ID {
			return &found[i]
		}
	}
	return nil
}

// wantFinding demands a finding at a place, in the words of the house.
func wantFinding(t *testing.T, found []v1alpha1.Finding, r object.Rule, file string, line int) {
	t.Helper()
	f := findingOf(found, r)
	switch {
	case f == nil:
		t.Errorf("no finding %s among %v", r.ID, found)
	case f.Place == nil || f.Place.File != file || f.Place.Line != line:
		t.Errorf("%s is at %+v, not at %s:%d", r.ID, f.Place, file, line)
	case strings.HasSuffix(f.Message, ".") || f.Remedy == "":
		t.Errorf("%s says %q, remedy %q", r.ID, f.Message, f.Remedy)
	}
}

// flatten loads a profile that must load.
func flatten(t *testing.T, s *Set, name string, m Machine) *Flat {
	t.Helper()
	f, found := s.Flatten(name, m)
	if f == nil {
		t.Fatalf("%s is refused: %v", name, found)
	}
	return f
}

// valueOf is the value of an option, or what is missing.
func valueOf(f *Flat, section, key string) string {
	s := f.Section(section)
	if s == nil {
		return "(no section)"
	}
	o := s.Option(key)
	if o == nil {
		return "(no option)"
	}
	return o.Value
}

// layers are the names of the profiles in the order in which they were merged.
func layers(f *Flat) string {
	var names []string
	for _, l := range f.Layers {
		names = append(names, l.Profile)
	}
	return strings.Join(names, " ")
}
