package sysfs

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// nodes reads the NUMA nodes, those without CPUs included: the Topology Manager
// counts them.
func (r *treeReader) nodes() []topo.Node {
	dirs := numbered(r, nodeDir, "node")
	var out []topo.Node
	for _, id := range slices.Sorted(maps.Keys(dirs)) {
		if len(out) == topo.MaxNodes {
			r.bad.file(r.shown(nodeDir), "there are too many NUMA nodes", fmt.Sprintf("at most %d", topo.MaxNodes))
			return nil
		}
		if r.nodeOf == nil {
			r.nodeOf = map[int]int{}
		}
		r.cpusOf(id, dirs[id])
		n := topo.Node{ID: id, Memory: r.memory(path.Join(dirs[id], "meminfo")),
			Distances: r.distances(path.Join(dirs[id], "distance"))}
		r.pages(&n, path.Join(dirs[id], "hugepages"))
		out = append(out, n)
	}
	return out
}

// cpusOf reads the node's cpulist, or the cpumap of old kernels, which have no other.
func (r *treeReader) cpusOf(node int, dir string) {
	name, parse := path.Join(dir, "cpulist"), unit.ParseCPUSet
	text, ok := r.read(name)
	if !ok {
		parse = parseMask
		if text, ok = r.read(path.Join(dir, "cpumap")); !ok {
			r.bad.file(r.shown(name), "there is no such file", "save the tree again")
			return
		}
		name = path.Join(dir, "cpumap")
	}
	set, err := parse(text)
	if err != nil {
		r.bad.caused(r.shown(name), 1, 1, err)
		return
	}
	var twice unit.CPUSet
	for cpu := range set.All() {
		if _, listed := r.nodeOf[cpu]; listed {
			twice.Add(cpu)
		}
		r.nodeOf[cpu] = node
	}
	if !twice.IsEmpty() {
		r.bad.file(r.shown(name), "the CPUs "+twice.String()+" are on another NUMA node, too", "a CPU is on one node")
	}
}

// memory is MemTotal of the node; a tree without meminfo has none.
func (r *treeReader) memory(name string) unit.Bytes {
	text, ok := r.read(name)
	if !ok {
		return 0
	}
	for i, line := range strings.Split(text, "\n") {
		_, value, found := strings.Cut(line, "MemTotal:")
		if !found {
			continue
		}
		kB, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil || kB > math.MaxInt64/1024 {
			r.bad.at(r.shown(name), i+1, 1, "MemTotal is not an amount", "such as 65536000 kB")
			return 0
		}
		return unit.Bytes(kB) * unit.KiB
	}
	r.bad.file(r.shown(name), "MemTotal is missing", "save the tree again")
	return 0
}

// distances are those to all nodes, in the order of their ids.
func (r *treeReader) distances(name string) []int {
	text, ok := r.read(name)
	if !ok {
		return nil
	}
	var out []int
	for _, word := range strings.Fields(text) {
		d, err := strconv.ParseUint(word, 10, 31)
		if err != nil || len(out) == topo.MaxNodes {
			r.bad.file(r.shown(name), yamlpos.Quote(text)+" are not distances",
				fmt.Sprintf("such as 10 21, at most %d", topo.MaxNodes))
			return nil
		}
		out = append(out, int(d))
	}
	return out
}

// pages reads hugepages-2048kB/nr_hugepages and its like.
func (r *treeReader) pages(n *topo.Node, dir string) {
	for _, name := range r.names(dir) {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(name, "kB"), "hugepages-")
		if !ok {
			continue
		}
		kB, err := strconv.ParseUint(digits, 10, 40)
		file := path.Join(dir, name, "nr_hugepages")
		if err != nil || kB == 0 {
			r.bad.file(r.shown(path.Join(dir, name)), "is not the name of a page size", "such as hugepages-2048kB")
			continue
		}
		text, ok := r.read(file)
		if !ok {
			continue
		}
		count, err := strconv.ParseUint(text, 10, 64)
		if size := unit.Bytes(kB) * unit.KiB; err != nil || count > uint64(math.MaxInt64/size) {
			r.bad.file(r.shown(file), yamlpos.Quote(text)+" is not a number of pages", "such as 512")
		} else {
			addPages(n, size, int64(count))
		}
	}
}
