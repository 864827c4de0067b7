// Package schema holds the JSON Schemas of the scenario and of the health scenario,
// for editors and CI, and explains their fields in words.
//
// It reads neither: packages source/scenario and tune/health do, and they check more
// than a schema can say. The schemas are generated from the types and comments of
// package v1alpha1.
//
//	text, err := schema.Explain("hardware.nodeTypes.maxPods")
package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the generated schema
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"
)

//go:generate go run ./gen

//go:embed scenario.schema.json.gz
var scenario []byte

//go:embed healthscenario.schema.json.gz
var healthScenario []byte

// Scenario returns the JSON Schema (draft 2020-12) of the scenario.
func Scenario() []byte { return unpacked(scenario) }

// HealthScenario returns the JSON Schema (draft 2020-12) of the health scenario.
func HealthScenario() []byte { return unpacked(healthScenario) }

// unpacked is a schema as text: few runs read one, and all would carry it.
func unpacked(packed []byte) []byte {
	var text []byte
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		text, err = io.ReadAll(zip)
	}
	if err != nil {
		panic("schema: an embedded schema is broken: " + err.Error())
	}
	return text
}

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

// Health is the name of the health scenario in front of a path.
const Health = "HealthScenario"

// load reads the embedded schemas: the health scenario and what it holds are among the
// definitions of the scenario, whose names are others.
var load = sync.OnceValue(func() node {
	root, health := parsed(Scenario()), parsed(HealthScenario())
	maps.Copy(root.Defs, health.Defs)
	root.Defs[Health] = health
	return root
})

func parsed(text []byte) node {
	var n node
	if err := json.Unmarshal(text, &n); err != nil {
		panic("schema: an embedded schema is broken: " + err.Error())
	}
	return n
}
