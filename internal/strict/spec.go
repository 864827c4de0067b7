package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Check is a named check of a `check` tag, for texts, for the items of a list of
// texts, or for the keys of a mapping.
type Check struct {
	// Test returns what is wrong with a text as "what (what would be right)".
	Test func(text string) error
	// Sample is a value that passes, as it is written in YAML.
	Sample string
	// Numbers says that a whole number without quotes is taken for text.
	Numbers bool
}

// field is what the tags of a struct field say.
type field struct {
	index            int
	name             string
	typ              reflect.Type
	required, output bool
	min, max         *float64
	enum             []string
	unique           string
	plain            bool // values of a mapping may be written as numbers and booleans
	check            *Check
	fallback         string // the default
	hasDefault       bool
	fact             string
	variants         []string // the platforms that have the field; none is all
}

// of says whether documents of a platform have a field of the variants; they have
// all fields when the platform is not known.
func of(platform string, variants []string) bool {
	return platform == "" || variants == nil || slices.Contains(variants, platform)
}

// spec is a struct type's fields in order and by name.
type spec struct {
	fields []*field
	byName map[string]*field
}

// names are the fields that a file of the platform may set.
func (d *Decoder) names(s *spec) []string {
	var out []string
	for _, f := range s.fields {
		if !f.output && of(d.Platform, f.variants) {
			out = append(out, f.name)
		}
	}
	return out
}

// specOf reads the tags of a struct type. A tag that it doesn't know is a
// mistake in the program, so it panics.
func (d *Decoder) specOf(t reflect.Type) *spec {
	if s, ok := d.specs[t]; ok {
		return s
	}
	s := &spec{byName: map[string]*field{}}
	for i := range t.NumField() {
		f := d.fieldOf(t, i)
		s.fields = append(s.fields, f)
		s.byName[f.name] = f
	}
	d.specs[t] = s
	return s
}

func (d *Decoder) fieldOf(t reflect.Type, i int) *field {
	sf := t.Field(i)
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	f := &field{index: i, name: name, typ: sf.Type, fact: sf.Tag.Get("fact")}
	f.fallback, f.hasDefault = sf.Tag.Lookup("default")
	if only := sf.Tag.Get("platform"); only != "" {
		f.variants = strings.Split(only, "|")
	}
	if sf.Tag.Get("check") == "" {
		return f
	}
	for _, rule := range strings.Split(sf.Tag.Get("check"), ",") {
		if err := d.rule(f, rule); err != nil {
			panic(fmt.Sprintf("strict: %s.%s: %v", t, sf.Name, err))
		}
	}
	return f
}

func (d *Decoder) rule(f *field, rule string) (err error) {
	key, value, _ := strings.Cut(rule, "=")
	switch key {
	case "required":
		f.required = true
	case "output":
		f.output = true
	case "enum":
		f.enum = strings.Split(value, "|")
	case "plain":
		f.plain = true
	case "unique":
		f.unique = value
	case "min":
		f.min, err = limitOf(value)
	case "max":
		f.max, err = limitOf(value)
	default:
		c, ok := d.checks[key]
		if !ok {
			return fmt.Errorf("unknown check %q", key)
		}
		f.check = &c
	}
	return err
}

func limitOf(text string) (*float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	return &v, err
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// isQuantity says whether values of t are read by their own UnmarshalText.
func isQuantity(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textUnmarshaler) }
