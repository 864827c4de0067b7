package audit

import (
	"plimsoll.dev/api/v1alpha1"
)

// nodeTests are about nodes and what runs on them.
var nodeTests = []test{{podsUse, (*look).podsUse}, {notReady, (*look).notReady}}

// Shares of the pods that a node takes: told, a warning, an error.
const podsTold, podsNear, podsFull = 0.9, 0.95, 1

func (l *look) podsUse() {
	count := l.podsOn()
	for _, level := range []struct {
		from, to float64
		severity v1alpha1.Severity
	}{{podsFull, 1e9, v1alpha1.Error}, {podsNear, podsFull, v1alpha1.Warning}, {podsTold, podsNear, v1alpha1.Info}} {
		var full []where
		for i := range l.Nodes {
			n := &l.Nodes[i]
			most := n.allocatable("pods")
			share := float64(count[n.Metadata.Name]) / float64(max(most, 1))
			if share >= level.from && share < level.to {
				full = append(full, at("Node", n.Metadata.Name, "%d of %d pods", count[n.Metadata.Name], most))
			}
		}
		if len(full) > 0 {
			l.findAs(level.severity, full, "add nodes, or raise maxPods and hostPrefix as the plan says",
				"%.0f %% or more used", 100*level.from)
		}
	}
}

func (l *look) notReady() {
	var bad []where
	for i := range l.Nodes {
		if n := &l.Nodes[i]; n.Status.Conditions.of("Ready").Status != "True" {
			bad = append(bad, at("Node", n.Metadata.Name, ""))
		}
	}
	if len(bad) > 0 {
		l.find(bad, "look at the kubelet of each: oc adm node-logs NODE -u kubelet", "not Ready")
	}
}
