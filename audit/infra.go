package audit

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// nodesOfInfra are the nodes of the role infra.
func (c *Cloud) nodesOfInfra() []*Node {
	var out []*Node
	for i := range c.Nodes {
		if c.Nodes[i].has("infra") {
			out = append(out, &c.Nodes[i])
		}
	}
	return out
}

func (l *look) infraNodes() {
	least, have := int(facts.Load().Must("ocp.prometheus.infraNodes").Value().Int()), l.nodesOfInfra()
	workers := 0
	for i := range l.Nodes {
		if !l.Nodes[i].control() {
			workers++
		}
	}
	var some []where
	for _, n := range have {
		some = append(some, at("Node", n.Metadata.Name, ""))
	}
	const fix = "plimsoll tune make infra writes the manifests and lists the steps"
	switch {
	case len(have) == 0 && workers <= least:
		l.notApplicable("%s beside the control plane leave none for workloads beside %d for infrastructure",
			words.Count(workers, "node"), least)
	case len(have) == 0:
		l.findAs(v1alpha1.Info, nil, fix, "there are no infrastructure nodes; at least %d are recommended", least)
	case len(have) < least:
		l.find(some, fix, "%s; at least %d are recommended", words.Count(len(have), "infrastructure node"), least)
	}
}

// storageLabel is that of the nodes of OpenShift Data Foundation.
const storageLabel = "cluster.ocs.openshift.io/openshift-storage"

func (l *look) storageNodes() {
	var have []where
	for i := range l.Nodes {
		if _, is := l.Nodes[i].Metadata.Labels[storageLabel]; is {
			have = append(have, at("Node", l.Nodes[i].Metadata.Name, ""))
		}
	}
	least := int(facts.Load().Must("ocp.prometheus.storageNodes").Value().Int())
	switch {
	case len(have) == 0:
		l.notApplicable("no node has the label %s", storageLabel)
	case len(have) < least:
		l.find(have, fmt.Sprintf("oc label node NAME %s= on %d more, with disks of NVMe", storageLabel, least-len(have)),
			"%s; at least %d are recommended", words.Count(len(have), "storage node"), least)
	}
}
