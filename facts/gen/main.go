// Command gen writes facts/catalogue.json from facts/data/*.yaml. Run it in
// the facts directory by "go generate ./facts".
//
// It is not part of the program: the program embeds what gen wrote.
//
//	go generate ./facts
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/generate"
)

func main() { generate.Main(run) }

// run makes the catalogue of data/*.yaml.
func run() (map[string][]byte, error) {
	paths, err := filepath.Glob("data/*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var files []facts.File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var f facts.File
		if err := yaml.UnmarshalStrict(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, f)
	}
	list, errs := facts.Flatten(files)
	if len(errs) > 0 {
		for _, e := range errs {
			fmt.Fprintln(os.Stderr, e)
		}
		return nil, fmt.Errorf("%d problems in %d files", len(errs), len(files))
	}
	out, err := facts.Encode(list)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"catalogue.json": out}, nil
}
