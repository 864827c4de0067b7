package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
	"plimsoll.dev/unit"
)

// What a trend needs, and how far ahead it is believed and warned of: this program's own choice.
const (
	trendRuns    = 3
	trendDays    = 14
	trendHorizon = 10 * 365
	trendWarning = 90
	// trendChance is that a limit is passed before the first day that is told, if growth stays as it was.
	trendChance = 0.05
)

// Trend is how a quantity comes near its limit.
type Trend struct {
	ID    string  `json:"id"`
	Title string  `json:"title"`
	Unit  string  `json:"unit"`
	First float64 `json:"first"`
	Now   float64 `json:"now"`
	Limit float64 `json:"limit"`
	// PerWeek is the slope of the line through all runs, Passes the day on which it reaches the limit and Earliest the
	// first on which one does that is as steep as chance allows (5 %); empty where Why says why.
	PerWeek  float64 `json:"perWeek"`
	Passes   string  `json:"passes,omitempty"`
	Earliest string  `json:"earliest,omitempty"`
	Why      string  `json:"why,omitempty"`
}

// HistoryResult is a history for programs.
type HistoryResult struct {
	Cluster string  `json:"cluster"`
	Runs    []Ran   `json:"runs"`
	Trends  []Trend `json:"trends"`
}

// Ran is one audit of a history.
type Ran struct {
	Time     string `json:"time"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	NotSeen  int    `json:"notSeen"`
}

// past is an audit of the past.
type past struct {
	at     time.Time
	result *Result
	ran    Ran
}

// History puts audits of one cluster beside each other: what became of it, and when it passes which limit if it grows
// as it did. The error says which of the answers are of another cluster, or have no time.
func History(runs []*v1alpha1.Answer) (v1alpha1.Answer, error) {
	list, err := ordered(runs)
	if err != nil {
		return v1alpha1.Answer{}, err
	}
	last := list[len(list)-1]
	out := HistoryResult{Cluster: last.result.Cluster}
	for _, p := range list {
		out.Runs = append(out.Runs, p.ran)
	}
	for _, g := range last.result.Gauges {
		if g.Local { // of the fullest node, which was another before
			continue
		}
		t := Trend{ID: g.ID, Title: g.Title, Unit: g.Limit.Unit, Limit: g.Limit.Number}
		var days, values []float64
		for _, p := range list {
			for _, o := range p.result.Gauges {
				if o.ID == g.ID {
					days, values = append(days, p.at.Sub(last.at).Hours()/24), append(values, o.Value.Number)
				}
			}
		}
		t.First, t.Now = values[0], values[len(values)-1]
		t.fit(days, values, last.at)
		out.Trends = append(out.Trends, t)
	}
	slices.SortStableFunc(out.Trends, func(a, b Trend) int {
		never := "9999"
		return cmp.Compare(cmp.Or(a.Passes, never), cmp.Or(b.Passes, never))
	})
	return out.answer(last.at), nil
}

// same says whether two audits are of one cluster: by its identity, else by its name or file.
func (r *Result) same(other *Result) bool {
	if r.Identity != "" && other.Identity != "" {
		return r.Identity == other.Identity
	}
	return r.Cluster == other.Cluster
}

func ordered(runs []*v1alpha1.Answer) ([]past, error) {
	var out []past
	for _, a := range runs {
		r := a.Result.(*Result)
		at, err := time.Parse(time.RFC3339, r.Time)
		if err != nil {
			return nil, fmt.Errorf("an audit of %s has no time: %w", r.Cluster, err)
		}
		p := past{at: at, result: r, ran: Ran{Time: r.Time}}
		for _, f := range a.Findings {
			switch f.Severity {
			case v1alpha1.Error:
				p.ran.Errors++
			case v1alpha1.Warning:
				p.ran.Warnings++
			}
		}
		for _, o := range r.Rules {
			if o.State == NotSeen {
				p.ran.NotSeen++
			}
		}
		if len(out) > 0 && !out[0].result.same(r) {
			return nil, fmt.Errorf("audits of %s and of %s have no history together", out[0].result.Cluster, r.Cluster)
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b past) int { return a.at.Compare(b.at) })
	return slices.CompactFunc(out, func(a, b past) bool { return a.at.Equal(b.at) }), nil
}

// fit a line through values at days, which are 0 at the last one and below it before.
func (t *Trend) fit(days, values []float64, last time.Time) {
	n := len(days)
	if span := -days[0]; n < trendRuns || span < trendDays {
		t.Why = fmt.Sprintf("%s over %.0f days: %d over %d are needed", words.Count(n, "audit"), span, trendRuns, trendDays)
		return
	}
	at, slope := stat.LinearRegression(days, values, nil, false)
	t.PerWeek = 7 * slope
	mean, squares, rest := stat.Mean(days, nil), 0.0, 0.0
	for i, d := range days {
		squares += (d - mean) * (d - mean)
		rest += math.Pow(values[i]-at-slope*d, 2)
	}
	wide := math.Sqrt(rest/float64(n-2)/squares) *
		distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 2)}.Quantile(1-trendChance)
	day := func(slope float64) (string, bool) {
		ahead := math.Max(0, (t.Limit-at)/slope)
		return last.AddDate(0, 0, int(math.Ceil(ahead))).Format(time.DateOnly), ahead <= trendHorizon
	}
	passes, soon := day(slope)
	switch {
	case t.Now > t.Limit:
		t.Why = "it is passed"
	case slope-wide <= 0:
		t.Why = "does not grow"
	case !soon:
		t.Why = "not in ten years"
	default:
		t.Passes = passes
		t.Earliest, _ = day(slope + wide)
	}
}

func (r HistoryResult) answer(last time.Time) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "AuditHistory", Title: "History of " + r.Cluster,
		Result: r}
	a.Verdict.OK = true
	a.Verdict.Summary = fmt.Sprintf("%s from %s to %s", words.Count(len(r.Runs), "audit"), r.Runs[0].Time[:10],
		r.Runs[len(r.Runs)-1].Time[:10])
	if t := r.Trends; len(t) > 0 && t[0].Passes != "" {
		a.Verdict.Summary += fmt.Sprintf("; %s passes its limit about %s, if it grows as it did", t[0].Title, t[0].Passes)
	}
	a.Verdict.Summary += "."
	soon := last.AddDate(0, 0, trendWarning).Format(time.DateOnly)
	table := v1alpha1.Table{ID: "history.trends",
		Columns: cell.Columns("Quantity", ">Now", ">Limit", ">A week", "Passed", "Not before", "*>First")}
	for _, t := range r.Trends {
		if t.Passes != "" && t.Passes <= soon {
			a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "history." + t.ID,
				Message: fmt.Sprintf("%s passes its limit of %s about %s, and not before %s, if it grows as it did", t.Title,
					unit.Format(t.Limit, t.Unit), t.Passes, t.Earliest),
				Remedy: "take some away, or plan for what comes: plimsoll plan --context NAME"})
		}
		table.Rows = append(table.Rows, cell.Texts(t.Title, unit.Format(t.Now, t.Unit), unit.Format(t.Limit, t.Unit),
			fmt.Sprintf("%+.3g", t.PerWeek), cmp.Or(t.Passes, t.Why), t.Earliest, unit.Format(t.First, t.Unit)))
	}
	runs := v1alpha1.Table{ID: "history.runs", Columns: cell.Columns("Time", ">Errors", ">Warnings", ">Not seen")}
	for _, ran := range r.Runs {
		runs.Rows = append(runs.Rows, []v1alpha1.Cell{cell.Text(ran.Time), cell.Count(ran.Errors), cell.Count(ran.Warnings),
			cell.Count(ran.NotSeen)})
	}
	a.Parts = []v1alpha1.Part{{Title: "Limits", Tables: []v1alpha1.Table{table}},
		{Title: "Audits", Tables: []v1alpha1.Table{runs}}}
	return a
}
