package kubeletconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// latencySensitive is the feature set that 4.3 and 4.4 need for the Topology
// Manager.
const latencySensitive = "LatencySensitive"

// dualStack is the feature set of the first releases with two families of addresses.
const dualStack = "IPv6DualStackNoUpgrade"

// custom is the feature set whose gates the FeatureGate names itself.
const custom = "CustomNoUpgrade"

// sets are the feature sets of a release and the gates that they switch on. A set
// that is nil is known, but its gates are not.
type sets map[string][]string

func (s sets) String() string {
	names := slices.Sorted(maps.Keys(s))
	for i, name := range names {
		if name == "" {
			names[i] = `"" for none`
		}
	}
	return strings.Join(names, ", ")
}

var gates43 = []string{"RotateKubeletServerCertificate", "SupportPodPidsLimit", "NodeDisruptionExclusion",
	"ServiceNodeExclusion"}

func oldSets(gates ...string) sets {
	return sets{"": gates, "TechPreviewNoUpgrade": gates, latencySensitive: append(slices.Clip(gates), "TopologyManager"),
		custom: {}}
}

// The feature sets of 4.3, of 4.4, and of those since 4.6 whose gates are not known.
var (
	sets43    = oldSets(gates43...)
	sets44    = oldSets(append(slices.Clip(gates43), "SCTPSupport")...)
	sets46    = laterSets(latencySensitive, dualStack)
	sets411   = laterSets(latencySensitive)
	setsToday = laterSets()
)

func laterSets(more ...string) sets {
	out := sets{"": nil, "TechPreviewNoUpgrade": nil, "DevPreviewNoUpgrade": nil, custom: {}, "OKD": nil}
	for _, name := range more {
		out[name] = nil
	}
	return out
}

// unknownIn names a release in a sentence about a feature set that it doesn't know.
func unknownIn(r release.Release, set string) string {
	for last := r.Minor() - 1; last > release.V45; last-- {
		if _, ok := featureSets.In(last)[set]; ok {
			return r.OpenShift() + ", only up to " + last.String()
		}
	}
	return r.OpenShift()
}

// Gates are the feature gates that a FeatureGate sets in every kubelet.conf; nil is
// the FeatureGate that every cluster has. Today the operator takes them from the
// release's own list, of which only what CustomNoUpgrade names is told here. An
// unknown feature set is an error: no kubelet.conf is made.
func Gates(f *openshift.FeatureGate, r release.Release) (map[string]any, error) {
	set := ""
	if f != nil {
		set = f.Spec.FeatureSet
	}
	on, ok := featureSets.In(r)[set]
	if !ok {
		return nil, fmt.Errorf("feature set %q is not known in %s (%v)", set, unknownIn(r, set), featureSets.In(r))
	}
	out := map[string]any{}
	for _, g := range on {
		out[g] = true
	}
	if len(on) > 0 {
		out["LegacyNodeRoleBehavior"] = false
	}
	if set == custom {
		for _, part := range []string{"enabled", "disabled"} {
			names, _ := f.Spec.CustomNoUpgrade[part].([]any)
			for _, n := range names {
				out[fmt.Sprint(n)] = part == "enabled"
			}
		}
	}
	return out, nil
}
