// Command pages writes the pages that test/browser looks at: those of the examples,
// made by the program itself, and those of the report's samples. A file that would
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
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/cli"
	"plimsoll.dev/internal/generate"
	"plimsoll.dev/report"
	"plimsoll.dev/report/sample"
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
	scenarios, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(scenarios) == 0 {
		return fmt.Errorf("no examples: %v", err)
	}
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

// reports adds the pages that the report package writes of its samples.
func reports(out map[string][]byte) error {
	var failed error
	opt := report.Options{Facts: sample.Facts(), File: "web-shop.yaml", Format: report.HTML}
	write := func(name string, f func(b *bytes.Buffer) error) {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
		out["report-"+name] = b.Bytes()
	}
	write("plan", func(b *bytes.Buffer) error { return report.Write(b, sample.Plan(), report.HTML, opt) })
	write("hostile", func(b *bytes.Buffer) error { return report.Write(b, sample.Hostile(), report.HTML, opt) })
	write("why", func(b *bytes.Buffer) error { return report.Why(b, sample.Plan(), "nodes", opt) })
	for name, p := range sample.Placements() {
		write("placement-"+name, func(b *bytes.Buffer) error { return report.WritePlacement(b, p, report.HTML, opt) })
	}
	for name, p := range sample.ServerPlacements() {
		write("servers-"+name, func(b *bytes.Buffer) error { return report.WriteServerPlacement(b, p, report.HTML, opt) })
	}
	for name, a := range sample.Answers() {
		write("answer-"+name, func(b *bytes.Buffer) error { return report.WriteAnswer(b, a, report.HTML, opt) })
	}
	problem, solution, bare, peers := sample.Packing()
	write("packing", func(b *bytes.Buffer) error {
		return report.WritePacking(b, report.Packing{Problem: problem, Solution: solution, Unit: "price", Scale: 1000,
			Bare: bare, Peers: peers}, report.HTML, opt)
	})
	write("diff", func(b *bytes.Buffer) error {
		_, err := report.Diff(b, sample.Plan(), sample.Later(), report.HTML, opt)
		return err
	})
	return failed
}
