package kubelettest

import (
	"slices"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// memoryOf sets the memory of each NUMA node.
func memoryOf(m topo.Machine, sizes ...unit.Bytes) topo.Machine {
	for i, s := range sizes {
		m.Nodes[i].Memory = s
	}
	return m
}

// pages sets the huge pages by size and NUMA node.
func pages(m topo.Machine, sizes map[string][]unit.Bytes) topo.Machine {
	for i := range m.Nodes {
		m.Nodes[i].HugePages = map[string]unit.Bytes{}
		for size, all := range sizes {
			m.Nodes[i].HugePages[size] = all[i]
		}
	}
	return m
}

func distances(m topo.Machine, rows [][]int) topo.Machine {
	for i, row := range rows {
		m.Nodes[i].Distances = row
	}
	return m
}

// cached gives each run of so many cores an uncore cache of its own.
func cached(m topo.Machine, cores int) topo.Machine {
	for i := range m.CPUs {
		m.CPUs[i].Cache = m.CPUs[i].Core / cores
	}
	return m
}

// ids renumbers the NUMA nodes; POWER has 0 and 8.
func ids(m topo.Machine, nodes ...int) topo.Machine {
	for i := range m.CPUs {
		m.CPUs[i].Node = nodes[m.CPUs[i].Node]
	}
	for i := range m.Nodes {
		m.Nodes[i].ID = nodes[i]
	}
	return m
}

// without takes CPUs offline; a core's name is then its lowest thread that is left.
func without(m topo.Machine, cpus ...int) topo.Machine {
	m.CPUs = slices.DeleteFunc(m.CPUs, func(c topo.CPU) bool { return slices.Contains(cpus, c.ID) })
	lowest := map[int]int{}
	for i, c := range m.CPUs {
		if _, known := lowest[c.Core]; !known {
			lowest[c.Core] = c.ID
		}
		m.CPUs[i].Core = lowest[c.Core]
	}
	return m
}

// adjacent numbers the threads of a core one after the other, as virtual machines do.
func adjacent(sockets, cores, threads int) topo.Machine {
	m := grid{sockets, 1, cores, threads}.build(4)
	for i := range m.CPUs {
		node := i / (cores * threads)
		m.CPUs[i] = topo.CPU{ID: i, Core: i / threads * threads, Socket: node, Node: node, Cache: node}
	}
	return m
}

// interleaved has CPU i on NUMA node i mod nodes, no threads.
func interleaved(nodes, cpus int) topo.Machine {
	m := grid{nodes, 1, cpus / nodes, 1}.build(4)
	for i := range m.CPUs {
		m.CPUs[i] = topo.CPU{ID: i, Core: i, Socket: i % nodes, Node: i % nodes, Cache: i % nodes}
	}
	return m
}

// uneven has one socket per NUMA node, with so many cores of two threads each.
func uneven(cores ...int) topo.Machine {
	m := topo.Machine{}
	all := 0
	for _, c := range cores {
		all += c
	}
	first := 0
	for n, c := range cores {
		for core := first; core < first+c; core++ {
			m.CPUs = append(m.CPUs,
				topo.CPU{ID: core, Core: core, Socket: n, Node: n, Cache: n},
				topo.CPU{ID: core + all, Core: core, Socket: n, Node: n, Cache: n})
		}
		first += c
		m.Nodes = append(m.Nodes, topo.Node{ID: n, Memory: unit.Bytes(c) * 8 * unit.GiB,
			Distances: grid{sockets: len(cores), nodes: 1}.row(n)})
	}
	slices.SortFunc(m.CPUs, func(a, b topo.CPU) int { return a.ID - b.ID })
	return m
}

// oneNode merges the NUMA nodes: sockets with NUMA switched off.
func oneNode(m topo.Machine) topo.Machine {
	for i := range m.CPUs {
		m.CPUs[i].Node = 0
	}
	for _, n := range m.Nodes[1:] {
		m.Nodes[0].Memory += n.Memory
	}
	m.Nodes[0].Distances = []int{10}
	m.Nodes = m.Nodes[:1]
	return m
}

// memoryOnly adds a NUMA node that has memory and no CPU.
func memoryOnly(m topo.Machine) topo.Machine {
	n := len(m.Nodes)
	for i := range m.Nodes {
		m.Nodes[i].Distances = append(m.Nodes[i].Distances, 14)
	}
	row := append(slices.Repeat([]int{14}, n), 10)
	m.Nodes = append(m.Nodes, topo.Node{ID: n, Memory: 16 * unit.GiB, Distances: row})
	return m
}
