// Command pages writes the pages that test/browser looks at: those of the examples,
// made by the program itself, and those of the samples in the tests of report. A file that would
// not change is not touched.
//
// It judges no page; the browser does.
//
//	go run ./tools/pages -o test/browser/pages
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/cli"
	example "plimsoll.dev/examples"
	"plimsoll.dev/internal/generate"
)

func main() { generate.Main(run) }

// run is started in the root of the repository.
func run() (map[string][]byte, error) {
	pages := map[string][]byte{}
	if err := errors.Join(reports(pages), examples(pages)); err != nil {
		return nil, err
	}
	files := map[string][]byte{"index.txt": []byte(strings.Join(slices.Sorted(maps.Keys(pages)), "\n") + "\n")}
	for name, html := range pages {
		files[name+".html"] = html
	}
	return files, nil
}

// examples adds the pages of the example scenarios.
func examples(out map[string][]byte) error {
	scenarios := example.Scenarios("examples")
	var failed error
	look := func(name string, args ...string) {
		html, err := written(args)
		out["example-"+name], failed = html, errors.Join(failed, err)
	}
	for _, scenario := range scenarios {
		look(strings.TrimSuffix(filepath.Base(scenario), ".yaml"), "plan", scenario)
	}
	for _, name := range []string{"cpu-manager", "topology-manager", "ocp-9.4", "openb", "hcg-figure-16", "hcg-dedicated",
		"hcg-export"} {
		look("place-"+name, "place", "examples/"+name+".yaml")
	}
	look("pack-shop", "pack", "examples/shop.yaml", "--compare")
	return failed
}

// written is the page that the program writes; a plan that does not fit is a plan all
// the same.
func written(args []string) ([]byte, error) {
	var out, complaints bytes.Buffer
	streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &complaints}
	args = append(append([]string{"plimsoll"}, args...), "-o", "html")
	if code := cli.Run(context.Background(), streams, args, func(string) string { return "" }); code != cli.ExitOK &&
		code != cli.ExitNegative {
		return nil, fmt.Errorf("%s: exit code %d\n%s", args, code, complaints.String())
	}
	return out.Bytes(), nil
}

// reports adds the pages that the tests of the report package write of their samples.
func reports(out map[string][]byte) error {
	dir, err := os.MkdirTemp("", "pages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	test := exec.Command("go", "test", "./report", "-count=1", "-run=^TestPagesCanBeWritten$", "-pages="+dir)
	if said, err := test.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	for _, file := range files {
		html, failed := os.ReadFile(file)
		out["report-"+strings.TrimSuffix(filepath.Base(file), ".html")] = html
		err = errors.Join(err, failed)
	}
	return err
}
