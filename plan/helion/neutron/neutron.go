// Package neutron checks the network of a Helion cloud against the limits of its
// vSwitch, and finds the cores and the memory that the vSwitch needs, after HCG 5 and
// HCG 8: ports, MAC entries, security rules, subnets, routers, virtual functions,
// packets a second by line-rate arithmetic, and DPDK's memory.
//
// It places no VM and invents no speed: what a packet costs is a published sample
// that you replace by your own measurement, and every answer says which it was.
//
//	r, p := neutron.Plan(neutron.Input{Book: &b, Facts: c, Doubts: log,
//		Neutron: s.Network.Neutron, Types: types, Hosts: hosts, …})
//	r.Types[0].Cores // [2 0]: physical cores by NUMA node
package neutron

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// Input is what the network is checked from.
type Input struct {
	// Book takes the figures "neutron.*".
	Book *derive.Book
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
	// Doubts takes the doubtful rows that were met: 6 and 9.
	Doubts *doubt.Log
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Neutron is network.neutron of the scenario, defaults filled in.
	Neutron v1alpha1.Neutron
	// Storage backs the Cinder volumes: dedicated (storage nodes) or controller (LVM).
	Storage string
	// Computes is the number of compute hosts of the plan.
	Computes derive.Value
	// Servers are the kinds of VM.
	Servers []Server
	// Types are the node types that run VMs.
	Types []Type
	// Hosts are compute hosts with the VMs that run on each; equal ones may be one entry.
	Hosts []Host
}

// Server is a kind of VM.
type Server struct {
	// Name of the server, and Path of it: "workload.servers[3]".
	Name, Path string
	// Count of the VMs in the cloud.
	Count derive.Value
	// Ports are the virtual NICs of one VM.
	Ports []v1alpha1.Port
	// SmallPages says that its memory is backed by 4K pages: hw:mem_page_size small, or 4.
	SmallPages bool
	// NUMANodes of the host that the VM is bound to by hw:numa_node; nil is any.
	NUMANodes []int
	// Local says that it boots from a disk of its compute host, not from a volume.
	Local bool
}

// Type is a node type that runs VMs.
type Type struct {
	// Name of the node type, and Path of it: "hardware.nodeTypes[0]".
	Name, Path string
	// NUMANodes of the machine.
	NUMANodes int
	// CPUGHz is its clock rate in GHz.
	CPUGHz float64
	// NICs of the host.
	NICs []v1alpha1.NIC
	// VSwitchCores by NUMA node as the scenario fixes them; nil leaves them to the plan.
	VSwitchCores []int
	// Kept are cores by NUMA node that the vSwitch keeps at least, where the scenario
	// fixes none; nil is none.
	Kept []int
	// Room is the most cores by NUMA node that a host has for the vSwitch; nil is any.
	Room []int
	// VSwitchMemory by NUMA node as the scenario fixes it; nil takes the document's.
	VSwitchMemory []unit.Bytes
}

// Host is a compute host and what runs on it.
type Host struct {
	// Name for findings: "compute-4", or "a mean compute".
	Name string
	// Mean says that nothing is placed, and this is a host with a mean share of the VMs.
	Mean bool
	// Type is the index in Input.Types.
	Type int
	// VMs on the host by the index in Input.Servers; On are the same by NUMA node, nil
	// where nobody knows.
	VMs map[int]int
	On  map[int][]float64
}

// Result is the network of the cloud.
type Result struct {
	// Types are the needs of each node type, in the order of Input.Types.
	Types []TypeResult
	// Open names what the answer needs and did not get.
	Open []string
}

// TypeResult is what the hosts of a node type need.
type TypeResult struct {
	// Cores are physical cores for the vSwitch by NUMA node: those of the scenario, or those that the packet rates need.
	Cores []int
	// Needed is what the busiest host's packets take of cores, before rounding up.
	Needed derive.Value
	// Memory is what DPDK needs by NUMA node by TripleO's rule, in bytes.
	Memory []unit.Bytes
	// Ports of the vSwitch and security Rules on the fullest host.
	Ports, Rules derive.Value
}
