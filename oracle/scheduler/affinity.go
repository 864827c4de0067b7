package scheduler

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"plimsoll.dev/api/v1alpha1"
)

// affinityObject is the affinity of a pod that has these labels.
func affinityObject(a *v1alpha1.Affinity, labels map[string]string) *v1.Affinity {
	if a == nil {
		return nil
	}
	out := &v1.Affinity{NodeAffinity: nodeAffinityObject(a.NodeAffinity)}
	if a.PodAffinity != nil {
		out.PodAffinity = &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  termObjects(a.PodAffinity.Required, labels),
			PreferredDuringSchedulingIgnoredDuringExecution: weightedObjects(a.PodAffinity.Preferred, labels),
		}
	}
	if a.PodAntiAffinity != nil {
		out.PodAntiAffinity = &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  termObjects(a.PodAntiAffinity.Required, labels),
			PreferredDuringSchedulingIgnoredDuringExecution: weightedObjects(a.PodAntiAffinity.Preferred, labels),
		}
	}
	return out
}

func nodeAffinityObject(a *v1alpha1.NodeAffinity) *v1.NodeAffinity {
	if a == nil {
		return nil
	}
	out := &v1.NodeAffinity{}
	if a.Required != nil {
		out.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for _, t := range a.Required.NodeSelectorTerms {
			terms := &out.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
			*terms = append(*terms, nodeTermObject(t))
		}
	}
	for _, p := range a.Preferred {
		out.PreferredDuringSchedulingIgnoredDuringExecution = append(out.PreferredDuringSchedulingIgnoredDuringExecution,
			v1.PreferredSchedulingTerm{Weight: p.Weight, Preference: nodeTermObject(p.Preference)})
	}
	return out
}

func nodeTermObject(t v1alpha1.NodeSelectorTerm) v1.NodeSelectorTerm {
	return v1.NodeSelectorTerm{MatchExpressions: nodeRequirements(t.MatchExpressions),
		MatchFields: nodeRequirements(t.MatchFields)}
}

func nodeRequirements(rs []v1alpha1.Requirement) []v1.NodeSelectorRequirement {
	var out []v1.NodeSelectorRequirement
	for _, r := range rs {
		out = append(out, v1.NodeSelectorRequirement{Key: r.Key, Operator: v1.NodeSelectorOperator(r.Operator),
			Values: r.Values})
	}
	return out
}

func termObjects(terms []v1alpha1.PodAffinityTerm, labels map[string]string) []v1.PodAffinityTerm {
	var out []v1.PodAffinityTerm
	for _, t := range terms {
		out = append(out, termObject(t, labels))
	}
	return out
}

func weightedObjects(terms []v1alpha1.WeightedPodAffinityTerm, labels map[string]string) []v1.WeightedPodAffinityTerm {
	var out []v1.WeightedPodAffinityTerm
	for _, t := range terms {
		out = append(out, v1.WeightedPodAffinityTerm{Weight: t.Weight,
			PodAffinityTerm: termObject(t.PodAffinityTerm, labels)})
	}
	return out
}

func termObject(t v1alpha1.PodAffinityTerm, labels map[string]string) v1.PodAffinityTerm {
	selector := withKeys(selectorObject(t.LabelSelector), labels, t.MatchLabelKeys, metav1.LabelSelectorOpIn)
	return v1.PodAffinityTerm{
		LabelSelector:     withKeys(selector, labels, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn),
		Namespaces:        t.Namespaces,
		NamespaceSelector: selectorObject(t.NamespaceSelector),
		TopologyKey:       t.TopologyKey,
		MatchLabelKeys:    t.MatchLabelKeys,
		MismatchLabelKeys: t.MismatchLabelKeys,
	}
}

func selectorObject(s *v1alpha1.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	out := &metav1.LabelSelector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values,
		})
	}
	return out
}
