package kubeletconfig

import (
	"maps"
	"slices"

	"plimsoll.dev/release"
)

// Conf is a kubelet.conf of a release. The zero Conf is no use: see Base.
type Conf struct {
	release release.Release
	tree    map[string]any
}

// Release is the release of the configuration.
func (c Conf) Release() release.Release { return c.release }

// Merge puts the kubeletConfig of a KubeletConfig over a configuration, as the
// operator of the configuration's release does: what is not zero overrides, field by
// field; lists are replaced, mappings merged key by key. Problems tell what the
// operator refuses (errors: the configuration then stays as it is), what it drops
// and what has no effect. Paths are those within kubeletConfig.
func Merge(base Conf, part map[string]any) (Conf, []Problem) {
	r := newReading(base.release, part)
	if refused(r.problems) {
		return base, r.problems
	}
	return r.over(base), r.problems
}

// reading is the kubeletConfig of a KubeletConfig: as it was written, as it was
// read, and what was noted on the way.
type reading struct {
	raw, from map[string]any
	problems  []Problem
}

func newReading(of release.Release, part map[string]any) *reading {
	r := &reading{raw: part}
	schema := schemaOf(of)
	d := decoder{r.note, textFromNumber.In(of)}
	r.from = d.decode(schema, "", part, zero(schema)).(map[string]any)
	return r
}

func (r *reading) note(p Problem) { r.problems = append(r.problems, p) }

// over merges what was read over a configuration, and notes what has no effect.
func (r *reading) over(base Conf) Conf {
	schema := schemaOf(base.release)
	m := merger{zeroBehindPointer.In(base.release)}
	out := Conf{base.release, m.merge(schema, base.tree, r.from).(map[string]any)}
	l := ignoredFinder{r.note}
	l.walk(schema, "", r.raw, r.from, out.tree)
	return out
}

// merger overrides values by those that are not empty.
type merger struct {
	// pointers says that a value behind a pointer overrides even if it is empty.
	pointers bool
}

// merge returns into with what from has. It changes neither.
func (m merger) merge(t *typ, into, from any) any {
	switch t.kind {
	case "struct":
		return m.fields(t, into.(map[string]any), from.(map[string]any))
	case "map":
		return m.keys(into, from)
	case "*":
		switch {
		case from == nil:
			return into
		case into == nil || m.pointers:
			return from
		}
		return m.merge(t.elem, into, from)
	case "quantity":
		return into // its number is hidden from the library that merges
	case "timeOrDuration":
		a, b := into.(flush), from.(flush)
		if b.d != 0 {
			a.d = b.d
		}
		return flush{a.d, a.text || b.text}
	}
	if empty(from) {
		return into
	}
	return from
}

func (m merger) fields(t *typ, into, from map[string]any) any {
	out := make(map[string]any, len(t.fields))
	for _, f := range t.fields {
		out[f.name] = m.merge(f.typ, into[f.name], from[f.name])
	}
	return out
}

// keys adds and replaces the keys of a mapping, empty values too.
func (m merger) keys(into, from any) any {
	if from == nil {
		return into
	}
	out := map[string]any{}
	if had, ok := into.(map[string]any); ok {
		maps.Copy(out, had)
	}
	for key, v := range from.(map[string]any) {
		if v == nil && m.pointers { // a list that is null: the old library passes over it
			continue
		}
		out[key] = v
	}
	return out
}

// ignoredFinder finds the values of a KubeletConfig that are not in the merged
// configuration.
type ignoredFinder struct{ note func(Problem) }

// walk compares what was written with what came out. Lists and single values are
// compared whole.
func (l ignoredFinder) walk(t *typ, path string, raw, from, got any) {
	for t.kind == "*" && from != nil {
		t = t.elem
	}
	items, isMap := raw.(map[string]any)
	if isMap && t.kind == "struct" && got != nil {
		for _, key := range slices.Sorted(maps.Keys(items)) {
			if f, _ := t.find(key); f != nil {
				l.walk(f.typ, join(path, key), items[key], from.(map[string]any)[f.name], got.(map[string]any)[f.name])
			}
		}
		return
	}
	if raw == nil || isMap && t.kind == "map" && len(items) > 0 || same(t, from, got) {
		return
	}
	l.note(ignored(t, path, raw, got))
}
