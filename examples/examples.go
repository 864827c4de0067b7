// Package examples tells the example scenarios from the other files that lie beside them.
//
// It does not read them: source/scenario does.
//
//	for _, file := range examples.Scenarios("../examples") { ... }
package examples

import (
	"bytes"
	"embed"
	"path"
)

//go:embed *.yaml
var files embed.FS

// Scenarios are the paths of all example scenarios, in the directory dir.
func Scenarios(dir string) []string {
	var out []string
	entries, _ := files.ReadDir(".")
	for _, e := range entries {
		if text, err := files.ReadFile(e.Name()); err == nil && bytes.Contains(text, []byte("\nkind: Scenario\n")) {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}
