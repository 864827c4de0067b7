package health

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/tune/era"
)

// Each answer can be drawn: times lie inside, spans don't overlap, levels begin at 0;
// it is good when the scenario holds, and the same when it is played again.
func TestAnswers(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.mhc")
	for _, f := range files {
		s := readFile(t, f)
		a := s.Answer(s.allEras()[0])
		if !a.Verdict.OK || a.Verdict.Summary == "" || a.Kind != "HealthSimulation" || a.Title != s.Title || len(a.Parts) < 3 {
			t.Errorf("%s: %+v", f, a.Verdict)
		}
		line := a.Parts[0].Timeline
		for _, r := range line.Rows {
			for i, sp := range r.Spans {
				if sp.From >= sp.To || sp.To > line.End || i > 0 && sp.From < r.Spans[i-1].To || sp.Mark == "" {
					t.Errorf("%s: %s: %+v", f, r.Name, sp)
				}
			}
		}
		if line.Level != nil && (line.Level.Steps[0].At != 0 || len(line.Level.Limits) != 1) {
			t.Errorf("%s: %+v", f, line.Level)
		}
		one, err := json.Marshal(a)
		two, _ := json.Marshal(s.Answer(s.allEras()[0]))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s: two answers differ (%v)", f, err)
		}
	}
}

// A scenario that is broken, or does not end, has a bad verdict that says why.
func TestBadVerdicts(t *testing.T) {
	const base = "check a selector everything ready-false 1m startup -5m\nmachines w-[1-3] set s role worker\nat 0s node w-1 gone\nuntil 1h\n"
	if v := readText(t, "x.mhc", base).Answer(era.Current).Verdict; v.OK || !strings.Contains(v.Problem, "without an end at 0s") {
		t.Errorf("%+v", v)
	}
	v := readText(t, "x.mhc", base+"expect w-1 MachineDeleted at 5m\n").Answer(era.V44).Verdict
	if v.OK || v.Problem != "line 5 does not hold: w-1 MachineDeleted at 5m: w-1: MachineDeleted at 0s" {
		t.Errorf("%+v", v)
	}
	s := readText(t, "x.mhc", strings.Replace(base, "-5m", "5m", 1))
	s.budget = 10
	if v := s.Answer(era.V44).Verdict; v.OK || !strings.Contains(v.Problem, "too much work") {
		t.Errorf("%+v", v)
	}
}

// Machines and nodes of a cluster are read as the operator sees them.
func TestTimesOfObjects(t *testing.T) {
	if at, err := timeOf("2021-02-14T09:30:00Z"); err != nil || at.Unix() != 1613295000 {
		t.Errorf("%v %v", at, err)
	}
	if at, err := timeOf(""); err != nil || !at.IsZero() {
		t.Errorf("%v %v", at, err)
	}
	if _, err := timeOf("yesterday"); err == nil {
		t.Error("yesterday is a time")
	}
}
