package topo

import (
	"fmt"
	"maps"
	"slices"
)

// String is the line that Parse reads when the machine is regular, else what
// there is to count: "15 CPUs on 8 cores, 2 sockets, 2 NUMA nodes". Memory,
// devices and distances don't show.
func (m Machine) String() string {
	if s, ok := m.Shape(); ok {
		return s.String()
	}
	return fmt.Sprintf("%s on %s, %s, %s", counted(len(m.CPUs), "CPU"), counted(m.distinct(core), "core"),
		counted(m.distinct(socket), "socket"), counted(len(m.Nodes), "NUMA node"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func core(c CPU) int   { return c.Core }
func socket(c CPU) int { return c.Socket }
func node(c CPU) int   { return c.Node }
func cache(c CPU) int  { return c.Cache }

// distinct counts the different values of a property of the CPUs.
func (m Machine) distinct(of func(CPU) int) int {
	seen := map[int]bool{}
	for _, c := range m.CPUs {
		seen[of(c)] = true
	}
	return len(seen)
}

// Shape is the shape of a regular machine: its Machine has the same CPUs and
// nodes. The ids of caches may differ, as long as their order is the same: the
// kubelet uses no more than that.
func (m Machine) Shape() (Shape, bool) {
	sockets, nodes, cores := m.distinct(socket), m.distinct(node), m.distinct(core)
	if sockets == 0 || nodes != len(m.Nodes) {
		return Shape{}, false
	}
	s := Shape{Sockets: sockets, Nodes: nodes / sockets, Caches: 1, Threads: len(m.CPUs) / cores}
	if s.Nodes == 0 {
		return Shape{}, false // a node that spans sockets
	}
	if caches := m.distinct(cache); caches != sockets {
		s.Caches = max(1, caches/nodes)
	}
	s.Cores = cores / (s.Sockets * s.Nodes * s.Caches)
	if s.CPUs() != len(m.CPUs) {
		return Shape{}, false
	}
	ranked := m.rankedCaches()
	for _, s.Alternate = range [...]bool{false, true} {
		for _, s.Adjacent = range [...]bool{false, true} {
			if slices.Equal(s.Machine().CPUs, ranked) && m.numbered() {
				return s, true
			}
		}
	}
	return Shape{}, false
}

// numbered says whether the nodes' ids are 0, 1, 2 and so on.
func (m Machine) numbered() bool {
	for i, n := range m.Nodes {
		if n.ID != i {
			return false
		}
	}
	return true
}

// rankedCaches are the CPUs, their caches numbered from 0 in the order of ids.
func (m Machine) rankedCaches() []CPU {
	rank := map[int]int{}
	for _, c := range m.CPUs {
		rank[c.Cache] = 0
	}
	for i, id := range slices.Sorted(maps.Keys(rank)) {
		rank[id] = i
	}
	out := slices.Clone(m.CPUs)
	for i := range out {
		out[i].Cache = rank[out[i].Cache]
	}
	return out
}

// CPUs is the number of CPUs of the shape.
func (s Shape) CPUs() int { return s.Sockets * s.Nodes * s.Caches * s.Cores * s.Threads }
