package sysfs_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

const cpuDir, nodeDir = "sys/devices/system/cpu/", "sys/devices/system/node/"

// cpuFiles are the files of one CPU; l3 is its cache, 0 for none, and sharing the
// CPUs that share it.
type cpuFiles struct {
	id, core, socket int
	l3, sharing      string
}

func (c cpuFiles) into(tree fstest.MapFS) {
	dir := fmt.Sprintf("%scpu%d/", cpuDir, c.id)
	files := map[string]string{"topology/core_id": fmt.Sprint(c.core),
		"topology/physical_package_id": fmt.Sprint(c.socket),
		"cache/index0/level":           "1", "cache/index0/id": fmt.Sprint(c.id),
		"cache/index0/shared_cpu_list": fmt.Sprint(c.id)}
	if c.l3 != "" {
		maps.Copy(files, map[string]string{"cache/index3/level": "3", "cache/index3/id": c.l3,
			"cache/index3/shared_cpu_list": c.sharing})
	}
	for name, text := range files {
		tree[dir+name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// What the kubelet makes of machines that are not regular.
func TestAsTheKubelet(t *testing.T) {
	for name, c := range map[string]struct {
		cpus  []cpuFiles
		more  fstest.MapFS
		nodes []int
		want  []topo.CPU
	}{
		// A cache that all CPUs of the NUMA node share is the node's: the socket counts.
		"cache of the node": {
			[]cpuFiles{{0, 0, 3, "7", "0-1"}, {1, 1, 3, "7", "0-1"}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("0-1\n")}, []int{0},
			[]topo.CPU{{ID: 0, Core: 0, Socket: 3, Cache: 3}, {ID: 1, Core: 1, Socket: 3, Cache: 3}},
		},
		// One that two nodes share (sub-NUMA clusters) has its own id.
		"cache of the socket": {
			[]cpuFiles{{0, 0, 3, "7", "0-1"}, {1, 1, 3, "7", "0-1"}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("0\n"), nodeDir + "node1/cpulist": file("1\n")}, []int{0, 1},
			[]topo.CPU{{ID: 0, Core: 0, Socket: 3, Cache: 7}, {ID: 1, Core: 1, Node: 1, Socket: 3, Cache: 7}},
		},
		// Threads of one core_id on two NUMA nodes are two cores.
		"core on two nodes": {
			[]cpuFiles{{0, 5, 0, "", ""}, {1, 5, 0, "", ""}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("1\n"), nodeDir + "node1/cpulist": file("0\n")}, []int{0, 1},
			[]topo.CPU{{ID: 0, Core: 0, Node: 1}, {ID: 1, Core: 1, Node: 0}},
		},
		// The core is named by its lowest CPU, whatever its core_id.
		"names of cores": {
			[]cpuFiles{{4, 9, 0, "", ""}, {6, 9, 0, "", ""}, {7, 4, 0, "", ""}, {9, 9, 1, "", ""}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("4-9\n")}, []int{0},
			[]topo.CPU{{ID: 4, Core: 4}, {ID: 6, Core: 4}, {ID: 7, Core: 7}, {ID: 9, Core: 9, Socket: 1, Cache: 1}},
		},
		// Offline CPUs keep their directory and their place in cpulist.
		"offline": {
			[]cpuFiles{{0, 0, 0, "", ""}, {1, 0, 0, "", ""}, {2, 1, 0, "", ""}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("0-2\n"), cpuDir + "online": file("1-2\n")}, []int{0},
			[]topo.CPU{{ID: 1, Core: 1}, {ID: 2, Core: 2}},
		},
		// A kernel without NUMA: each socket is a node with the socket's id.
		"no nodes": {
			[]cpuFiles{{0, 0, 2, "", ""}, {1, 0, 5, "", ""}}, nil, []int{2, 5},
			[]topo.CPU{{ID: 0, Core: 0, Socket: 2, Node: 2, Cache: 2}, {ID: 1, Core: 1, Socket: 5, Node: 5, Cache: 5}},
		},
		// Memory without CPUs is a node; virtual machines may have no sockets.
		"memory only": {
			[]cpuFiles{{0, 0, -1, "", ""}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("0\n"), nodeDir + "node2/cpulist": file("\n")}, []int{0, 2},
			[]topo.CPU{{ID: 0}},
		},
		// Of caches without numbers the kubelet knows nothing.
		"cache without id": {
			[]cpuFiles{{0, 0, 0, "1", "0"}, {1, 1, 0, "2", "1"}},
			fstest.MapFS{nodeDir + "node0/cpulist": file("0-1\n"), cpuDir + "cpu1/cache/index4/level": file("4\n")}, []int{0},
			[]topo.CPU{{ID: 0, Cache: 1}, {ID: 1, Core: 1}},
		},
		// Mainframes number cores anew in each book.
		"books": {
			[]cpuFiles{{0, 0, 0, "", ""}, {1, 0, 0, "", ""}},
			fstest.MapFS{nodeDir + "node0/cpumap": file("00000003\n"), cpuDir + "cpu1/topology/book_id": file("1\n")}, []int{0},
			[]topo.CPU{{ID: 0}, {ID: 1, Core: 1}},
		},
	} {
		tree := fstest.MapFS{}
		for _, cpu := range c.cpus {
			cpu.into(tree)
		}
		maps.Copy(tree, c.more)
		r, err := sysfs.Read(tree, ".")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, r.Machine.CPUs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var nodes []int
		for _, n := range r.Machine.Nodes {
			nodes = append(nodes, n.ID)
		}
		if diff := cmp.Diff(c.nodes, nodes); diff != "" {
			t.Errorf("%s: nodes %s", name, diff)
		}
	}
}

// saved writes the tree of a regular machine.
func saved(m topo.Machine, s topo.Shape) fstest.MapFS {
	tree := fstest.MapFS{}
	list := func(is func(topo.CPU) bool) string {
		var set unit.CPUSet
		for _, c := range m.CPUs {
			if is(c) {
				set.Add(c.ID)
			}
		}
		return set.String()
	}
	for _, c := range m.CPUs {
		l3 := c.Cache
		sharing := list(func(o topo.CPU) bool { return o.Cache == l3 && o.Node == c.Node })
		if s.Caches == 1 { // of the NUMA node, under a number that no one looks at
			l3 = 100 + c.Node
		}
		cpuFiles{c.ID, c.Core, c.Socket, fmt.Sprint(l3), sharing}.into(tree)
	}
	for _, n := range m.Nodes {
		dir := fmt.Sprintf("%snode%d/", nodeDir, n.ID)
		tree[dir+"cpulist"] = file(list(func(c topo.CPU) bool { return c.Node == n.ID }) + "\n")
		tree[dir+"distance"] = file(strings.Trim(fmt.Sprint(n.Distances), "[]") + "\n")
		tree[dir+"meminfo"] = file(fmt.Sprintf("\nNode %d MemTotal:  %d kB\n", n.ID, n.Memory/unit.KiB))
		tree[dir+"hugepages/hugepages-2048kB/nr_hugepages"] = file(fmt.Sprintf("%d\n", n.HugePages["2Mi"]/(2*unit.MiB)))
	}
	return tree
}

// The tree of any regular machine gives the machine back.
func TestTreesOfRegularMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(1, 3)
		s := topo.Shape{Sockets: few.Draw(t, "sockets"), Nodes: few.Draw(t, "nodes"), Caches: few.Draw(t, "caches"),
			Cores:   few.Draw(t, "cores"),
			Threads: rapid.IntRange(1, 2).Draw(t, "threads"), Adjacent: rapid.Bool().Draw(t, "adjacent"),
			Alternate: rapid.Bool().Draw(t, "alternate")}
		m := s.Machine()
		for i := range m.Nodes {
			m.Nodes[i].Memory = unit.Bytes(rapid.IntRange(1<<20, 1<<30).Draw(t, "memory")) * unit.KiB
			if pages := rapid.IntRange(0, 256).Draw(t, "pages"); pages > 0 {
				m.Nodes[i].HugePages = map[string]unit.Bytes{"2Mi": unit.Bytes(pages) * 2 * unit.MiB}
			}
		}
		r, err := sysfs.Read(saved(m, s), ".")
		if err != nil {
			t.Fatalf("%s:\n%v", s, err)
		}
		if diff := cmp.Diff(m, r.Machine); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", s, diff)
		}
	})
}
