package health

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// judge compares the expectations with what came out.
func (w *world) judge(findings []v1alpha1.Finding) []Outcome {
	var out []Outcome
	events, counts := w.eventTimes(), w.eventCounts()
	for i := range w.script.expected {
		x := &w.script.expected[i]
		if len(x.releases) > 0 && !slices.Contains(x.releases, w.release.Followed()) {
			continue
		}
		got := ""
		switch x.kind {
		case wantEvent:
			got = gotEvents(x, events)
		case wantStatus:
			got = w.gotStatus(x)
		case wantState:
			got = w.gotStates(x)
		case wantCount:
			got = gotCount(x, counts[x.name])
		case wantFinding:
			got = gotFinding(x, findings)
		}
		out = append(out, Outcome{Line: x.line, Text: x.text, OK: got == "", Got: got})
	}
	return out
}

// gotEvents says what came out where it is not what was wanted; empty otherwise.
func gotEvents(x *expectation, events map[happening][]int64) string {
	wrong := map[string][]string{}
	var order []string
	for _, subject := range x.subjects {
		if got := gotEvent(x, events[happening{subject, x.name}]); got != "" {
			if wrong[got] == nil {
				order = append(order, got)
			}
			wrong[got] = append(wrong[got], subject)
		}
	}
	var parts []string
	for _, got := range order {
		parts = append(parts, fold(wrong[got])+": "+got)
	}
	return strings.Join(parts, "; ")
}

// happening is an event of a machine, or of a check.
type happening struct {
	subject string
	name    EventName
}

// eventTimes are when each event happened.
func (w *world) eventTimes() map[happening][]int64 {
	out := map[happening][]int64{}
	for _, e := range w.log {
		h := happening{cmp.Or(e.Machine, e.Check), e.Name}
		out[h] = append(out[h], int64(e.At))
	}
	return out
}

// mostTimes are told of an event that came out at others than the expected one.
const mostTimes = 20

func gotEvent(x *expectation, at []int64) string {
	meets := func(t int64) bool {
		switch x.when {
		case "at":
			return t == x.at
		case "by":
			return t <= x.at
		case "after":
			return t > x.at
		}
		return true
	}
	if slices.ContainsFunc(at, meets) != (x.when == "never") {
		return ""
	}
	if len(at) == 0 {
		return "no " + string(x.name)
	}
	var times []string
	for i, t := range at {
		if i == mostTimes {
			times = append(times, fmt.Sprintf("and %d more", len(at)-i))
			break
		}
		times = append(times, clock(t))
	}
	return string(x.name) + " at " + strings.Join(times, ", ")
}

// gotStatus compares a check's status at a time.
func (w *world) gotStatus(x *expectation) string {
	var wrong []string
	for _, c := range w.checks {
		if !slices.Contains(x.subjects, c.policy.Name) {
			continue
		}
		s, ok := c.statusAt(x.at)
		if !ok {
			return "no status yet"
		}
		for _, want := range x.status {
			if got := s.differs(want); got != "" {
				wrong = append(wrong, got)
			}
		}
	}
	return strings.Join(wrong, ", ")
}

// statusAt is the status that holds after everything at a time.
func (c *watcher) statusAt(at int64) (Status, bool) {
	i := sort.Search(len(c.history), func(i int) bool { return c.history[i].At > unit.Duration(at) })
	if i == 0 {
		return Status{}, false
	}
	return c.history[i-1].Status, true
}

// differs says what a status is where it is not what is wanted.
func (s Status) differs(want wanted) string {
	numbers := map[string]int{"total": s.Expected, "healthy": s.Healthy, "unhealthy": s.Unhealthy, "max": s.Max}
	if got, ok := numbers[want.name]; ok {
		if got == want.value {
			return ""
		}
		return fmt.Sprintf("%s %d", want.name, got)
	}
	is := "allowed"
	switch {
	case s.Error != "" && !s.Restricted:
		is = s.Error
	case s.Restricted:
		is = "restricted"
	}
	if is == want.name {
		return ""
	}
	return is
}

// gotStates compares states of machines at a time.
func (w *world) gotStates(x *expectation) string {
	wrong := map[string][]string{}
	var order []string
	for _, name := range x.subjects {
		state := w.stateAt(name, x.at)
		if state == x.state {
			continue
		}
		if wrong[state] == nil {
			order = append(order, state)
		}
		wrong[state] = append(wrong[state], name)
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, fold(wrong[state])+": "+state)
	}
	return strings.Join(parts, "; ")
}

// stateAt is the state of a machine after everything at a time.
func (w *world) stateAt(name string, at int64) string {
	m := w.byName[name]
	if m == nil {
		return "not made"
	}
	i := sort.Search(len(m.spans), func(i int) bool { return m.spans[i].From > unit.Duration(at) })
	switch {
	case len(m.spans) > 0 && i == 0:
		return "not made"
	case i == 0:
		return stateGone
	}
	if s := m.spans[i-1]; unit.Duration(at) < s.To || s.To == unit.Duration(w.script.until) && !m.endsAt(s.To) {
		return s.State
	}
	return stateGone
}

// endsAt says whether the machine was gone at a time.
func (m *member) endsAt(at unit.Duration) bool {
	return m.gone && len(m.spans) > 0 && m.spans[len(m.spans)-1].To == at
}

// eventCounts are how often each event happened.
func (w *world) eventCounts() map[EventName]int {
	out := map[EventName]int{}
	for i := range w.log {
		out[w.log[i].Name]++
	}
	return out
}

func gotCount(x *expectation, n int) string {
	if n == x.count {
		return ""
	}
	return fmt.Sprintf("%s %d", x.name, n)
}

func gotFinding(x *expectation, findings []v1alpha1.Finding) string {
	for _, f := range findings {
		if f.ID == x.state {
			return ""
		}
	}
	return "no such finding"
}
