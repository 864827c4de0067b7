// Package machine makes the machine of a node type: its CPUs as the topology
// says, its memory and devices on their NUMA nodes, and the names that machines
// of a type have. It reads no file and keeps nothing back for a system.
//
//	m := machine.Of(&t, nil)
//	machine.Name(t.Name, 0) // "compute-1"
package machine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/topo"
)

// Of is the machine of a node type, without huge pages: as it was read from a
// file (nil when it was not), as its topology says, else NUMA nodes of CPUs
// without siblings. The topology was checked when the scenario was read.
func Of(t *v1alpha1.NodeType, read *topo.Machine) topo.Machine {
	var m topo.Machine
	if read != nil {
		m = read.Clone()
	} else {
		m = shapeOf(t)
	}
	if read == nil || m.Memory() == 0 {
		m.SpreadMemory(t.Memory)
	}
	return m
}

// AddDevices adds the devices of the node type, by name.
func AddDevices(m *topo.Machine, t *v1alpha1.NodeType) {
	for _, name := range slices.Sorted(maps.Keys(t.Devices)) {
		m.AddDevices(name, int(t.Devices[name]), t.DeviceNUMANodes[name])
	}
}

func shapeOf(t *v1alpha1.NodeType) topo.Machine {
	if m, err := topo.Parse(t.Topology); t.Topology != "" && err == nil {
		return m
	}
	numa := max(1, t.NUMANodes)
	m := topo.Shape{Sockets: numa, Nodes: 1, Caches: 1, Cores: (t.CPUs + numa - 1) / numa, Threads: 1}.Machine()
	m.CPUs = m.CPUs[:min(len(m.CPUs), t.CPUs)]
	return m
}

// NUMAMap draws the cores of a NUMA node with their threads.
func NUMAMap(m *topo.Machine, node int, thread func(cpu int) v1alpha1.ThreadMap) v1alpha1.NUMAMap {
	out := v1alpha1.NUMAMap{ID: node}
	for _, cpus := range m.Cores(node) {
		core := v1alpha1.CoreMap{Cache: cpus[0].Cache}
		for _, cpu := range cpus {
			out.Socket = cpu.Socket
			core.Threads = append(core.Threads, thread(cpu.ID))
		}
		out.Cores = append(out.Cores, core)
	}
	return out
}

// Name is the name of the i-th machine (from 0) whose names begin with a prefix.
func Name(prefix string, i int) string { return fmt.Sprintf("%s-%d", prefix, i+1) }

// Prefix is a node type's name as part of an object's name.
func Prefix(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	return cmp.Or(strings.Trim(clean, "-."), "node")
}

// DomainValue is the i-th value of a label (from 0): zone-1, rack-2.
func DomainValue(key string, i int) string {
	return fmt.Sprintf("%s-%d", key[strings.LastIndexByte(key, '/')+1:], i+1)
}
