package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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
	var names []string
	for _, p := range list {
		if !slices.Contains(names, p.result.Cluster) {
			names = append(names, p.result.Cluster)
		}
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
	return out.answer(words.Some(names, shown), last.at), nil
}

// same says whether two audits are of one cluster: by its identity, else by its name or file.
func (r *Result) same(other *Result) bool {
	if r.Identity != "" && other.Identity != "" {
		return r.Identity == other.Identity
	}
	return !apart(r.Cluster, other.Cluster)
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
			return nil, fmt.Errorf("audits of %s and of %s have no history together (name those of one cluster)",
				out[0].result.Cluster, r.Cluster)
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b past) int { return a.at.Compare(b.at) })
	return slices.CompactFunc(out, func(a, b past) bool { return a.at.Equal(b.at) }), nil
}

// apart says whether two names are of two clusters: contexts are, but files of one cluster have a name for each day.
func apart(a, b string) bool {
	const context = "cluster "
	return a != b && strings.HasPrefix(a, context) && strings.HasPrefix(b, context)
}

// noGrowth is why a quantity never passes its limit.
const noGrowth = "does not grow"

// needed ends the reason of a quantity that was not counted often or long enough.
const needed = " are needed"

// fit a line through values at days, which are 0 at the last one and below it before.
func (t *Trend) fit(days, values []float64, last time.Time) {
	n := len(days)
	if span := math.Abs(days[0]); n < trendRuns || span < trendDays {
		t.Why = fmt.Sprintf("%s over %.0f days; %d over %d days"+needed, words.Count(n, "audit"), span, trendRuns,
			trendDays)
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
		t.Why = noGrowth
	case !soon:
		t.Why = "not in ten years"
	default:
		t.Passes = passes
		t.Earliest, _ = day(slope + wide)
	}
}

// short is why there is no trend of anything; empty where there is one.
func (r HistoryResult) short() string {
	if len(r.Trends) == 0 || !strings.HasSuffix(r.Trends[0].Why, needed) ||
		slices.ContainsFunc(r.Trends, func(t Trend) bool { return t.Why != r.Trends[0].Why }) {
		return ""
	}
	return r.Trends[0].Why
}

func (r HistoryResult) answer(name string, last time.Time) v1alpha1.Answer {
	a := v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "AuditHistory", Title: "History of " + name,
		Result: r}
	a.Verdict.OK = true
	a.Verdict.Summary = fmt.Sprintf("%s from %s to %s", words.Count(len(r.Runs), "audit"), r.Runs[0].Time[:10],
		r.Runs[len(r.Runs)-1].Time[:10])
	switch t := r.Trends; {
	case r.short() != "":
		a.Verdict.Summary = "No trend yet: " + r.short()
	case len(t) > 0 && t[0].Passes != "":
		a.Verdict.Summary += fmt.Sprintf("; %s passes its limit about %s, if it grows as it did", t[0].Title, t[0].Passes)
	}
	a.Verdict.Summary += "."
	soon := last.AddDate(0, 0, trendWarning).Format(time.DateOnly)
	for _, t := range r.Trends {
		if t.Passes != "" && t.Passes <= soon {
			a.Findings = append(a.Findings, t.finding(r.Cluster))
		}
	}
	runs := v1alpha1.Table{ID: "history.runs", Columns: cell.Columns("Time", ">Errors", ">Warnings", ">Not seen")}
	for _, ran := range r.Runs {
		runs.Rows = append(runs.Rows, []v1alpha1.Cell{cell.Text(ran.Time), cell.Count(ran.Errors), cell.Count(ran.Warnings),
			cell.Count(ran.NotSeen)})
	}
	a.Parts = []v1alpha1.Part{r.limits(), {Title: "Audits", Tables: []v1alpha1.Table{runs}}}
	return a
}

// finding that the limit is passed soon.
func (t Trend) finding(cluster string) v1alpha1.Finding {
	day := t.Passes
	if t.Earliest != day {
		day += ", and not before " + t.Earliest
	}
	return v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "history." + t.ID,
		Message: fmt.Sprintf("%s passes its limit of %s about %s, if it grows as it did", t.Title,
			unit.Format(t.Limit, t.Unit), day),
		Place:  &v1alpha1.Place{File: cluster, Cluster: true, Object: t.ID},
		Remedy: "take some away, or plan for what comes: plimsoll plan --context NAME"}
}

// limits are the quantities that grow, each in a row; those that don't are named, and stand in wide output.
func (r HistoryResult) limits() v1alpha1.Part {
	grow := v1alpha1.Table{ID: "history.trends",
		Columns: cell.Columns("Quantity", ">Now", ">Limit", ">Per week", "Passed", "Not before", "*>First")}
	if r.short() != "" { // which the verdict says once for all
		grow.Columns = cell.Columns("Quantity", ">Now", ">Limit")
	}
	still := v1alpha1.Table{ID: "history.still", Title: "What does not grow", Wide: true, Columns: grow.Columns}
	var names []string
	for _, t := range r.Trends {
		row := cell.Texts(t.Title, unit.Format(t.Now, t.Unit), unit.Format(t.Limit, t.Unit),
			fmt.Sprintf("%+.3g", t.PerWeek), cmp.Or(t.Passes, t.Why), t.Earliest, unit.Format(t.First, t.Unit))
		if row = row[:len(grow.Columns)]; t.Why == noGrowth {
			names, still.Rows = append(names, t.Title), append(still.Rows, row)
			continue
		}
		grow.Rows = append(grow.Rows, row)
	}
	p := v1alpha1.Part{Title: "Limits", Tables: []v1alpha1.Table{grow, still}}
	if len(names) > 0 {
		p.Lead = []string{"Without growth: " + strings.Join(names, ", ") + "."}
	}
	return p
}
