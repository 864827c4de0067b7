package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/invopop/jsonschema"
)

// annotator writes what the tags say into the schema.
type annotator struct {
	root *jsonschema.Schema
	done map[reflect.Type]bool
}

// structure annotates the schema of a struct type and of those below it.
func (a annotator) structure(t reflect.Type, s *jsonschema.Schema) error {
	if a.done[t] {
		return nil
	}
	a.done[t] = true
	s.Required = nil
	for i := range t.NumField() {
		if err := a.field(t.Field(i), s); err != nil {
			return fmt.Errorf("%s.%s: %w", t, t.Field(i).Name, err)
		}
	}
	return nil
}

func (a annotator) field(f reflect.StructField, parent *jsonschema.Schema) error {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if f.Tag.Get("check") == "output" {
		a.remove(name, f.Type, parent)
		return nil
	}
	p, ok := parent.Properties.Get(name)
	if !ok {
		return fmt.Errorf("the schema has no property %q", name)
	}
	p.Description = describe(p.Description, f.Name, name)
	p.Extras = extras(f.Tag)
	if text, ok := f.Tag.Lookup("default"); ok {
		p.Default = typed(text, f.Type)
	}
	if f.Type.Kind() == reflect.Interface {
		p.AnyOf = []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}
	}
	if checks := f.Tag.Get("check"); checks != "" {
		for _, rule := range strings.Split(checks, ",") {
			a.rule(rule, name, f.Type, p, parent)
		}
	}
	return a.below(f.Type)
}

// extras are the fact of a field's default, and the platforms that have the field.
func extras(tag reflect.StructTag) map[string]any {
	out := map[string]any{}
	if fact := tag.Get("fact"); fact != "" {
		out["x-fact"] = fact
	}
	if platform := tag.Get("platform"); platform != "" {
		out["x-platform"] = strings.Split(platform, "|")
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// remove takes out a field that no scenario sets, with the type that it alone has.
func (a annotator) remove(name string, t reflect.Type, parent *jsonschema.Schema) {
	parent.Properties.Delete(name)
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		delete(a.root.Definitions, t.Elem().Name())
	}
}

// below annotates the struct type that a field holds, if it does.
func (a annotator) below(t reflect.Type) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	d, err := a.definition(t)
	if err != nil {
		return err
	}
	return a.structure(t, d)
}

func (a annotator) rule(rule, name string, t reflect.Type, p, parent *jsonschema.Schema) {
	key, value, _ := strings.Cut(rule, "=")
	switch key {
	case "required":
		parent.Required = append(parent.Required, name)
		notEmpty(t, p)
	case "enum":
		for _, v := range strings.Split(value, "|") {
			item(t, p).Enum = append(item(t, p).Enum, v)
		}
	case "min":
		if !isTextual(t) {
			item(t, p).Minimum = json.Number(value)
		}
	case "max":
		if !isTextual(t) {
			item(t, p).Maximum = json.Number(value)
		}
	case "plain":
		p.AdditionalProperties = &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}},
		}
	case "framesize":
		p.Type = ""
		p.AnyOf = []*jsonschema.Schema{{Type: "integer", Minimum: "64", Maximum: "65535"},
			{Type: "string", Pattern: `^(imix|[0-9]+)$`}}
	case "kubernetes":
		p.Pattern = `^1\.[0-9]{1,3}$`
	case "cpuset":
		p.Type = ""
		p.AnyOf = []*jsonschema.Schema{{Type: "integer", Minimum: "0"},
			{Type: "string", Pattern: `^ *[0-9]+(-[0-9]+)? *(, *[0-9]+(-[0-9]+)? *)*$`}}
	case "topology":
		p.Pattern = `^ *[0-9]+ *[a-zA-Z ]+`
	case "name":
		p.Pattern = `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	case "release":
		p.Pattern = `^[0-9]+\.[0-9]+(\.[0-9]+)?$`
	case "cidr":
		item(t, p).Pattern = `^[0-9a-fA-F.:]+/[0-9]{1,3}$`
	case "hugepages":
		p.PropertyNames = &jsonschema.Schema{Pattern: `^[0-9]+[KMG]i$`}
	case "intorpercent":
		p.Type = ""
		p.AnyOf = []*jsonschema.Schema{{Type: "integer", Minimum: "1"}, {Type: "string", Pattern: `^[0-9]+%?$`}}
	case "podsorpercent":
		p.Type = ""
		p.AnyOf = []*jsonschema.Schema{{Type: "integer", Minimum: "0"}, {Type: "string", Pattern: `^[0-9]+%?$`}}
	}
}

// item is the schema that a rule of a list or a mapping is meant for; of a
// mapping of lists it is that of their items.
func item(t reflect.Type, p *jsonschema.Schema) *jsonschema.Schema {
	switch {
	case t.Kind() == reflect.Slice:
		return item(t.Elem(), p.Items)
	case t.Kind() == reflect.Map:
		return item(t.Elem(), p.AdditionalProperties)
	}
	return p
}

// isTextual says whether values are always texts, so that limits can't be
// stated in a schema.
func isTextual(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	q, ok := quantities[t]
	return ok && !q.plain
}

func notEmpty(t reflect.Type, p *jsonschema.Schema) {
	one := uint64(1)
	switch t.Kind() {
	case reflect.Slice:
		p.MinItems = &one
	case reflect.Map:
		p.MinProperties = &one
	case reflect.String:
		p.MinLength = &one
	}
}

// typed is a default as a JSON value.
func typed(text string, t reflect.Type) any {
	if t.Kind() == reflect.Slice {
		return []any{text}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return json.Number(text)
	}
	return text
}

// describe makes one paragraph of a comment and calls the field by the name
// that it has in the file, unless the name is just a word.
func describe(comment, goName, name string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if rest, ok := strings.CutPrefix(text, goName+" "); ok && strings.ContainsFunc(name, unicode.IsUpper) {
		return name + " " + rest
	}
	return text
}
