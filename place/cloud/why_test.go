package cloud

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// says looks for a sentence about a VM.
func says(t *testing.T, p *v1alpha1.ServerPlacement, vm, sentence string) {
	t.Helper()
	for _, v := range p.Servers {
		if v.Name == vm {
			if !slices.Contains(v.Why, sentence) {
				t.Errorf("%s: %q; want %q", vm, v.Why, sentence)
			}
			return
		}
	}
	t.Errorf("%s does not run", vm)
}

// TestWhy: each VM of the document's figure 16 with what it is near to.
func TestWhy(t *testing.T) {
	n := compute(single, "64Gi", 1)
	n.Compute = &v1alpha1.Compute{SharedCores: []int{0, 1}}
	n.NICs = []v1alpha1.NIC{{Use: "sriov", NUMANode: ref(0), VirtualFunctions: 4, PhysicalNetworks: []string{"p0"}}}
	n.Devices, n.DeviceNUMANodes = map[string]int64{"crypto": 1}, map[string][]int{"crypto": {0}}
	p := made(t, scenario(nova.HCG40, n,
		vms("strict", 1, 2, "4Gi", pinned+" hw:wrs:vswitch_numa_affinity=strict"),
		vms("vf", 1, 2, "4Gi", pinned).with(func(v *v1alpha1.Server) {
			v.Ports = []v1alpha1.Port{{PhysicalNetwork: "p0", VNICType: "direct"}}
		}),
		vms("two", 1, 2, "4Gi", pinned+" hw:numa_nodes=2 hw:numa_node.0=0 hw:numa_node.1=1"),
		vms("shared", 1, 3, "4Gi", pinned+" hw:wrs:shared_vcpu=0"),
		vms("far", 1, 2, "4Gi", pinned+" hw:wrs:vswitch_numa_affinity=prefer"),
		vms("card", 1, 1, "4Gi", pinned+" hw:wrs:pci_numa_affinity=prefer pci_passthrough:alias=crypto:1"),
		vms("plain", 1, 1, "4Gi", ""),
	), Options{})
	if !p.Verdict.Fits || p.Verdict.Summary != "7 of 7 VMs run on 1 host" {
		t.Fatalf("%+v", p.Verdict)
	}
	says(t, p, "strict", "on node 0 with the vSwitch: strict")
	says(t, p, "vf", "device p0 is on node 0, like the VM: strict")
	says(t, p, "two", "both NUMA nodes of the VM on nodes 0 and 1 because hw:numa_nodes is 2")
	says(t, p, "two", "NUMA node 1 pinned to host node 1 by hw:numa_node.1")
	says(t, p, "shared", "vCPU 0 on the shared core of node 1 by hw:wrs:shared_vcpu")
	says(t, p, "far", "on node 1, the vSwitch on node 0: prefer found no room on node 0: 0 free CPUs < 2")
	says(t, p, "card", "device crypto is on node 0, the VM on node 1: prefer found no room on node 0: 0 free CPUs < 1")
	for _, v := range p.Servers {
		if v.Name == "shared" && (v.Cells[0].Pins[2] != v1alpha1.PinnedCPU{VCPU: 0, CPU: 8, Shared: true}) {
			t.Errorf("%+v", v.Cells)
		}
	}
}

// TestMap: every CPU of the machine is told once, and who has it.
func TestMap(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(dual, "64Gi", 1),
		vms("a", 2, 2, "4Gi", pinned+" hw:cpu_thread_policy=isolate"), vms("b", 1, 1, "1Gi", "")), Options{})
	if len(p.Machines) != 1 || p.Hosts[0].Machine != 1 {
		t.Fatalf("%+v", p.Machines)
	}
	use := map[string]int{}
	for _, n := range p.Machines[0].NUMANodes {
		for _, core := range n.Cores {
			for _, th := range core.Threads {
				use[th.Use]++
			}
		}
	}
	if use[usePlatform] != 2 || use[useVSwitch] != 4 || use[useExclusive] != 4 || use[useIdle] != 4 ||
		use[usePlatform]+use[useVSwitch]+use[useExclusive]+use[useIdle]+use[useFloating]+use[useFree] != 32 {
		t.Errorf("%v", use)
	}
	var owners []string
	for _, o := range p.Machines[0].Owners {
		owners = append(owners, o.Server)
	}
	if !slices.Equal(owners, []string{"a-1", "a-2", "b"}) {
		t.Error(owners)
	}
}

// TestNovaRefuses: on free CPUs 4, 6, 4 and 2 a VM of 2 and 6 fits on node 0 (or 2)
// and 1; Nova's own search says no.
func TestNovaRefuses(t *testing.T) {
	n := compute("4 sockets x 6 cores", "128Gi", 1)
	n.Compute = &v1alpha1.Compute{PlatformCores: []int{2, 0, 2, 4}, VSwitchCores: []int{0}}
	s := scenario(nova.Nova, n, vms("a", 1, 8, "8Gi",
		pinned+" hw:mem_page_size=2048 hw:numa_nodes=2 hw:numa_cpus.0=0-1 hw:numa_cpus.1=2-7 "+
			"hw:numa_mem.0=2048 hw:numa_mem.1=6144"))
	p := made(t, s, Options{})
	if !p.Verdict.Fits || p.ServerTypes[0].NovaRefuses != 1 || p.Servers[0].NovaRefuses == "" ||
		!slices.ContainsFunc(p.Findings,
			func(f v1alpha1.Finding) bool { return strings.HasPrefix(f.ID, "place.novaRefuses") }) {
		t.Errorf("%+v %+v", p.ServerTypes, p.Servers)
	}
}

// TestRefusal: the nearest host, each node's first failing test, and what would help.
func TestRefusal(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 2),
		vms("fill", 2, 4, "2Gi", pinned+" hw:numa_node.0=0"),
		vms("a", 1, 4, "2Gi", pinned+" hw:wrs:vswitch_numa_affinity=strict"),
		vms("b", 1, 12, "2Gi", pinned)), Options{})
	if p.Verdict.Fits || len(p.Refusals) != 2 {
		t.Fatalf("%+v", p.Refusals)
	}
	r := p.Refusals[0]
	if r.Nearest != "compute-1" || !slices.Equal(r.Nodes,
		[]string{"node 0: 1 free CPU < 4", "node 1: no core of the vSwitch is on the node"}) || r.Reasons[0].Nodes != 2 {
		t.Errorf("%+v", r)
	}
	if want := []string{"hw:wrs:vswitch_numa_affinity=prefer", "1 vCPU instead of 4"}; !slices.Equal(r.Remedies, want) {
		t.Errorf("%q", r.Remedies)
	}
	if r := p.Refusals[1]; !slices.Contains(r.Remedies, "8 vCPUs instead of 12") {
		t.Errorf("%q", r.Remedies)
	}
}

// TestWhyThatNode: of two nodes that would both do, the rule that decided is told.
func TestWhyThatNode(t *testing.T) {
	vf := []v1alpha1.NIC{{Use: "sriov", NUMANode: ref(0), VirtualFunctions: 2, PhysicalNetworks: []string{"p"}}}
	for _, c := range []struct {
		rules    nova.Rules
		strategy string
		nics     []v1alpha1.NIC
		want     string
	}{
		{nova.HCG40, "", nil, "on node 0 with 5 free CPUs; node 1 had 8 free CPUs (the lowest number that does)"},
		{nova.HCG40, "", vf, "on node 1 with 8 free CPUs; node 0 had 5 free CPUs (nodes with devices are " +
			"kept for VMs that ask for some)"},
		{nova.Nova, "spread", nil,
			"on node 1 with 8 free CPUs; node 0 had 5 free CPUs (the node with most room first, by free CPUs)"},
		{nova.Nova, "pack", nil,
			"on node 0 with 5 free CPUs; node 1 had 8 free CPUs (the node with least room first, by free CPUs)"},
		{nova.Nova, "pack", vf, "on node 1 with 8 free CPUs; " +
			"node 0 had 5 free CPUs (the node with fewer free devices first)"},
	} {
		n := compute(single, "64Gi", 1)
		n.NICs = c.nics
		s := scenario(c.rules, n, vms("a", 1, 2, "2Gi", pinned+" hw:mem_page_size=2048"))
		s.Scheduling.NUMAStrategy = c.strategy
		says(t, made(t, s, Options{}), "a", c.want)
	}
}
