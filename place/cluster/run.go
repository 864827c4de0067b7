package cluster

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
)

// profile is the scheduler's configuration.
func (b *builder) profile() {
	s := b.Scenario.Scheduling
	b.c.Profile = scheduler.Profile{Release: Release(b.Scenario), ScoringStrategy: s.ScoringStrategy,
		Resources: s.Resources, Shape: s.Shape, PercentageOfNodesToScore: s.PercentageOfNodesToScore, Seed: uint64(s.Seed)}
	if b.Snapshot != nil {
		b.c.Profile.Namespaces = b.Snapshot.Namespaces
	}
}

// Release is the release of Kubernetes whose scheduler decides: as the scenario
// says, or that of the platform. OpenShift 3.y is Kubernetes 1.y; 4.1 and 4.2 are
// 1.13 and 1.14; 4.y is 1.(y+13) from 4.3 on (openshift/kubernetes, the branches).
func Release(s *v1alpha1.Scenario) string {
	if s.Scheduling.Release != "" {
		return s.Scheduling.Release
	}
	var major, minor int
	if n, _ := fmt.Sscanf(s.Platform.Release, "%d.%d", &major, &minor); n < 2 || s.Platform.Type != "openshift" {
		return s.Platform.Release
	}
	switch {
	case major == 4 && minor >= 3:
		minor += 13
	case major == 4:
		minor += 12
	}
	return fmt.Sprintf("1.%d", minor)
}

// PlatformRelease is the release of a platform that brings such a release of Kubernetes, the inverse
// of Release; empty where it is not known.
func PlatformRelease(platform, kubernetes string) string {
	var minor int
	if n, _ := fmt.Sscanf(kubernetes, "1.%d", &minor); n < 1 || platform != "openshift" {
		return kubernetes
	}
	switch {
	case minor >= 16:
		return fmt.Sprintf("4.%d", minor-13)
	case minor == 13 || minor == 14:
		return fmt.Sprintf("4.%d", minor-12)
	case minor < 12:
		return fmt.Sprintf("3.%d", minor)
	}
	return ""
}

// daemons makes one pod of each DaemonSet for every node that it selects. In a
// snapshot they are among the running pods.
func (b *builder) daemons() {
	for k, kind := range b.c.Kinds {
		if !kind.Type.DaemonSet || b.bound(k) {
			continue
		}
		for i := range b.c.Nodes {
			if b.c.RunsOn(kind, i) {
				b.c.Bound = append(b.c.Bound, Bound{Kind: k, Node: i, Count: 1, New: true})
			}
		}
	}
}

// RunsOn reports whether a kind's node selector, node affinity and tolerations let it
// onto a node.
func (c *Cluster) RunsOn(k Kind, n int) bool { return k.Pod.Allows(&c.Nodes[n]) }

// bound reports whether the snapshot says where the kind's pods run, or that they wait.
func (b *builder) bound(kind int) bool {
	if b.Snapshot == nil {
		return false
	}
	at := b.fromSnapshot(kind)
	return slices.ContainsFunc(b.Snapshot.Bound, func(r v1alpha1.Bound) bool { return r.PodType == at }) ||
		slices.ContainsFunc(b.Snapshot.Queue, func(q v1alpha1.Queued) bool { return q.PodType == at })
}

// fromSnapshot is the index in the snapshot's pod types of a kind; they follow
// the scenario's own.
func (b *builder) fromSnapshot(kind int) int { return kind - b.first() }

// first is the kind of the snapshot's first pod type.
func (b *builder) first() int {
	return len(b.Scenario.Workload.PodTypes) + len(b.held()) - len(b.Snapshot.PodTypes)
}

// running binds the pods that run already; they need not be scheduled.
func (b *builder) running() {
	if b.Snapshot == nil {
		return
	}
	first := b.first()
	for _, r := range b.Snapshot.Bound {
		k := first + r.PodType
		if k < 0 || k >= len(b.c.Kinds) || r.Node < 0 || r.Node >= len(b.c.Nodes) {
			continue
		}
		b.c.Bound = append(b.c.Bound, Bound{Kind: k, Node: r.Node, Count: r.Count})
		if !b.c.Kinds[k].Type.DaemonSet {
			b.c.Kinds[k].Count = max(0, b.c.Kinds[k].Count-r.Count)
		}
	}
	for _, q := range b.Snapshot.Queue {
		if k := first + q.PodType; k >= 0 && k < len(b.c.Kinds) && b.live() {
			b.c.Queue = append(b.c.Queue, Queued{k, q.Node})
		}
	}
}
