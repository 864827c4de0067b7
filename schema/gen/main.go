// Command gen writes ../scenario.schema.json, the JSON Schema of the Scenario,
// from the Go types of package v1alpha1: their tags and their comments.
//
// It takes no arguments; "go generate ./schema" runs it.
//
//	go generate ./schema
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run is started in the directory of package schema.
func run() error {
	text, err := scenarioSchema("plimsoll.dev/schema", "../api/v1alpha1")
	if err != nil {
		return err
	}
	return os.WriteFile("scenario.schema.json", text, 0o644)
}
