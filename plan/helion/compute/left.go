package compute

import (
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Node is a NUMA node of a compute host: what it has and what is kept back on it.
type Node struct {
	// Memory of the node in bytes, Platform and VSwitch what is kept of it.
	Memory, Platform, VSwitch unit.Bytes
	// Cores of the node, all physical, and those that are kept back by their use.
	// Floating are those that VMs with the shared policy have to themselves.
	Cores, PlatformCores, VSwitchCores, SharedCores, Floating int
	// Threads of each core.
	Threads int
}

// VMMemory is what is left for VMs, in bytes; 0 when nothing is.
func (n Node) VMMemory() unit.Bytes { return max(0, n.Memory-n.Platform-n.VSwitch) }

// VMCores are the physical cores that are left for VMs.
func (n Node) VMCores() int {
	return max(0, n.Cores-n.PlatformCores-n.VSwitchCores-n.SharedCores)
}

// VMCPUs are the logical CPUs that are left for VMs.
func (n Node) VMCPUs() int { return n.VMCores() * n.Threads }

// Keep is what a compute host keeps back by default (HCG 4), memory in bytes.
type Keep struct {
	// Base is for the platform on node 0, with the controller on a CPE; PerNode for KVM
	// and VSwitch for the vSwitch on each node.
	Base, PerNode, VSwitch unit.Bytes
	// PlatformCores and VSwitchCores are kept on node 0.
	PlatformCores, VSwitchCores int
	// ControllerCPUs (logical ones, in whole cores) are what the controller takes of node
	// 0 on a CPE host; 0 elsewhere.
	ControllerCPUs int
}

// Reserve is what the scenario says instead, by NUMA node; a nil list is left to
// the default, nodes beyond the end of a list keep nothing.
type Reserve struct {
	PlatformMemory, VSwitchMemory                           []unit.Bytes
	PlatformCores, VSwitchCores, SharedCores, FloatingCores []int
}

// Left cuts the machine's NUMA nodes into what is kept back and what is left.
func Left(m topo.Machine, keep Keep, r Reserve) []Node {
	nodes := make([]Node, len(m.Nodes))
	for i := range nodes {
		n := &nodes[i]
		n.Memory, n.Threads = m.Nodes[i].Memory, 1
		cores := map[int]int{}
		for _, c := range m.CPUs {
			if c.Node == m.Nodes[i].ID {
				cores[c.Core]++
				n.Threads = max(n.Threads, cores[c.Core])
			}
		}
		n.Cores = len(cores)
		n.Platform, n.VSwitch = keep.PerNode, keep.VSwitch
		if i == 0 {
			n.Platform += keep.Base
			n.PlatformCores = keep.PlatformCores + (keep.ControllerCPUs+n.Threads-1)/n.Threads
			n.VSwitchCores = keep.VSwitchCores
		}
		r.apply(n, i)
	}
	return nodes
}

// apply puts what the scenario says in the place of the defaults of node i.
func (r Reserve) apply(n *Node, i int) {
	for _, x := range []struct {
		list []unit.Bytes
		to   *unit.Bytes
	}{{r.PlatformMemory, &n.Platform}, {r.VSwitchMemory, &n.VSwitch}} {
		if x.list != nil {
			*x.to = entry(x.list, i)
		}
	}
	for _, x := range []struct {
		list []int
		to   *int
	}{{r.PlatformCores, &n.PlatformCores}, {r.VSwitchCores, &n.VSwitchCores}, {r.SharedCores, &n.SharedCores},
		{r.FloatingCores, &n.Floating}} {
		if x.list != nil {
			*x.to = entry(x.list, i)
		}
	}
}

// entry is the i-th entry, or 0 beyond the end.
func entry[T ~int | ~int64](list []T, i int) T {
	if i < len(list) {
		return list[i]
	}
	return 0
}
