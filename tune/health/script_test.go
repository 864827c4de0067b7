package health

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/tune/era"
)

// beside opens files of the test data.
func beside(path string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", path)) }

// readFile reads a script of the test data.
func readFile(t testing.TB, path string) *Script {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return readText(t, filepath.Base(path), string(text))
}

func readText(t testing.TB, name, text string) *Script {
	t.Helper()
	s, problems := Read(name, []byte(text), beside)
	if len(problems) > 0 {
		t.Fatalf("%v", problems)
	}
	return s
}

// eras of a script, all that there are when it names none.
func (s *Script) allEras() []era.Era {
	if len(s.Eras) > 0 {
		return s.Eras
	}
	return era.All()
}

// played plays a script in its eras and demands that its expectations hold.
func played(t *testing.T, s *Script) {
	t.Helper()
	for _, e := range s.allEras() {
		sim := s.Play(e)
		if len(sim.Expectations) == 0 {
			t.Errorf("%s: nothing is expected in era %s", s.Name, e)
		}
		for _, x := range sim.Expectations {
			if !x.OK {
				t.Errorf("%s:%d: era %s: %s\n\tgot %s", s.Name, x.Line, e, x.Text, x.Got)
			}
		}
	}
}

// Every scenario states what must come out.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mhc")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".mhc"), func(t *testing.T) { played(t, readFile(t, f)) })
	}
}

// The example of the package's comment is played too.
func TestDocumentedExample(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "after #:\n//\n")
	example, _, ok := strings.Cut(rest, "\n//\n// Before")
	if !ok {
		t.Fatal("the comment has no example")
	}
	played(t, readText(t, "doc.go", strings.ReplaceAll(strings.ReplaceAll(example, "//\t", ""), "\n//\n", "\n\n")))
}

// An expectation that doesn't hold must break its scenario.
func TestExpectationsCanFail(t *testing.T) {
	const base = `era 4.4
check workers selector role=worker maxUnhealthy 1 ready-unknown 300s
machines worker-[1-3] role worker set a
at 0s node worker-1 Ready=Unknown
until 10m
`
	for line, want := range map[string]string{
		"expect worker-[1-2] MachineDeleted at 5m1s": "worker-2: no MachineDeleted",
		"expect worker-1 MachineDeleted at 5m":       "worker-1: MachineDeleted at 5m1s",
		"expect worker-1 MachineDeleted never":       "worker-1: MachineDeleted at 5m1s",
		"expect worker-1 MachineDeleted after 6m":    "worker-1: MachineDeleted at 5m1s",
		"expect worker-1 MachineDeleted by 5m":       "worker-1: MachineDeleted at 5m1s",
		"expect at 5m workers healthy 3 restricted":  "healthy 2, allowed",
		"expect at 5m worker-[1-3] ready":            "worker-1: waiting",
		"expect at 1s a-r1 ready":                    "a-r1: not made",
		"expect count MachineDeleted 2":              "MachineDeleted 1",
		"expect finding health.burst2":               "no such finding",
	} {
		sim := readText(t, "x.mhc", base+line).Play(era.V44)
		if len(sim.Expectations) != 1 || sim.Expectations[0].OK || sim.Expectations[0].Got != want {
			t.Errorf("%s: got %+v, want %q", line, sim.Expectations, want)
		}
	}
}

// Expectations of other eras are left out.
func TestExpectationsByEra(t *testing.T) {
	s := readText(t, "x.mhc", "check a selector everything condition X=True 1m\nuntil 1m\nexpect in 4.3 4.5 count MachineDeleted 7\n")
	for _, e := range era.All() {
		if got := len(s.Play(e).Expectations) == 1; got != slices.Contains([]era.Era{era.V43, era.V45}, e) {
			t.Errorf("era %s: judged %v", e, got)
		}
	}
}
