package part

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// passedGauges turns the passed gauges of a part into findings. A gauge that
// the part itself speaks of is left to it: it knows the better remedy.
func passedGauges(s *Part) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, g := range s.Gauges {
		switch {
		case g.Verdict == limit.Passed && !spokenOf(s, g):
			out = append(out, passed(g))
		case g.Verdict != limit.Passed:
			out = append(out, passedDoubts(g)...)
		}
	}
	return out
}

// spokenOf says whether the part has an error or a warning about the gauge: of
// the figure or the field that it measures, or at all where the part is about one subject.
func spokenOf(s *Part, g limit.Gauge) bool {
	return slices.ContainsFunc(s.Findings, func(f v1alpha1.Finding) bool {
		oneSubject := s.Section.ID == "network" || s.Section.ID == "control"
		return f.Severity != v1alpha1.Info && (oneSubject ||
			f.Figure != "" && (cites(g.Value, f.Figure) || cites(g.Limit, f.Figure)) || f.Field != "" && cites(g.Value, f.Field))
	})
}

func cites(v derive.Value, figure string) bool { return v.From != nil && v.From.ID == figure }

// passed is the finding of a gauge that is passed. A limit that experience
// recommends may be passed knowingly; the others mean that the plan doesn't fit.
func passed(g limit.Gauge) v1alpha1.Finding {
	severity := v1alpha1.Error
	if g.Kind == limit.Recommended || g.Kind == limit.Assumed {
		severity = v1alpha1.Warning
	}
	message := fmt.Sprintf("%s: %s planned, the %s limit is %s (%s)", g.Title, g.Value, g.Kind, g.Limit,
		limit.Percent(g.Share))
	for _, d := range g.Doubts {
		message += fmt.Sprintf("; %s states %s", d.Limit.From.Source, d.Limit)
	}
	return finding(severity, g, message, remedyOf(g))
}

// remedyOf says what helps against a passed limit of its kind.
func remedyOf(g limit.Gauge) string {
	switch {
	case g.Local:
		return "take another machine or another setting: more nodes of this kind do not help"
	case g.Kind == limit.Hard:
		return "plan for less, or raise the limit where it is one of your own"
	case g.Kind == limit.Supported:
		return "split the workload over more clusters: the vendor supports no more"
	}
	return "split the workload over more clusters, or prove the larger number by a test of your own: " +
		"beyond what is tested a cluster may still work, slower"
}

// passedDoubts are remarks on second published limits that the quantity passes.
func passedDoubts(g limit.Gauge) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, d := range g.Doubts {
		if d.Verdict == limit.Passed {
			out = append(out, finding(v1alpha1.Info, g, fmt.Sprintf("%s: %s keeps to the limit of %s, but %s states %s",
				g.Title, g.Value, g.Limit, d.Limit.From.Source, d.Limit),
				"the row of the release itself is used; plan for the smaller one to be safe"))
		}
	}
	return out
}

func finding(severity v1alpha1.Severity, g limit.Gauge, message, remedy string) v1alpha1.Finding {
	f := v1alpha1.Finding{Severity: severity, ID: "limits." + g.ID, Message: message, Remedy: remedy}
	switch from := g.Value.From; {
	case from == nil:
	case from.Kind == derive.FromFigure:
		f.Figure = from.ID
	case from.Kind == derive.FromScenario:
		f.Field = from.ID
	}
	if g.Limit.From != nil && g.Limit.From.Source != nil {
		f.Sources = []derive.Source{*g.Limit.From.Source}
	}
	return f
}

// breaks says that something breaks beyond the limit, or that nobody supports or has
// tested it, and that it concerns the cluster unless it is exceeded.
func breaks(g limit.Gauge) bool {
	return slices.Contains([]limit.Kind{limit.Hard, limit.Supported, limit.Tested}, g.Kind) &&
		(!g.Local || g.Verdict == limit.Passed)
}

// tightest names the limit that is exceeded, or else the nearest of those that grow
// with the workload: the first of the sorted gauges beyond which something breaks.
func tightest(gauges []limit.Gauge) string {
	for _, g := range gauges {
		if g.Share == 0 || !breaks(g) {
			continue
		}
		kind := string(g.Kind)
		if g.Limit.From != nil && g.Limit.From.Source != nil {
			kind += ", " + g.Limit.From.Source.String()
		}
		s := fmt.Sprintf("%s: %s of %s (%s)", g.Title, g.Value, g.Limit, kind)
		if sameUnit(g) {
			s = fmt.Sprintf("%s: %s of %s (%s)", g.Title, derive.Of(g.Value.Number, unit.None), g.Limit, kind)
		}
		if g.Verdict == limit.Passed {
			return s + ", exceeded: " + limit.Percent(g.Share)
		}
		return s + ", " + limit.Percent(g.Share) + " used"
	}
	return "no published limit applies"
}

// sameUnit says that the value needs no unit beside the limit's.
func sameUnit(g limit.Gauge) bool {
	return g.Value.Unit == g.Limit.Unit && g.Value.Unit != unit.ByteUnit && g.Value.Unit != unit.Millicores
}
