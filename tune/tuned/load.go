package tuned

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// Flatten loads profiles, by names with blanks between them, with everything that
// they include, and merges them. It returns nil when TuneD would load nothing; an
// error finding says why. The findings are those of the profiles that were read,
// of merging them, and of what the values come to.
func (s *Set) Flatten(names string, m Machine) (*Flat, []v1alpha1.Finding) {
	l := &load{set: s, used: map[*layer]bool{}, expander: expander{machine: m, values: map[string]string{}}}
	f := l.flatten(names)
	found := append(l.found, l.expander.found...)
	object.Sort(found)
	return f, found[:min(len(found), maxFindings)]
}

// load is the state of one load.
type load struct {
	set      *Set
	used     map[*layer]bool
	layers   []*layer
	by       []string
	expander expander
	found    []v1alpha1.Finding
	// unknown is what decides on profiles that were left out.
	unknown []string
}

func (l *load) flatten(names string) *Flat {
	var wanted []string
	for _, name := range strings.FieldsFunc(names, isSpace) {
		if safeName(name) {
			wanted = append(wanted, name)
			continue
		}
		l.note(ProfileName, v1alpha1.Place{}, fmt.Sprintf("the profile name %q is dropped by TuneD", name),
			nameAdvice)
	}
	if len(wanted) == 0 {
		l.note(NotFound, v1alpha1.Place{}, "no valid profile is named", "name a profile")
		return nil
	}
	if !l.profiles(wanted, nil) {
		return nil
	}
	if len(l.layers) == 0 {
		l.note(Crash, v1alpha1.Place{},
			fmt.Sprintf("none of the optional profiles %s exists, for which TuneD stops with an error",
				strings.Join(wanted, " ")), "name a profile that exists")
		return nil
	}
	m := merge(l)
	f := &Flat{Name: strings.Join(wanted, " "), Unknown: l.unknown, Main: finished(m.main.list)}
	for i, layer := range l.layers {
		f.Layers = append(f.Layers, Layer{Profile: layer.name, Place: layer.place, IncludedBy: l.by[i]})
	}
	if !l.variables(m, f) || !l.sections(m, f) {
		return nil
	}
	f.expander = l.expander
	f.expander.quiet = true
	return f
}

// finished are options whose values are not worked out any further.
func finished(list []Option) []Option {
	for i := range list {
		list[i].Value = list[i].Written
	}
	return list
}

// note makes a finding; an empty place is none.
func (l *load) note(r object.Rule, at v1alpha1.Place, what, fix string) {
	f := finding(r, at, what, fix)
	if at == (v1alpha1.Place{}) {
		f.Place = nil
	}
	l.found = append(l.found, f)
}

// profiles loads the profiles of names, what they include before them; include is
// the option that asks for them, nil for the user. It says whether all are there.
func (l *load) profiles(names []string, include *Option) bool {
	var at v1alpha1.Place
	by := ""
	if include != nil {
		at, by = include.From.Place, include.From.Profile
	}
	for _, name := range names {
		plain, optional := strings.CutPrefix(name, "-")
		layer, skipped := l.set.locate(baseName(plain), l.used)
		switch {
		case layer != nil:
			if !l.profile(layer, by) {
				return false
			}
		case skipped:
			l.note(SecondVisit, at, fmt.Sprintf("the profile %s is included already: the second time counts for nothing",
				baseName(plain)), "")
		case optional:
			l.note(NotThere, at, fmt.Sprintf("the optional profile %s doesn't exist", plain), "")
		case l.set.lenient && name != "":
		default:
			l.notFound(name, at)
			return false
		}
	}
	return true
}

func (l *load) notFound(name string, at v1alpha1.Place) {
	what, fix := fmt.Sprintf("the profile %q doesn't exist", clip(name)),
		"name a profile that exists, or write -"+name+" if it is optional"
	switch {
	case name == "":
		what, fix = "an empty name of a profile is included", "take the comma without a name away"
	case strings.Contains(name, "${"):
		what, fix = fmt.Sprintf("the include comes to %q, in which something could not be worked out", clip(name)),
			"include knows functions but no variables of the profile; describe the machine for functions that need it"
	case strings.ContainsFunc(name, isSpace):
		fix = "separate the names by commas"
	}
	l.note(NotFound, at, what, fix)
}

// profile loads one profile after what it includes.
func (l *load) profile(layer *layer, by string) bool {
	l.used[layer] = true
	l.found = append(l.found, layer.found...)
	if layer.refused {
		l.note(Unreadable, layer.place, fmt.Sprintf("the profile %s can't be parsed: nothing is loaded", layer.name),
			"correct the errors of this file")
		return false
	}
	if o := layer.include; o != nil {
		names, err := l.expand(*o, "include")
		if err != nil {
			l.refuse(*o, err)
			return false
		}
		if !l.profiles(l.included(names, o), o) {
			return false
		}
	}
	l.layers, l.by = append(l.layers, layer), append(l.by, by)
	return true
}

// expand works out a value, and notes under which name.
func (l *load) expand(o Option, what string) (string, error) {
	l.expander.at, l.expander.what = o.From.Place, what
	return l.expander.expand(o.Written)
}

// refuse notes an error for which TuneD loads nothing.
func (l *load) refuse(o Option, err error) {
	l.note(ruleOf(err), o.From.Place, fmt.Sprintf("%s %s: nothing is loaded", o.Key, err), "correct the value")
}
