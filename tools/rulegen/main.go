// Command rulegen writes the rules of packages as Go: for each rules.yaml a file
// rules_gen.go beside it, with a variable for each row and the lists of all.
//
// It judges nothing: a row's id, title, severity, values and sources are copied. A
// value of a type that is not plain is the name of one in the package.
//
//	go run ./tools/rulegen         # writes the files of the repository anew
//	go run ./tools/rulegen -check  # says which are not up to date
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/internal/generate"
)

func main() { generate.Main(run) }

// run makes the rules of all tables below the working directory.
func run() (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "rules.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var t table
		if err := yaml.UnmarshalStrict(text, &t); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		dir := filepath.Dir(path)
		made, err := t.source(filepath.Base(dir))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out[filepath.Join(dir, "rules_gen.go")] = made
		return nil
	})
	return out, err
}
