// Package schema holds the JSON Schema of the scenario, for editors and CI, and
// explains the scenario's fields in words.
//
// It does not read scenarios: package source/scenario does, and it checks more
// than a schema can say. The schema is generated from the types and comments of
// package v1alpha1.
//
//	text, err := schema.Explain("hardware.nodeTypes.maxPods")
package schema

import (
	"bytes"
	_ "embed" // the generated schema
	"encoding/json"
	"fmt"
	"sync"
)

//go:generate go run ./gen

//go:embed scenario.schema.json
var scenario []byte

// Scenario returns the JSON Schema (draft 2020-12) of the scenario.
func Scenario() []byte { return bytes.Clone(scenario) }

// node is the part of a JSON Schema that the generator uses.
type node struct {
	Ref         string          `json:"$ref"`
	Defs        map[string]node `json:"$defs"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Properties  properties      `json:"properties"`
	Items       *node           `json:"items"`
	Values      json.RawMessage `json:"additionalProperties"`
	Required    []string        `json:"required"`
	Enum        []string        `json:"enum"`
	Minimum     json.Number     `json:"minimum"`
	Maximum     json.Number     `json:"maximum"`
	Default     any             `json:"default"`
	Fact        string          `json:"x-fact"`
	Platforms   []string        `json:"x-platform"`
	AnyOf       []node          `json:"anyOf"`
}

// property is a field of an object.
type property struct {
	name string
	node node
}

// properties are the fields of an object in the order of the schema.
type properties []property

// UnmarshalJSON reads an object without losing the order of its fields.
func (p *properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the opening brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		f := property{name: fmt.Sprint(name)}
		if err := d.Decode(&f.node); err != nil {
			return err
		}
		*p = append(*p, f)
	}
	return nil
}

// load reads the embedded schema.
var load = sync.OnceValue(func() node {
	var root node
	if err := json.Unmarshal(scenario, &root); err != nil {
		panic("schema: the embedded schema is broken: " + err.Error())
	}
	return root
})
