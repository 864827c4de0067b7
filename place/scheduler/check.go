package scheduler

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// maxQuantity bounds quantities, so that sums over pods and scores in per cent
// stay within 64 bits: 9 * 10^15, or 8 PiB.
const maxQuantity = 9_000_000_000_000_000

// problems collects what is wrong with one thing.
type problems struct {
	what string
	all  []error
}

func (p *problems) add(format string, args ...any) {
	p.all = append(p.all, fmt.Errorf("%s: %s", p.what, fmt.Sprintf(format, args...)))
}

func (p *problems) err() error { return errors.Join(p.all...) }

func (p *problems) resources(r *Resources) {
	quantity := func(name string, q int64) {
		if q < 0 || q > maxQuantity {
			p.add("%s %d is out of range (0 to %d)", name, q, int64(maxQuantity))
		}
	}
	quantity("cpu", r.CPU)
	quantity("memory", r.Memory)
	quantity("ephemeral-storage", r.EphemeralStorage)
	for _, name := range sortedKeys(r.Scalar) {
		quantity(name, r.Scalar[name])
	}
	if r.Pods < 0 || r.Pods > 1<<31-1 {
		p.add("pods %d is out of range (0 to %d)", r.Pods, 1<<31-1)
	}
}

func checkNodes(nodes []Node) error {
	var all []error
	seen := map[string]bool{}
	for i := range nodes {
		all = append(all, checkNode(&nodes[i], seen[nodes[i].Name]))
		seen[nodes[i].Name] = true
	}
	return errors.Join(all...)
}

func checkNode(n *Node, again bool) error {
	p := problems{what: fmt.Sprintf("node %q", n.Name)}
	switch {
	case n.Name == "":
		p.add("has no name (names are unique)")
	case again:
		p.add("is there twice (names are unique)")
	}
	p.resources(&n.Allocatable)
	for _, t := range n.Taints {
		if t.Effect != noSchedule && t.Effect != preferNoSchedule && t.Effect != noExecute {
			p.add("taint %q has the effect %q (%s, %s or %s)", t.Key, t.Effect, noSchedule, preferNoSchedule, noExecute)
		}
	}
	return p.err()
}

func checkClass(c *PodClass) error {
	p := problems{what: fmt.Sprintf("pod class %q", c.Name)}
	p.resources(&c.Request)
	p.resources(&Resources{CPU: c.NonZeroCPU, Memory: c.NonZeroMemory})
	for _, t := range c.Tolerations {
		if t.Operator != "" && t.Operator != "Equal" && t.Operator != "Exists" {
			p.add("toleration of %q has the operator %q (Equal or Exists)", t.Key, t.Operator)
		}
	}
	p.nodeAffinity(c)
	p.podAffinity(c)
	for _, s := range c.TopologySpreadConstraints {
		p.spread(&s)
	}
	p.selector("defaultSpread", c.DefaultSpread)
	for _, h := range c.HostPorts {
		if h.Port < 0 || h.Port > 65535 {
			p.add("host port %d is out of range (1 to 65535)", h.Port)
		}
	}
	if c.PreemptionPolicy != "" && c.PreemptionPolicy != preemptLower && c.PreemptionPolicy != preemptNever {
		p.add("preemptionPolicy %q is not known (%s or %s)", c.PreemptionPolicy, preemptLower, preemptNever)
	}
	return p.err()
}

// Policies of preemption.
const (
	preemptLower = "PreemptLowerPriority"
	preemptNever = "Never"
)

func (p *problems) nodeAffinity(c *PodClass) {
	terms, _ := c.required()
	for _, t := range terms {
		p.nodeTerm(&t)
	}
	for _, t := range c.preferredNodes() {
		p.weight(t.Weight)
		p.nodeTerm(&t.Preference)
	}
}

func (p *problems) weight(w int32) {
	if w < 1 || w > 100 {
		p.add("affinity weight %d is out of range (1 to 100)", w)
	}
}

func (p *problems) nodeTerm(t *v1alpha1.NodeSelectorTerm) {
	p.requirements("node affinity", t.MatchExpressions, true)
	for _, f := range t.MatchFields {
		if f.Key != nameField || f.Operator != "In" && f.Operator != "NotIn" || len(f.Values) != 1 {
			p.add("matchFields: %s %s with %d values (%s, In or NotIn, and one value)", f.Key, f.Operator, len(f.Values),
				nameField)
		}
	}
}

func (p *problems) podAffinity(c *PodClass) {
	for _, kind := range []*v1alpha1.PodAffinity{c.podAffinity(), c.podAntiAffinity()} {
		if kind == nil {
			continue
		}
		for i := range kind.Required {
			p.podTerm(&kind.Required[i])
		}
		for i := range kind.Preferred {
			p.weight(kind.Preferred[i].Weight)
			p.podTerm(&kind.Preferred[i].PodAffinityTerm)
		}
	}
}

func (p *problems) podTerm(t *v1alpha1.PodAffinityTerm) {
	if t.TopologyKey == "" {
		p.add("pod affinity has no topologyKey (a label of nodes)")
	}
	p.selector("pod affinity", t.LabelSelector)
	p.selector("namespaceSelector", t.NamespaceSelector)
}

func (p *problems) spread(s *v1alpha1.TopologySpreadConstraint) {
	if s.MaxSkew < 1 {
		p.add("spread over %q: maxSkew %d is out of range (1 or more)", s.TopologyKey, s.MaxSkew)
	}
	if s.TopologyKey == "" {
		p.add("spread has no topologyKey (a label of nodes)")
	}
	if s.MinDomains != nil && *s.MinDomains < 1 {
		p.add("spread over %q: minDomains %d is out of range (1 or more)", s.TopologyKey, *s.MinDomains)
	}
	if s.WhenUnsatisfiable != "" && s.WhenUnsatisfiable != doNotSchedule && s.WhenUnsatisfiable != scheduleAnyway {
		p.add("spread over %q: whenUnsatisfiable %q is not known (%s or %s)", s.TopologyKey, s.WhenUnsatisfiable,
			doNotSchedule, scheduleAnyway)
	}
	for _, policy := range []string{s.NodeAffinityPolicy, s.NodeTaintsPolicy} {
		if policy != "" && policy != honor && policy != ignore {
			p.add("spread over %q: policy %q is not known (%s or %s)", s.TopologyKey, policy, honor, ignore)
		}
	}
	p.selector("spread", s.LabelSelector)
}

func (p *problems) selector(where string, s *v1alpha1.LabelSelector) {
	if s != nil {
		p.requirements(where, s.MatchExpressions, false)
	}
}

// requirements checks expressions; only those on nodes may compare numbers.
func (p *problems) requirements(where string, list []v1alpha1.Requirement, ofNodes bool) {
	for i := range list {
		r := &list[i]
		switch r.Operator {
		case "In", "NotIn":
			if len(r.Values) == 0 {
				p.add("%s: %s %s has no values (at least one)", where, r.Key, r.Operator)
			}
			continue
		case "Exists", "DoesNotExist":
			if len(r.Values) > 0 {
				p.add("%s: %s %s has %d values (none)", where, r.Key, r.Operator, len(r.Values))
			}
			continue
		case "Gt", "Lt":
			if ofNodes {
				p.number(where, r)
				continue
			}
		}
		p.add("%s: %s has the operator %q (In, NotIn, Exists, DoesNotExist; of nodes also Gt, Lt)", where, r.Key, r.Operator)
	}
}

func (p *problems) number(where string, r *v1alpha1.Requirement) {
	if len(r.Values) == 1 {
		if _, err := strconv.ParseInt(r.Values[0], 10, 64); err == nil {
			return
		}
	}
	p.add("%s: %s %s compares with %q (one whole number)", where, r.Key, r.Operator, r.Values)
}
