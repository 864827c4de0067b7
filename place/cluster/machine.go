package cluster

import (
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// pinned reports whether the kubelet of a node type gives out CPUs, memory or
// devices of their own, so that each pod must be admitted on its machine.
func pinned(t v1alpha1.NodeType) bool {
	k := t.Kubelet
	return k != nil && (k.CPUManagerPolicy == "static" || k.MemoryManagerPolicy == "Static" ||
		k.TopologyManagerPolicy != "" && k.TopologyManagerPolicy != "none")
}

// machine sets the machine and its kubelet's configuration.
func (b *builder) machine(k *Type, t v1alpha1.NodeType, pages map[string]int64) {
	k.Machine = b.machineOf(t, pageSizes(t, pages))
	c := t.Kubelet
	reserved, _ := unit.ParseCPUSet(c.ReservedSystemCPUs)
	k.Kubelet = kubelet.Config{
		CPUManagerPolicy: c.CPUManagerPolicy, CPUManagerPolicyOptions: c.CPUManagerPolicyOptions,
		ReservedSystemCPUs:  reserved,
		MemoryManagerPolicy: c.MemoryManagerPolicy, TopologyManagerPolicy: c.TopologyManagerPolicy,
		TopologyManagerScope:         c.TopologyManagerScope,
		TopologyManagerPolicyOptions: c.TopologyManagerPolicyOptions, FeatureGates: c.FeatureGates,
		SystemReserved: amounts(t.SystemReserved), KubeReserved: amounts(t.KubeReserved), MaxPods: t.MaxPods}
	if t.EvictionHard != nil {
		k.Kubelet.EvictionHard = *t.EvictionHard
	}
	if t.PodsPerCore != nil {
		k.Kubelet.PodsPerCore = *t.PodsPerCore
	}
	for _, r := range c.ReservedMemory {
		k.Kubelet.ReservedMemory = append(k.Kubelet.ReservedMemory,
			kubelet.ReservedMemory{Node: r.NUMANode, Limits: r.Limits})
	}
	if len(c.ReservedMemory) == 0 && c.MemoryManagerPolicy == "Static" {
		k.Kubelet.ReservedMemory = []kubelet.ReservedMemory{{Node: 0, Limits: map[string]unit.Bytes{
			"memory": k.Kubelet.SystemReserved.Memory + k.Kubelet.KubeReserved.Memory + k.Kubelet.EvictionHard}}}
		b.c.Notes = append(b.c.Notes, t.Name+
			": the reserved memory is taken from NUMA node 0 (kubelet.reservedMemory is not given)")
	}
}

func amounts(r *v1alpha1.Reserved) kubelet.Amounts {
	if r == nil {
		return kubelet.Amounts{}
	}
	return kubelet.Amounts{CPU: r.CPU, Memory: r.Memory}
}

// machineOf is the machine of a node type with its huge pages and devices.
func (b *builder) machineOf(t v1alpha1.NodeType, pages map[string]unit.Bytes) topo.Machine {
	var from *topo.Machine
	if read, ok := b.Machines[t.Name]; ok {
		from = &read
	}
	m := machine.Of(&t, from)
	for _, size := range slices.Sorted(maps.Keys(pages)) {
		switch stated := t.HugePagesPerNUMANode[size]; {
		case len(stated) > 0:
			m.SetHugePages(size, stated)
		case m.HugePages(size) == 0:
			m.SpreadHugePages(size, pages[size])
		}
	}
	machine.AddDevices(&m, &t)
	return m
}
