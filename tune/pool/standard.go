package pool

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// Standard are the pools that every cluster has, with the labels that the operator
// gives them.
func Standard(r release.Release) (out []openshift.MachineConfigPool) {
	for _, name := range []string{Master, Worker} {
		p := openshift.MachineConfigPool{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfigPool"}
		p.Metadata = openshift.ObjectMeta{Name: name,
			Labels: map[string]string{"machineconfiguration.openshift.io/mco-built-in": ""}}
		if name == Master {
			p.Metadata.Labels["operator.machineconfiguration.openshift.io/required-for-upgrade"] = ""
		}
		if nameLabel.In(r) {
			p.Metadata.Labels["pools.operator.machineconfiguration.openshift.io/"+name] = ""
		}
		p.Spec.NodeSelector = selecting("node-role.kubernetes.io/"+name, "")
		p.Spec.MachineConfigSelector = selecting(openshift.LabelRole, name)
		out = append(out, p)
	}
	return out
}

// selecting is a selector of one label.
func selecting(key, value string) *openshift.LabelSelector {
	return &openshift.LabelSelector{MatchLabels: map[string]string{key: value}}
}

// Listed says whether pools that were given are taken for all that the cluster has
// beside the usual ones: one of them is a custom pool, or selects MachineConfigs, which
// people leave out who only change a pool that every cluster has.
func Listed(given []openshift.MachineConfigPool) bool {
	return slices.ContainsFunc(given, func(p openshift.MachineConfigPool) bool {
		return p.Metadata.Name != Master && p.Metadata.Name != Worker && p.Metadata.Name != arbiter ||
			p.Spec.MachineConfigSelector != nil
	})
}

// Complete adds the pools that every cluster has to those that people wrote down.
// Where one of them is written in part, as people do to change maxUnavailable, the
// selectors that are left out and the labels are the usual ones. Of a pool that stands there twice the last counts.
func Complete(pools []openshift.MachineConfigPool, r release.Release) []openshift.MachineConfigPool {
	last := map[string]int{}
	for i, p := range pools {
		last[p.Metadata.Name] = i
	}
	var out []openshift.MachineConfigPool
	for i, p := range pools {
		if p.Metadata.Name == "" || last[p.Metadata.Name] == i {
			out = append(out, p)
		}
	}
	for _, usual := range Standard(r) {
		i := slices.IndexFunc(out, func(p openshift.MachineConfigPool) bool { return p.Metadata.Name == usual.Metadata.Name })
		if i < 0 {
			out = append(out, usual)
			continue
		}
		p := &out[i]
		labels := maps.Clone(usual.Metadata.Labels)
		maps.Copy(labels, p.Metadata.Labels)
		p.Metadata.Labels = labels
		p.Spec.NodeSelector = cmp.Or(p.Spec.NodeSelector, usual.Spec.NodeSelector)
		p.Spec.MachineConfigSelector = cmp.Or(p.Spec.MachineConfigSelector, usual.Spec.MachineConfigSelector)
	}
	return out
}
