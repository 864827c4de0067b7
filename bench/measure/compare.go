package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/tune/cell"
)

// Change of a figure of a cell between two runs.
type Change struct {
	Cell   string `json:"cell"`
	Figure string `json:"figure"`
	Title  string `json:"title"`
	bench.Ratio
	// Different says that P is below 5 %, divided by the number of figures that are compared (Bonferroni).
	Different bool `json:"different"`
	// Worse is a difference for the worse beyond the tolerance.
	Worse bool `json:"worse"`
	// Says is the ratio in the words of the studies: "41 % lower", "1.8x lower".
	Says string `json:"says"`

	of Figure
}

// Comparison of two runs.
type Comparison struct {
	// Subject is what both measured: "network".
	Subject   string   `json:"subject"`
	Old       string   `json:"old"`
	New       string   `json:"new"`
	Tolerance float64  `json:"tolerance"`
	Changes   []Change `json:"changes"`
	// Missing are cells that only one run has, and Unusable those whose latencies break Little's law in one
	// of the runs: they are not compared.
	Missing  []string `json:"missing,omitempty"`
	Unusable []string `json:"unusable,omitempty"`
}

// alpha is the share of comparisons of equal runs that may find a difference.
const alpha = 0.05

// Compare each figure of each cell that both runs have. Tolerance is the share by which a figure may be
// worse, such as 0.1.
func Compare(old, new Cells, tolerance float64) *Comparison {
	c := &Comparison{Subject: old.Subject, Old: old.RunID, New: new.RunID, Tolerance: tolerance, Changes: []Change{}}
	for _, a := range old.Cells {
		i := slices.IndexFunc(new.Cells, func(b Measured) bool { return a.Name == b.Name })
		if i < 0 {
			c.Missing = append(c.Missing, a.Name)
			continue
		}
		c.cell(a, new.Cells[i])
	}
	for _, b := range new.Cells {
		if !slices.ContainsFunc(old.Cells, func(a Measured) bool { return a.Name == b.Name }) {
			c.Missing = append(c.Missing, b.Name)
		}
	}
	for i := range c.Changes {
		ch := &c.Changes[i]
		ch.Different = ch.P < alpha/float64(len(c.Changes))
		ch.Worse = ch.Different && (ch.of.Less && ch.Value > 1+tolerance || !ch.of.Less && ch.Value < 1-tolerance)
	}
	return c
}

func (c *Comparison) cell(a, b Measured) {
	broken, _ := a.broken()
	more, _ := b.broken()
	if broken+more > 0 {
		c.Unusable = append(c.Unusable, a.Name)
	}
	for _, f := range a.Figures() {
		if !b.known(f) || f.Latency && broken+more > 0 {
			continue
		}
		r := bench.RatioOf(a.Values(f), b.Values(f))
		c.Changes = append(c.Changes, Change{Cell: a.Name, Figure: f.ID, Title: f.Title, Ratio: r,
			Says: Says(r.Value, f.Less), of: f})
	}
}

// Says is a ratio to a base in the words of the studies: for what should be small "41 % lower" (1 - new/base)
// and "1.5x higher" (new/base), else "1.52x higher" (new/base) and "1.8x lower" (base/new).
func Says(ratio float64, less bool) string {
	switch {
	case ratio <= 0:
		return "-"
	case math.Abs(ratio-1) < 0.005:
		return "the same"
	case ratio > 1:
		return fmt.Sprintf("%.2fx higher", ratio)
	case less:
		return fmt.Sprintf("%.0f %% lower", 100*(1-ratio))
	}
	return fmt.Sprintf("%.2fx lower", 1/ratio)
}

// Extreme is the best or worst ratio of the cells: of medians, or means where these are not known, or of rates and
// throughputs. It is 0 where nothing is compared.
func (c *Comparison) Extreme(end string, latency bool) float64 {
	var ratios []float64
	for _, ch := range c.Changes {
		median := ch.Figure == "p50" || ch.Figure == "mean"
		rate := ch.Figure == "rate" || ch.Figure == "throughput"
		if latency && median || !latency && rate {
			ratios = append(ratios, ch.Value)
		}
	}
	switch {
	case len(ratios) == 0:
		return 0
	case (end == "best") == latency: // the least latency, the lowest throughput
		return slices.Min(ratios)
	}
	return slices.Max(ratios)
}

// Answer is the comparison for people and programs.
func (c *Comparison) Answer() *v1alpha1.Answer {
	a := &v1alpha1.Answer{APIVersion: v1alpha1.APIVersion, Kind: title(c.Subject) + "Comparison",
		Title: title(c.Subject) + ": " + c.New + " against the base " + c.Old, Result: c}
	worse, different := 0, 0
	for _, ch := range c.Changes {
		if ch.Different {
			different++
		}
		if ch.Worse {
			worse++
			a.Findings = append(a.Findings, v1alpha1.Finding{Severity: v1alpha1.Error,
				ID: c.Subject + ".worse[" + ch.Cell + "." + ch.Figure + "]", Message: ch.message()})
		}
	}
	a.Findings = append(a.Findings, c.left()...)
	a.Verdict.OK = worse == 0 && len(c.Changes) > 0
	a.Verdict.Summary = fmt.Sprintf("%s of %s different beyond chance, %s worse than the tolerance",
		words.Number(different), words.Count(len(c.Changes), "figure"), words.Number(worse))
	switch {
	case len(c.Changes) == 0:
		a.Verdict.Problem = "the runs have no cell in common that can be compared"
	case worse > 0:
		a.Verdict.Problem = a.Findings[0].Message
	}
	a.Parts = []v1alpha1.Part{{Title: "Changes", Tables: []v1alpha1.Table{c.table()}}}
	return a
}

func (ch Change) message() string {
	return fmt.Sprintf("%s: the %s is %s than %s: %s", ch.Cell, ch.Title, ch.Says, ch.of.Text(ch.Old.Median),
		ch.of.Text(ch.New.Median))
}

// left says what was not compared.
func (c *Comparison) left() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	add := func(id, remedy, format string, args ...any) {
		out = append(out, v1alpha1.Finding{Severity: v1alpha1.Warning, ID: c.Subject + "." + id,
			Message: fmt.Sprintf(format, args...), Remedy: remedy})
	}
	if len(c.Missing) > 0 {
		add("missing", "", "only one run has %s", words.Some(c.Missing, 5))
	}
	if len(c.Unusable) > 0 {
		add("unusable", "measure them again", "latencies of %s are not compared: rate x latency is not the number that "+
			"waited", words.Some(c.Unusable, 5))
	}
	if i := slices.IndexFunc(c.Changes, func(ch Change) bool { return !ch.Bounded }); i >= 0 {
		add("unbounded", "measure three times or more", "%s was measured once in one run: a ratio without an interval "+
			"is not judged", c.Changes[i].Cell)
	}
	return out
}

func (c *Comparison) table() v1alpha1.Table {
	t := v1alpha1.Table{ID: "changes",
		Columns: cell.Columns("Cell", "Figure", ">Base", ">New", "*>Ratio", ">95 %", "*>Chance", "Verdict"),
		Notes: []string{"Base and new are medians; the ratio new/base lies in the interval with 95 % (Welch, of geometric " +
			"means over repetitions). A difference is one if chance makes it in less than 5 % of all figures together. Lower " +
			"latency is 1 - new/base, as the studies count it; 1.8x lower throughput is base/new."}}
	for _, ch := range c.Changes {
		interval, verdict, mark := "-", "no difference", ""
		if ch.Bounded {
			interval = fmt.Sprintf("%.2f-%.2f", ch.Low, ch.High)
		} else {
			verdict = "measured once"
		}
		if ch.Different {
			verdict = ch.Says
		}
		if ch.Worse {
			mark = "bad"
		}
		row := cell.Texts(ch.Cell, ch.Figure, ch.of.Text(ch.Old.Median), ch.of.Text(ch.New.Median),
			fmt.Sprintf("%.3g", ch.Value), interval, fmt.Sprintf("%.2g", ch.P), verdict)
		row[len(row)-1].Mark = mark
		t.Rows = append(t.Rows, row)
	}
	return t
}

func title(subject string) string { return strings.ToUpper(subject[:1]) + subject[1:] }
