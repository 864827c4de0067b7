package sysfs

import (
	"cmp"
	"slices"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// thread is one CPU as its operating system tells it.
type thread struct {
	id           int
	core, socket int // the platform's ids: core_id and physical_package_id
	book, drawer int // of mainframes
	node         int
	// caches of the levels above 2, the lowest level first.
	caches []cache
}

// cache is a cache above level 2, and the number of online CPUs that share it.
type cache struct{ id, cpus int }

// place is what cAdvisor takes for one core: threads of one NUMA node with the
// same core_id and the same physical_package_id (and book and drawer).
type place struct{ node, socket, core, book, drawer int }

func (t thread) place() place { return place{t.node, t.socket, t.core, t.book, t.drawer} }

// discover makes of the threads what the kubelet makes of them:
//
//   - cAdvisor groups the online CPUs of each NUMA node into cores (getCoresInfo in
//     utils/sysinfo/sysinfo.go), and the kubelet names a core by its lowest CPU
//     (getUniqueCoreID in pkg/kubelet/cm/cpumanager/topology/topology.go).
//   - A cache above level 2 that as many CPUs share as the NUMA node has is one of
//     the node; every other is an uncore cache of its cores (addCacheInfo). It looks
//     at the caches of one thread of each core.
//   - The kubelet takes the first uncore cache of a core, or the id of the socket
//     when there is none (getUncoreCacheID).
//
// Offline CPUs are not in it: cAdvisor passes over them (IsCPUOnline).
func discover(threads []thread, nodes []topo.Node) topo.Machine {
	slices.SortFunc(threads, func(a, b thread) int { return cmp.Compare(a.id, b.id) })
	first, size, coresOf := map[place]int{}, map[place]int{}, map[int]int{}
	for i, t := range threads {
		p := t.place()
		if size[p] == 0 {
			first[p] = i
			coresOf[t.node]++
		}
		size[p]++
	}
	m := topo.Machine{Nodes: nodes}
	for _, t := range threads {
		p := t.place()
		lowest := threads[first[p]]
		m.CPUs = append(m.CPUs, topo.CPU{ID: t.id, Core: lowest.id, Socket: t.socket, Node: t.node,
			Cache: uncore(lowest, coresOf[t.node]*size[p])})
	}
	return m
}

// uncore is the id of the thread's first cache that is not the NUMA node's.
func uncore(t thread, threadsOfNode int) int {
	for _, c := range t.caches {
		if c.cpus != threadsOfNode {
			return c.id
		}
	}
	return t.socket
}

// sortNodes puts nodes into the order of their ids.
func sortNodes(nodes []topo.Node) {
	slices.SortStableFunc(nodes, func(a, b topo.Node) int { return cmp.Compare(a.ID, b.ID) })
}

// addPages notes pre-allocated pages of one size on a node; none are not noted.
func addPages(n *topo.Node, size unit.Bytes, count int64) {
	if count == 0 {
		return
	}
	if n.HugePages == nil {
		n.HugePages = map[string]unit.Bytes{}
	}
	n.HugePages[size.String()] = size * unit.Bytes(count)
}
