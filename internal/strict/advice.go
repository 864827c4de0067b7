package strict

import (
	"cmp"
	"reflect"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
	"plimsoll.dev/unit"
)

// quantityKind names a type that is read by its UnmarshalText.
type quantityKind struct{ name, sample string }

func quantityOf(t reflect.Type) quantityKind {
	switch t {
	case reflect.TypeFor[unit.Bytes]():
		return quantityKind{"a byte quantity", "16Gi"}
	case reflect.TypeFor[unit.CPU]():
		return quantityKind{"a CPU quantity", "500m"}
	case reflect.TypeFor[unit.BitRate]():
		return quantityKind{"a bit rate", "10G"}
	case reflect.TypeFor[unit.Duration]():
		return quantityKind{"a duration", "15d"}
	case reflect.TypeFor[unit.Factor]():
		return quantityKind{"a factor", "1.5"}
	}
	return quantityKind{"a " + strings.ToLower(t.Name()), "text"}
}

// sample is how a missing field could be written, with what is required below it.
func (d *Decoder) sample(f *field) string {
	t := f.typ
	switch {
	case len(f.enum) > 0:
		return f.name + ": " + f.enum[0]
	case f.check != nil:
		return f.name + ": " + f.check.Sample
	case isQuantity(t):
		return f.name + ": " + quantityOf(t).sample
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.name + ": " + d.sampleObject(t)
	case reflect.Slice:
		return f.name + ": [" + d.sampleObject(t.Elem()) + "]"
	case reflect.Map:
		return f.name + ", a mapping"
	case reflect.String:
		return f.name + ", a text"
	}
	return f.name + ", a number"
}

// sampleObject writes the required fields of a struct; of another type nothing.
func (d *Decoder) sampleObject(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	var parts []string
	for _, f := range d.specOf(t).fields {
		if f.required {
			name, value, _ := strings.Cut(d.sample(f), ":")
			name, _, _ = strings.Cut(name, ",")
			parts = append(parts, name+":"+cmp.Or(value, " ..."))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// unknown notes a key that the struct doesn't have, with the best guess at what
// was meant: the same field elsewhere, a similar field here, or all fields.
func (d *decoding) unknown(e yamlpos.Entry, s *spec, path string) {
	known := d.names(s)
	near, home := schema.Nearest(e.Key, known), d.elsewhere(e.Key)
	var fix string
	switch {
	case home != "" && !strings.EqualFold(near, e.Key):
		fix = "it belongs to " + home
	case near != "":
		fix = "did you mean " + near + "?"
	default:
		fix = "known are " + strings.Join(known, ", ")
	}
	what := "unknown field " + yamlpos.Quote(e.Key)
	if d.Unknown != nil {
		d.Unknown(yamlpos.Problem{File: d.tree.Name, Line: e.Line, Col: e.Col, Field: path, What: what, Fix: fix})
		return
	}
	d.bad(&yamlpos.Node{Line: e.Line, Col: e.Col}, path, what, fix)
}

// elsewhere is the section that has a field of this name; empty when none has
// or when several have.
func (d *Decoder) elsewhere(name string) string {
	var home string
	for _, p := range d.places[strings.ToLower(name)] {
		if !of(d.Platform, p.variants) {
			continue
		}
		if home != "" {
			return ""
		}
		home = "the top level of the file"
		if i := strings.LastIndexByte(p.path, '.'); i >= 0 {
			home = p.path[:i]
		}
	}
	return home
}

func listFix(n *yamlpos.Node) string {
	if n.Kind == yamlpos.Map {
		return `put "- " before the first key of each item`
	}
	return "write it as a list: [" + yamlpos.Shorten(n.Text) + "]"
}

func mappingFix(n *yamlpos.Node) string {
	switch {
	case n.Kind == yamlpos.List:
		return `write key: value, without "- "`
	case strings.Contains(n.Text, ":"):
		return "put a blank behind the colon: key: value"
	}
	return "write key: value"
}
