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
	for _, scenario := range scenarios {
		html := written(t, t.Context(), program, scenario)
		for _, v := range []view{views[0], views[3]} {
			t.Run(filepath.Base(scenario)+"/"+v.name, func(t *testing.T) {
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
}

// written is the page that the program writes of a scenario.
func written(t *testing.T, ctx context.Context, program, scenario string) []byte {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "plan", scenario, "-o", "html")
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &complaints, os.Environ()
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != verdictNegative) {
		t.Fatalf("%s: %v\n%s", scenario, err, complaints.String())
	}
	return out.Bytes()
}
