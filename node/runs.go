package node

import (
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// wellKnown are the labels that the kubelet sets by itself, on the machines that
// nearly everybody has. A node type that states another value keeps it.
var wellKnown = map[string]string{
	"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux",
	"kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "amd64",
}

// label is the value of a node type's label: as stated, else that of the role
// or the one that the kubelet sets.
func label(n v1alpha1.NodeType, key string) (string, bool) {
	if v, ok := n.Labels[key]; ok {
		return v, true
	}
	if key == "node-role.kubernetes.io/"+n.Role {
		return "", true
	}
	v, ok := wellKnown[key]
	return v, ok
}

// RunsOn says whether a pod's nodeSelector and tolerations let it onto a node.
func RunsOn(t v1alpha1.PodType, n v1alpha1.NodeType) bool {
	lacks, taints := Barred(t, n)
	return len(lacks) == 0 && len(taints) == 0
}

// Barred is what keeps pods from nodes of the type: the labels that they select and it lacks, or has
// with another value, and its taints that they don't tolerate.
func Barred(t v1alpha1.PodType, n v1alpha1.NodeType) (lacks map[string]string, taints []v1alpha1.Taint) {
	for k, v := range t.NodeSelector {
		// A role's label is empty: it must be there, not only compare equal.
		if have, ok := label(n, k); !ok || have != v {
			if lacks == nil {
				lacks = map[string]string{}
			}
			lacks[k] = v
		}
	}
	for _, taint := range n.Taints {
		if taint.Effect != "PreferNoSchedule" &&
			!slices.ContainsFunc(t.Tolerations, func(tol v1alpha1.Toleration) bool { return tolerates(tol, taint) }) {
			taints = append(taints, taint)
		}
	}
	return lacks, taints
}

// tolerates follows k8s.io/api/core/v1 Toleration.ToleratesTaint.
func tolerates(tol v1alpha1.Toleration, taint v1alpha1.Taint) bool {
	if tol.Effect != "" && tol.Effect != taint.Effect || tol.Key != "" && tol.Key != taint.Key {
		return false
	}
	if tol.Operator == "Exists" {
		return true
	}
	return tol.Key != "" && tol.Value == taint.Value
}

// Labels are all labels of a node of the type, without its name and its place.
func Labels(n v1alpha1.NodeType) map[string]string {
	all := maps.Clone(wellKnown)
	all["node-role.kubernetes.io/"+n.Role] = ""
	maps.Copy(all, n.Labels)
	return all
}
