package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/examples"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// mostLines is the length of a plan that a person reads at once.
const mostLines = 45

// The default text of a plan has at most 45 lines in 80 columns.
func TestPlansAreBrief(t *testing.T) {
	files := examples.Scenarios("../examples")
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

// The default text of a placement has at most as many, whatever finds no place; it names what it
// leaves out, and that is there by its name.
func TestPlacementsAreBrief(t *testing.T) {
	all := map[string]string{}
	of := func(name string, write func(opt Options) string) {
		all[name] = write(Options{})
		_, left, _ := strings.Cut(strings.Join(strings.Fields(all[name]), " "), "More with --section: ")
		left, _, _ = strings.Cut(left, ";")
		for _, id := range strings.FieldsFunc(left, func(r rune) bool { return r == ',' || r == ' ' }) {
			if lines := strings.Count(write(Options{Section: id}), "\n"); lines < 5 {
				t.Errorf("%s: section %s has %d lines", name, id, lines)
			}
		}
	}
	files := examples.Scenarios("../examples")
	for _, file := range files {
		ix := newIndex(planned(example(t, filepath.Base(file))), Options{})
		if ix.terms() == serverWords {
			if p := ix.placedServers(); p != nil {
				of(file, func(opt Options) string { return serversOf(t, p, Table, opt) })
			}
		} else if p := ix.placedPods(); p != nil {
			of(file, func(opt Options) string { return placementOf(t, p, Table, opt) })
		}
	}
	for name, p := range placements() {
		of(name, func(opt Options) string { return placementOf(t, p, Table, opt) })
	}
	for name, p := range serverPlacements() {
		of(name, func(opt Options) string { return serversOf(t, p, Table, opt) })
	}
	if len(all) < 15 {
		t.Errorf("%d placements", len(all))
	}
	for name, out := range all {
		if n := strings.Count(out, "\n"); n > mostLines && !strings.Contains(name, "hostile") {
			t.Errorf("%s: %d lines, at most %d:\n%s", name, n, mostLines, out)
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

// Where the pod types are too many to be known by heart, the plan says where they are, and there
// each of them has a row.
func TestManyPodTypesAreFound(t *testing.T) {
	text := "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.4\"}\n" +
		"hardware: {nodeTypes: [{name: w, cpus: 32, memory: 128G}]}\nworkload:\n  podTypes:\n"
	for i := range 40 {
		text += fmt.Sprintf("    - {name: type%02d, replicas: 10, cpu: 100m, memory: 100M}\n", i)
	}
	doc, err := scenario.Read("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	made := plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
	if out := brief(t, made, Options{}); !strings.Contains(out, "40 pod types: --section workload") {
		t.Errorf("not said:\n%s", out)
	}
	if rows := strings.Count(brief(t, made, Options{Section: "workload"}), "\n  type"); rows != 40 {
		t.Errorf("%d rows of pod types, want 40", rows)
	}
}

// The nearest limits name those of one node, too, that are used up: the control plane of the web shop
// has the 8 cores that it needs (OCP 2.3), and a dense node of chapter 9.3 runs 455 of 500 pods. A cloud
// says what placement confirms, as a cluster does.
func TestBriefNamesLocalLimits(t *testing.T) {
	for file, want := range map[string]string{
		"shop.yaml":    "Control plane cores needed of those there, node m6i.2xlarge",
		"ocp-9.3.yaml": "Pods on the fullest dense",
		"hcg-dedicated.yaml": "As placed every VM has a place, also when any 2 hosts fail " +
			"(of the failures a sample was tried)",
		"ocp-9.4.yaml": "As placed every pod has a place",
	} {
		text := strings.Join(strings.Fields(brief(t, planned(example(t, file)), Options{Width: 200})), " ")
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", file, want, text)
		}
	}
}
