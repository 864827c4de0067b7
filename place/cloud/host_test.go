package cloud

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/unit"
)

// reference is the document's compute host of so much memory.
func reference(t *testing.T, edit func(*v1alpha1.Scenario, *Pool)) *nova.Host {
	t.Helper()
	s := scenario(nova.HCG40, compute(dual, "64Gi", 1))
	p := poolsOf(s)[0]
	if edit != nil {
		edit(s, &p)
	}
	h, err := Host(s, p)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// free is the memory for VMs in GiB by NUMA node, and pages the number of 2M pages.
func free(h *nova.Host) (gib []int64, pages int64) {
	for _, c := range h.Cells {
		gib = append(gib, c.Memory/1024)
		for _, p := range c.Pages {
			if p.Size == 2048 {
				pages += p.Total
			}
		}
	}
	return gib, pages
}

// TestMemory: HCG 4 has 32, 64, 128 and 256 GB leave 20, 52, 116 and 244 GB for
// VMs, 52 GB being 26,624 pages of 2 MB; the 6 GB of the platform lie on node 0.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		memory string
		gib    []int64
		pages  int64
	}{{"32Gi", []int64{7, 13}, 10_240}, {"64Gi", []int64{23, 29}, 26_624}, {"128Gi", []int64{55, 61}, 59_392},
		{"256Gi", []int64{119, 125}, 124_928}} {
		h := reference(t, func(s *v1alpha1.Scenario,
			_ *Pool) {
			s.Hardware.NodeTypes[0].Memory, _ = unit.ParseBytes(c.memory)
		})
		if gib, pages := free(h); !slices.Equal(gib, c.gib) || pages != c.pages {
			t.Errorf("%s: %v GiB, %d pages; want %v, %d", c.memory, gib, pages, c.gib, c.pages)
		}
	}
}

// TestMemoryOfNodes: "6 GB plus 2 GB per NUMA node", also where there are not two.
func TestMemoryOfNodes(t *testing.T) {
	for topology, want := range map[string][]int64{
		"1 socket x 16 cores":            {64 - 8 - 1},
		"2 sockets x 2 numa x 4 cores":   {16 - 8 - 1, 16 - 3, 16 - 3, 16 - 3},
		"2 sockets x 8 cores x 1 thread": {23, 29},
	} {
		h := reference(t, func(s *v1alpha1.Scenario, _ *Pool) { s.Hardware.NodeTypes[0].Topology = topology })
		if gib, _ := free(h); !slices.Equal(gib, want) {
			t.Errorf("%s: %v GiB, want %v", topology, gib, want)
		}
	}
}

// TestCores: the platform has core 0, the vSwitch cores 1 and 2, which leaves 13
// cores as 5 and 8 (HCG 4, figure 14); with shared cores on both sockets 11.
func TestCores(t *testing.T) {
	h := reference(t, nil)
	if a, b := h.Cells[0].Dedicated, h.Cells[1].Dedicated; a.String() != "3-7,19-23" || b.String() != "8-15,24-31" ||
		!h.Cells[0].VSwitch || h.Cells[1].VSwitch {
		t.Errorf("%s, %s", a, b)
	}
	if h.Cells[0].Shared != h.Cells[0].Dedicated || h.CPUAllocationRatio != 16 {
		t.Error("what is not pinned is shared, 16 to 1")
	}
	h = reference(t, func(s *v1alpha1.Scenario, p *Pool) {
		s.Hardware.NodeTypes[0].Compute = &v1alpha1.Compute{SharedCores: []int{1, 1}}
	})
	if a, b := h.Cells[0], h.Cells[1]; a.SharedVCPU.String() != "3,19" || b.SharedVCPU.String() != "8,24" ||
		a.Dedicated.Len()+b.Dedicated.Len() != 22 {
		t.Errorf("%+v", h.Cells)
	}
}

// TestFloatingCores: with the rules of nova floating cores are the shared set. Without any, the
// CPUs are all dedicated when a VM pins some, and all shared when none does.
func TestFloatingCores(t *testing.T) {
	of := func(floating []int, specs string) *nova.Host {
		s := scenario(nova.Nova, compute(dual, "64Gi", 1), vms("a", 1, 1, "1Gi", specs))
		s.Hardware.NodeTypes[0].Compute = &v1alpha1.Compute{FloatingCores: floating}
		h, err := Host(s, poolsOf(s)[0])
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, c := range []struct {
		floating          []int
		specs             string
		shared, dedicated [2]int
	}{
		{[]int{2, 1}, pinned, [2]int{4, 2}, [2]int{6, 14}},
		{nil, pinned, [2]int{0, 0}, [2]int{10, 16}},
		{nil, "", [2]int{10, 16}, [2]int{0, 0}},
	} {
		h := of(c.floating, c.specs)
		for i := range h.Cells {
			if h.Cells[i].Shared.Len() != c.shared[i] || h.Cells[i].Dedicated.Len() != c.dedicated[i] {
				t.Errorf("floatingCores %v, %q: node %d has %s shared, %s dedicated", c.floating, c.specs, i, h.Cells[i].Shared,
					h.Cells[i].Dedicated)
			}
		}
		if h.CPUAllocationRatio != 4 {
			t.Errorf("ratio %v", h.CPUAllocationRatio)
		}
	}
}

// TestCPE: the controller takes two logical CPUs on node 0 besides, and 10,000 MiB with
// the platform in place of its 6 GB.
func TestCPE(t *testing.T) {
	h := reference(t, func(_ *v1alpha1.Scenario, p *Pool) { p.CPE = true })
	if h.Cells[0].Dedicated.String() != "4-7,20-23" || h.Cells[0].Memory != 29*1024-10_000 ||
		h.Cells[1].Memory != 29*1024 {
		t.Errorf("%s, %d MiB", h.Cells[0].Dedicated, h.Cells[0].Memory)
	}
	h = reference(t, func(s *v1alpha1.Scenario, p *Pool) { p.CPE, s.Hardware.NodeTypes[0].Topology = true, single })
	if h.Cells[0].Dedicated.String() != "5-7" {
		t.Errorf("without hyperthreading two cores: %s", h.Cells[0].Dedicated)
	}
	h = reference(t, func(s *v1alpha1.Scenario, p *Pool) {
		p.CPE, p.Reserve = true, &v1alpha1.Compute{PlatformCores: []int{1},
			PlatformMemory: []unit.Bytes{8 * unit.GiB, 2 * unit.GiB}}
	})
	if h.Cells[0].Dedicated.Len() != 10 || h.Cells[0].Memory != 23*1024 {
		t.Errorf("what is given counts: %s, %d MiB", h.Cells[0].Dedicated, h.Cells[0].Memory)
	}
}

// TestPages: pages as given, the rest without huge pages.
func TestPages(t *testing.T) {
	pools := func(h *nova.Host) (out [][3]int64) {
		for _, c := range h.Cells {
			for _, p := range c.Pages {
				out = append(out, [3]int64{int64(c.ID), p.Size, p.Total})
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		edit func(*v1alpha1.NodeType, *Pool)
		want [][3]int64
	}{
		"by node": {func(n *v1alpha1.NodeType, _ *Pool) {
			n.HugePagesPerNUMANode = map[string][]unit.Bytes{"1Gi": {8 * unit.GiB, 0}, "2Mi": {0, 1 * unit.GiB}}
		}, [][3]int64{{0, 4, 15 << 18}, {0, 1 << 20, 8}, {1, 4, 28 << 18}, {1, 2048, 512}}},
		"spread": {func(n *v1alpha1.NodeType, _ *Pool) { n.HugePages = map[string]unit.Bytes{"1Gi": 9 * unit.GiB} },
			[][3]int64{{0, 4, 0}, {0, 2048, 18 << 9}, {0, 1 << 20, 5}, {1, 4, 0}, {1, 2048, 25 << 9}, {1, 1 << 20, 4}}},
		"the rest of a node by node": {func(n *v1alpha1.NodeType, _ *Pool) {
			n.HugePagesPerNUMANode = map[string][]unit.Bytes{"1Gi": {16 * unit.GiB, 29 * unit.GiB}}
		}, [][3]int64{{0, 4, 0}, {0, 2048, 7 << 9}, {0, 1 << 20, 16}, {1, 4, 0}, {1, 1 << 20, 29}}},
		"by the plan": {func(_ *v1alpha1.NodeType, p *Pool) { p.Pages = map[string][]int64{"1Gi": {20, 29}, "2Mi": {1536}} },
			[][3]int64{{0, 4, 0}, {0, 2048, 1536}, {0, 1 << 20, 20}, {1, 4, 0}, {1, 1 << 20, 29}}},
	} {
		h := reference(t, func(s *v1alpha1.Scenario, p *Pool) { c.edit(&s.Hardware.NodeTypes[0], p) })
		if got := pools(h); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestPagesOfNova: with Nova's rules what no pool names stays in small pages.
func TestPagesOfNova(t *testing.T) {
	h := reference(t, func(s *v1alpha1.Scenario, p *Pool) {
		s.Scheduling.Rules = string(nova.Nova)
		s.Hardware.NodeTypes[0].HugePages = map[string]unit.Bytes{"1Gi": 4 * unit.GiB}
	})
	if want := []nova.PagePool{{Size: 4, Total: 21 << 18}, {Size: 1 << 20, Total: 2}}; !slices.Equal(h.Cells[0].Pages,
		want) {
		t.Errorf("%v, want %v", h.Cells[0].Pages, want)
	}
}

// TestDevices: a pool for each kind and node, networks and tunnels by data NICs.
func TestDevices(t *testing.T) {
	h := reference(t, func(s *v1alpha1.Scenario, _ *Pool) {
		n := &s.Hardware.NodeTypes[0]
		n.Compute = &v1alpha1.Compute{NetworkAffinity: true}
		n.Devices, n.DeviceNUMANodes = map[string]int64{"qat": 3}, map[string][]int{"qat": {1, 1}}
		n.NICs = []v1alpha1.NIC{
			{Use: "sriov", Count: 2, VirtualFunctions: 8, NUMANode: ref(1), PhysicalNetworks: []string{"p1"}},
			{Use: "passthrough", Count: 1, PhysicalNetworks: []string{"p1"}, NUMANode: ref(0)},
			{Use: "data", NUMANode: ref(0), PhysicalNetworks: []string{"p2"}},
			{Use: "data", NUMANode: ref(1)},
			{Use: "management", NUMANode: ref(0), PhysicalNetworks: []string{"p3"}}}
	})
	want := []nova.DevicePool{{Kind: "p1", Node: 1, Total: 16, Free: 16},
		{Kind: flavor.PortKind("p1"), Node: 0, Total: 1, Free: 1},
		{Kind: "qat", Node: -1, Total: 1, Free: 1}, {Kind: "qat", Node: 1, Total: 2, Free: 2}}
	if !slices.Equal(h.Pools, want) {
		t.Errorf("%+v", h.Pools)
	}
	if !slices.Equal(h.Cells[0].Physnets, []string{"p2"}) || len(h.Cells[1].Physnets) != 0 || h.Cells[0].Tunneled ||
		!h.Cells[1].Tunneled {
		t.Errorf("%+v", h.Cells)
	}
}

// TestNetworkAffinity: where no operator has named the nodes of networks, they bind
// no VM: with all of node 0 in use one with a port there runs on node 1.
func TestNetworkAffinity(t *testing.T) {
	for affine, want := range map[bool]int{false: 2, true: 1} {
		n := compute(single, "64Gi", 1)
		n.Compute = &v1alpha1.Compute{NetworkAffinity: affine}
		n.NICs = []v1alpha1.NIC{{Use: "data", NUMANode: ref(0), PhysicalNetworks: []string{"p"}}}
		s := scenario(nova.Nova, n, vms("a", 2, 5, "2Gi", pinned+" hw:mem_page_size=2048").with(func(v *v1alpha1.Server) {
			v.Ports = []v1alpha1.Port{{Network: "n", PhysicalNetwork: "p"}}
		}))
		if p := made(t, s, Options{}); p.ServerTypes[0].Placed != want {
			t.Errorf("affinity %t: %d of 2 placed, want %d", affine, p.ServerTypes[0].Placed, want)
		}
	}
}

// TestHostProblems: each is told with its field.
func TestHostProblems(t *testing.T) {
	for field, edit := range map[string]func(*v1alpha1.NodeType, *Pool){
		".compute.vSwitchCores": func(n *v1alpha1.NodeType,
			_ *Pool) {
			n.Compute = &v1alpha1.Compute{VSwitchCores: []int{8}}
		},
		".compute.platformCores": func(n *v1alpha1.NodeType,
			_ *Pool) {
			n.Compute = &v1alpha1.Compute{PlatformCores: []int{1, 1, 1}}
		},
		".memory":    func(n *v1alpha1.NodeType, _ *Pool) { n.Memory = 16 * unit.GiB },
		".hugePages": func(_ *v1alpha1.NodeType, p *Pool) { p.Pages = map[string][]int64{"1Gi": {24, 0}} },
		".hugePagesPerNUMANode": func(n *v1alpha1.NodeType, _ *Pool) {
			n.HugePagesPerNUMANode = map[string][]unit.Bytes{"2Mi": {0, 30 * unit.GiB}}
		},
		".nics": func(n *v1alpha1.NodeType, _ *Pool) {
			n.NICs = []v1alpha1.NIC{{Use: "sriov", NUMANode: ref(7), VirtualFunctions: 1}}
		},
		".deviceNUMANodes": func(n *v1alpha1.NodeType, _ *Pool) {
			n.Devices, n.DeviceNUMANodes = map[string]int64{"qat": 1}, map[string][]int{"qat": {5}}
		},
	} {
		s := scenario(nova.HCG40, compute(dual, "64Gi", 1))
		p := poolsOf(s)[0]
		edit(&s.Hardware.NodeTypes[0], &p)
		_, problems := build(s, p)
		if len(problems) == 0 || problems[0].Field != "hardware.nodeTypes[0]"+field {
			t.Errorf("%s: %v", field, problems)
		}
	}
}
