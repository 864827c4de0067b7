package network

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/internal/words"
)

// How much a sample may be off before it is not believed.
const (
	// LittleShare is by how much connections and rate x mean latency may differ.
	LittleShare = 0.05
	// ForeignCPUs that others may use during a sample.
	ForeignCPUs = 0.2
	// SpinShare is by how much the same work may take longer after a sample than before it, or longer
	// by the clock than by the CPU's account.
	SpinShare = 0.1
	// SteadyShare is the half-spread between repetitions from which a cell is unsteady.
	SteadyShare = 0.1
)

// Little is rate x mean latency, which is the number of connections that were waiting; ok is false where
// the cell's connections do not wait, or one of the two is not known by itself.
func (c Cell) Little(r Repetition) (waiting float64, ok bool) {
	return r.Rate() * r.Latency.Mean.Seconds(), c.Waits() && r.Latency.Mean > 0 && r.Rate() > 0 && !r.Derived
}

// Disturbed says by whom a sample was, with the numbers; empty for one that was left alone.
func (r Repetition) Disturbed() string {
	if f := r.Foreign(); f > ForeignCPUs {
		return fmt.Sprintf("others used %.2f CPUs", f)
	}
	if r.Before == nil || r.After == nil {
		return ""
	}
	for _, s := range []Spin{*r.Before, *r.After} {
		if s.CPU > 0 && float64(s.Wall) > float64(s.CPU)*(1+SpinShare) {
			return fmt.Sprintf("work that takes %v of CPU took %v: the CPU was away", s.CPU.Round(time.Microsecond),
				s.Wall.Round(time.Microsecond))
		}
	}
	a, b := float64(r.Before.CPU), float64(r.After.CPU)
	if min(a, b) > 0 && max(a, b) > min(a, b)*(1+SpinShare) {
		return fmt.Sprintf("the same work took %v before and %v after: the CPU's speed changed",
			r.Before.CPU.Round(time.Microsecond), r.After.CPU.Round(time.Microsecond))
	}
	return ""
}

// Findings say what of the run can't be believed and why, errors first. A law that does not hold is an
// error of the measurement; noise is a warning.
func (r *Run) Findings() []v1alpha1.Finding {
	var errors, warnings []v1alpha1.Finding
	for _, m := range r.Cells {
		e, w := m.findings()
		errors, warnings = append(errors, e...), append(warnings, w...)
	}
	return append(errors, folded(warnings, len(r.Cells))...)
}

// folded says what many cells have in one sentence, by the first of them; a doubt of one cell stays.
func folded(warnings []v1alpha1.Finding, cells int) (out []v1alpha1.Finding) {
	rule := func(f v1alpha1.Finding) string { id, _, _ := strings.Cut(f.ID, "["); return id }
	for i, f := range warnings {
		same := func(o v1alpha1.Finding) bool { return rule(o) == rule(f) }
		if slices.ContainsFunc(warnings[:i], same) {
			continue
		}
		n := 1
		for _, o := range warnings[i+1:] {
			if same(o) {
				n++
			}
		}
		if n > 1 {
			f.ID = rule(f)
			f.Message = fmt.Sprintf("%s of %s, such as %s", words.Number(n), words.Count(cells, "cell"), f.Message)
		}
		out = append(out, f)
	}
	return out
}

func (m Measured) findings() (errors, warnings []v1alpha1.Finding) {
	add := func(to *[]v1alpha1.Finding, severity v1alpha1.Severity, rule, remedy, format string, args ...any) {
		*to = append(*to, v1alpha1.Finding{Severity: severity, ID: "network." + rule + "[" + m.Name() + "]",
			Message: m.Name() + ": " + fmt.Sprintf(format, args...), Remedy: remedy})
	}
	if len(m.Repetitions) == 0 {
		add(&errors, v1alpha1.Error, "nothing", "", "nothing was measured")
		return errors, nil
	}
	if n, waiting := m.broken(); n > 0 {
		add(&errors, v1alpha1.Error, "little", "do not use the latencies of this cell",
			"rate x mean latency is %.3g of %s in %s of %s", waiting, words.Count(m.Connections, "connection"),
			words.Number(n), words.Count(len(m.Repetitions), "repetition"))
	}
	if n, how := m.disturbed(); n > 0 {
		add(&warnings, v1alpha1.Warning, "disturbed", "measure again on a machine that is left alone",
			"%s of %s disturbed: %s", words.Number(n), words.Count(len(m.Repetitions), "repetition"), how)
	}
	if len(m.Repetitions) == 1 {
		add(&warnings, v1alpha1.Warning, "once", "measure three times or more", "one repetition has no interval")
	}
	for _, f := range m.Figures()[:min(1, len(m.Figures()))] {
		if e := bench.Estimated(m.Values(f)); e.Spread > SteadyShare {
			add(&warnings, v1alpha1.Warning, "unsteady", "pin both ends, and repeat more often",
				"the %s differs by ± %.0f %% between repetitions: a smaller difference is none", f.Title, 100*e.Spread)
		}
	}
	return errors, warnings
}

// broken counts the repetitions that break Little's law, and has the worst.
func (m Measured) broken() (n int, worst float64) {
	off := func(waiting float64) float64 { return math.Abs(waiting/float64(m.Connections) - 1) }
	for _, r := range m.Repetitions {
		if waiting, ok := m.Little(r); ok && off(waiting) > LittleShare {
			if n == 0 || off(waiting) > off(worst) {
				worst = waiting
			}
			n++
		}
	}
	return n, worst
}

// disturbed counts the repetitions that were, and says how the first was.
func (m Measured) disturbed() (n int, how string) {
	for _, r := range m.Repetitions {
		if d := r.Disturbed(); d != "" {
			if n == 0 {
				how = d
			}
			n++
		}
	}
	return n, how
}
