package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/plan/part"
)

// maxPrefix is where the catalogue keeps the maximums of the platform.
func (p *planner) maxPrefix() string {
	switch {
	case p.s.Platform.Type == "kubernetes":
		return "k8s.max."
	case p.s.Platform.Service != "self-managed":
		return "rosa.max."
	}
	return "ocp.max."
}

// releaseGauge measures a quantity against the maximum that is published for
// the release. ok is false when nothing is published.
func (p *planner) releaseGauge(name, title, scope string, v derive.Value) (limit.Gauge, bool) {
	f, others, remark, ok := p.c.ForRelease(p.maxPrefix()+name, p.s.Platform.Release)
	if !ok && p.maxPrefix() == "rosa.max." {
		f, others, remark, ok = p.c.ForRelease("ocp.max."+name, p.s.Platform.Release)
	}
	if !ok || f.Unit == "" {
		return limit.Gauge{}, false
	}
	g := limit.Measure(name, title, scope, v, f.Value(), f.Kind)
	g.Notes = append(g.Notes, f.Notes...)
	if f.Conditions != "" {
		g.Notes = append(g.Notes, "tested with: "+f.Conditions)
	}
	if remark != "" {
		g.Notes = append([]string{remark}, g.Notes...)
	}
	for _, other := range p.doubts(f, others) {
		g = g.Doubt(other.Value())
	}
	return g, true
}

// doubts are the other maximums that are published for the same: those of the
// whole major release, and those that the catalogue knows to contradict.
func (p *planner) doubts(f facts.Fact, others []facts.Fact) []facts.Fact {
	for _, id := range f.Contradicts {
		c, ok := p.c.Get(id)
		known := slices.ContainsFunc(others, func(o facts.Fact) bool { return o.ID == c.ID })
		if ok && !known && c.Unit == f.Unit && strings.Contains(c.Quantity, ".max.") {
			others = append(others, c)
		}
	}
	return others
}

// gauges measures every planned quantity against the release's maximum (P8).
func (p *planner) gauges() {
	s := part.New("limits", "Limits of the release")
	p.put(s)
	measure := func(name, title, scope string, v derive.Value) {
		if v.Number == 0 {
			return
		}
		if g, ok := p.releaseGauge(name, title, scope, v); ok {
			s.Gauge(g)
		} else {
			p.unlimited = append(p.unlimited, title)
		}
	}
	measure("nodes", "Nodes", "cluster", p.mostNodes())
	measure("pods", "Pods", "cluster", p.allPods())
	if p.s.Platform.Type == "kubernetes" {
		if v, ok := p.b.Get("workload.processes"); ok {
			measure("containers", "Containers", "cluster", derive.Cite(v))
		}
	}
	for _, k := range objectKinds {
		if v, ok := p.load.objects[k.name]; ok {
			if k.name == "routes" {
				continue // measured per router
			}
			measure(k.name, k.title, k.scope, v)
		}
	}
	if len(p.unlimited) > 0 {
		s.Find(v1alpha1.Info, "limits.unpublished", "no maximum is published for: "+list(p.unlimited), "")
	}
}

// passedGauges turns the passed gauges of a part into findings. A gauge that
// the part itself speaks of is left to it: it knows the better remedy.
func passedGauges(s *part.Part) []v1alpha1.Finding {
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
// the figure that it measures, or at all where the part is about one subject.
func spokenOf(s *part.Part, g limit.Gauge) bool {
	return slices.ContainsFunc(s.Findings, func(f v1alpha1.Finding) bool {
		oneSubject := s.Section.ID == "network" || s.Section.ID == "control"
		return f.Severity != v1alpha1.Info && (oneSubject || f.Figure != "" && (cites(g.Value, f.Figure) || cites(g.Limit, f.Figure)))
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
	message := fmt.Sprintf("%s: %s planned, the %s limit is %s (%s)", g.Title, g.Value, g.Kind, g.Limit, percent(g.Share))
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
	return "split the workload over more clusters, or prove the larger number by a test of your own: beyond what is tested a cluster may still work, slower"
}

// percent writes a share so that one that is passed never reads 100 %.
func percent(share float64) string {
	decimals := 0
	for decimals < 4 && share > 1 && math.Round(share*100*math.Pow10(decimals)) <= 100*math.Pow10(decimals) {
		decimals++
	}
	return strconv.FormatFloat(share*100, 'f', decimals, 64) + " %"
}

// passedDoubts are remarks on second published limits that the quantity passes.
func passedDoubts(g limit.Gauge) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, d := range g.Doubts {
		if d.Verdict == limit.Passed {
			out = append(out, finding(v1alpha1.Info, g, fmt.Sprintf("%s: %s keeps to the limit of %s, but %s states %s",
				g.Title, g.Value, g.Limit, d.Limit.From.Source, d.Limit), "the row of the release itself is used; plan for the smaller one to be safe"))
		}
	}
	return out
}

func finding(severity v1alpha1.Severity, g limit.Gauge, message, remedy string) v1alpha1.Finding {
	f := v1alpha1.Finding{Severity: severity, ID: "limits." + g.ID, Message: message, Remedy: remedy}
	if g.Value.From != nil {
		f.Figure = g.Value.From.ID
	}
	if g.Limit.From != nil && g.Limit.From.Source != nil {
		f.Sources = []derive.Source{*g.Limit.From.Source}
	}
	return f
}
