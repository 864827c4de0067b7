package scheduler

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/selector"
)

// labelSelector is a label selector, as apimachinery's labels.Selector: the zero
// value selects nothing, one without requirements everything.
type labelSelector struct {
	given        bool
	requirements []v1alpha1.Requirement
}

// newSelector reads a label selector; nil selects nothing.
func newSelector(s *v1alpha1.LabelSelector) labelSelector {
	if s == nil {
		return labelSelector{}
	}
	out := labelSelector{given: true}
	for _, key := range sortedKeys(s.MatchLabels) {
		out.requirements = append(out.requirements, equal(key, s.MatchLabels[key]))
	}
	out.requirements = append(out.requirements, s.MatchExpressions...)
	return out
}

func equal(key, value string) v1alpha1.Requirement {
	return v1alpha1.Requirement{Key: key, Operator: "In", Values: []string{value}}
}

// and adds requirements to a selector; what selects nothing goes on doing so.
func (s labelSelector) and(more ...v1alpha1.Requirement) labelSelector {
	if s.given {
		s.requirements = append(slices.Clip(s.requirements), more...)
	}
	return s
}

// everything reports whether the selector has no requirement.
func (s labelSelector) everything() bool { return s.given && len(s.requirements) == 0 }

func (s labelSelector) matches(labels map[string]string) bool {
	return s.given && selector.MeetsAll(s.requirements, labels)
}

// nameField is the only field of a node that terms can select.
const nameField = "metadata.name"

// termMatches reports whether a node matches a term; an empty one matches none.
func termMatches(t *v1alpha1.NodeSelectorTerm, n *Node) bool {
	if len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0 {
		return false
	}
	for i := range t.MatchFields {
		if !selector.Meets(&t.MatchFields[i], n.Name, true) {
			return false
		}
	}
	return selector.MeetsAll(t.MatchExpressions, n.Labels)
}

// required are the terms of required node affinity; ok is false without any.
func (c *PodClass) required() (terms []v1alpha1.NodeSelectorTerm, ok bool) {
	if c.Affinity == nil || c.Affinity.NodeAffinity == nil || c.Affinity.NodeAffinity.Required == nil {
		return nil, false
	}
	return c.Affinity.NodeAffinity.Required.NodeSelectorTerms, true
}

// selects reports whether a node matches nodeSelector and required node affinity.
func (c *PodClass) selects(n *Node) bool {
	for key, want := range c.NodeSelector {
		if have, ok := n.Labels[key]; !ok || have != want {
			return false
		}
	}
	terms, ok := c.required()
	if !ok {
		return true
	}
	return slices.ContainsFunc(terms, func(t v1alpha1.NodeSelectorTerm) bool { return termMatches(&t, n) })
}

// prefers is the sum of the weights of the preferred terms that a node matches.
func (c *PodClass) prefers(n *Node) int64 {
	sum := int64(0)
	for _, t := range c.preferredNodes() {
		if termMatches(&t.Preference, n) {
			sum += int64(t.Weight)
		}
	}
	return sum
}

func (c *PodClass) preferredNodes() []v1alpha1.PreferredSchedulingTerm {
	if c.Affinity == nil || c.Affinity.NodeAffinity == nil {
		return nil
	}
	return c.Affinity.NodeAffinity.Preferred
}

// namedNodes are the names that the required terms allow, when every term names
// some: then only these nodes are looked at. Without names it returns nil, false;
// names that exclude each other give an empty list.
func (c *PodClass) namedNodes() (names []string, ok bool) {
	terms, ok := c.required()
	if !ok || len(terms) == 0 {
		return nil, false
	}
	names = []string{}
	for _, t := range terms {
		var allowed []string
		named := false
		for _, f := range t.MatchFields {
			if f.Key != nameField || f.Operator != "In" {
				continue
			}
			if !named {
				allowed, named = slices.Clone(f.Values), true
			} else {
				allowed = slices.DeleteFunc(allowed, func(n string) bool { return !slices.Contains(f.Values, n) })
			}
		}
		if !named {
			return nil, false
		}
		names = append(names, allowed...)
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// tolerates reports whether one of the tolerations is for the taint.
func tolerates(tolerations []v1alpha1.Toleration, taint v1alpha1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(t v1alpha1.Toleration) bool {
		return (t.Effect == "" || t.Effect == taint.Effect) &&
			(t.Key == "" || t.Key == taint.Key) &&
			(t.Operator == "Exists" || t.Value == taint.Value)
	})
}

// Effects of taints.
const (
	noSchedule       = "NoSchedule"
	preferNoSchedule = "PreferNoSchedule"
	noExecute        = "NoExecute"
)

// unschedulableTaint is what cordoning means to a pod's tolerations.
var unschedulableTaint = v1alpha1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: noSchedule}

// refused is the first taint that keeps the pods of the class off the node.
func (c *PodClass) refused(taints []v1alpha1.Taint) (v1alpha1.Taint, bool) {
	i := slices.IndexFunc(taints, func(t v1alpha1.Taint) bool {
		return (t.Effect == noSchedule || t.Effect == noExecute) && !tolerates(c.Tolerations, t)
	})
	if i < 0 {
		return v1alpha1.Taint{}, false
	}
	return taints[i], true
}

// dislikes counts the PreferNoSchedule taints that the class does not tolerate.
func (c *PodClass) dislikes(taints []v1alpha1.Taint) int64 {
	count := int64(0)
	for _, t := range taints {
		if t.Effect == preferNoSchedule && !tolerates(c.Tolerations, t) {
			count++
		}
	}
	return count
}
