package profile

import (
	"strings"

	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/tuned"
)

// includes are the names of the profiles that a text includes, in their order.
// Names that functions make can't be told and are left out.
func includes(text string) []string {
	file, _ := tuned.Parse(tuned.Source{Body: text})
	var out []string
	for _, s := range file.Sections {
		for _, o := range s.Options {
			if s.Name != "main" || o.Key != "include" {
				continue
			}
			for _, name := range strings.FieldsFunc(o.Value, func(c rune) bool { return c == ',' || c == ';' }) {
				name = strings.TrimPrefix(strings.TrimSpace(name), "-")
				if name != "" && !strings.Contains(name, "${") {
					out = append(out, name)
				}
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
