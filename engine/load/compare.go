package load

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Comparison of two runs.
type Comparison struct {
	Old     string         `json:"old"`
	New     string         `json:"new"`
	Changes []bench.Change `json:"changes"`
	// Slower are the IDs of what is slower beyond chance and by more than Tolerance.
	Slower    []string `json:"slower"`
	Tolerance float64  `json:"tolerance"`
	// Unlike says what else than the cluster may be why they differ.
	Unlike []string `json:"unlike,omitempty"`
}

// alpha is the share of comparisons of equal runs that may find a difference.
const alpha = 0.05

// Compare says what became slower: what differs beyond chance, and by more than tolerance in the median
// or the 99th percentile, such as 0.1.
func Compare(old, new *Result, tolerance float64) *Comparison {
	c := &Comparison{Old: old.RunID, New: new.RunID, Tolerance: tolerance, Slower: []string{}, Unlike: unlike(old, new),
		Changes: bench.Compare(old.series(), new.series(), alpha)}
	for _, ch := range c.Changes {
		hangs := ch.New.Censored*ch.Old.N > ch.Old.Censored*ch.New.N
		if ch.Different && (max(ch.Median, ch.P99) > 1+tolerance || hangs) {
			c.Slower = append(c.Slower, ch.ID)
		}
	}
	return c
}

// series are the latencies that have their times, without those of the server's clock, which are whole
// seconds.
func (r *Result) series() []bench.Series {
	var out []bench.Series
	for _, l := range r.Latencies {
		if l.Clock == "own" {
			out = append(out, bench.Series{ID: l.ID, Title: l.Title, Times: l.Times, Censored: l.Summary.Censored})
		}
	}
	return out
}

// Answer is the comparison for people and programs.
func (c *Comparison) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: "LoadComparison",
		Title: "Load " + c.Old + " and " + c.New, Result: c}
	a.Verdict.OK = len(c.Slower) == 0
	a.Verdict.Summary = fmt.Sprintf("%s of %s slower", words.Number(len(c.Slower)), words.Count(len(c.Changes), "latency",
		"latencies"))
	t := v1alpha1.Table{ID: "changes",
		Columns: cell.Columns("What", "p50 before", "after", "p99 before", "after", "Chance"),
		Notes: []string{"Chance is that of two equal runs differing as much (U test of Mann and Whitney). It knows what " +
			"differs within a run, and not how runs differ from day to day: run both more than once."}}
	for i := 1; i < len(t.Columns); i++ {
		t.Columns[i].Right = true
	}
	for _, ch := range c.Changes {
		chance := fmt.Sprintf("%.2g", ch.P)
		if ch.P < 1e-4 {
			chance = "< 0.0001"
		}
		row := cell.Texts(ch.Title, shown(ch.Old.P50), shown(ch.New.P50), shown(ch.Old.P99), shown(ch.New.P99), chance)
		for _, id := range c.Slower {
			if id == ch.ID {
				row[0].Mark = "bad"
				a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "load.slower[" + id + "]",
					Message: ch.Title + ": " + c.slower(ch) + ", beyond chance"})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if len(a.Findings) > 0 {
		a.Verdict.Problem = a.Findings[0].Message
	}
	for _, text := range c.Unlike {
		a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Warning, ID: "load.unlike", Message: text})
	}
	a.Parts = []v1alpha1.Part{{Title: "Times", Spread: c.spread(), Tables: []v1alpha1.Table{t}}}
	return a
}

// slower says what is.
func (c *Comparison) slower(ch bench.Change) string {
	switch {
	case ch.Median > 1+c.Tolerance:
		return fmt.Sprintf("the median is %s after %s", shown(ch.New.P50), shown(ch.Old.P50))
	case ch.P99 > 1+c.Tolerance:
		return fmt.Sprintf("the 99th percentile is %s after %s", shown(ch.New.P99), shown(ch.Old.P99))
	}
	return fmt.Sprintf("%s of %s never ended, after %s of %s", words.Number(ch.New.Censored), words.Number(ch.New.N),
		words.Number(ch.Old.Censored), words.Number(ch.Old.N))
}

// spread draws the quantiles of both runs below each other.
func (c *Comparison) spread() *v1alpha1.Spread {
	out := &v1alpha1.Spread{Title: "Quantiles before and after",
		Description: "From the median to the longest, with the intervals that hold each with 95 %. Red is slower."}
	for _, ch := range c.Changes {
		after := spreadRow("after", "", ch.New, nil)
		after.Passed = slices.Contains(c.Slower, ch.ID)
		out.Rows = append(out.Rows, spreadRow(ch.Title+": before", "", ch.Old, nil), after)
	}
	return out
}
