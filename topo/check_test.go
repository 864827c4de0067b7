package topo_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Each mistake alone, in a machine of 2 sockets with 2 cores of 2 threads: CPUs
// 0, 1, 4, 5 on node 0 and 2, 3, 6, 7 on node 1.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(m *topo.Machine)
		want  []string
	}{
		"good":   {func(*topo.Machine) {}, nil},
		"number": {func(m *topo.Machine) { m.CPUs[7].ID = 1024 }, []string{"CPU 1024 is out of range (0 to 1023)"}},
		"twice":  {func(m *topo.Machine) { m.CPUs[7].ID = 6 }, []string{"CPU 6 stands twice (each once)"}},
		"order": {func(m *topo.Machine) { m.CPUs[6], m.CPUs[7] = m.CPUs[7], m.CPUs[6] },
			[]string{"CPU 6 stands behind CPU 7 (in the order of their numbers)"}},
		"negative socket": {func(m *topo.Machine) { m.CPUs[3].Socket, m.CPUs[7].Socket = -1, -1 },
			[]string{"CPU 3 has socket -1 and cache 1 (ids from 0)", "CPU 7 has socket -1 and cache 1 (ids from 0)"}},
		"unknown node": {func(m *topo.Machine) { m.CPUs[3].Node, m.CPUs[7].Node = 2, 2 },
			[]string{"CPU 3 is on NUMA node 2, which there is not (there are [0 1])",
				"CPU 7 is on NUMA node 2, which there is not (there are [0 1])"}},
		"core name": {func(m *topo.Machine) { m.CPUs[3].Core, m.CPUs[7].Core = 7, 7 },
			[]string{"the core of CPU 3 is called 7 (a core has the number of its lowest CPU)"}},
		"core sockets": {func(m *topo.Machine) { m.CPUs[7].Socket = 0 },
			[]string{"core 3 lies on sockets 1 and 0 (its CPUs are on one)"}},
		"core nodes": {func(m *topo.Machine) { m.CPUs[7].Node = 0 },
			[]string{"core 3 lies on NUMA nodes 1 and 0 (its CPUs are on one)"}},
		"core caches": {func(m *topo.Machine) { m.CPUs[7].Cache = 0 },
			[]string{"core 3 has caches 1 and 0 (its CPUs share one)"}},
		"node number": {func(m *topo.Machine) { m.Nodes = append(m.Nodes, topo.Node{ID: 64}); m.DefaultDistances() },
			[]string{"NUMA node 64 is out of range (0 to 63)"}},
		"node twice": {func(m *topo.Machine) { m.Nodes = append(m.Nodes, topo.Node{ID: 1}); m.DefaultDistances() },
			[]string{"NUMA node 1 stands twice (each once)"}},
		"node order": {func(m *topo.Machine) { m.Nodes[0].ID, m.Nodes[1].ID = 1, 0 },
			[]string{"NUMA node 0 stands behind NUMA node 1 (in the order of their ids)"}},
		"no node": {func(m *topo.Machine) { m.CPUs, m.Nodes, m.Devices = m.CPUs[:1], nil, nil },
			[]string{"CPU 0 is on NUMA node 0, which there is not (there are [])", "the machine has no NUMA node (at least 1)"}},
		"distances": {func(m *topo.Machine) { m.Nodes[0].Distances = []int{10} },
			[]string{"NUMA node 0 has 1 distances (one to each of the 2 nodes)"}},
		"distance itself": {func(m *topo.Machine) { m.Nodes[1].Distances[1] = 20 },
			[]string{"NUMA node 1 has a distance of 20 to itself (10)"}},
		"distance": {func(m *topo.Machine) { m.Nodes[1].Distances[0] = 9 },
			[]string{"the distance of NUMA nodes 1 and 0 is 9 (10 to 255)"}},
		"memory": {func(m *topo.Machine) { m.Nodes[0].Memory = -1 }, []string{"NUMA node 0 has -1 of memory (at least 0)"}},
		"page size": {func(m *topo.Machine) { m.Nodes[0].HugePages = map[string]unit.Bytes{"big": 0} },
			[]string{`NUMA node 0 has pages of the size "big" (such as 2Mi or 1Gi)`}},
		"whole pages": {func(m *topo.Machine) { m.Nodes[0].HugePages = map[string]unit.Bytes{"2Mi": unit.MiB} },
			[]string{"NUMA node 0 has 1Mi in pages of 2Mi (whole pages)"}},
		"too many pages": {func(m *topo.Machine) {
			m.Nodes[0].HugePages = map[string]unit.Bytes{"1Gi": 4 * unit.GiB, "2Mi": 2 * unit.MiB}
		}, []string{"the huge pages of NUMA node 0 exceed its memory of 4Gi (they are part of it)"}},
		"pages overflow": {func(m *topo.Machine) {
			m.Nodes[0].HugePages = map[string]unit.Bytes{"1": math.MaxInt64, "2": math.MaxInt64 - 1}
		}, []string{"the huge pages of NUMA node 0 exceed its memory of 4Gi (they are part of it)"}},
		"device twice": {func(m *topo.Machine) { m.Devices = append(m.Devices, m.Devices[0]) },
			[]string{`device "gpu-0" of "nvidia.com/gpu" stands twice (each id once)`}},
		"device nameless": {func(m *topo.Machine) { m.Devices[0].Resource = "" },
			[]string{`device "gpu-0" has no id or no resource (such as gpu-0 and nvidia.com/gpu)`}},
		"device node": {func(m *topo.Machine) { m.Devices[0].Nodes = []int{0, 7} },
			[]string{`device "gpu-0" of "nvidia.com/gpu" is on NUMA node 7, which there is not (there are [0 1])`}},
		"empty": {func(m *topo.Machine) { *m = topo.Machine{} },
			[]string{"the machine has no CPU (at least 1)", "the machine has no NUMA node (at least 1)"}},
		"two things": {func(m *topo.Machine) { m.CPUs[7].ID, m.Nodes[0].Memory = -1, -unit.KiB }, []string{
			"CPU -1 is out of range (0 to 1023)", "NUMA node 0 has -1Ki of memory (at least 0)"}},
	} {
		m := parse(t, "2 sockets x 2 cores x 2 threads")
		m.SpreadMemory(8 * unit.GiB)
		m.AddDevices("nvidia.com/gpu", 2, []int{0, 1})
		c.spoil(&m)
		var got []string
		for _, err := range m.Check() {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTooLarge(t *testing.T) {
	var m topo.Machine
	for i := range unit.MaxCPUs + 1 {
		m.CPUs = append(m.CPUs, topo.CPU{ID: i, Core: i, Node: i % 65})
	}
	for i := range 65 {
		m.Nodes = append(m.Nodes, topo.Node{ID: i})
	}
	want := "[1025 CPUs are too many (at most 1024) CPU 1024 is out of range (0 to 1023) 65 NUMA nodes are too many (at " +
		"most 64) NUMA node 64 is out of range (0 to 63)]"
	if got := fmt.Sprint(m.Check()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSpreadMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := topo.Parse(fmt.Sprintf("%d numa", rapid.IntRange(1, 64).Draw(t, "nodes")))
		if err != nil {
			t.Fatal(err)
		}
		total := unit.Bytes(rapid.Int64Range(0, math.MaxInt64).Draw(t, "memory"))
		m.SpreadMemory(total)
		var sum unit.Bytes
		for i, n := range m.Nodes {
			sum += n.Memory
			if i > 0 && (n.Memory%(4*unit.KiB) != 0 || n.Memory != m.Nodes[1].Memory || n.Memory > m.Nodes[0].Memory) {
				t.Fatalf("node %d has %s, node 0 %s", i, n.Memory, m.Nodes[0].Memory)
			}
		}
		if sum != total {
			t.Fatalf("%d of %d bytes", sum, total)
		}
	})
}

// Linux hands out the pages of a number that is not given by node one by one.
func TestSpreadHugePages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, err := topo.Parse(fmt.Sprintf("%d numa", rapid.IntRange(1, 9).Draw(t, "nodes")))
		if err != nil {
			t.Fatal(err)
		}
		pages := rapid.IntRange(0, 100).Draw(t, "pages")
		want := make([]unit.Bytes, len(m.Nodes))
		for page := range pages {
			want[page%len(want)] += unit.GiB
		}
		m.SpreadHugePages("1Gi", unit.Bytes(pages)*unit.GiB+unit.MiB)
		for i, n := range m.Nodes {
			if n.HugePages["1Gi"] != want[i] {
				t.Fatalf("%d pages: node %d has %s, want %s", pages, i, n.HugePages["1Gi"], want[i])
			}
		}
	})
}

func TestSetHugePages(t *testing.T) {
	m := parse(t, "3 numa")
	m.SetHugePages("1Gi", []unit.Bytes{8 * unit.GiB, 0})
	m.SpreadHugePages("2Mi", 8*unit.MiB)
	m.SpreadHugePages("0", unit.GiB)
	m.SpreadHugePages("huge", unit.GiB)
	want := []map[string]unit.Bytes{{"1Gi": 8 * unit.GiB, "2Mi": 4 * unit.MiB}, {"1Gi": 0, "2Mi": 2 * unit.MiB},
		{"1Gi": 0, "2Mi": 2 * unit.MiB}}
	for i, n := range m.Nodes {
		if diff := cmp.Diff(want[i], n.HugePages); diff != "" {
			t.Errorf("node %d: %s", i, diff)
		}
	}
}

func TestAddDevices(t *testing.T) {
	m := parse(t, "2 numa")
	m.AddDevices("nvidia.com/gpu", 2, []int{0, 1, 1})
	m.AddDevices("nic", 11, []int{1})
	m.AddDevices("none", 0, nil)
	if len(m.Devices) != 13 {
		t.Fatalf("%d devices", len(m.Devices))
	}
	for i, want := range map[int]topo.Device{
		1: {Resource: "nvidia.com/gpu", ID: "gpu-1", Nodes: []int{1}}, 2: {Resource: "nic", ID: "nic-00", Nodes: []int{1}},
		12: {Resource: "nic", ID: "nic-10"},
	} {
		if diff := cmp.Diff(want, m.Devices[i]); diff != "" {
			t.Error(diff)
		}
	}
	if problems := m.Check(); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestCores: the CPUs of a core stand together, the core with the lowest CPU first.
func TestCores(t *testing.T) {
	m := topo.Machine{CPUs: []topo.CPU{
		{ID: 0, Core: 0}, {ID: 1, Core: 1, Node: 1}, {ID: 2, Core: 2}, {ID: 3, Core: 0}, {ID: 5, Core: 2}}}
	var ids [][]int
	for _, core := range m.Cores(0) {
		var cpus []int
		for _, cpu := range core {
			cpus = append(cpus, cpu.ID)
		}
		ids = append(ids, cpus)
	}
	if got := fmt.Sprint(ids); got != "[[0 3] [2 5]]" {
		t.Error(got)
	}
}
