// Command gen writes ../scenario.schema.json and ../healthscenario.schema.json, the
// JSON Schemas of the documents that people write, from the Go types of package
// v1alpha1: their tags and their comments.
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
	for _, d := range documents {
		text, err := d.schema("plimsoll.dev/schema", "../api/v1alpha1")
		if err != nil {
			return err
		}
		if err := os.WriteFile(d.file, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
