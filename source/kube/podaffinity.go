package kube

import "plimsoll.dev/api/v1alpha1"

// fieldsOfNode are a term's demands on the node itself, such as its name.
const fieldsOfNode = "matchFields"

// The two strengths of an affinity.
const (
	demanded  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

// affinityOf reads a pod's affinity in full, for placement; nil when there is
// none. The controller of daemon sets binds each pod to its node by a field,
// which says nothing about its like.
func affinityOf(v value, daemon bool) *v1alpha1.Affinity {
	a := v1alpha1.Affinity{}
	for k, f := range v.fields() {
		switch string(k) {
		case "nodeAffinity":
			a.NodeAffinity = nodeAffinityOf(f, daemon)
		case "podAffinity":
			a.PodAffinity = podAffinityOf(f)
		case "podAntiAffinity":
			a.PodAntiAffinity = podAffinityOf(f)
		}
	}
	if a == (v1alpha1.Affinity{}) {
		return nil
	}
	return &a
}

func nodeAffinityOf(v value, daemon bool) *v1alpha1.NodeAffinity {
	a := &v1alpha1.NodeAffinity{}
	for term := range v.get(demanded, "nodeSelectorTerms").elems() {
		t := termOf(term)
		if daemon {
			t.MatchFields = nil
			if len(t.MatchExpressions) == 0 {
				continue
			}
		}
		if a.Required == nil {
			a.Required = &v1alpha1.NodeSelector{}
		}
		a.Required.NodeSelectorTerms = append(a.Required.NodeSelectorTerms, t)
	}
	for e := range v.get(preferred).elems() {
		a.Preferred = append(a.Preferred, v1alpha1.PreferredSchedulingTerm{Weight: int32Of(e.get("weight")),
			Preference: termOf(e.get("preference"))})
	}
	if a.Required == nil && len(a.Preferred) == 0 {
		return nil
	}
	return a
}

func termOf(v value) v1alpha1.NodeSelectorTerm {
	return v1alpha1.NodeSelectorTerm{MatchExpressions: requirementsOf(v.get("matchExpressions")),
		MatchFields: requirementsOf(v.get(fieldsOfNode))}
}

func podAffinityOf(v value) *v1alpha1.PodAffinity {
	a := &v1alpha1.PodAffinity{}
	for e := range v.get(demanded).elems() {
		a.Required = append(a.Required, podTermOf(e))
	}
	for e := range v.get(preferred).elems() {
		a.Preferred = append(a.Preferred, v1alpha1.WeightedPodAffinityTerm{Weight: int32Of(e.get("weight")),
			PodAffinityTerm: podTermOf(e.get("podAffinityTerm"))})
	}
	if len(a.Required)+len(a.Preferred) == 0 {
		return nil
	}
	return a
}

func podTermOf(v value) v1alpha1.PodAffinityTerm {
	t := v1alpha1.PodAffinityTerm{}
	for k, f := range v.fields() {
		switch string(k) {
		case "labelSelector":
			t.LabelSelector = selectorOf(f)
		case "namespaces":
			t.Namespaces = textsOf(f)
		case "namespaceSelector":
			t.NamespaceSelector = selectorOf(f)
		case "topologyKey":
			t.TopologyKey = f.text()
		case "matchLabelKeys":
			t.MatchLabelKeys = textsOf(f)
		case "mismatchLabelKeys":
			t.MismatchLabelKeys = textsOf(f)
		}
	}
	return t
}

// onNode adds to an affinity that the pod runs on the named node.
func onNode(a *v1alpha1.Affinity, name string) *v1alpha1.Affinity {
	if a == nil {
		a = &v1alpha1.Affinity{}
	}
	if a.NodeAffinity == nil {
		a.NodeAffinity = &v1alpha1.NodeAffinity{}
	}
	here := v1alpha1.Requirement{Key: "metadata.name", Operator: "In", Values: []string{name}}
	if a.NodeAffinity.Required == nil {
		a.NodeAffinity.Required = &v1alpha1.NodeSelector{
			NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{{MatchFields: []v1alpha1.Requirement{here}}},
		}
		return a
	}
	for i := range a.NodeAffinity.Required.NodeSelectorTerms {
		t := &a.NodeAffinity.Required.NodeSelectorTerms[i]
		t.MatchFields = append(t.MatchFields, here)
	}
	return a
}
