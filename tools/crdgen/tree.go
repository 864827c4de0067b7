package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is a line of the data: a field with its type, or a fact about one, and the columns that have it.
type node struct {
	line    string
	columns []column
	inner   []*node
}

// child is the line below n, made when there is none, and of the column as well from now on.
func (n *node) child(line string, c column) *node {
	for _, in := range n.inner {
		if in.line == line {
			if !slices.Contains(in.columns, c) {
				in.columns = append(in.columns, c)
			}
			return in
		}
	}
	in := &node{line: line, columns: []column{c}}
	n.inner = append(n.inner, in)
	return in
}

// typed is the line of a field.
func typed(name string, schema map[string]any) string {
	if t, ok := schema["type"].(string); ok {
		return name + " " + t
	}
	return name
}

// words are the facts by the names that definitions give them; those of no effect on values have none.
var words = map[string]string{
	"nullable": "nullable", "format": "format", "enum": "enum", "minimum": "min", "maximum": "max",
	"minLength": "minLength", "maxLength": "maxLength", "minItems": "minItems", "maxItems": "maxItems",
	"minProperties": "minProperties", "maxProperties": "maxProperties", "pattern": "pattern", "required": "required",
	"default": "default", "x-kubernetes-preserve-unknown-fields": "preserve", "x-kubernetes-int-or-string": "intOrString",
	"x-kubernetes-list-type": "list", "x-kubernetes-list-map-keys": "keys",
}

// passed are names that say nothing about values, or are read elsewhere.
var passed = []string{"type", "description", "example", "title", "x-kubernetes-map-type", "externalDocs"}

// schema puts the facts of a schema below n.
func (n *node) schema(s map[string]any, c column) error {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		value := s[name]
		if word := words[name]; word != "" {
			if value == false || value == "atomic" {
				continue
			}
			n.child("="+word+" "+text(value), c)
			continue
		}
		if slices.Contains(passed, name) {
			continue
		}
		if err := n.nested(name, value, c); err != nil {
			return err
		}
	}
	return nil
}

// nested puts what holds further schemas.
func (n *node) nested(name string, value any, c column) error {
	sub := func(line string, v any) error {
		s, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no schema", name)
		}
		return n.child(typed(line, s), c).schema(s, c)
	}
	switch name {
	case "properties":
		all, _ := value.(map[string]any)
		for _, field := range slices.Sorted(maps.Keys(all)) {
			if err := sub(field, all[field]); err != nil {
				return err
			}
		}
		return nil
	case "items":
		return sub("[]", value)
	case "additionalProperties":
		if value == true {
			return nil
		}
		return sub("{}", value)
	case "anyOf", "oneOf", "allOf":
		list, _ := value.([]any)
		group := n.child("<"+name, c)
		for i, v := range list {
			s, _ := v.(map[string]any)
			if err := group.child(typed("|"+strconv.Itoa(i), s), c).schema(s, c); err != nil {
				return err
			}
		}
		return nil
	case "x-kubernetes-validations":
		list, _ := value.([]any)
		for _, v := range list {
			rule, _ := v.(map[string]any)
			said := strings.TrimSpace(fmt.Sprint(rule["rule"]))
			if strings.HasPrefix(said, "self.?status.") { // which nothing has that is created
				continue
			}
			n.child("=rule "+text(said), c)
		}
		return nil
	}
	if c.release < structural {
		return nil // the API servers of then dropped what is no part of a schema
	}
	return fmt.Errorf("%s is not known", name)
}

// structural is the first release whose definitions hold nothing but schemas.
const structural = 6

func text(v any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// sorted are the lines below, facts first.
func (n *node) sorted() []*node {
	return slices.SortedStableFunc(slices.Values(n.inner), func(a, b *node) int {
		fact := func(n *node) int { return cmp.Compare(0, len(n.line)-len(strings.TrimPrefix(n.line, "="))) }
		return cmp.Or(fact(a)-fact(b), strings.Compare(a.line, b.line))
	})
}

func (n *node) write(out *strings.Builder, depth int, parent, all []column) {
	out.WriteString(strings.Repeat("\t", depth))
	if len(n.columns) != len(parent) {
		out.WriteString("@" + span(n.columns, all) + " ")
	}
	out.WriteString(n.line + "\n")
	for _, in := range n.sorted() {
		in.write(out, depth+1, n.columns, all)
	}
}

// span writes columns: "3-8,T17-" is 4.3 to 4.8, and from 4.17 on with TechPreviewNoUpgrade. An end that is the last
// of all is left out.
func span(list, all []column) string {
	var parts []string
	for _, s := range sets {
		var of, total []int
		for _, c := range list {
			if c.set == s.letter {
				of = append(of, c.release)
			}
		}
		for _, c := range all {
			if c.set == s.letter {
				total = append(total, c.release)
			}
		}
		if all == nil {
			total = of
		}
		for i := 0; i < len(of); {
			j := i
			for j+1 < len(of) && slices.Index(total, of[j+1]) == slices.Index(total, of[j])+1 {
				j++
			}
			part := s.letter + strconv.Itoa(of[i]) + "-"
			if all == nil || of[j] != total[len(total)-1] {
				part += strconv.Itoa(of[j])
			}
			parts = append(parts, part)
			i = j + 1
		}
	}
	return strings.Join(parts, ",")
}
