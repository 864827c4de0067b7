package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Field is what the schema says about one field of the scenario.
type Field struct {
	// Path of the field without indices: hardware.nodeTypes.maxPods. The root's
	// is empty.
	Path string
	// Type in words: "text", "whole number", "list of objects".
	Type string
	// Required fields must be there.
	Required bool
	// Description in whole sentences.
	Description string
	// Default as it would be written, and the Fact that it comes from. Both may
	// be empty.
	Default, Fact string
	// Platforms that have the field; none is all.
	Platforms []string
	// Allowed are the values or the range, in words; empty for no limit.
	Allowed string
	// Fields of an object or of the objects of a list, in order.
	Fields []Field
}

// Lookup finds the field at path. Indices such as [0] or [*], and a key of a
// mapping at the end, are ignored; the empty path is the whole scenario, and one that
// begins with Health is of the health scenario. The error names the nearest field.
func Lookup(path string) (Field, error) {
	n, at, required := load(), "", false
	var platforms []string
	parts := split(path)
	if len(parts) > 0 && strings.EqualFold(parts[0], Health) {
		n, at, parts = n.Defs[Health], Health, parts[1:]
	}
	for i, part := range parts {
		object := n.object()
		if len(object.Properties) == 0 && i > 0 && n.isMapping() && i == len(parts)-1 {
			break // a key of a mapping
		}
		p, ok := object.property(part)
		if !ok {
			return Field{}, object.unknown(part, at)
		}
		n, required = p.node, slices.Contains(object.Required, p.name)
		if n.Platforms != nil {
			platforms = n.Platforms
		}
		at = strings.TrimPrefix(at+"."+p.name, ".")
	}
	f := n.field(at, required)
	f.Platforms = platforms
	for _, p := range n.object().Properties {
		f.Fields = append(f.Fields, p.node.field(strings.TrimPrefix(at+"."+p.name, "."),
			slices.Contains(n.object().Required, p.name)))
	}
	return f, nil
}

var index = regexp.MustCompile(`\[[^\]]*\]`)

// split cuts a path into names; "scenario" in front is the document itself. A
// key of a mapping may hold dots, so what follows a mapping is one part.
func split(path string) []string {
	path = strings.Trim(index.ReplaceAllString(path, ""), ".")
	if head, rest, _ := strings.Cut(path, "."); strings.EqualFold(head, "scenario") {
		path = rest
	}
	if path == "" {
		return nil
	}
	parts := strings.Split(path, ".")
	for n, i := load(), 0; i < len(parts); i++ {
		p, ok := n.object().property(parts[i])
		if !ok {
			break
		}
		n = p.node
		if n.isMapping() && i+2 < len(parts) {
			return append(parts[:i+1:i+1], strings.Join(parts[i+1:], "."))
		}
	}
	return parts
}

// field describes n, without the fields below it.
func (n node) field(path string, required bool) Field {
	return Field{Path: path, Type: n.typeName(), Required: required, Description: n.Description,
		Default: n.defaultText(), Fact: n.Fact, Allowed: n.allowed(), Platforms: n.Platforms}
}

// object is the object that n is, refers to, or is a list of.
func (n node) object() node {
	switch {
	case n.Ref != "":
		return load().Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	case n.Items != nil:
		return n.Items.object()
	}
	return n
}

func (n node) property(name string) (property, bool) {
	i := slices.IndexFunc(n.Properties, func(p property) bool { return strings.EqualFold(p.name, name) })
	if i < 0 {
		return property{}, false
	}
	return n.Properties[i], true
}

func (n node) unknown(name, at string) error {
	where := "the scenario"
	if at != "" {
		where = at
	}
	known := make([]string, len(n.Properties))
	for i, p := range n.Properties {
		known[i] = p.name
	}
	switch near := Nearest(name, known); {
	case len(known) == 0:
		return fmt.Errorf("%s has no fields, so no %q", where, name)
	case near != "":
		return fmt.Errorf("%s has no field %q (did you mean %s?)", where, name, near)
	}
	return fmt.Errorf("%s has no field %q (its fields are %s)", where, name, strings.Join(known, ", "))
}

func (n node) isMapping() bool { return n.Type == "object" && len(n.Properties) == 0 }

func (n node) allowed() string {
	limits := n
	if n.Items != nil {
		limits = *n.Items
	}
	switch low, high := limits.Minimum, limits.Maximum; {
	case len(limits.Enum) > 0:
		return strings.Join(limits.Enum, ", ")
	case low != "" && high != "":
		return string(low) + " to " + string(high)
	case low != "":
		return "at least " + string(low)
	case high != "":
		return "at most " + string(high)
	}
	return ""
}

func (n node) defaultText() string {
	switch d := n.Default.(type) {
	case nil:
		return ""
	case []any:
		return strings.Trim(fmt.Sprint(d...), "[]")
	default:
		return fmt.Sprint(d)
	}
}

// names of the types that are written as text or as a number.
var quantityNames = map[string]string{
	"Bytes": "byte quantity (16Gi, 500M)", "CPU": "CPU quantity (2, 500m)", "BitRate": "bit rate (10G)",
	"Duration": "duration (15d, 1h30m)", "Factor": "factor (1.5, 30%)",
}

func (n node) typeName() string {
	switch {
	case n.Ref != "":
		if name, ok := quantityNames[strings.TrimPrefix(n.Ref, "#/$defs/")]; ok {
			return name
		}
		return "object"
	case n.Items != nil:
		return "list of " + plural(n.Items.typeName())
	case n.isMapping():
		return "mapping of names to " + plural(n.values().typeName())
	case len(n.AnyOf) > 2: // text that need not be quoted
		return "text"
	case len(n.AnyOf) > 0:
		return "whole number or text"
	}
	return map[string]string{"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false",
		"object": "object"}[n.Type]
}

// plural is the plural of a type's name, with the example dropped.
func plural(name string) string {
	name, _, _ = strings.Cut(name, " (")
	if rest, ok := strings.CutPrefix(name, "list of "); ok {
		return "lists of " + rest
	}
	if strings.HasSuffix(name, "y") {
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
