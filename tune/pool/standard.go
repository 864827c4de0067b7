package pool

import (
	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/era"
)

// Standard are the pools that every cluster has, with the labels that the operator
// gives them.
func Standard(e era.Era) (out []openshift.MachineConfigPool) {
	for _, name := range []string{Master, Worker} {
		p := openshift.MachineConfigPool{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfigPool"}
		p.Metadata = openshift.ObjectMeta{Name: name, Labels: map[string]string{"machineconfiguration.openshift.io/mco-built-in": ""}}
		if name == Master {
			p.Metadata.Labels["operator.machineconfiguration.openshift.io/required-for-upgrade"] = ""
		}
		if nameLabel.In(e) {
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
