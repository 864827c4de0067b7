package topo

import (
	"maps"
	"slices"

	"plimsoll.dev/unit"
)

// Memory of all nodes, huge pages included.
func (m Machine) Memory() unit.Bytes {
	sum := unit.Bytes(0)
	for _, n := range m.Nodes {
		sum += n.Memory
	}
	return sum
}

// HugePages of one size ("2Mi") on all nodes, as memory.
func (m Machine) HugePages(size string) unit.Bytes {
	sum := unit.Bytes(0)
	for _, n := range m.Nodes {
		sum += n.HugePages[size]
	}
	return sum
}

// Cores are the CPUs of each core of a NUMA node, the core with the lowest CPU first.
func (m Machine) Cores(node int) [][]CPU {
	at := map[int]int{}
	var cores [][]CPU
	for _, cpu := range m.CPUs {
		if cpu.Node != node {
			continue
		}
		i, known := at[cpu.Core]
		if !known {
			i = len(cores)
			at[cpu.Core] = i
			cores = append(cores, nil)
		}
		cores[i] = append(cores[i], cpu)
	}
	return cores
}

// Clone is an independent copy.
func (m Machine) Clone() Machine {
	m.CPUs, m.Nodes, m.Devices = slices.Clone(m.CPUs), slices.Clone(m.Nodes), slices.Clone(m.Devices)
	for i := range m.Nodes {
		m.Nodes[i].HugePages, m.Nodes[i].Distances = maps.Clone(m.Nodes[i].HugePages), slices.Clone(m.Nodes[i].Distances)
	}
	for i := range m.Devices {
		m.Devices[i].Nodes = slices.Clone(m.Devices[i].Nodes)
	}
	return m
}
