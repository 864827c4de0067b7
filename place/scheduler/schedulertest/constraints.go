package schedulertest

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

func (g *generator) nodeAffinity(nodes []scheduler.Node) *v1alpha1.NodeAffinity {
	a := &v1alpha1.NodeAffinity{}
	if g.one(2) {
		a.Required = &v1alpha1.NodeSelector{}
		for range pick(g, 1, 1, 2, 3) {
			a.Required.NodeSelectorTerms = append(a.Required.NodeSelectorTerms, g.nodeTerm())
		}
		if g.one(6) {
			// One name only: with more, the scheduler tries them in the order of a Go map.
			name := []v1alpha1.Requirement{{Key: "metadata.name", Operator: "In", Values: []string{pick(g, nodes...).Name}}}
			a.Required.NodeSelectorTerms = []v1alpha1.NodeSelectorTerm{{MatchFields: name}}
		} else if g.one(5) {
			a.Required.NodeSelectorTerms[0].MatchFields = []v1alpha1.Requirement{
				{Key: "metadata.name", Operator: "NotIn", Values: []string{pick(g, nodes...).Name}}}
		}
	}
	for range g.IntN(4) {
		p := v1alpha1.PreferredSchedulingTerm{Weight: pick[int32](g, 1, 10, 50, 100), Preference: g.nodeTerm()}
		if g.one(6) {
			p.Preference = v1alpha1.NodeSelectorTerm{MatchFields: []v1alpha1.Requirement{
				{Key: "metadata.name", Operator: pick(g, "In", "NotIn"), Values: []string{pick(g, nodes...).Name}}}}
		}
		a.Preferred = append(a.Preferred, p)
	}
	return a
}

func (g *generator) nodeTerm() v1alpha1.NodeSelectorTerm {
	return v1alpha1.NodeSelectorTerm{MatchExpressions: some(g, 2,
		v1alpha1.Requirement{Key: pool, Operator: pick(g, "In", "NotIn"), Values: some(g, 2, "blue", "green", "red", "none")},
		v1alpha1.Requirement{Key: disk, Operator: pick(g, "Exists", "DoesNotExist")},
		v1alpha1.Requirement{Key: disk, Operator: "NotIn", Values: []string{pick(g, "ssd", "hdd")}},
		v1alpha1.Requirement{Key: gen, Operator: pick(g, "Gt", "Lt"), Values: []string{pick(g, "2", "7", "0", "5")}},
		v1alpha1.Requirement{Key: zone, Operator: "In", Values: some(g, 2, "zone-a", "zone-b", "zone-c")},
	)}
}

// selector of pods: of the class's own labels, of others', of none or of all.
func (g *generator) selector(c *scheduler.PodClass) *v1alpha1.LabelSelector {
	switch g.IntN(10) {
	case 0:
		return &v1alpha1.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
			{Key: "app", Operator: pick(g, "In", "NotIn"), Values: some(g, 2, "a", "b", "c", "d")}}}
	case 1:
		return &v1alpha1.LabelSelector{
			MatchExpressions: []v1alpha1.Requirement{{Key: "version", Operator: pick(g, "Exists", "DoesNotExist")}},
		}
	case 2:
		return &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": pick(g, "a", "b", "c", "d")}}
	case 3:
		return pick(g, nil, &v1alpha1.LabelSelector{})
	case 4:
		return &v1alpha1.LabelSelector{MatchLabels: map[string]string{"tier": c.Labels["tier"]}}
	}
	return &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": c.Labels["app"], "tier": c.Labels["tier"]}}
}

// named reports whether the selector speaks of the version, which matchLabelKeys would clash with.
func named(s *v1alpha1.LabelSelector) bool {
	return s != nil && len(s.MatchExpressions) > 0 && s.MatchExpressions[0].Key == "version"
}

func (g *generator) spread(c *scheduler.PodClass) []v1alpha1.TopologySpreadConstraint {
	var out []v1alpha1.TopologySpreadConstraint
	for _, key := range some(g, 2, hostname, zone, rack, pool) {
		t := v1alpha1.TopologySpreadConstraint{
			MaxSkew: pick[int32](g, 1, 1, 2, 3, 5), TopologyKey: key,
			WhenUnsatisfiable:  pick(g, "", "DoNotSchedule", "ScheduleAnyway", "ScheduleAnyway"),
			LabelSelector:      g.selector(c),
			NodeAffinityPolicy: pick(g, "", "", "Honor", "Ignore"),
			NodeTaintsPolicy:   pick(g, "", "", "Honor", "Ignore"),
		}
		if t.WhenUnsatisfiable != "ScheduleAnyway" && g.one(3) {
			least := pick[int32](g, 1, 2, 4, 6)
			t.MinDomains = &least
		}
		if t.LabelSelector != nil && !named(t.LabelSelector) && g.one(3) {
			t.MatchLabelKeys = []string{"version"}
		}
		out = append(out, t)
	}
	return out
}

// podAffinity: what is required is about the class's own kind more often than not,
// or a few pods would soon shut out all others.
func (g *generator) podAffinity(c *scheduler.PodClass) {
	switch g.IntN(7) {
	case 0:
		c.Affinity.PodAffinity = &v1alpha1.PodAffinity{Required: g.required(c, 2)}
	case 1:
		c.Affinity.PodAntiAffinity = &v1alpha1.PodAffinity{Required: g.required(c, 1)}
	case 2, 3:
		c.Affinity.PodAffinity = &v1alpha1.PodAffinity{Preferred: g.weighedTerms(c)}
	case 4, 5:
		c.Affinity.PodAntiAffinity = &v1alpha1.PodAffinity{Preferred: g.weighedTerms(c)}
	case 6:
		c.Affinity.PodAffinity = &v1alpha1.PodAffinity{Required: g.required(c, 1), Preferred: g.weighedTerms(c)}
		c.Affinity.PodAntiAffinity = &v1alpha1.PodAffinity{Required: g.required(c, 1), Preferred: g.weighedTerms(c)}
	}
}

func (g *generator) required(c *scheduler.PodClass, most int) []v1alpha1.PodAffinityTerm {
	terms := g.podTerms(c, most)
	for i := range terms {
		if g.one(4) {
			continue
		}
		terms[i] = v1alpha1.PodAffinityTerm{TopologyKey: pick(g, hostname, hostname, rack, zone),
			LabelSelector: &v1alpha1.LabelSelector{MatchLabels: map[string]string{"class": c.Labels["class"]}}}
	}
	return terms
}

func (g *generator) weighedTerms(c *scheduler.PodClass) []v1alpha1.WeightedPodAffinityTerm {
	var out []v1alpha1.WeightedPodAffinityTerm
	for _, t := range g.podTerms(c, 3) {
		out = append(out, v1alpha1.WeightedPodAffinityTerm{Weight: pick[int32](g, 1, 5, 33, 100), PodAffinityTerm: t})
	}
	return out
}

func (g *generator) podTerms(c *scheduler.PodClass, most int) []v1alpha1.PodAffinityTerm {
	var out []v1alpha1.PodAffinityTerm
	for range 1 + g.IntN(most) {
		t := v1alpha1.PodAffinityTerm{LabelSelector: g.selector(c),
			TopologyKey: pick(g, hostname, hostname, zone, rack, region)}
		switch g.IntN(6) {
		case 0:
			t.Namespaces = some(g, 2, "default", "shop", "bank", "unlisted")
		case 1:
			t.NamespaceSelector = &v1alpha1.LabelSelector{MatchLabels: map[string]string{"stage": "live"}}
		case 2:
			t.NamespaceSelector = pick(g, &v1alpha1.LabelSelector{},
				&v1alpha1.LabelSelector{
					MatchExpressions: []v1alpha1.Requirement{{Key: "team", Operator: "NotIn", Values: []string{"money"}}},
				})
			if g.one(2) {
				t.Namespaces = []string{"bank"}
			}
		}
		if t.LabelSelector != nil && !named(t.LabelSelector) && g.one(4) {
			t.MatchLabelKeys = []string{"version"}
		} else if t.LabelSelector != nil && !named(t.LabelSelector) && g.one(5) {
			t.MismatchLabelKeys = []string{"version"}
		}
		out = append(out, t)
	}
	return out
}
