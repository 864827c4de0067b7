package sysfs

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/topo"
)

// reading makes the machine of what was found.
func (x *lstopo) reading() Reading {
	slices.SortStableFunc(x.nodes, func(a, b xmlNode) int { return cmp.Compare(a.node.ID, b.node.ID) })
	var notes []string
	if len(x.nodes) == 0 { // a kernel without NUMA
		x.nodes = append(x.nodes, xmlNode{cpus: x.allowed})
		notes = append(notes, "there is no NUMANode in the file: the machine is taken for one, and its memory is not known")
	}
	var threads []thread
	for _, p := range x.pus {
		if !x.allowed.IsEmpty() && !x.allowed.Has(p.id) {
			continue
		}
		t := thread{id: p.id, core: p.core, socket: p.socket, node: x.nodeOf(p.id)}
		for _, c := range p.caches {
			id := x.caches[c].id
			if id < 0 && x.numbered {
				break
			}
			if id < 0 {
				id = c
			}
			t.caches = append(t.caches, cache{id: id, cpus: x.caches[c].cpus})
		}
		threads = append(threads, t)
	}
	if !x.numbered && len(x.caches) > 0 {
		notes = append(notes, "the file does not number the caches (hwloc does since 2.6): they are counted")
	}
	if !x.leftOut.IsEmpty() {
		notes = append(notes, fmt.Sprintf("lstopo left the CPUs %s out, which are offline or were not allowed to it",
			x.leftOut))
	}
	nodes := make([]topo.Node, len(x.nodes))
	for i, n := range x.nodes {
		nodes[i] = n.node
	}
	m := discover(threads, nodes)
	if !x.matrix.into(m.Nodes) {
		m.DefaultDistances()
		if len(nodes) > 1 {
			notes = append(notes, "there are no distances in the file: 10 and 20 are taken")
		}
	}
	return Reading{Machine: m, Notes: notes}
}

// numbersCaches says whether a release of hwloc tells the kernel's numbers.
func numbersCaches(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major > 2 || major == 2 && minor >= 6
}

// nodeOf is the NUMA node of a CPU. hwloc gives memory without CPUs (HBM, CXL)
// the CPUs that are near to it; the kernel numbers it behind the others.
func (x *lstopo) nodeOf(cpu int) int {
	for _, n := range x.nodes {
		if n.cpus.Has(cpu) {
			return n.node.ID
		}
	}
	return x.nodes[0].node.ID
}

// distances collects the matrix of the NUMA nodes: <distances2> of hwloc 2 with
// the values themselves, <distances> of hwloc 1 with factors of latency_base.
type distances struct {
	numa    bool    // inside of a matrix of NUMA nodes
	base    float64 // latency_base of hwloc 1; 0 in hwloc 2
	inside  string  // the element that texts belong to
	indexes []int
	values  []int
}

func (d *distances) start(e xml.StartElement) {
	d.inside = e.Name.Local
	switch d.inside {
	case "distances2":
		// Matrices of bandwidths and of other objects have other names and types.
		d.numa = attr(e, "type") == "NUMANode" && len(d.values) == 0 &&
			(attr(e, "name") == "" || attr(e, "name") == "NUMALatency")
		d.base = 0
	case "distances":
		d.base, _ = strconv.ParseFloat(attr(e, "latency_base"), 64)
		d.numa = len(d.values) == 0 && d.base > 0
	case "latency":
		if factor, err := strconv.ParseFloat(attr(e, "value"), 64); err == nil && d.numa && d.base > 0 {
			d.add(&d.values, int(factor*d.base+0.5))
		}
	}
}

func (d *distances) end(e xml.EndElement) {
	switch d.inside = ""; e.Name.Local {
	case "distances", "distances2":
		d.numa = false
	}
}

// data reads the numbers of hwloc 2.
func (d *distances) data(text xml.CharData) {
	if !d.numa || d.base > 0 || d.inside != "indexes" && d.inside != "u64values" {
		return
	}
	for _, word := range strings.Fields(string(text)) {
		n, err := strconv.ParseUint(word, 10, 31)
		switch {
		case err != nil:
			d.numa = false
		case d.inside == "indexes":
			d.add(&d.indexes, int(n))
		default:
			d.add(&d.values, int(n))
		}
	}
}

// add keeps no more than the largest matrix has.
func (d *distances) add(list *[]int, n int) {
	if len(*list) <= topo.MaxNodes*topo.MaxNodes {
		*list = append(*list, n)
	}
}

// into gives the nodes their distances; false when there is no matrix of them.
func (d *distances) into(nodes []topo.Node) bool {
	n := len(nodes)
	if len(d.values) != n*n || n == 0 {
		return false
	}
	at := make([]int, n) // row of each node
	for i := range nodes {
		at[i] = i
		if len(d.indexes) > 0 {
			at[i] = slices.Index(d.indexes, nodes[i].ID)
		}
		if at[i] < 0 || at[i] >= n {
			return false
		}
	}
	for i := range nodes {
		nodes[i].Distances = make([]int, n)
		for j := range nodes {
			nodes[i].Distances[j] = d.values[at[i]*n+at[j]]
		}
	}
	return true
}
