package router

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Findings say what of the run can't be believed, as those of the network do, and where the router was not
// what held the rate.
func (r *Run) Findings() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, m := range r.Cells {
		out = append(out, r.failures(m)...)
	}
	out = append(out, r.whole().Findings()...)
	if r.Target == "" && r.Setup.Rate == 0 {
		out = append(out, r.notFull()...)
	}
	v1alpha1.SortFindings(out)
	return out
}

// failures of a cell: requests without an answer, connections that never had one, and a rate that was not kept.
func (r *Run) failures(m Measured) (out []v1alpha1.Finding) {
	add := func(rule, remedy, format string, args ...any) {
		out = append(out, v1alpha1.Finding{Severity: v1alpha1.Error, ID: "router." + rule + "[" + m.Name() + "]",
			Message: m.Name() + ": " + fmt.Sprintf(format, args...), Remedy: remedy})
	}
	silent, waiting, seconds, failed, how := 0, 0.0, 0.0, 0.0, ""
	for _, x := range m.Repetitions {
		silent, waiting, seconds = max(silent, x.Silent), max(waiting, x.Waiting), max(seconds, x.Seconds)
		if failed += x.Failed; how == "" {
			how = x.Failure
		}
	}
	if failed > 0 {
		add("failed", "see what the router or its back ends say", "%.0f requests failed, such as: %s", failed, how)
	}
	if silent > 0 {
		add("silent", "raise maxconn (a client of edge or re-encrypt counts twice), or measure longer",
			"%s of %s had no answer at all", words.Number(silent), words.Count(r.Setup.Connections, "connection"))
	}
	if r.Setup.Rate > 0 && waiting > 0.01*r.Setup.Rate*seconds {
		add("rate", "ask for less, or with more connections", "%g requests a second are more than there can be: %.0f were "+
			"due and not sent when the sample ended", r.Setup.Rate, waiting)
	}
	return out
}

// notFull says in one sentence for which cells the router was not the limit.
func (r *Run) notFull() []v1alpha1.Finding {
	by, order := map[string][]string{}, []string{}
	for _, m := range r.Cells {
		if len(m.Repetitions) == 0 || r.Limited(m) {
			continue
		}
		what := r.fullText(m)
		if by[what] == nil {
			order = append(order, what)
		}
		by[what] = append(by[what], m.Name())
	}
	var out []v1alpha1.Finding
	for _, what := range order {
		f := v1alpha1.Finding{Severity: v1alpha1.Info, ID: "router.notFull", Message: "the router had CPU left in " +
			words.Some(by[what], 8) + ": the " + what + " had none", Remedy: "give them more CPUs (--pin)"}
		switch what {
		case "-":
			f.Message = "no CPU was full in " + words.Some(by[what], 8)
			f.Remedy = "measure with more --connections"
		case others:
			f.Message = "others used the CPUs in " + words.Some(by[what], 8)
			f.Remedy = "measure on a machine that is left alone"
		}
		out = append(out, f)
	}
	return out
}
