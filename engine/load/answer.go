package load

import (
	"fmt"
	"strconv"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Answer is the result for people and programs, held against thresholds.
func (r *Result) Answer(notes []string, thresholds []Threshold) *v1alpha1.Answer {
	judged := r.Judge(thresholds)
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "LoadRun", Title: "Load " + r.RunID, Result: struct {
		*Result
		Judgements []Judgement `json:"judgements"`
	}{r, judged}}
	a.Verdict.Summary = r.summary()
	a.Verdict.OK = r.Failed == ""
	a.Verdict.Problem = r.Failed
	r.findings(a, judged, notes)
	r.rates(a)
	a.Parts = append(a.Parts, v1alpha1.Part{Title: "What was created", Tables: []v1alpha1.Table{r.kinds()}},
		v1alpha1.Part{Title: "How long it took", Spread: spread(r.Latencies, judged), Tables: r.times()},
		v1alpha1.Part{Title: "What came when", Course: r.drawn(), Tables: []v1alpha1.Table{r.phaseTable()}})
	r.seenByPrometheus(a)
	return a
}

// summary tells how long creation took apart from how long the run did.
func (r *Result) summary() string {
	created, left := 0, 0
	for _, k := range r.Kinds {
		if k.How == skipped {
			left += k.Created
		} else {
			created += k.Created
		}
	}
	out := words.Count(created, "object") + " created"
	if r.RateReached > 0 {
		out += fmt.Sprintf(" in %s, %.1f a second", Round(r.Last.Sub(r.First)), r.RateReached)
	}
	if left > 0 {
		out += fmt.Sprintf(", %s left out", words.Number(left))
	}
	if r.Pods == 0 {
		return out + fmt.Sprintf("; done after %s", Round(r.Took))
	}
	return out + fmt.Sprintf("; %s of %s ready after %s", words.Number(r.Ready), words.Count(r.Pods, "pod"), Round(r.Took))
}

// says in words what went wrong.
func (f Failure) says() string {
	return fmt.Sprintf("%s: %s, such as %s", f.Reason, words.Count(f.Count, "time"), f.Example)
}

func (r *Result) findings(a *v1alpha1.Answer, judged []Judgement, notes []string) {
	find := func(severity v1alpha1.Severity, id, message, remedy string) {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: severity, ID: id, Message: message, Remedy: remedy})
	}
	for _, f := range r.Failures {
		find(v1alpha1.Error, "load.failed["+f.Reason+"]", f.says(), "")
	}
	for _, j := range judged {
		id := "load.threshold[" + j.Latency + "." + j.Threshold.Quantile + "]"
		switch {
		case j.Holds:
		case !j.Known:
			a.Verdict.Open = append(a.Verdict.Open, j.Why)
			find(v1alpha1.Warning, id, j.Why, "measure more, at least 100 for p99, or ask for max or a lower quantile")
		default:
			find(v1alpha1.Error, id, j.Why, "")
			if a.Verdict.OK {
				a.Verdict.OK, a.Verdict.Problem = false, j.Why
			}
		}
	}
	for _, left := range r.Left {
		find(v1alpha1.Error, "load.left", "not all could be taken away: "+left, "plimsoll load destroy "+r.RunID)
		if a.Verdict.OK {
			a.Verdict.OK, a.Verdict.Problem = false, "not all could be taken away: "+left
		}
	}
	if r.RateReached > 0 && r.RateReached < 0.98*r.RateAsked {
		message, remedy := fmt.Sprintf("%.1f objects a second were reached of %.4g that were asked for", r.RateReached,
			r.RateAsked), "raise --concurrency, if the server has room"
		if r.HeldBack >= leastPiece { // what takes less is no reason
			message += fmt.Sprintf("; for %s nothing was due, behind the queue, a step or sync", Round(r.HeldBack))
		}
		if span := r.Last.Sub(r.First) - r.HeldBack; float64(r.Filled-1) >= 0.9*r.RateAsked*span.Seconds() {
			remedy = "" // in the rest of the time the rate was reached, but for what begins and ends it
		}
		find(v1alpha1.Warning, "load.rate", message, remedy)
	}
	if r.Restarted > 0 {
		find(v1alpha1.Warning, "load.restarted", fmt.Sprintf("containers of %s ended and were started again, such as of %s",
			words.Count(r.Restarted, "pod"), r.Restart), "kubectl describe pod says why, while it is there: --cleanup never")
	}
	if r.Unchurned > 0 {
		find(v1alpha1.Warning, "load.churn", fmt.Sprintf("churn left %s alone, because the server makes their names",
			words.Count(r.Unchurned, "item")), "give their objects a name in place of generateName, or --churn-mode namespaces")
	}
	for _, n := range notes {
		find(v1alpha1.Info, "load.note", n, "")
	}
}

// rates is the first part: where, how fast, and what is left of it.
func (r *Result) rates(a *v1alpha1.Answer) {
	lead := fmt.Sprintf("Run %s on %s", r.RunID, r.Server)
	if on := r.Cluster.String(); on != "" {
		lead += " (" + on + ")"
	}
	lead += "."
	switch {
	case r.Cleaned:
		lead += fmt.Sprintf(" All that it made is gone again, after %s.", Round(r.CleanTook))
	case len(r.Left) == 0:
		lead += " What it made stays: plimsoll load destroy " + r.RunID + " takes it away."
	}
	a.Parts = append(a.Parts, v1alpha1.Part{Title: "Run", Lead: []string{lead}})
}

func (r *Result) kinds() v1alpha1.Table {
	t := v1alpha1.Table{ID: "kinds", Columns: cell.Columns("Kind", "API", "How", "Created", "Ready", "Refused"),
		Notes: []string{"Ready counts the objects whose status says so; - stands where a run does not wait for the kind."}}
	for i := 3; i < len(t.Columns); i++ {
		t.Columns[i].Right = true
	}
	for _, k := range r.Kinds {
		how := map[string]string{standIn: "stand-in", converted: "as " + k.Into}[k.How]
		if how == "" {
			how = k.How
		}
		ready := "-"
		if k.Waited {
			ready = words.Number(k.Ready)
		}
		row := cell.Texts(k.Kind, k.APIVersion, how, words.Number(k.Created), ready, strconv.Itoa(k.Failed))
		if k.Failed > 0 {
			row[5].Mark = "bad"
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// times are the quantiles, and in a table of their own their intervals: with them the first is wider than a terminal.
func (r *Result) times() []v1alpha1.Table {
	t := v1alpha1.Table{ID: "latencies", Columns: cell.Columns("What", ">N", ">Never", ">p50", ">p90", "*>p95", ">p99",
		">Longest"),
		Notes: []string{"Quantiles by nearest rank; - is not known: p99 needs 100 values, and what never ended counts as " +
			"slower than all.",
			"Times in the server are the ends of the buckets of its histogram, in which all its clients are; what a call " +
				"takes beyond them is the way there and the queue."}}
	in := v1alpha1.Table{ID: "intervals", Title: "With 95 % certainty", Wide: true,
		Columns: cell.Columns("What", ">p50 between", ">p99 between")}
	for _, l := range r.Latencies {
		s := l.Summary
		longest := "-"
		if len(l.Times) > 0 {
			longest = Round(s.Max).String()
		}
		t.Rows = append(t.Rows, cell.Texts(l.Title, words.Number(s.N), words.Number(s.Censored), shown(s.P50),
			shown(s.P90), shown(s.P95), shown(s.P99), longest))
		in.Rows = append(in.Rows, cell.Texts(l.Title, between(s.P50), between(s.P99)))
	}
	return []v1alpha1.Table{t, in}
}

func shown(q bench.Quantile) string {
	if !q.Known {
		return "-"
	}
	return Round(q.Value).String()
}

// between is the interval of a quantile.
func between(q bench.Quantile) string {
	switch {
	case !q.Known:
		return "-"
	case !q.Bounded:
		return fmt.Sprintf("%s and more", Round(q.Low))
	}
	return fmt.Sprintf("%s and %s", Round(q.Low), Round(q.High))
}

func (r *Result) phaseTable() v1alpha1.Table {
	t := v1alpha1.Table{ID: "phases", Title: "Phases", Wide: true,
		Columns: cell.Columns("Phase", ">From", ">To", ">Items")}
	for _, p := range r.Phases {
		items := ""
		if p.Items > 0 {
			items = words.Number(p.Items)
		}
		t.Rows = append(t.Rows, cell.Texts(p.Title, p.From.Round(time.Millisecond).String(),
			p.To.Round(time.Millisecond).String(), items))
	}
	return t
}
