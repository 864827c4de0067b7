// Package placement answers on which nodes the pods of a platform component may
// run: by a node selector, and by the taints that its tolerations let pass.
//
// It counts nodes and judges tolerations. It does not schedule: what else the
// scheduler weighs is in place/scheduler.
//
//	fit := placement.ClusterOf(objects).Fit(selector, tolerations)
//	if len(fit.Nodes) < replicas { ... }
package placement

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// Effects of taints.
const (
	NoSchedule       = "NoSchedule"
	PreferNoSchedule = "PreferNoSchedule"
	NoExecute        = "NoExecute"
)

// Effects are the effects that Kubernetes knows.
var Effects = []string{NoSchedule, PreferNoSchedule, NoExecute}

// Cluster is what manifests tell of the nodes.
type Cluster struct {
	Nodes []openshift.Node
	// Whole says that these are all nodes: there is a control plane node among them,
	// which nobody writes down to change a worker. Without it no count is judged.
	Whole bool
}

// ClusterOf collects the nodes of a set of manifests.
func ClusterOf(objects []*object.Object) Cluster {
	nodes, _ := object.All[openshift.Node](objects, "Node")
	c := Cluster{Nodes: object.Values(nodes)}
	c.Whole = slices.ContainsFunc(c.Nodes, func(n openshift.Node) bool {
		_, master := n.Metadata.Labels[openshift.LabelMaster]
		_, control := n.Metadata.Labels[openshift.LabelControlPlane]
		return master || control
	})
	return c
}

// Fit are the nodes that a node selector finds, by name.
type Fit struct {
	// Nodes take the pods.
	Nodes []string
	// Tainted would, but for a taint that is not tolerated; Cordoned but for being so.
	Tainted, Cordoned []string
}

// Fit finds the nodes for a node selector and tolerations. An empty selector finds
// all nodes.
func (c Cluster) Fit(selector map[string]string, tolerations []openshift.Toleration) Fit {
	var f Fit
	for i := range c.Nodes {
		n := &c.Nodes[i]
		switch {
		case !selects(selector, n.Metadata.Labels):
		case slices.ContainsFunc(n.Spec.Taints,
			func(t v1alpha1.Taint) bool { return t.Effect != PreferNoSchedule && !Tolerates(tolerations, t) }):
			f.Tainted = append(f.Tainted, n.Metadata.Name)
		case n.Spec.Unschedulable:
			f.Cordoned = append(f.Cordoned, n.Metadata.Name)
		default:
			f.Nodes = append(f.Nodes, n.Metadata.Name)
		}
	}
	return f
}

// Missing says which nodes were found and don't count, and why; empty for none.
func (f Fit) Missing() string {
	var parts []string
	if len(f.Tainted) > 0 {
		parts = append(parts, fmt.Sprintf("%s by a taint that is not tolerated", listed(f.Tainted)))
	}
	if len(f.Cordoned) > 0 {
		parts = append(parts, fmt.Sprintf("%s by being cordoned", listed(f.Cordoned)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "kept off: " + strings.Join(parts, ", ")
}

// listed names the first few.
func listed(names []string) string { return words.Some(names, 3) }

func selects(selector, labels map[string]string) bool {
	for key, want := range selector {
		if have, ok := labels[key]; !ok || have != want {
			return false
		}
	}
	return true
}

// Tolerates says whether one of the tolerations is for the taint.
func Tolerates(tolerations []openshift.Toleration, taint v1alpha1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(t openshift.Toleration) bool {
		return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" || t.Key == taint.Key) &&
			(t.Operator == "Exists" || t.Value == taint.Value)
	})
}

// Tolerating makes the tolerations for taints, none for what only is preferred.
func Tolerating(taints []v1alpha1.Taint) []openshift.Toleration {
	var out []openshift.Toleration
	for _, t := range taints {
		if t.Effect == PreferNoSchedule {
			continue
		}
		made := openshift.Toleration{Key: t.Key, Operator: "Exists", Effect: t.Effect}
		if t.Value != "" {
			made.Operator, made.Value = "Equal", t.Value
		}
		out = append(out, made)
	}
	return out
}

// Wrong says what Kubernetes refuses in a toleration and what would be right: the
// field, the fault and the remedy. The field is empty when nothing is wrong.
func Wrong(t openshift.Toleration) (field, what, fix string) {
	switch {
	case t.Operator != "" && t.Operator != "Equal" && t.Operator != "Exists":
		return "operator", fmt.Sprintf("%q is no operator of a toleration", t.Operator), "write Equal or Exists"
	case t.Effect != "" && !slices.Contains(Effects, t.Effect):
		return "effect", fmt.Sprintf("%q is no effect of a taint", t.Effect),
			"write " + strings.Join(Effects[:2], ", ") + " or " + Effects[2] + ", or leave it out for all of them"
	case t.Operator == "Exists" && t.Value != "":
		return "value", "a toleration with operator Exists has no value", "remove the value, or write operator: Equal"
	case t.Key == "" && t.Operator != "Exists":
		return "key", "a toleration without a key needs the operator Exists", "write the key of the taint"
	case t.TolerationSeconds != nil && t.Effect != NoExecute:
		return "tolerationSeconds", "tolerationSeconds goes with the effect NoExecute alone", "remove it"
	}
	return "", "", ""
}
