package sysfs

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// treeReader reads one tree.
type treeReader struct {
	files
	bad    *problems
	nodeOf map[int]int // NUMA node of each CPU that a node lists
}

// number reads a file with one whole number.
func (r *treeReader) number(name string) (int, bool) {
	text, ok := r.read(name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		r.bad.file(r.shown(name), yamlpos.Quote(text)+" is not a number", "such as 0")
	}
	return int(n), err == nil
}

// needed reads a number that each online CPU has.
func (r *treeReader) needed(name string) int {
	n, ok := r.number(name)
	if _, there := r.read(name); !ok && !there {
		r.bad.file(r.shown(name), "there is no such file, but the CPU is online", "save the tree again, as root")
	}
	return n
}

// online are the CPUs to read: those of the file "online", or all that have a
// topology when there is no such file (IsCPUOnline in utils/sysfs/sysfs.go and
// getCoresInfo in utils/sysinfo/sysinfo.go of cAdvisor).
func (r *treeReader) online(dirs map[int]string) []int {
	all := slices.Sorted(maps.Keys(dirs))
	name := path.Join(cpuDir, "online")
	text, ok := r.read(name)
	if !ok {
		return slices.DeleteFunc(all, func(cpu int) bool {
			_, there := r.read(path.Join(dirs[cpu], "topology/core_id"))
			return !there
		})
	}
	set, err := unit.ParseCPUSet(text)
	if err != nil {
		r.bad.caused(r.shown(name), 1, 1, err)
		return nil
	}
	for cpu := range set.All() {
		if dirs[cpu] == "" {
			r.bad.file(r.shown(name), fmt.Sprintf("CPU %d is online, but there is no directory of it", cpu),
				"save the tree again")
		}
	}
	return slices.DeleteFunc(all, func(cpu int) bool { return !set.Has(cpu) })
}

// threads reads the online CPUs. Those that no NUMA node lists are left out when
// there are NUMA nodes, as cAdvisor leaves them out.
func (r *treeReader) threads() []thread {
	dirs := numbered(r, cpuDir, "cpu")
	var out []thread
	for _, id := range r.online(dirs) {
		node, listed := r.nodeOf[id]
		if r.nodeOf != nil && !listed {
			continue
		}
		if len(out) == unit.MaxCPUs {
			r.bad.file(r.shown(cpuDir), "there are too many CPUs", fmt.Sprintf("at most %d", unit.MaxCPUs))
			return nil
		}
		t := thread{id: id, node: node, core: r.needed(path.Join(dirs[id], "topology/core_id")),
			socket: r.needed(path.Join(dirs[id], "topology/physical_package_id"))}
		// Mainframes number their cores anew in each book and drawer.
		t.book, _ = r.number(path.Join(dirs[id], "topology/book_id"))
		t.drawer, _ = r.number(path.Join(dirs[id], "topology/drawer_id"))
		// Virtual machines without sockets say -1.
		t.socket = max(0, t.socket)
		if r.nodeOf == nil {
			t.node = t.socket
		}
		t.caches = r.caches(path.Join(dirs[id], "cache"))
		out = append(out, t)
	}
	if len(out) == 0 && r.bad.none() {
		r.bad.file(r.shown(cpuDir), "there is no online CPU in it", "save the tree again")
	}
	return out
}

// caches reads those above level 2. cAdvisor takes none of a CPU when one has no
// id, as on some ARM machines.
func (r *treeReader) caches(dir string) []cache {
	var out []cache
	dirs := numbered(r, dir, "index")
	for _, i := range slices.Sorted(maps.Keys(dirs)) {
		id, hasID := r.number(path.Join(dirs[i], "id"))
		level, hasLevel := r.number(path.Join(dirs[i], "level"))
		if !hasID || !hasLevel {
			return nil
		}
		if cpus := r.sharing(dirs[i]); level > 2 && cpus > 0 {
			out = append(out, cache{id: id, cpus: cpus})
		}
	}
	return out
}

// sharing counts the CPUs that share a cache.
func (r *treeReader) sharing(dir string) int {
	name := path.Join(dir, "shared_cpu_map")
	if text, ok := r.read(name); ok {
		set, err := parseMask(text)
		if err != nil {
			r.bad.caused(r.shown(name), 1, 1, err)
		}
		return set.Len()
	}
	name = path.Join(dir, "shared_cpu_list")
	text, _ := r.read(name)
	set, err := unit.ParseCPUSet(text)
	if err != nil {
		r.bad.caused(r.shown(name), 1, 1, err)
	}
	return set.Len()
}

// socketNodes are the nodes of a kernel without NUMA: one for each socket, with
// its id (getCPUTopology in utils/sysinfo/sysinfo.go of cAdvisor).
func socketNodes(threads []thread) []topo.Node {
	var out []topo.Node
	seen := map[int]bool{}
	for _, t := range threads {
		if !seen[t.socket] {
			seen[t.socket] = true
			out = append(out, topo.Node{ID: t.socket})
		}
	}
	sortNodes(out)
	return out
}
