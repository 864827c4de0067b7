// Command gen writes ../scenario.schema.json, the JSON Schema of the Scenario,
// from the Go types of package v1alpha1: their tags and their comments.
//
// It takes no arguments; "go generate ./schema" runs it.
//
//	go generate ./schema
package main

import "plimsoll.dev/internal/generate"

func main() { generate.Main(run) }

// run is started in the directory of package schema.
func run() (map[string][]byte, error) {
	text, err := scenarioSchema("plimsoll.dev/schema", "../api/v1alpha1")
	return map[string][]byte{"scenario.schema.json": text}, err
}
