package browser

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"plimsoll.dev/internal/need"
)

// verdictNegative is the exit code of a plan that does not fit; it is a plan
// all the same.
const verdictNegative = 3

// TestExamples opens the reports of the example scenarios, written by the
// program itself.
func TestExamples(t *testing.T) {
	browser := start(t)
	program := filepath.Join(t.TempDir(), "plimsoll")
	build := exec.CommandContext(t.Context(), need.Program(t, "go"), "build", "-o", program, "plimsoll.dev/cmd/plimsoll")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scenarios, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	look := func(name string, html []byte) {
		for _, v := range []view{views[0], views[3]} {
			t.Run(name+"/"+v.name, func(t *testing.T) {
				b := open(t, browser, html, v)
				b.fitsWidth()
				b.picture("closed.png")
				b.openAll()
				b.fitsWidth()
				b.accessible()
				b.quiet()
			})
		}
	}
	for _, scenario := range scenarios {
		look(filepath.Base(scenario), written(t, t.Context(), program, "plan", scenario))
	}
	for _, name := range []string{"cpu-manager", "topology-manager", "ocp-9.4", "openb", "hcg-figure-16", "hcg-dedicated", "hcg-export"} {
		html := written(t, t.Context(), program, "place", "../../examples/"+name+".yaml")
		if len(html) > mostBytes {
			t.Errorf("the page of %s has %d bytes, more than %d", name, len(html), mostBytes)
		}
		look("place-"+name, html)
	}
	look("pack-shop", written(t, t.Context(), program, "pack", "../../examples/shop.yaml", "--compare"))
}

// mostBytes is what a page may weigh that is attached to a ticket.
const mostBytes = 1_500_000

// written is the page that the program writes of a scenario.
func written(t *testing.T, ctx context.Context, program string, args ...string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, program, append(args, "-o", "html")...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaints, os.Environ()
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != verdictNegative) {
		t.Fatalf("%s: %v\n%s", args, err, complaints.String())
	}
	return out.Bytes()
}
