package topo

import (
	"fmt"
	"strings"

	"plimsoll.dev/unit"
)

// Distances of nodes that nobody measured: the ACPI specification (System
// Locality Information Table) has 10 for a node to itself, and 20, the kernel's
// REMOTE_DISTANCE, is what Linux takes where the firmware has no table. Nodes of
// one socket get 20, too: what lies between (12 on EPYC, 11 on Xeon) differs by
// machine, and the kubelet looks at it with prefer-closest-numa-nodes only.
const (
	LocalDistance  = 10
	RemoteDistance = 20
)

// Machine makes the machine, with distances and without memory. NUMA nodes and
// caches are numbered through, socket by socket.
func (s Shape) Machine() Machine {
	perNode := s.Caches * s.Cores
	cores := s.Sockets * s.Nodes * perNode
	m := Machine{CPUs: make([]CPU, cores*s.Threads), Nodes: make([]Node, s.Sockets*s.Nodes)}
	for i := range m.Nodes {
		m.Nodes[i].ID = i
	}
	for core := range cores {
		node := core / perNode
		c := CPU{Core: s.number(core, 0), Socket: node / s.Nodes, Node: node, Cache: node / s.Nodes}
		if s.Caches > 1 {
			c.Cache = core / s.Cores
		}
		for thread := range s.Threads {
			c.ID = s.number(core, thread)
			m.CPUs[c.ID] = c
		}
	}
	m.DefaultDistances()
	return m
}

// number is the CPU number of a thread; cores are counted through the machine.
func (s Shape) number(core, thread int) int {
	perSocket := s.Nodes * s.Caches * s.Cores
	if s.Alternate {
		core = core%perSocket*s.Sockets + core/perSocket
	}
	if s.Adjacent {
		return core*s.Threads + thread
	}
	return thread*s.Sockets*perSocket + core
}

// DefaultDistances gives every node LocalDistance to itself and RemoteDistance
// to the others.
func (m *Machine) DefaultDistances() {
	for i := range m.Nodes {
		d := make([]int, len(m.Nodes))
		for j := range d {
			d[j] = RemoteDistance
		}
		d[i] = LocalDistance
		m.Nodes[i].Distances = d
	}
}

// SpreadMemory divides the machine's memory over its nodes, in whole pages of
// 4 KiB; what is left goes to the first node.
func (m *Machine) SpreadMemory(total unit.Bytes) {
	const page = 4 * unit.KiB
	nodes := unit.Bytes(len(m.Nodes))
	for i := range m.Nodes {
		m.Nodes[i].Memory = total / nodes / page * page
		if i == 0 {
			m.Nodes[i].Memory = total - m.Nodes[i].Memory*(nodes-1)
		}
	}
}

// SetHugePages gives each node its pre-allocated pages of a size ("2Mi"), as
// memory, in the order of the nodes; nodes without an entry have none.
func (m *Machine) SetHugePages(size string, perNode []unit.Bytes) {
	for i := range m.Nodes {
		if m.Nodes[i].HugePages == nil {
			m.Nodes[i].HugePages = map[string]unit.Bytes{}
		}
		m.Nodes[i].HugePages[size] = 0
		if i < len(perNode) {
			m.Nodes[i].HugePages[size] = perNode[i]
		}
	}
}

// SpreadHugePages divides pages of a size ("2Mi") over the nodes as the kernel
// does with a number that is not given by node: one to each in turn, so that the
// first nodes have one more. total is memory; a size that can't be read, or a
// total below one page, gives none.
func (m *Machine) SpreadHugePages(size string, total unit.Bytes) {
	page, err := unit.ParseBytes(size)
	if err != nil || page <= 0 {
		return
	}
	nodes := unit.Bytes(len(m.Nodes))
	perNode := make([]unit.Bytes, nodes)
	for i := range perNode {
		pages := total / page / nodes
		if unit.Bytes(i) < total/page%nodes {
			pages++
		}
		perNode[i] = pages * page
	}
	m.SetHugePages(size, perNode)
}

// AddDevices adds count devices of a resource with ids such as gpu-0 (with
// leading zeros, so that ids sort by number). nodes are their NUMA nodes in their
// order; devices beyond its end do not say where they are.
func (m *Machine) AddDevices(resource string, count int, nodes []int) {
	short := resource[strings.LastIndexByte(resource, '/')+1:]
	digits := len(fmt.Sprint(count - 1))
	for i := range count {
		d := Device{Resource: resource, ID: fmt.Sprintf("%s-%0*d", short, digits, i)}
		if i < len(nodes) {
			d.Nodes = []int{nodes[i]}
		}
		m.Devices = append(m.Devices, d)
	}
}
