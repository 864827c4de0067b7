package health

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// beside opens files of the test data.
func beside(path string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", path)) }

// scenarios are the scenarios of the test data.
func scenarios(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), "healthcheck-") })
	if err != nil || len(files) < 20 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	return files
}

// readFile reads a scenario of the test data.
func readFile(t testing.TB, path string) *Script {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return readText(t, filepath.Base(path), string(text))
}

// head begins a scenario.
const head = "apiVersion: plimsoll.dev/v1alpha1\nkind: HealthScenario\n"

// readText reads a scenario, for which head is written where it is missing.
func readText(t testing.TB, name, text string) *Script {
	t.Helper()
	if !strings.Contains(text, head) {
		text = head + text
	}
	s, problems := Read(name, []byte(text), beside)
	if len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	return s
}

// releases of a script, all that there are when it names none.
func (s *Script) allReleases() []release.Release {
	if len(s.Releases) > 0 {
		return s.Releases
	}
	return release.Documented()
}

// played plays a script in its releases and demands that its expectations hold.
func played(t *testing.T, s *Script) {
	t.Helper()
	for _, r := range s.allReleases() {
		sim := s.Play(r)
		if len(sim.Expectations) == 0 {
			t.Errorf("%s: nothing is expected in release %s", s.Name, r)
		}
		for _, x := range sim.Expectations {
			if !x.OK {
				t.Errorf("%s:%d: release %s: %s\n\tgot %s", s.Name, x.Line, r, x.Text, x.Got)
			}
		}
	}
}

// Every scenario states what must come out.
func TestScenarios(t *testing.T) {
	for _, f := range scenarios(t) {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".yaml"), func(t *testing.T) { played(t, readFile(t, f)) })
	}
}

// The example of the package's comment is played too.
func TestDocumentedExample(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "all at once:\n//\n")
	example, _, ok := strings.Cut(rest, "package health")
	if !ok {
		t.Fatal("the comment has no example")
	}
	played(t, readText(t, "doc.go", strings.ReplaceAll(example, "//\t", "")))
}

// An expectation that doesn't hold must break its scenario.
func TestExpectationsCanFail(t *testing.T) {
	const base = `releases: ["4.4"]
checks: [{name: workers, selector: {role: worker}, maxUnhealthy: 1, unhealthyConditions: [{type: Ready, status: Unknown, timeout: 300s}]}]
machines: [{names: "worker-[1-3]", role: worker, set: a}]
events: [{at: 0s, machines: worker-1, conditions: {Ready: Unknown}}]
until: 10m
expect:
`
	for line, want := range map[string]string{
		`machines: "worker-[1-2]", event: MachineDeleted, at: 5m1s`:   "worker-2: no MachineDeleted",
		`machines: worker-1, event: MachineDeleted, at: 5m`:           "worker-1: MachineDeleted at 5m1s",
		`machines: worker-1, event: MachineDeleted, never: true`:      "worker-1: MachineDeleted at 5m1s",
		`machines: worker-1, event: MachineDeleted, after: 6m`:        "worker-1: MachineDeleted at 5m1s",
		`machines: worker-1, event: MachineDeleted, by: 5m`:           "worker-1: MachineDeleted at 5m1s",
		`at: 5m, check: workers, healthy: 3, remediation: restricted`: "healthy 2, allowed",
		`at: 5m, machines: "worker-[1-3]", state: ready`:              "worker-1: waiting",
		`at: 1s, machines: a-r1, state: ready`:                        "a-r1: not made",
		`event: MachineDeleted, count: 2`:                             "MachineDeleted 1",
		`finding: health.burst2`:                                      "no such finding",
	} {
		sim := readText(t, "x.yaml", base+"- {"+line+"}\n").Play(release.V44)
		if len(sim.Expectations) != 1 || sim.Expectations[0].OK || sim.Expectations[0].Got != want {
			t.Errorf("%s: got %+v, want %q", line, sim.Expectations, want)
		}
	}
}

// Expectations of other releases are left out.
func TestExpectationsByRelease(t *testing.T) {
	s := readText(t, "x.yaml", `checks: [{name: a, unhealthyConditions: [{type: X, status: "True", timeout: 1m}]}]
until: 1m
expect: [{event: MachineDeleted, count: 7, releases: ["4.3", "4.5"]}, {event: MachineDeleted, count: 7, releases: [current]}]
`)
	// A release is judged as the one that it follows: none is left without an expectation.
	for r, want := range map[release.Release]int{1: 1, 2: 1, 3: 1, 4: 0, 5: 1, 6: 1, 19: 1, release.Newest: 1,
		30: 1, 0: 1} {
		if got := s.Play(r).Expectations; len(got) != want || want == 1 && got[0].OK {
			t.Errorf("release %s: judged %+v", r, got)
		}
	}
}
