package load

import (
	"cmp"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Answer is the climb for people and programs; goal says where the goal comes from.
func (l *Climbed) Answer(goal string) *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "LoadClimb", Title: "Climb to " + l.Maximum, Result: l}
	last := l.Levels[len(l.Levels)-1]
	a.Verdict.OK = l.Held == l.Goal
	a.Verdict.Summary = fmt.Sprintf("%s %s held, %.0f %% of the goal of %s (%s)", words.Number(l.Held), l.Unit,
		100*float64(l.Held)/float64(l.Goal), unit.Format(float64(l.Goal), l.Unit), goal)
	if !last.Held {
		a.Verdict.Problem = fmt.Sprintf("at %s %s: %s", words.Number(last.At), l.Unit, last.Broke)
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "load.climb[" + l.Maximum + "]",
			Message: a.Verdict.Problem})
		for _, f := range last.Result.Failures {
			a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "load.failed[" + f.Reason + "]",
				Message: fmt.Sprintf("%s: %s, such as %s", f.Reason, words.Count(f.Count, "time"), f.Example)})
		}
	}
	lead := fmt.Sprintf("Run %s. Each level adds to the one before; times are of what it adds.", l.RunID)
	if !l.Cleaned {
		lead += " What was made stays: plimsoll load destroy " + l.RunID + " takes it away."
	}
	a.Parts = []v1alpha1.Part{
		{Title: "Levels", Lead: []string{lead}, Course: l.course(), Tables: []v1alpha1.Table{l.table()}},
		{Title: "The last level: what was created", Tables: []v1alpha1.Table{last.Result.kinds()}},
		{Title: "The last level: how long it took", Spread: spread(last.Result.Latencies, last.Judgements),
			Tables: []v1alpha1.Table{last.Result.times()}}}
	last.Result.seenByPrometheus(a)
	a.Parts = append(a.Parts, l.forPlan())
	return a
}

// course of the climb: its levels are the phases.
func (l *Climbed) course() *v1alpha1.Course {
	var runs []*Result
	pods := 0
	for _, level := range l.Levels {
		if level.Result.Course == nil {
			continue // it came to nothing
		}
		runs, pods = append(runs, level.Result), pods+level.Result.Pods
	}
	if len(runs) == 0 {
		return nil
	}
	c, took := together(runs)
	out := c.curves(took, runs[0].RateAsked, pods)
	for i, r := range runs {
		from := r.Began.Sub(runs[0].Began)
		out.Phases = append(out.Phases, v1alpha1.CoursePhase{Name: words.Number(l.Levels[i].At) + " " + l.Unit,
			State: map[bool]string{true: "held", false: "broke"}[l.Levels[i].Held], From: from.Seconds(),
			To: (from + r.Took).Seconds()})
	}
	return out
}

func (l *Climbed) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "levels", Columns: cell.Columns("Level", "Took", "Rate", "Ready p99", "Longest call", "Held")}
	for i := range 5 {
		t.Columns[i].Right = true
	}
	for _, level := range l.Levels {
		ready, call := "-", "-"
		for _, latency := range level.Result.Latencies {
			switch {
			case latency.ID == "pod/ready":
				ready = shown(latency.Summary.P99)
			case latency.ID == "create/namespaces": // which are not the subject
			case len(latency.ID) > 7 && latency.ID[:7] == "create/":
				call = Round(latency.Summary.Max).String()
			}
		}
		row := cell.Texts(words.Number(level.At), Round(level.Result.Took).String(),
			fmt.Sprintf("%.0f/s", level.Result.RateReached), ready, call, cmp.Or(level.Broke, "yes"))
		row[5].Mark = map[bool]string{true: "good", false: "bad"}[level.Held]
		t.Rows = append(t.Rows, row)
	}
	return t
}
