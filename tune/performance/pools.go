package performance

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/pool"
)

// poolsOf are the pools that the operator finds for a profile: those whose node selector its labels fit.
func (a *around) poolsOf(p *openshift.PerformanceProfile, r release.Release) (out []openshift.MachineConfigPool) {
	all := pool.Complete(a.pools, r)
	for i := range all {
		if s := all[i].Spec.NodeSelector; s != nil && selector.Selects(s, p.Spec.NodeSelector) {
			out = append(out, all[i])
		}
	}
	return out
}

// nodesOf are the nodes that a profile is for: those with its labels, and of them those whose pool gets its
// KubeletConfig, where the pool is known.
func (a *around) nodesOf(p *openshift.PerformanceProfile, r release.Release) (out []*openshift.Node) {
	all, of := pool.Complete(a.pools, r), a.poolsOf(p, r)
	for i := range a.nodes {
		n := &a.nodes[i].Value
		if carries(n.Metadata.Labels, p.Spec.NodeSelector) && (len(of) != 1 ||
			pool.Of(n.Metadata.Labels, all, r).Primary == of[0].Metadata.Name) {
			out = append(out, n)
		}
	}
	return out
}

// pool judges the pool of the profile, of which there must be one, with labels for the KubeletConfig, that takes the
// MachineConfig. What pools a cluster has that are not given isn't known, so that none is no fault. Nothing is said of
// labels that are refused themselves.
func (c *checker) pool(a *around) {
	if slices.ContainsFunc(c.found, func(f v1alpha1.Finding) bool { return f.ID == badSelector.ID }) {
		return
	}
	const path, nothing = "spec.nodeSelector", ": the operator makes nothing of the profile"
	pools := a.poolsOf(&c.Value, c.release)
	add := func(what, fix string) { c.found = append(c.found, c.Finding(badPool, path, what+nothing, fix)) }
	if len(pools) > 1 {
		var names []string
		for i := range pools {
			names = append(names, pools[i].Metadata.Name)
		}
		add("it fits the node selectors of the pools "+words.And(names)+", and of one alone the operator takes it",
			"select the nodes of one pool, or mend the node selector of the others")
		return
	}
	if len(pools) == 0 {
		return
	}
	p := &pools[0]
	label := pool.ConfigLabel(&c.Value)
	switch {
	case selector.Empty(p.Spec.MachineConfigSelector):
		add("pool "+p.Metadata.Name+" has no machineConfigSelector", "add one that takes "+labelsOf(label))
	case len(p.Metadata.Labels) == 0:
		add("pool "+p.Metadata.Name+" has no labels, by which the KubeletConfig would select it",
			"label the pool: "+openshift.LabelRole+": "+p.Metadata.Name)
	case !selector.Selects(p.Spec.MachineConfigSelector, label):
		add(fmt.Sprintf("pool %s does not take MachineConfigs with %s", p.Metadata.Name, labelsOf(label)),
			"add that label to its machineConfigSelector, or write spec.machineConfigLabel")
	}
}

// labelsOf writes labels for people: one, or the profile is refused.
func labelsOf(labels map[string]string) string {
	var out []string
	for key, value := range labels {
		out = append(out, key+"="+value)
	}
	return words.And(out)
}

// Refuses says whether a finding keeps the operator from making anything of a profile. What is told of that which it
// makes, and of what its nodes do with it, does not.
func Refuses(f v1alpha1.Finding) bool {
	pack, _, _ := strings.Cut(f.ID, ".")
	switch {
	case f.Severity != v1alpha1.Error || f.Place == nil, f.ID == reservedBeyond.ID, f.ID == pagesBeyond.ID:
		return false
	}
	return pack == "performance" || pack == "crd" || pack == "object" || pack == "check"
}
