package kubeletconfig

import (
	"encoding/json"

	"plimsoll.dev/release"
)

// Written is what a Go program that was built with the types of the configuration writes of fields: with the structs
// and durations that nobody set. Fields that there are not are left out; a problem says of each, and of each value of
// the wrong type. It changes with these types alone: lacks says of a path that they don't have it yet.
func Written(fields map[string]any, r release.Release, lacks func(path string) bool) (map[string]any, []Problem) {
	var problems []Problem
	t := schemaOf(r)
	tree := decoder{note: func(p Problem) { problems = append(problems, p) }}.decode(t, "", fields, zero(t))
	var out map[string]any
	if err := json.Unmarshal(appendValue(nil, lacking(t, "", lacks), tree), &out); err != nil {
		panic(err) // it is JSON: it was written a line above
	}
	return out, problems
}

// lacking is a type without some fields of its structs.
func lacking(t *typ, path string, lacks func(string) bool) *typ {
	out := &typ{kind: t.kind, elem: t.elem}
	if t.kind != "struct" {
		return t
	}
	for _, f := range t.fields {
		if at := join(path, f.name); !lacks(at) {
			out.fields = append(out.fields, field{f.name, lacking(f.typ, at, lacks), f.omit})
		}
	}
	return out
}
