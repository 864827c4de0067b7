package load

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// Answer is the climb for people and programs; goal says where the goal comes from.
func (l *Climbed) Answer(goal string) *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "LoadClimb", Title: "Climb to " + l.Maximum, Result: l}
	shown, title := l.broken(), "The level that broke"
	if n := len(l.Levels); shown == nil && n > 0 {
		shown, title = &l.Levels[n-1], "The last level"
	}
	a.Verdict.OK = l.Held == l.Goal
	a.Verdict.Summary = fmt.Sprintf("%s %s held, %.0f %% of the goal of %s (%s)", words.Number(l.Held), l.Unit,
		100*float64(l.Held)/float64(l.Goal), unit.Format(float64(l.Goal), l.Unit), goal)
	a.Findings = l.findings()
	if len(a.Findings) > 0 {
		a.Verdict.OK, a.Verdict.Problem = false, a.Findings[0].Message
	}
	lead := fmt.Sprintf("Run %s. Each level adds to what is there; times are of what it adds.", l.RunID)
	if l.Precision > 0 {
		lead += " Where it says anew, all was taken away and made again before."
	}
	if !l.Cleaned && len(l.Left) == 0 {
		lead += " What was made stays: plimsoll load destroy " + l.RunID + " takes it away."
	}
	a.Parts = []v1alpha1.Part{
		{Title: "Levels", Lead: []string{lead}, Course: l.course(), Tables: []v1alpha1.Table{l.table()}}}
	if shown != nil {
		a.Parts = append(a.Parts,
			v1alpha1.Part{Title: title + ": what was created", Tables: []v1alpha1.Table{shown.Result.kinds()}},
			v1alpha1.Part{Title: title + ": how long it took", Spread: spread(shown.Result.Latencies, shown.Judgements),
				Tables: shown.Result.times()})
		shown.Result.seenByPrometheus(a)
	}
	a.Parts = append(a.Parts, l.forPlan())
	return a
}

// course of the climb: its levels are the phases.
func (l *Climbed) course() *v1alpha1.Course {
	var levels []*Level
	var runs []*Result
	pods := 0
	for i := range l.Levels {
		level := &l.Levels[i]
		if level.Result.Course == nil {
			continue // it came to nothing
		}
		levels, runs, pods = append(levels, level), append(runs, level.Result), pods+level.Result.Pods
	}
	if len(runs) == 0 {
		return nil
	}
	c, took := together(runs)
	out := c.curves(took, runs[0].RateAsked, pods)
	for i, r := range runs {
		from := r.Began.Sub(runs[0].Began)
		out.Phases = append(out.Phases, v1alpha1.CoursePhase{Name: words.Number(levels[i].At) + " " + l.Unit,
			State: levels[i].state(), From: from.Seconds(), To: (from + r.Took).Seconds()})
	}
	return out
}

// state of a level in a word.
func (l *Level) state() string {
	switch {
	case l.Held:
		return "held"
	case l.Broke != "":
		return "broke"
	}
	return "not known"
}

// findings: where the climb has broken and why, what ended it early, and what is left of it.
func (l *Climbed) findings() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	find := func(severity v1alpha1.Severity, id, message, remedy string) {
		out = append(out, v1alpha1.Finding{Severity: severity, ID: id, Message: message, Remedy: remedy})
	}
	if at := l.broken(); at != nil {
		find(v1alpha1.Error, "load.climb["+l.Maximum+"]", fmt.Sprintf("at %s %s: %s", words.Number(at.At), l.Unit, at.Broke),
			"")
		for _, f := range at.Result.Failures {
			find(v1alpha1.Error, "load.failed["+f.Reason+"]", f.says(), "")
		}
	}
	switch {
	case l.Stopped != "" && l.Broke > 0:
		find(v1alpha1.Warning, "load.climb.stopped", "the bisection ended early: "+l.Stopped, "")
	case l.Stopped != "":
		find(v1alpha1.Error, "load.climb.stopped", "the climb ended before a level broke: "+l.Stopped, "")
	}
	for _, left := range l.Left {
		find(v1alpha1.Error, "load.left", "not all could be taken away: "+left, "plimsoll load destroy "+l.RunID)
	}
	return out
}

// unknown is what is not known of numbers that were not tried.
func (l *Climbed) unknown() []string {
	if l.Broke == 0 {
		return nil
	}
	text := fmt.Sprintf("%s held and %s did not. Of numbers that were not tried nothing is known: a maximum need not be "+
		"monotonic, so that one below may break, too, and one above hold.", words.Number(l.Held), words.Number(l.Broke))
	if gap := l.Broke - l.Held; l.Precision == 0 && gap > 1 {
		text += fmt.Sprintf(" --precision %d looks between the two.", max(1, gap/10))
	}
	return []string{text}
}

func (l *Climbed) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "levels", Notes: l.unknown(),
		Columns: cell.Columns("Level", "Adds to", "Took", "Rate", "Ready p99", "Longest call", "Held")}
	for i := range 6 {
		t.Columns[i].Right = true
	}
	for _, level := range l.Levels {
		ready, call, longest := "-", "-", time.Duration(0)
		for _, latency := range level.Result.Latencies {
			switch {
			case latency.ID == "pod/ready":
				ready = shown(latency.Summary.P99)
			case latency.ID == "create/namespaces" && l.Maximum != "namespaces": // which are not the subject
			case strings.HasPrefix(latency.ID, "create/"):
				longest = max(longest, latency.Summary.Max)
			}
		}
		if longest > 0 {
			call = Round(longest).String()
		}
		from := words.Number(level.From)
		if level.Anew {
			from += " anew"
		}
		row := cell.Texts(words.Number(level.At), from, Round(level.Result.Took).String(),
			fmt.Sprintf("%.0f/s", level.Result.RateReached), ready, call, cmp.Or(level.Broke, level.Unknown, "yes"))
		row[6].Mark = map[bool]string{true: "good", false: "bad"}[level.Held]
		t.Rows = append(t.Rows, row)
	}
	return t
}
