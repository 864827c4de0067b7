package kubeletconfig

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"k8s.io/apimachinery/pkg/api/resource"

	"plimsoll.dev/internal/yamlout"
)

// Text is the file as the operator writes it: JSON of two blanks' indentation up
// to 4.5, YAML today.
func (c Conf) Text() string {
	compact := appendValue(nil, schemaOf(c.release), c.tree)
	if confIsYAML.In(c.release) {
		text, err := yamlout.FromJSON(compact)
		if err != nil {
			panic(err) // it is JSON: it was written a line above
		}
		return string(text)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		panic(err)
	}
	return out.String() + "\n"
}

// Diff is the unified difference to another configuration of the same release, empty
// if there is none.
func (c Conf) Diff(before Conf) string {
	text := diff.Diff("kubelet.conf of the template", []byte(before.Text()), "kubelet.conf", []byte(c.Text()))
	_, text, _ = bytes.Cut(text, []byte("\n")) // the first line names both files once more
	return string(text)
}

// Get is the value of a field, such as "maxPods" or "systemReserved.cpu", as JSON
// has it: string, bool, int64, float64, []any, map[string]any; nil when the file
// doesn't have it.
func (c Conf) Get(path string) any {
	var v any = c.tree
	t := schemaOf(c.release)
	for part := range strings.SplitSeq(path, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[part]
		if t.kind == "struct" {
			f, _ := t.find(part)
			if f == nil || f.omit && omitted(f.typ, v) {
				return nil
			}
			t = f.typ
		} else {
			t = t.elem
		}
		for t.kind == "*" {
			t = t.elem
		}
	}
	return plain(v)
}

// plain is a value as JSON has it.
func plain(v any) any {
	switch v := v.(type) {
	case time.Duration:
		return v.String()
	case resource.Quantity:
		return v.String()
	case flush:
		return int64(v.d)
	}
	return v
}

// int is the value of a number, 0 when there is none.
func (c Conf) int(path string) int64 {
	n, _ := c.Get(path).(int64)
	return n
}

// text is the value of a text, empty when there is none.
func (c Conf) text(path string) string {
	s, _ := c.Get(path).(string)
	return s
}

// appendValue writes a value as JSON, structs in the order of their fields.
func appendValue(b []byte, t *typ, v any) []byte {
	if v == nil {
		return append(b, "null"...)
	}
	switch t.kind {
	case "*":
		return appendValue(b, t.elem, v)
	case "struct":
		return appendStruct(b, t, v.(map[string]any))
	case "map":
		m := v.(map[string]any)
		return appendMembers(b, slices.Sorted(maps.Keys(m)),
			func(b []byte, key string) []byte { return appendValue(b, t.elem, m[key]) })
	case "[]":
		b = append(b, '[')
		for i, item := range v.([]any) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, t.elem, item)
		}
		return append(b, ']')
	case "timeOrDuration":
		if f := v.(flush); f.text {
			v = f.d
		}
	}
	text, err := json.Marshal(plain(v))
	if err != nil {
		panic(err) // texts, numbers and truth values can be written
	}
	return append(b, text...)
}

func appendStruct(b []byte, t *typ, v map[string]any) []byte {
	var names []string
	types := map[string]*typ{}
	for _, f := range t.fields {
		if !f.omit || !omitted(f.typ, v[f.name]) {
			names, types[f.name] = append(names, f.name), f.typ
		}
	}
	return appendMembers(b, names, func(b []byte, name string) []byte { return appendValue(b, types[name], v[name]) })
}

func appendMembers(b []byte, names []string, value func([]byte, string) []byte) []byte {
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		key, _ := json.Marshal(name)
		b = append(append(b, key...), ':')
		b = value(b, name)
	}
	return append(b, '}')
}

// omitted says whether JSON leaves a value out: structs never, durations neither.
func omitted(t *typ, v any) bool {
	switch t.kind {
	case "struct", "duration", "quantity", "timeOrDuration":
		return false
	case "*":
		return v == nil
	}
	return empty(v)
}

// same says whether two values of a type are equal; what is not set equals what is
// empty.
func same(t *typ, a, b any) bool {
	if empty(a) && empty(b) && t.kind != "*" {
		return true
	}
	if t.kind == "quantity" {
		return plain(a) == plain(b)
	}
	return reflect.DeepEqual(a, b)
}
