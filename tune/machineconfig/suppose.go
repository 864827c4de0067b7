package machineconfig

import (
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// suppose are the pools among the objects, the usual ones, and, where they may not be
// all, a custom pool for each role that MachineConfigs have and no pool takes: it takes
// the MachineConfigs of worker as well, as custom pools must. The first known ones are
// not supposed.
func suppose(objects []*object.Object, configs []openshift.MachineConfig,
	r release.Release) (pools []openshift.MachineConfigPool, known int) {
	pools, listed := poolsOf(objects, r)
	known = len(pools)
	for _, mc := range configs {
		labels := mc.Metadata.Labels
		role := labels[openshift.LabelRole]
		if listed || role == "" || rendered(mc) ||
			slices.ContainsFunc(pools, func(p openshift.MachineConfigPool) bool { return takes(p, labels) }) {
			continue
		}
		p := openshift.MachineConfigPool{Kind: "MachineConfigPool", Metadata: openshift.ObjectMeta{Name: role}}
		p.Spec.MachineConfigSelector = &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
			{Key: openshift.LabelRole, Operator: "In", Values: []string{pool.Worker, role}},
		}}
		pools = append(pools, p)
	}
	return pools, known
}
