package plan

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	cpumanager "plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// unadmitted tells of pods that kubelets of a snapshot may refuse though a node has room for them: that
// depends on CPUs and NUMA nodes which a snapshot does not tell, and so none is refused. Pods that run,
// and stay where they are, have been admitted.
func (p *planner) unadmitted() []string {
	if !p.runsToday() {
		return nil
	}
	nodes, policies, pods, stay := 0, map[string]bool{}, map[string]bool{}, p.staying()
	for _, n := range p.read.Snapshot.Nodes {
		i := slices.IndexFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool { return t.Name == n.Type })
		if n.Kubelet == nil || i < 0 {
			continue
		}
		found := false
		for _, t := range p.s.Workload.PodTypes {
			if by := refusing(n.Kubelet, t); by != "" && !stay[t.Name] && node.RunsOn(t, p.s.Hardware.NodeTypes[i]) {
				found, policies[by], pods[t.Name] = true, true, true
			}
		}
		if found {
			nodes++
		}
	}
	if nodes == 0 {
		return nil
	}
	return []string{fmt.Sprintf("admission: by %s the kubelets of %s may refuse pods of %s, which depends on CPUs and "+
		"NUMA nodes that a snapshot does not tell: none is refused here", words.And(slices.Sorted(maps.Keys(policies))),
		words.Count(nodes, "node"), words.Some(slices.Sorted(maps.Keys(pods)), 3))}
}

// staying are the pod types of which every pod runs already, and none has to move for what the policy states.
func (p *planner) staying() map[string]bool {
	policy, stay := p.s.Policy, map[string]bool{}
	if *policy.SpareNodes > 0 && !p.o.Assumed("policy.spareNodes") || !p.o.Assumed("policy.maxUnavailable") ||
		p.losesZone() || policy.Growth > 0 {
		return stay
	}
	found := p.read.Snapshot
	own := slices.DeleteFunc(slices.Clone(found.PodTypes), func(t v1alpha1.PodType) bool { return t.Held })
	at := len(p.s.Workload.PodTypes) - len(own) // they follow the scenario's
	for i, t := range found.PodTypes {
		if t.Held || at < 0 {
			continue
		}
		stay[p.s.Workload.PodTypes[at].Name] = !slices.ContainsFunc(found.Queue,
			func(q v1alpha1.Queued) bool { return q.PodType == i })
		at++
	}
	return stay
}

// refusing is the policy by which a kubelet may refuse pods of a type for how its machine is built; empty
// for none. A static CPU manager alone gives any free CPUs.
func refusing(k *v1alpha1.Kubelet, t v1alpha1.PodType) string {
	pod := podres.Of(t)
	guaranteed, exclusive := podres.QOS(pod) == podres.Guaranteed, false
	pod.Each(func(c *podres.Container) {
		request, _ := c.Request(podres.CPU)
		exclusive = exclusive || k.CPUManagerPolicy == "static" && cpumanager.Exclusive(guaranteed, unit.CPU(request)) > 0
	})
	pinned := guaranteed && k.MemoryManagerPolicy == "Static"
	strict := k.TopologyManagerPolicy == "restricted" || k.TopologyManagerPolicy == "single-numa-node"
	switch {
	case strict && (exclusive || pinned || len(t.Devices) > 0):
		return "topologyManagerPolicy " + k.TopologyManagerPolicy
	case pinned:
		return "memoryManagerPolicy Static"
	case exclusive && k.CPUManagerPolicyOptions["full-pcpus-only"] == "true":
		return "full-pcpus-only"
	}
	return ""
}
