// Command gen writes ../scenario.schema.json.gz and ../healthscenario.schema.json.gz, the
// JSON Schemas of the documents that people write, from the Go types of package
// v1alpha1: their tags and their comments.
//
// It takes no arguments; "go generate ./schema" runs it.
//
//	go generate ./schema
package main

import "plimsoll.dev/internal/generate"

func main() { generate.Main(run) }

// run is started in the directory of package schema.
func run() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, d := range documents {
		text, err := d.schema("plimsoll.dev/schema", "../api/v1alpha1")
		if err != nil {
			return nil, err
		}
		files[d.file+".gz"] = text
	}
	return files, nil
}
