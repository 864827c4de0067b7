package crd

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/release"
	near "plimsoll.dev/schema"
)

// prepare makes of a value what the API server judges: without unknown fields, which are told, and without fields that
// are null; with the defaults of what is missing. keep leaves unknown fields in.
func (v *validator) prepare(n *yamlpos.Node, s *schema, path string, keep bool) *yamlpos.Node {
	out := *n
	switch {
	case n.Kind == yamlpos.List && s.Items != nil:
		out.Items = make([]*yamlpos.Node, len(n.Items))
		for i, item := range n.Items {
			out.Items[i] = v.prepare(item, s.Items, path+"["+strconv.Itoa(i)+"]", keep)
		}
	case n.Kind == yamlpos.Map && (s.Type == "object" || s.Type == ""):
		out.Entries = v.entries(n, s, path, keep)
		for _, f := range s.Fields {
			if f.Default != nil && out.Entry(f.name) == nil {
				d := nodeOf(f.Default, n)
				out.Entries = append(out.Entries, yamlpos.Entry{Key: f.name, Line: n.Line, Col: n.Col,
					Value: v.prepare(d, f.schema, join(path, f.name), keep)})
			}
		}
	}
	return &out
}

// mostUnknown are as many unknown fields of one mapping as are told one by one.
const mostUnknown = 20

// entries are the fields that stay, prepared.
func (v *validator) entries(n *yamlpos.Node, s *schema, path string, keep bool) (out []yamlpos.Entry) {
	seen, strange := map[string]bool{}, 0
	for _, e := range n.Entries {
		if seen[e.Key] {
			continue // a merged key that stands there itself
		}
		if stays := v.entry(&e, s, path, keep, &strange); stays {
			seen[e.Key] = true
			out = append(out, e)
		}
	}
	if more := strange - mostUnknown; more > 0 {
		v.bad(unknownField, n, path, fmt.Sprintf("%s more are no fields of %s: %s", words.Count(more, "field", "fields"),
			shown(path), v.drops()), "remove them")
	}
	return out
}

// entry prepares a field, and says whether it stays; strange counts those that the kind does not have.
func (v *validator) entry(e *yamlpos.Entry, s *schema, path string, keep bool, strange *int) bool {
	f, at := s.field(e.Key), join(path, e.Key)
	if f == nil {
		f = s.Values
	}
	if f == nil {
		if keep || s.Preserve {
			return true
		}
		if e.Value.Kind != yamlpos.Null {
			if *strange++; *strange <= mostUnknown {
				v.unknown(e, s, path)
			}
		}
		return false
	}
	if e.Value.Kind == yamlpos.Null && !f.Nullable {
		return false
	}
	e.Value = v.prepare(e.Value, f, at, keep)
	return true
}

// unknown tells of a field that the API server drops.
func (v *validator) unknown(e *yamlpos.Entry, s *schema, path string) {
	at := join(path, e.Key)
	where := "no field of " + path
	if path == "" {
		where = "no field of a " + v.kind.name
	}
	if since := v.kind.elsewhere(at, v.release); since != "" {
		v.bad(otherRelease, &yamlpos.Node{Line: e.Line, Col: e.Col}, at, fmt.Sprintf("%s is a field %s: %s",
			yamlpos.Shorten(e.Key), since, v.drops()), "remove it")
		return
	}
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.name)
	}
	fix := "known are " + strings.Join(names, ", ")
	if n := near.Nearest(e.Key, names); n != "" {
		fix = "did you mean " + n + "?"
	} else if len(names) == 0 {
		fix = "remove it"
	}
	v.bad(unknownField, &yamlpos.Node{Line: e.Line, Col: e.Col}, at,
		fmt.Sprintf("%s is %s: %s", yamlpos.Shorten(e.Key), where, v.drops()), fix)
}

func (v *validator) drops() string { return "the API server of " + v.release.OpenShift() + " drops it" }

// elsewhere says in which releases the kind has a field, "" when in none.
func (k *kind) elsewhere(path string, r release.Release) string {
	first, last := 0, 0
	for c := k.columns[0].since; c <= k.columns[0].last; c++ {
		if k.schemas(column{"", c}).at(path) != nil {
			if first == 0 {
				first = c
			}
			last = c
		}
	}
	switch {
	case first == 0:
		return ""
	case first > int(r.Minor()):
		return fmt.Sprintf("since 4.%d", first)
	}
	return fmt.Sprintf("until 4.%d", last)
}

// at is the schema of the field at a path, nil when there is none.
func (s *schema) at(path string) *schema {
	for part := range strings.SplitSeq(path, ".") {
		name, _, _ := strings.Cut(part, "[")
		s = s.field(name)
		for range strings.Count(part, "[") {
			if s != nil {
				s = s.Items
			}
		}
		if s == nil {
			return nil
		}
	}
	return s
}

// nodeOf is a default as a node, which stands where the value does that it is a field of.
func nodeOf(value any, place *yamlpos.Node) *yamlpos.Node {
	n := &yamlpos.Node{Line: place.Line, Col: place.Col}
	switch d := value.(type) {
	case string:
		n.Kind, n.Text = yamlpos.Text, d
	case bool:
		n.Kind, n.Text = yamlpos.Bool, strconv.FormatBool(d)
	case float64:
		n.Kind, n.Text = yamlpos.Int, strconv.FormatFloat(d, 'f', -1, 64)
	case []any:
		n.Kind = yamlpos.List
		for _, item := range d {
			n.Items = append(n.Items, nodeOf(item, place))
		}
	case map[string]any:
		n.Kind = yamlpos.Map
		for key, item := range d {
			n.Entries = append(n.Entries, yamlpos.Entry{Key: key, Line: n.Line, Col: n.Col, Value: nodeOf(item, place)})
		}
	}
	return n
}
