package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// mostLines is the length of a plan that a person reads at once.
const mostLines = 45

// The default text of a plan has at most 45 lines in 80 columns.
func TestPlansAreBrief(t *testing.T) {
	files, _ := filepath.Glob("../examples/*.yaml")
	if len(files) < 10 {
		t.Fatalf("%d examples", len(files))
	}
	for _, file := range files {
		made := planned(example(t, filepath.Base(file)))
		out := brief(t, made, Options{Width: 80})
		if n := strings.Count(out, "\n"); n > mostLines {
			t.Errorf("%s: %d lines, at most %d:\n%s", file, n, mostLines, out)
		}
		for _, line := range strings.Split(out, "\n") {
			if len([]rune(line)) > 80 {
				t.Errorf("%s: more than 80 columns: %s", file, line)
			}
		}
	}
}

// example is a scenario of the examples.
func example(t *testing.T, name string) *scenario.Document {
	t.Helper()
	path := filepath.Join("../examples", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := scenario.Read(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// planned is the plan of a scenario as the command line has it.
func planned(doc *scenario.Document) *v1alpha1.Plan {
	made := plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
	made.Scenario = doc.Scenario
	return made
}

func brief(t *testing.T, p *v1alpha1.Plan, opt Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, p, Table, opt); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What the brief form leaves out is there by its name, and a name that is none lists them.
func TestSections(t *testing.T) {
	p := samplePlan()
	whole := brief(t, p, Options{Section: "all"})
	for _, name := range []string{"limits", "findings", "network"} {
		part := brief(t, p, Options{Section: name})
		if len(part) < 100 || len(part) >= len(whole) {
			t.Errorf("section %s is %d bytes of %d", name, len(part), len(whole))
		}
	}
	err := Write(&bytes.Buffer{}, p, Table, Options{Section: "limits,moon"})
	if err == nil || !strings.Contains(err.Error(), "--section moon") || !strings.Contains(err.Error(), "network") {
		t.Errorf("got %v", err)
	}
}
