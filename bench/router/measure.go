package router

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlout"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// Rate is the median of a cell's repetitions, in requests a second; 0 where nothing was measured.
func (m Measured) Rate() float64 { return bench.Estimated(m.rates()).Median }

// rates of the repetitions.
func (m Measured) rates() (all []float64) {
	for _, r := range m.Repetitions {
		all = append(all, r.Rate())
	}
	return all
}

// Measurements are the run's rates for a plan, in place of the figures that it would take for a setup. The error says
// why there are none.
func (r *Run) Measurements(s formula.Setup) ([]v1alpha1.Measurement, error) {
	if r.Setup.Rate > 0 {
		return nil, fmt.Errorf("it was asked for %g requests a second, and not for as many as there can be", r.Setup.Rate)
	}
	if t := r.Setup.Threads; t > 0 && s.Threads > 0 && t != s.Threads {
		return nil, fmt.Errorf("the router had %s, and the plan's have %d: threads do not scale in proportion (measure with "+
			"--threads %d, or plan with router.threads: %d)", words.Count(t, "thread"), s.Threads, s.Threads, t)
	}
	c := facts.Load()
	var out []v1alpha1.Measurement
	for _, m := range r.Cells { // a rate is counted, and true where latencies are not to be believed
		if _, err := ParseCell(m.Name()); err != nil { // a file may say anything
			return nil, err
		}
		if m.Rate() <= 0 || m.failed() {
			continue
		}
		out = append(out, v1alpha1.Measurement{Fact: s.Fact(c, m.Encryption, m.Mode),
			Value: measure.Round3(m.Rate()), Source: r.source(m)})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("nothing was measured that can be believed")
	}
	return out, nil
}

// source says where and how a rate was measured, and what of it is a lower bound.
func (r *Run) source(m Measured) string {
	day, _, _ := strings.Cut(r.Started, "T")
	text := fmt.Sprintf("router run %s, %s: %s, %s", r.RunID, day, r.router(), r.Setup.text(m.Cell))
	switch full := r.Full(m); {
	case r.Target != "":
		text += "; the router's own limit is not known"
	case r.fullText(m) == others:
		text += "; at least so many: others used the CPUs"
	case !r.Limited(m) && len(full) > 0:
		text += "; at least so many: the " + strings.Join(full, ", ") + " had no CPU left, the router had"
	case !r.Limited(m):
		text += "; at least so many: no CPU was full"
	}
	for _, x := range m.Repetitions {
		if how := x.Disturbed(); how != "" {
			return text + "; disturbed: " + how
		}
	}
	return text
}

// router that was measured.
func (r *Run) router() string {
	if r.Target != "" {
		return "the router at " + r.Target
	}
	return fmt.Sprintf("HAProxy %s with %s", cmp.Or(r.HAProxy, "of unknown version"), words.Count(r.Setup.Threads,
		"thread"))
}

// text is what a cell was measured with.
func (s Setup) text(c Cell) string {
	out := words.Count(s.Routes, "route")
	if s.Page > 0 {
		out += ", pages of " + unit.Format(float64(s.Page), unit.ByteUnit)
	}
	out += ", " + words.Count(s.Connections, "connection")
	if c.Encryption != "none" {
		out += ", TLS " + s.TLS + map[bool]string{true: " resumed", false: " without resumption"}[s.Resumption]
		if s.Threads > 0 { // of a router that ran already nobody knows
			out += ", keys of " + strings.ToUpper(s.Key)
		}
	}
	return out
}

func (m Measured) failed() bool {
	for _, r := range m.Repetitions {
		if r.Failed > 0 || r.Silent > 0 {
			return true
		}
	}
	return false
}

// forPlan is how the rates get into a plan.
func (r *Run) forPlan() v1alpha1.Part {
	p := v1alpha1.Part{Title: "For a plan"}
	all, err := r.Measurements(formula.Setup{Release: "4.999", Publishing: "HostNetwork"})
	if err != nil {
		p.Lead = []string{"Nothing: " + err.Error() + "."}
		return p
	}
	text, err := yamlout.Marshal(map[string]any{"measurements": all})
	if err != nil {
		return p
	}
	p.Lead = []string{"In a scenario these take the place of the published rates of routers on the host's network; " +
		"plan --measured does the same with the JSON of this run, for whatever the scenario has."}
	p.Texts = []v1alpha1.Text{{Title: "scenario.yaml", Language: "yaml", Body: string(text)}}
	return p
}
