package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/cli"
	"plimsoll.dev/examples"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/report"
)

const examplesDir = "../examples"

// run runs the program in this process, outside of any terminal.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	code = cli.Run(context.Background(), s, append([]string{"plimsoll"}, args...), func(string) string { return "" })
	return code, out.String(), errs.String()
}

// mustRun runs the program, which must succeed and have nothing to tell.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(args...)
	if code != cli.ExitOK || errs != "" || out == "" {
		t.Fatalf("plimsoll %s: exit code %d, %d bytes of output, standard error:\n%s", strings.Join(args, " "), code,
			len(out), errs)
	}
	return out
}

func exampleFiles(t *testing.T) []string {
	t.Helper()
	files := examples.Scenarios(examplesDir)
	if len(files) < 4 {
		t.Fatalf("examples: %v", files)
	}
	return files
}

// Every example plans well, and plans the same when it is asked again.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, file := range exampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text := mustRun(t, "plan", file, "--exit-zero", "-o", "json")
			if again := mustRun(t, "plan", file, "--exit-zero", "-o", "json"); again != text {
				t.Errorf("the plan is not the same twice:\n%s", cmp.Diff(text, again))
			}
			var plan v1alpha1.Plan
			decode(t, text, &plan)
			if plan.APIVersion != v1alpha1.APIVersion || plan.Kind != v1alpha1.KindPlan ||
				plan.Verdict.Fits == unfit[filepath.Base(file)] {
				t.Errorf("apiVersion %q, kind %q, verdict %+v", plan.APIVersion, plan.Kind, plan.Verdict)
			}
			for _, format := range report.WholeFormats() {
				text := written(t, &plan, format)
				if again := written(t, &plan, format); again != text {
					t.Errorf("-o %s is not the same twice:\n%s", format, cmp.Diff(text, again))
				}
				checkFormat(t, format, text, plan)
			}
		})
	}
}

// written is a plan in a format.
func written(t *testing.T, plan *v1alpha1.Plan, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(&b, plan, format, report.Options{Facts: facts.Load(), Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The program prints in every format what the report writes of its plan.
func TestEveryFormat(t *testing.T) {
	t.Parallel()
	file := filepath.Join(examplesDir, "ocp-9.4.yaml")
	var plan v1alpha1.Plan
	decode(t, mustRun(t, "plan", file, "-o", "json"), &plan)
	for _, format := range report.WholeFormats() {
		checkFormat(t, format, mustRun(t, "plan", file, "-o", format), plan)
	}
}

// unfit are examples whose workload does not fit: the OpenB trace's pods did not all
// run at once, and Topology Manager refuses three pods (OCP 7).
var unfit = map[string]bool{"openb.yaml": true, "topology-manager.yaml": true}

// parsedProofs compares the documents within a plan by what they say.
var parsedProofs = cmp.Transformer("parsed", func(text json.RawMessage) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	return v
})

func decode(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// checkFormat checks that a text is of its format and tells the plan's verdict.
func checkFormat(t *testing.T, format, text string, plan v1alpha1.Plan) {
	t.Helper()
	first := map[string]string{
		report.Table: "Plan " + plan.Metadata.Name + ": ", report.Wide: "Plan " + plan.Metadata.Name + ": ",
		report.JSON: "{\n", report.YAML: "apiVersion: ", report.Markdown: "# ", report.HTML: "<!doctype html>",
	}
	if !strings.HasPrefix(text, first[format]) || !strings.HasSuffix(text, "\n") {
		t.Errorf("-o %s begins with %q", format, text[:min(len(text), 40)])
	}
	switch format {
	case report.YAML:
		var other v1alpha1.Plan
		if err := yaml.UnmarshalStrict([]byte(text), &other); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan, other, parsedProofs); diff != "" {
			t.Errorf("yaml says something else than json (-json +yaml):\n%s", diff)
		}
	case report.Name:
		checkNames(t, strings.Fields(strings.ReplaceAll(text, " ", "_")), plan)
	case report.Table, report.Wide, report.Markdown:
		// Lines are broken where they are full.
		if squeezed := strings.Join(strings.Fields(text), " "); !strings.Contains(squeezed, plan.Verdict.Summary) {
			t.Errorf("-o %s does not say: %s", format, plan.Verdict.Summary)
		}
	case report.HTML:
		if !strings.Contains(text, plan.Verdict.Summary) || !strings.Contains(text, "</html>") {
			t.Errorf("the page does not end, or does not say: %s", plan.Verdict.Summary)
		}
		for _, foreign := range []string{"<script src", "<link", "<iframe", `src="http`} {
			if strings.Contains(text, foreign) {
				t.Errorf("the page is not whole in itself: %s", foreign)
			}
		}
	}
}

// checkNames checks that -o name lists every figure and every limit once.
func checkNames(t *testing.T, names []string, plan v1alpha1.Plan) {
	t.Helper()
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			t.Errorf("-o name lists %s twice", name)
		}
		seen[name] = true
	}
	for _, f := range plan.Figures {
		if !seen[strings.ReplaceAll(f.ID, " ", "_")] {
			t.Errorf("-o name leaves out figure %s", f.ID)
		}
	}
	for _, g := range plan.Gauges {
		if !seen[strings.ReplaceAll(g.ID, " ", "_")] {
			t.Errorf("-o name leaves out limit %s", g.ID)
		}
	}
}

// Whatever -o name lists can be asked for with why.
func TestEveryNameIsExplained(t *testing.T) {
	t.Parallel()
	for _, file := range exampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			var plan v1alpha1.Plan
			decode(t, mustRun(t, "plan", file, "--exit-zero", "-o", "json"), &plan)
			names := strings.Split(strings.TrimSpace(written(t, &plan, report.Name)), "\n")
			for _, name := range names {
				var out bytes.Buffer
				if err := report.Why(&out, &plan, name, report.Options{Format: report.Table}); err != nil {
					t.Errorf("why %q: %v", name, err)
				} else if !strings.Contains(out.String(), "\n  ") {
					t.Errorf("why %q gives no reason:\n%s", name, out.String())
				}
			}
		})
	}
}

// On a terminal there is colour, unless the user asked for none; text is laid
// out for the terminal's width, and formats for programs are as everywhere.
func TestOnATerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(examplesDir, "ocp-9.4.yaml")
	for _, c := range []struct {
		name   string
		flags  []string
		env    map[string]string
		width  int
		colour bool
		limit  int
	}{
		{name: "a terminal", width: 100, colour: true},
		{name: "no terminal", width: 0, colour: false, limit: 80},
		{name: "NO_COLOR", env: map[string]string{"NO_COLOR": "1"}, width: 70, limit: 70},
		{name: "NO_COLOR set to nothing", env: map[string]string{"NO_COLOR": ""}, width: 100, colour: true},
		{name: "a dumb terminal", env: map[string]string{"TERM": "dumb"}, width: 100, limit: 100},
		{name: "never", flags: []string{"--color=never"}, width: 100, limit: 100},
		{name: "always, where there is no terminal", flags: []string{"--color=always"}, colour: true},
		{name: "always, against NO_COLOR", flags: []string{"--color=always"}, env: map[string]string{"NO_COLOR": "1"},
			width: 100, colour: true},
		{name: "a very wide terminal", flags: []string{"--color=never"}, width: 300, limit: 120},
		{name: "--width wins", flags: []string{"--color=never", "--width=60"}, width: 100, limit: 60},
		{name: "COLUMNS of a pipe", env: map[string]string{"COLUMNS": "60"}, limit: 60},
		{name: "json", flags: []string{"-o", "json"}, width: 60},
		{name: "markdown", flags: []string{"-o", "markdown"}, width: 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			screen := &term.Fake{Columns: c.width}
			var errs bytes.Buffer
			args := append([]string{"plimsoll", "plan", file}, c.flags...)
			code := cli.Run(context.Background(), cli.Streams{In: strings.NewReader(""), Out: screen, Err: &errs}, args,
				func(name string) string { return c.env[name] })
			if code != cli.ExitOK || errs.Len() > 0 {
				t.Fatalf("exit code %d, %s", code, errs.String())
			}
			text := string(screen.Text)
			if got := strings.Contains(text, "\x1b["); got != c.colour {
				t.Errorf("colour: %v, want %v", got, c.colour)
			}
			longest := slices.MaxFunc(strings.Split(text, "\n"), func(a, b string) int { return len(a) - len(b) })
			if c.limit > 0 && (len(longest) > c.limit || len(longest) < c.limit*3/4) {
				t.Errorf("the longest line has %d columns, want nearly %d and no more:\n%s", len(longest), c.limit, longest)
			}
		})
	}
}

// A file is no terminal, wherever the program was started.
func TestNoColourInAFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "plan.txt")
	s := cli.Streams{In: strings.NewReader(""), Out: &term.Fake{Columns: 200}, Err: &term.Fake{Columns: 200}}
	args := []string{"plimsoll", "plan", filepath.Join(examplesDir, "ocp-9.4.yaml"), "--output-file", name}
	if code := cli.Run(context.Background(), s, args, func(string) string { return "" }); code != cli.ExitOK {
		t.Fatalf("exit code %d", code)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := mustRun(t, "plan", args[2]); string(text) != want {
		t.Errorf("the file differs from what a pipe gets (-pipe +file):\n%s", cmp.Diff(want, string(text)))
	}
}
