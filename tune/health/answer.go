package health

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
)

// Answer plays the scenario by the rules of a release and tells how it went. Its
// verdict is good when all expectations hold.
func (s *Script) Answer(r release.Release) *v1alpha1.Answer {
	sim := s.Play(r)
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "HealthSimulation",
		Title: cmp.Or(s.Title, "What health checks do"), Release: r.Rules(), Findings: sim.findings, Result: sim}
	a.Verdict = sim.verdict()
	a.Parts = []v1alpha1.Part{{Title: "Course", Timeline: sim.timeline()}}
	add := func(title string, wide bool, tables ...v1alpha1.Table) {
		if len(tables[0].Rows) > 0 {
			a.Parts = append(a.Parts, v1alpha1.Part{Title: title, Wide: wide, Tables: tables})
		}
	}
	add("What happens", false, sim.eventTable())
	add("What is not remediated", false, sim.leftTable())
	add("Expectations", false, sim.expectationTable())
	add("Status of the checks", true, sim.statusTable())
	add("Machines that come and go", true, sim.stepTable())
	return a
}

// verdict tells the outcome in a sentence.
func (s *Simulation) verdict() v1alpha1.AnswerVerdict {
	deleted, first, last := 0, int64(-1), int64(0)
	for _, e := range s.Log {
		if e.Name == MachineDeleted {
			deleted++
			if last = int64(e.At); first < 0 {
				first = last
			}
		}
	}
	v := v1alpha1.AnswerVerdict{OK: s.Stalled == "", Summary: "no machine is deleted by a check"}
	switch {
	case deleted > 0 && first == last:
		v.Summary = words.Count(deleted, "machine is", "machines are") + " deleted by a check, at " + clock(first)
	case deleted > 0:
		v.Summary = fmt.Sprintf("%s deleted by a check, from %s to %s", words.Count(deleted, "machine is", "machines are"),
			clock(first), clock(last))
	}
	if n := len(s.Left); n > 0 {
		v.Summary += "; " + words.Count(n, "that was due is", "that were due are") + " left alone or kept waiting"
	}
	held := 0
	for _, x := range s.Expectations {
		held += tally(x.OK)
		if !x.OK && v.Problem == "" {
			v.Problem = fmt.Sprintf("line %d does not hold: %s: %s", x.Line, x.Text, x.Got)
		}
	}
	if n := len(s.Expectations); n > 0 {
		v.OK = v.OK && held == n
		v.Summary += fmt.Sprintf("; %d of %s held", held, words.Count(n, "expectation", "expectations"))
	}
	if v.Problem == "" {
		v.Problem = cmp.Or(s.Stalled, s.unhealed())
	}
	return v
}

// unhealed says how many machines that are due nothing heals to the end, and why not the
// first of them; empty for none.
func (s *Simulation) unhealed() string {
	n, why := 0, ""
	for _, u := range s.Left {
		if u.Ended == "" {
			n, why = n+1, cmp.Or(why, u.Kept)
		}
	}
	if n == 0 {
		return ""
	}
	text := words.Count(n, "machine that is due is", "machines that are due are") + " not healed to the end"
	if why != "" {
		text += ": " + why
	}
	return text
}

// marks judge the states of machines.
var marks = map[string]string{stateReady: "good", stateNotReady: "warn", stateWaiting: "warn", stateDue: "bad",
	stateDeleting:     "warn",
	stateProvisioning: "warn", stateStarting: "warn", stateFailed: "bad", stateNoNode: "bad", stateExternal: "warn"}

// eventMarks judge what happens.
var eventMarks = map[EventName]string{MachineDeleted: "warn", RemediationRestricted: "bad", SkippedMaster: "bad",
	SkippedNoController:     "bad",
	ExternalAnnotationAdded: "warn", RemediationRequested: "warn", RemediationAllowed: "good", Joined: "good"}

// timeline draws the machines to which something happens.
func (s *Simulation) timeline() *v1alpha1.Timeline {
	t := &v1alpha1.Timeline{Title: "Machines over time", End: s.Until}
	events := map[string][]v1alpha1.TimelineEvent{}
	for _, e := range s.Log {
		switch {
		case e.Text != "":
			t.Events = append(t.Events, v1alpha1.TimelineEvent{At: e.At, Text: e.Text})
		case e.Machine == "":
			t.Events = append(t.Events, v1alpha1.TimelineEvent{At: e.At, Text: e.Check + ": " + string(e.Name),
				Mark: eventMarks[e.Name]})
		case eventMarks[e.Name] != "" && e.Name != Joined:
			events[e.Machine] = append(events[e.Machine],
				v1alpha1.TimelineEvent{At: e.At, Text: string(e.Name), Mark: eventMarks[e.Name]})
		}
	}
	for _, m := range s.Machines {
		if len(m.Spans) == 1 && m.Spans[0].State == stateReady && m.Spans[0].From == 0 && m.Spans[0].To == s.Until {
			continue
		}
		row := v1alpha1.TimelineRow{Name: m.Name, Events: events[m.Name]}
		for _, sp := range m.Spans {
			row.Spans = append(row.Spans, v1alpha1.TimelineSpan{From: sp.From, To: sp.To, State: sp.State,
				Mark: marks[sp.State]})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Description = fmt.Sprintf("%d of %s change; the others are ready from the beginning to the end.", len(t.Rows),
		words.Count(len(s.Machines), "machine", "machines"))
	t.Level = s.level()
	return t
}

// level is how many machines the first check takes for healthy.
func (s *Simulation) level() *v1alpha1.Level {
	i := slices.IndexFunc(s.Checks, func(c CheckHistory) bool { return len(c.Status) > 0 })
	if i < 0 {
		return nil
	}
	c := s.Checks[i]
	l := &v1alpha1.Level{Title: "machines that check " + c.Name + " takes for healthy", Unit: "machines"}
	for _, st := range c.Status {
		l.Steps = append(l.Steps, v1alpha1.LevelStep{At: st.At, Amount: float64(st.Healthy)})
	}
	first := c.Status[0]
	l.Limits = []v1alpha1.LevelLimit{
		{Name: fmt.Sprintf("at least %d of %d, or nothing is remediated", first.Expected-first.Max, first.Expected),
			Amount: float64(first.Expected - first.Max)},
	}
	return l
}
