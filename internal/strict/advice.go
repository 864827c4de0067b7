package strict

import (
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

// sample is a value that a missing field could have.
func sample(f *field) string {
	t := f.typ
	switch {
	case len(f.enum) > 0:
		return f.enum[0]
	case f.check != nil:
		return f.check.Sample
	case isQuantity(t):
		return quantityOf(t).sample
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "with its fields"
	case reflect.Slice:
		return "with a list"
	case reflect.String:
		return "with a text"
	}
	return "with a number"
}

// unknown notes a key that the struct doesn't have, with the best guess at what
// was meant: a similar field here, the same field elsewhere, or all fields.
func (d *decoding) unknown(e yamlpos.Entry, s *spec, path string) {
	known := s.names()
	var fix string
	if near := schema.Nearest(e.Key, known); near != "" {
		fix = "did you mean " + near + "?"
	} else if home := d.elsewhere(e.Key); home != "" {
		fix = "it belongs to " + home
	} else {
		fix = "known are " + strings.Join(known, ", ")
	}
	at := &yamlpos.Node{Line: e.Line, Col: e.Col}
	d.bad(at, path, "unknown field "+yamlpos.Quote(e.Key), fix)
}

// elsewhere is the section that has a field of this name; empty when none has
// or when several have.
func (d *Decoder) elsewhere(name string) string {
	places := d.places[strings.ToLower(name)]
	if len(places) != 1 {
		return ""
	}
	i := strings.LastIndexByte(places[0], '.')
	if i < 0 {
		return "the top level of the file"
	}
	return places[0][:i]
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
