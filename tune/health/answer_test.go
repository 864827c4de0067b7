package health

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// Each answer can be drawn: times lie inside, spans don't overlap, levels begin at 0;
// it is good when the scenario holds, and the same when it is played again.
func TestAnswers(t *testing.T) {
	for _, f := range scenarios(t) {
		s := readFile(t, f)
		a := s.Answer(s.allReleases()[0])
		if !a.Verdict.OK || a.Verdict.Summary == "" || a.Kind != "HealthSimulation" || a.Title != s.Title ||
			len(a.Parts) < 3 {
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
		two, _ := json.Marshal(s.Answer(s.allReleases()[0]))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s: two answers differ (%v)", f, err)
		}
	}
}

// A scenario that is broken, or does not end, has a bad verdict that says why.
func TestBadVerdicts(t *testing.T) {
	const base = `checks: [{name: a, nodeStartupTimeout: "-5m", unhealthyConditions: [{type: Ready, status: "False", timeout: 1m}]}]
machines: [{names: "w-[1-3]", set: s, role: worker}]
events: [{at: 0s, machines: w-1, do: loseNode}]
until: 1h
`
	if v := readText(t, "x.yaml", base).Answer(release.Current).Verdict; v.OK ||
		!strings.Contains(v.Problem, "without an end at 0s") {
		t.Errorf("%+v", v)
	}
	v := readText(t, "x.yaml", base+"expect: [{machines: w-1, event: MachineDeleted, at: 5m}]\n").
		Answer(release.V44).Verdict
	if v.OK || v.Problem != "line 7 does not hold: w-1 MachineDeleted at 5m: w-1: MachineDeleted at 0s" {
		t.Errorf("%+v", v)
	}
	s := readText(t, "x.yaml", strings.Replace(base, "-5m", "5m", 1))
	s.budget = 10
	if v := s.Answer(release.V44).Verdict; v.OK || !strings.Contains(v.Problem, "too much work") {
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

// In a release without events nobody is sent to watch them, and no row says so by itself.
func TestNoEventsInTheRelease(t *testing.T) {
	const text = `checks: [{name: a, maxUnhealthy: 1, unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}]
machines: [{names: "w-[1-3]", set: s, role: worker}, {names: m-1, set: c, role: master}]
events: [{at: 0s, machines: "w-[1-2],m-1", conditions: {Ready: Unknown}}]
until: 2h
`
	for _, r := range release.Documented() {
		a := readText(t, "x.yaml", text).Answer(r)
		var told string
		for _, f := range a.Findings {
			told += f.Message + " " + f.Remedy + "\n"
		}
		part := slices.IndexFunc(a.Parts, func(p v1alpha1.Part) bool { return p.Title == "What happens" })
		table := a.Parts[part].Tables[0]
		for _, row := range table.Rows {
			if r == release.V43 && strings.Contains(row[3].Text, "event") {
				t.Errorf("%v: %s", r, row[3].Text)
			}
		}
		if emits := !strings.Contains(table.Notes[0], "no events"); emits != (r != release.V43) {
			t.Errorf("%v: %v", r, table.Notes)
		}
		if watched := strings.Contains(told, "the events RemediationRestricted"); watched != (r == release.V44 ||
			r == release.V45) {
			t.Errorf("%v: %s", r, told)
		}
		if r == release.V43 && !strings.Contains(told, "in the status of the check") ||
			strings.Contains(told, "with the event SkippedMaster") && r != release.V44 {
			t.Errorf("%v: %s", r, told)
		}
	}
}

// What nothing heals is told beside the verdict, even if the scenario expects it.
func TestUnhealed(t *testing.T) {
	const text = `checks: [{name: a, maxUnhealthy: 1, unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}]
machines: [{names: "w-[1-4]", set: s, role: worker}]
events: [{at: 0s, machines: "w-[1-2]", conditions: {Ready: Unknown}}]
until: 2h
expect: [{event: MachineDeleted, count: 0}]
`
	v := readText(t, "x.yaml", text).Answer(release.V44).Verdict
	if want := "2 machines that are due are not healed to the end: remediation is restricted: " +
		"unhealthy are 2 of 4 machines, allowed are 1"; !v.OK || v.Problem != want {
		t.Errorf("%+v", v)
	}
	more := strings.NewReplacer("maxUnhealthy: 1", "maxUnhealthy: 2", "count: 0", "count: 2").Replace(text)
	if v := readText(t, "x.yaml", more).Answer(release.V44).Verdict; !v.OK || v.Problem != "" {
		t.Errorf("%+v", v)
	}
}
