package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// document is one that people write.
type document struct {
	file, title string
	typ         any
}

var documents = []document{
	{"scenario.schema.json", "Plimsoll scenario", v1alpha1.Scenario{}},
	{"healthscenario.schema.json", "Plimsoll health scenario", v1alpha1.HealthScenario{}},
}

// quantity is a type that is written as text or as a number.
type quantity struct {
	description, pattern string
	plain                bool // a bare number is allowed
}

const decimal = `[0-9]+(\.[0-9]*)?|\.[0-9]+`

var quantities = map[reflect.Type]quantity{
	reflect.TypeFor[unit.Bytes](): {"an amount of bytes, such as 16Gi, 500M or 1T",
		`^\+?(` + decimal + `)([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,2})?$`, true},
	reflect.TypeFor[unit.CPU](): {"an amount of processor time in cores, such as 2, 0.5 or 500m",
		`^\+?(` + decimal + `)([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,2})?$`, true},
	reflect.TypeFor[unit.BitRate](): {"a network speed in bit/s, such as 10G or 100M",
		`^\+?(` + decimal + `)([kMGTPE]|[eE][0-9]{1,2})?( *bit/s)?$`, true},
	reflect.TypeFor[unit.Duration](): {"a time, such as 15d, 12h, 300s or 1h30m", `^([0-9]+[smhdwy])+$`, false},
	reflect.TypeFor[unit.Factor](): {"a factor or a share, such as 1.375 or 30%",
		`^ *\+?(` + decimal + `)([eE][-+]?[0-9]+)? *%? *$`, true},
}

// schema makes the schema. dir holds the source of package v1alpha1; base is the
// import path of the directory that dir is relative to.
func (d document) schema(base, dir string) ([]byte, error) {
	r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: quantityRef}
	if err := r.AddGoComments(base, dir, jsonschema.WithFullComment()); err != nil {
		return nil, err
	}
	t := reflect.TypeOf(d.typ)
	root := r.Reflect(d.typ)
	root.ID = jsonschema.ID("https://plimsoll.dev/schema/v1alpha1/" + d.file)
	root.Title = d.title
	root.Description = r.CommentMap["plimsoll.dev/api/v1alpha1."+t.Name()]
	for t, q := range quantities {
		root.Definitions[t.Name()] = q.schema()
	}
	a := annotator{root: root, done: map[reflect.Type]bool{}}
	if err := a.structure(t, root); err != nil {
		return nil, err
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// quantityRef refers to the definition of a quantity.
func quantityRef(t reflect.Type) *jsonschema.Schema {
	if _, ok := quantities[t]; !ok {
		return nil
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
}

func (q quantity) schema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string", Pattern: q.pattern}
	if !q.plain {
		text.Description = q.description
		return text
	}
	return &jsonschema.Schema{Description: q.description, AnyOf: []*jsonschema.Schema{
		{Type: "number", Minimum: "0"}, text,
	}}
}

// definition is the schema of a struct type below the root.
func (a annotator) definition(t reflect.Type) (*jsonschema.Schema, error) {
	d, ok := a.root.Definitions[t.Name()]
	if !ok {
		return nil, fmt.Errorf("no definition of %s", t)
	}
	return d, nil
}
