package cluster

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/node"
)

func (b *builder) note(format string, args ...any) {
	b.c.Notes = append(b.c.Notes, fmt.Sprintf(format, args...))
}

// overcommit reads the policy. Kubelets that give out CPUs of their own count
// requests against what the machine has, and so must the scheduler.
func (b *builder) overcommit() {
	b.over = node.OfPolicy(b.Scenario.Policy)
	if b.over == node.NoOvercommit {
		return
	}
	if b.pinnedAny() {
		b.over = node.NoOvercommit
		b.note("nothing is overcommitted: kubelets that give out CPUs, memory or devices admit pods by their requests " +
			"(policy.overcommit does not count)")
		return
	}
	b.note("requests are scaled by policy.overcommit, as ClusterResourceOverride does: "+
		"nodes are shown with %.4g times their CPU and %.4g times their memory", b.over.CPU, b.over.Memory)
}

// pinnedAny reports whether a node of a pinned type will be there.
func (b *builder) pinnedAny() bool {
	is := func(name string) bool {
		i, ok := b.types[name]
		return ok && pinned(b.Scenario.Hardware.NodeTypes[i])
	}
	if b.live() {
		return slices.ContainsFunc(b.Snapshot.Nodes, func(n v1alpha1.Node) bool { return is(n.Type) })
	}
	return slices.ContainsFunc(b.Pools, func(p v1alpha1.PoolDecision) bool { return p.Count > 0 && is(p.Type) })
}

// notes say what the nodes keep for pods that are not listed.
func (b *builder) notes() {
	if n := b.Scenario.Policy.SystemPodsPerNode; n > 0 && !b.live() {
		places := "places"
		if n == 1 {
			places = "place"
		}
		b.note("%d %s on each node are kept for the platform's own pods (policy.systemPodsPerNode)", n, places)
	}
	if slices.ContainsFunc(b.Pools, func(p v1alpha1.PoolDecision) bool { return p.Role == infra }) && !b.live() {
		b.note("infrastructure nodes are placed without the router, registry and monitoring that run there")
	}
}
