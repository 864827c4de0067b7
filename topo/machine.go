// Package topo is a machine as the kubelet and a hypervisor see it: sockets,
// NUMA nodes, uncore caches, cores, threads, distances, pages and devices. It is
// types, a one-line notation and checks; it decides nothing about placement.
//
//	m, err := topo.Parse("2 sockets x 2 numa x 14 cores x 2 threads")
//	len(m.CPUs) // 112
package topo

import "plimsoll.dev/unit"

// Machine is one machine. CPUs stand in the order of their numbers, which need
// not be without gaps (offline CPUs); NUMA nodes in the order of their ids.
type Machine struct {
	// CPUs that are online.
	CPUs []CPU `json:"cpus"`
	// Nodes are the NUMA nodes.
	Nodes []Node `json:"nodes"`
	// Devices that pods or VMs can be given, in the order of resource and id.
	Devices []Device `json:"devices,omitempty"`
}

// CPU is one hardware thread.
type CPU struct {
	// ID is the number that the kernel gives it.
	ID int `json:"id"`
	// Core is the number of the lowest thread of its core.
	Core int `json:"core"`
	// Socket is the id of the physical package.
	Socket int `json:"socket"`
	// Node is the id of its NUMA node.
	Node int `json:"node"`
	// Cache is the id of its uncore (last level) cache; where it is not known it is the socket's id.
	Cache int `json:"cache"`
}

// Node is a NUMA node.
type Node struct {
	// ID of the node.
	ID int `json:"id"`
	// Memory of the node, huge pages included.
	Memory unit.Bytes `json:"memory"`
	// HugePages that are pre-allocated on the node, as memory, by page size ("2Mi", "1Gi").
	HugePages map[string]unit.Bytes `json:"hugePages,omitempty"`
	// Distances to all nodes in the machine's order, 10 to itself.
	Distances []int `json:"distances,omitempty"`
}

// Device is something that is given to one container or VM at a time.
type Device struct {
	// Resource is its name in the API, such as nvidia.com/gpu.
	Resource string `json:"resource"`
	// ID is unique within the resource.
	ID string `json:"id"`
	// Nodes are the NUMA nodes that it is attached to; none when it does not say.
	Nodes []int `json:"nodes,omitempty"`
	// Unhealthy devices are counted and never given.
	Unhealthy bool `json:"unhealthy,omitempty"`
}
