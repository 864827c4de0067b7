package measure

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
	// acrossMost is the most that transactions across the ends of a sample excuse.
	acrossMost = 0.2
	// LostShare of the segments that may be sent again.
	LostShare = 0.001
	// SteadyShare is the half-spread between repetitions from which a cell is unsteady.
	SteadyShare = 0.1
)

// Little is rate x mean latency, which is the number that were waiting; ok is false where nobody waits, or
// one of the two is not known by itself.
func (m Measured) Little(r Repetition) (waiting float64, ok bool) {
	return r.Rate() * r.Latency.Mean.Seconds(), m.Waiting > 0 && r.Latency.Mean > 0 && r.Rate() > 0 && !r.Derived
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

// Findings say what of a run's cells can't be believed and why, errors first. A law that does not hold is an
// error of the measurement; noise is a warning.
func (c Cells) Findings() []v1alpha1.Finding {
	var errors, warnings []v1alpha1.Finding
	for _, m := range c.Cells {
		e, w := m.findings(c.Subject)
		errors, warnings = append(errors, e...), append(warnings, w...)
	}
	return append(errors, folded(warnings, len(c.Cells))...)
}

// Unbelievable counts the cells that break Little's law, or of which nothing was measured.
func (c Cells) Unbelievable() (n int) {
	for _, m := range c.Cells {
		if broken, _ := m.broken(); broken > 0 || len(m.Repetitions) == 0 {
			n++
		}
	}
	return n
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

func (m Measured) findings(subject string) (errors, warnings []v1alpha1.Finding) {
	add := func(to *[]v1alpha1.Finding, severity v1alpha1.Severity, rule, remedy, format string, args ...any) {
		*to = append(*to, v1alpha1.Finding{Severity: severity, ID: subject + "." + rule + "[" + m.Name + "]",
			Message: m.Name + ": " + fmt.Sprintf(format, args...), Remedy: remedy})
	}
	if len(m.Repetitions) == 0 {
		add(&errors, v1alpha1.Error, "nothing", "", "nothing was measured")
		return errors, nil
	}
	if n, waiting := m.broken(); n > 0 {
		add(&errors, v1alpha1.Error, "little", "do not use the latencies of this cell",
			"rate x mean latency is %.3g of %s in %s of %s", waiting, words.Count(m.Waiting, m.Waiter),
			words.Number(n), words.Count(len(m.Repetitions), "repetition"))
	}
	if n, how := m.disturbed(); n > 0 {
		add(&warnings, v1alpha1.Warning, "disturbed", "measure again on a machine that is left alone",
			"%s of %s disturbed: %s", words.Number(n), words.Count(len(m.Repetitions), "repetition"), how)
	}
	if again, dropped, share := m.lost(); share > LostShare || dropped > 0 {
		add(&warnings, v1alpha1.Warning, "lost", "look where: ethtool -S, nstat",
			"%s segments were sent again and %s packets dropped", words.Number(int64(again)), words.Number(int64(dropped)))
	}
	if len(m.Repetitions) == 1 {
		add(&warnings, v1alpha1.Warning, "once", "measure three times or more", "one repetition has no interval")
	}
	for _, f := range m.Figures()[:min(1, len(m.Figures()))] {
		if e := bench.Estimated(m.Values(f)); e.Spread > SteadyShare {
			add(&warnings, v1alpha1.Warning, "unsteady", "repeat more often, pinned to CPUs where that can be",
				"the %s differs by ± %.0f %% between repetitions: a smaller difference is none", f.Title, 100*e.Spread)
		}
	}
	return errors, warnings
}

// segment is what TCP carries in a packet of 1,500 bytes.
const segment = 1448

// lost are the segments that were sent again, as a share of those that the bytes and the transactions need, and
// the packets that devices dropped.
func (m Measured) lost() (again, dropped, share float64) {
	all := 0.0
	for _, r := range m.Repetitions {
		again, dropped = again+r.Retransmits, dropped+r.Drops
		all += r.Bytes/segment + r.Transactions
	}
	return again, dropped, per(again, all)
}

// broken counts the repetitions that break Little's law, and has the worst.
func (m Measured) broken() (n int, worst float64) {
	off := func(waiting float64) float64 { return math.Abs(waiting/float64(m.Waiting) - 1) }
	for _, r := range m.Repetitions {
		// One transaction of each that waits lies across the end of the sample.
		across := min(acrossMost, r.Latency.Mean.Seconds()/r.Seconds)
		if waiting, ok := m.Little(r); ok && off(waiting) > LittleShare+across {
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
