package scheduler

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// Values of spread constraints.
const (
	doNotSchedule  = "DoNotSchedule"
	scheduleAnyway = "ScheduleAnyway"
	honor          = "Honor"
	ignore         = "Ignore"
)

// defaultNamespace is the namespace of pods that name none.
const defaultNamespace = "default"

func (c *PodClass) namespace() string {
	if c.Namespace == "" {
		return defaultNamespace
	}
	return c.Namespace
}

func (c *PodClass) podAffinity() *v1alpha1.PodAffinity {
	if c.Affinity == nil {
		return nil
	}
	return c.Affinity.PodAffinity
}

func (c *PodClass) podAntiAffinity() *v1alpha1.PodAffinity {
	if c.Affinity == nil {
		return nil
	}
	return c.Affinity.PodAntiAffinity
}

// term is a pod affinity term of one class of pods.
type term struct {
	key        string // of the nodes' label
	pods       labelSelector
	namespaces []string      // by name
	selected   labelSelector // by label
	weight     int64         // of a preferred term, negative for anti-affinity
}

// newTerm reads a term of the class c. The label keys are merged into the
// selector as the API server does when the pod is created.
func newTerm(t *v1alpha1.PodAffinityTerm, c *PodClass, weight int64) term {
	out := term{
		key: t.TopologyKey,
		pods: newSelector(t.LabelSelector).and(sameLabels(t.MatchLabelKeys, c.Labels, "In")...).
			and(sameLabels(t.MismatchLabelKeys, c.Labels, "NotIn")...),
		namespaces: t.Namespaces,
		selected:   newSelector(t.NamespaceSelector),
		weight:     weight,
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		out.namespaces = []string{c.namespace()}
	}
	return out
}

// sameLabels asks for the values that the labels have at the keys; keys that are
// not there are left out.
func sameLabels(keys []string, labels map[string]string, operator string) []v1alpha1.Requirement {
	var out []v1alpha1.Requirement
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			out = append(out, v1alpha1.Requirement{Key: key, Operator: operator, Values: []string{value}})
		}
	}
	return out
}

// newTerms reads required terms.
func newTerms(a *v1alpha1.PodAffinity, c *PodClass) []term {
	if a == nil {
		return nil
	}
	var out []term
	for i := range a.Required {
		out = append(out, newTerm(&a.Required[i], c, 0))
	}
	return out
}

// newPreferences reads the preferred terms of affinity and anti-affinity.
func newPreferences(c *PodClass) []term {
	var out []term
	if a := c.podAffinity(); a != nil {
		for i := range a.Preferred {
			out = append(out, newTerm(&a.Preferred[i].PodAffinityTerm, c, int64(a.Preferred[i].Weight)))
		}
	}
	if a := c.podAntiAffinity(); a != nil {
		for i := range a.Preferred {
			out = append(out, newTerm(&a.Preferred[i].PodAffinityTerm, c, -int64(a.Preferred[i].Weight)))
		}
	}
	return out
}

// places are the namespaces that the scheduler knows, with their labels.
type places struct {
	labels map[string]map[string]string
	lax    bool // from 1.34
}

// incomingMatches reports whether a term of the pod that is to be placed matches a
// pod of the class that runs. The scheduler has looked up by then which
// namespaces the selector selects. From 1.34 on it goes on comparing the selector
// itself with no labels at all, so that one which only forbids labels selects
// every namespace (plugins/interpodaffinity, mergeAffinityTermNamespacesIfNotEmpty
// takes its argument by value).
func (t *term) incomingMatches(running *PodClass, known places) bool {
	ns := running.namespace()
	in := slices.Contains(t.namespaces, ns) || t.selected.everything() || known.lax && t.selected.matches(nil)
	if labels, ok := known.labels[ns]; !in && ok {
		in = t.selected.matches(labels)
	}
	return in && t.pods.matches(running.Labels)
}

// runningMatches reports whether a term of a pod that runs matches a pod of the
// class that is to be placed.
func (t *term) runningMatches(incoming *PodClass, known places) bool {
	ns := incoming.namespace()
	return (slices.Contains(t.namespaces, ns) || t.selected.matches(known.labels[ns])) && t.pods.matches(incoming.Labels)
}

// constraint is a topology spread constraint of one class of pods.
type constraint struct {
	key        string
	pods       labelSelector
	maxSkew    int64
	minDomains int
	affinity   bool // nodes that the pod's selectors leave out don't count
	taints     bool // nodes whose taints the pod does not tolerate don't count
}

func newConstraint(s *v1alpha1.TopologySpreadConstraint, c *PodClass) constraint {
	out := constraint{
		key:        s.TopologyKey,
		pods:       newSelector(s.LabelSelector).and(sameLabels(s.MatchLabelKeys, c.Labels, "In")...),
		maxSkew:    int64(s.MaxSkew),
		minDomains: 1,
		affinity:   s.NodeAffinityPolicy != ignore,
		taints:     s.NodeTaintsPolicy == honor,
	}
	if s.MinDomains != nil {
		out.minDomains = int(*s.MinDomains)
	}
	return out
}

// counts reports whether a running pod counts for the constraint of a class. A
// selector that selects everything counts nothing, though a pod matches it.
func (s *constraint) counts(incoming, running *PodClass) bool {
	return !s.pods.everything() && incoming.namespace() == running.namespace() && s.pods.matches(running.Labels)
}

// includes reports whether the policies let a node count.
func (s *constraint) includes(c *PodClass, n *Node) bool {
	if s.affinity && !c.selects(n) {
		return false
	}
	if !s.taints {
		return true
	}
	_, refused := c.refused(n.Taints)
	return !refused
}

// hardSpread are the constraints that refuse nodes.
func hardSpread(c *PodClass) []constraint { return spreadOf(c, doNotSchedule) }

// softSpread are the constraints that score nodes. Nodes must have the labels of
// all of them (strict), unless they are the scheduler's default ones.
func softSpread(c *PodClass) (list []constraint, strict bool) {
	if len(c.TopologySpreadConstraints) > 0 {
		return spreadOf(c, scheduleAnyway), true
	}
	pods := newSelector(c.DefaultSpread)
	if !pods.given || pods.everything() {
		return nil, false
	}
	return []constraint{
		{key: HostnameLabel, pods: pods, maxSkew: 3, minDomains: 1, affinity: true},
		{key: ZoneLabel, pods: pods, maxSkew: 5, minDomains: 1, affinity: true},
	}, false
}

func spreadOf(c *PodClass, action string) []constraint {
	var out []constraint
	for i := range c.TopologySpreadConstraints {
		s := &c.TopologySpreadConstraints[i]
		if s.WhenUnsatisfiable == action || s.WhenUnsatisfiable == "" && action == doNotSchedule {
			out = append(out, newConstraint(s, c))
		}
	}
	return out
}

// hasAll reports whether a node has the labels of all constraints.
func hasAll(list []constraint, n *Node) bool {
	return !slices.ContainsFunc(list, func(s constraint) bool {
		_, ok := n.Labels[s.key]
		return !ok
	})
}
