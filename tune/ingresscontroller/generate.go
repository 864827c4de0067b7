package ingresscontroller

import (
	"maps"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// Options say what a generated IngressController sets; what is left out keeps its
// default.
type Options struct {
	Release release.Release
	// Name of the IngressController; empty for default, the only one that every
	// cluster has.
	Name string
	// Replicas; 0 for the platform's default.
	Replicas int64
	// NodeSelector of the nodes for the routers, which replaces the default; nil
	// leaves them on the workers. Tolerations are those of the nodes' taints.
	NodeSelector map[string]string
	Tolerations  []openshift.Toleration
	// Publishing is the type of the publishing strategy; empty for the platform's.
	Publishing string
	// Tuning are tuningOptions by name.
	Tuning map[string]any
}

// DefaultName is the name of the router that every cluster has.
const DefaultName = "default"

// Generate makes an IngressController. left are the tuning options that the release
// doesn't have, which are left out.
func Generate(o Options) (ic openshift.IngressController, left []string) {
	ic = openshift.IngressController{APIVersion: "operator.openshift.io/v1", Kind: "IngressController",
		Metadata: openshift.ObjectMeta{Name: o.Name, Namespace: openshift.NamespaceIngress}}
	if o.Name == "" {
		ic.Metadata.Name = DefaultName
	}
	if o.Replicas > 0 {
		ic.Spec.Replicas = &o.Replicas
	}
	if len(o.NodeSelector) > 0 {
		ic.Spec.NodePlacement = &openshift.NodePlacement{NodeSelector: &openshift.LabelSelector{MatchLabels: o.NodeSelector},
			Tolerations: o.Tolerations}
	}
	if o.Publishing != "" {
		ic.Spec.EndpointPublishingStrategy = map[string]any{"type": o.Publishing}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Tuning)) {
		if !Knows(o.Release, "tuningOptions."+name) {
			left = append(left, name)
			continue
		}
		if ic.Spec.TuningOptions == nil {
			ic.Spec.TuningOptions = map[string]any{}
		}
		ic.Spec.TuningOptions[name] = o.Tuning[name]
	}
	return ic, left
}
