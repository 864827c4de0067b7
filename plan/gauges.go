package plan

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/release"
)

// maxPrefix is where the catalogue keeps the maximums of the platform.
func (p *planner) maxPrefix() string { return maxPrefix(p.s.Platform) }

func maxPrefix(p v1alpha1.Platform) string {
	switch {
	case p.Type == "kubernetes":
		return "k8s.max."
	case p.Service != "self-managed":
		return "rosa.max."
	}
	return "ocp.max."
}

// Maximum finds the maximum of a quantity, such as podsPerNamespace, that is published for the
// platform's release, with what else claims it and a remark, as [facts.Catalogue.ForRelease].
func Maximum(c *facts.Catalogue, p v1alpha1.Platform, quantity string) (f facts.Fact, others []facts.Fact,
	remark string, ok bool) {
	f, others, remark, ok = c.ForRelease(maxPrefix(p)+quantity, p.Release)
	if !ok && maxPrefix(p) == "rosa.max." {
		f, others, remark, ok = c.ForRelease("ocp.max."+quantity, p.Release)
	}
	return f, others, remark, ok
}

// releaseGauge measures a quantity against the maximum that is published for
// the release. ok is false when nothing is published.
func (p *planner) releaseGauge(name, title, scope string, v derive.Value) (limit.Gauge, bool) {
	return gauge(p.c, p.s.Platform, name, title, scope, v)
}

func gauge(c *facts.Catalogue, p v1alpha1.Platform, name, title, scope string, v derive.Value) (limit.Gauge, bool) {
	f, others, remark, ok := Maximum(c, p, name)
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
	if f.Source.Code == part.OwnMeasurement {
		return g, true // whoever has measured has no doubt what others have published
	}
	for _, other := range doubts(c, f, others) {
		g = g.Doubt(other.Value())
	}
	return g, true
}

// doubts are the other maximums that are published for the same: those of the
// whole major release, and those that the catalogue knows to contradict.
func doubts(catalogue *facts.Catalogue, f facts.Fact, others []facts.Fact) []facts.Fact {
	for _, id := range f.Contradicts {
		c, ok := catalogue.Get(id)
		known := slices.ContainsFunc(others, func(o facts.Fact) bool { return o.ID == c.ID })
		if ok && !known && c.Unit == f.Unit && strings.Contains(c.Quantity, ".max.") {
			others = append(others, c)
		}
	}
	return others
}

// Counted measures what a cluster has now against the maximums that are published for its release.
func Counted(c *facts.Catalogue, p v1alpha1.Platform, nodes, pods int, o v1alpha1.Objects) []limit.Gauge {
	var out []limit.Gauge
	measure := func(name, title, scope string, n int, unit string) {
		if g, ok := gauge(c, p, name, title, scope, derive.Of(float64(n), unit)); ok && n > 0 {
			out = append(out, g)
		}
	}
	measure("nodes", "Nodes", "cluster", nodes, "nodes")
	measure("pods", "Pods", "cluster", pods, "pods")
	for _, k := range objectKinds {
		if k.name != "routes" { // which are measured per router
			measure(k.name, k.title, k.scope, k.count(o), k.unit)
		}
	}
	return out
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
		s.Find(v1alpha1.Info, "limits.unpublished", "this catalogue has no maximum for: "+list(p.unlimited), "")
	}
	p.sayMeasured(s)
	p.sayNewer(s)
}

// sayNewer warns of a release later than any that is known here.
func (p *planner) sayNewer(s *part.Part) {
	r, err := release.Parse(p.s.Platform.Release)
	if err != nil || p.s.Platform.Type != "openshift" || r <= release.Newest {
		return
	}
	s.Find(v1alpha1.Warning, "limits.release", fmt.Sprintf("%s is later than %s, the last release that is known here: "+
		"its figures are those of earlier ones", p.s.Platform.Release, release.Newest),
		"check that the release is meant, and its own documents").Field = "platform.release"
}
