package cloud

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// remediesOf are the remedies of the last server, which must be refused.
func remediesOf(t *testing.T, s *v1alpha1.Scenario) []string {
	t.Helper()
	p := made(t, s, Options{})
	if len(p.Refusals) == 0 {
		t.Fatalf("%+v", p.ServerTypes)
	}
	return p.Refusals[len(p.Refusals)-1].Remedies
}

// TestRemediesOfHosts: pages that the host lacks, and CPUs for VMs that float.
func TestRemediesOfHosts(t *testing.T) {
	only1G := func(n *v1alpha1.NodeType) {
		n.HugePagesPerNUMANode = map[string][]unit.Bytes{"1Gi": {23 * unit.GiB, 29 * unit.GiB}}
	}
	for name, c := range map[string]struct {
		rules nova.Rules
		edit  func(*v1alpha1.NodeType)
		specs string
		want  string
	}{
		"a pool of 2M": {nova.HCG40, only1G, pinned,
			"more memory in pages of 2Mi (an entry for 2Mi in hugePagesPerNUMANode of the node type compute)"},
		"small pages": {nova.Nova, only1G, pinned,
			"less memory in huge pages (hugePagesPerNUMANode of the node type compute), so that some is left in small ones"},
		"shared CPUs": {nova.Nova, func(n *v1alpha1.NodeType) { n.Compute = &v1alpha1.Compute{FloatingCores: []int{0, 0}} },
			"",
			"compute.floatingCores: [1, 1] of the node type compute"},
		"more shared CPUs": {nova.Nova, func(n *v1alpha1.NodeType) {
			n.Compute = &v1alpha1.Compute{FloatingCores: []int{1, 0}, CPUAllocationRatio: 1}
		}, "",
			"compute.floatingCores: [2, 1] of the node type compute"},
	} {
		n := compute(single, "64Gi", 1)
		c.edit(&n)
		if got := remediesOf(t, scenario(c.rules, n, vms("a", 1, 2, "2Gi", c.specs))); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestRemediesAreFlavors: each extra spec that is proposed is one that the rules
// know and that changes something.
func TestRemediesAreFlavors(t *testing.T) {
	full := func(n *v1alpha1.NodeType) {
		n.HugePagesPerNUMANode = map[string][]unit.Bytes{"2Mi": {1 * unit.GiB, 1 * unit.GiB},
			"1Gi": {4 * unit.GiB, 4 * unit.GiB}}
	}
	n := compute(single, "64Gi", 1)
	full(&n)
	s := scenario(nova.HCG40, n, vms("a", 1, 2, "2Gi", pinned+" hw:mem_page_size=2MB"))
	if got := remediesOf(t, s); !slices.Contains(got, "hw:mem_page_size=1GB") ||
		slices.ContainsFunc(got, func(r string) bool {
			return strings.Contains(r, "any") || strings.Contains(r, "Mi ") && strings.HasPrefix(r, "hw:")
		}) {
		t.Errorf("%q", got)
	}
	s = scenario(nova.Nova, n, vms("a", 1, 2, "60Gi", pinned+" hw:mem_page_size=any"))
	if got := remediesOf(t, s); slices.Contains(got, "hw:mem_page_size=any") {
		t.Errorf("what is any already is no remedy: %q", got)
	}
	s = scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", 1, 10, "4Gi", pinned+" hw:numa_node.0=0"))
	if got := remediesOf(t, s); !slices.Contains(got, "hw:numa_nodes=2 without the keys that are numbered by node") ||
		!slices.Contains(got, "5 vCPUs instead of 10") {
		t.Errorf("%q", got)
	}
	s = scenario(nova.Nova, compute(single, "64Gi", 1),
		vms("a", 1, 12, "4Gi", "hw:cpu_policy=mixed hw:cpu_dedicated_mask=^0 hw:mem_page_size=2MB"))
	s.Hardware.NodeTypes[0].Compute = &v1alpha1.Compute{FloatingCores: []int{1, 1}}
	if got := remediesOf(t, s); slices.Contains(got, "1 vCPU instead of 12") ||
		!slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, "vCPUs instead of 12") }) {
		t.Errorf("a mixed VM needs two vCPUs: %q", got)
	}
}

// TestRemedyOfDevices: the key of the rules at hand.
func TestRemedyOfDevices(t *testing.T) {
	for rules, want := range map[nova.Rules]string{nova.HCG40: "hw:wrs:pci_numa_affinity=prefer",
		nova.Nova: "hw:pci_numa_affinity_policy=preferred"} {
		n := compute(single, "64Gi", 1)
		n.Devices, n.DeviceNUMANodes = map[string]int64{"qat": 1}, map[string][]int{"qat": {0}}
		s := scenario(rules, n, vms("a", 1, 7, "2Gi", pinned+" hw:mem_page_size=2048 pci_passthrough:alias=qat:1"))
		if got := remediesOf(t, s); !slices.Contains(got, want) {
			t.Errorf("%s: %q", rules, got)
		}
	}
}

// TestRemediesOfSharedCoresAndNICs: a shared core where there is none, the NUMA node of a NIC
// that doesn't say it, and Nova's default zone where no host is in another.
func TestRemediesOfSharedCoresAndNICs(t *testing.T) {
	nic := compute(single, "64Gi", 1)
	nic.NICs = []v1alpha1.NIC{{Name: "vf", Use: "sriov", VirtualFunctions: 8, PhysicalNetworks: []string{"fast"}}}
	port := vms("a", 1, 2, "2Gi", pinned+" hw:wrs:pci_numa_affinity=strict")
	zoned := vms("a", 1, 2, "2Gi", pinned)
	alias := compute(single, "64Gi", 1)
	alias.Devices = map[string]int64{"qat": 1}
	for name, c := range map[string]struct {
		s    *v1alpha1.Scenario
		want string
	}{
		"device": {scenario(nova.Nova, alias, vms("a", 1, 2, "2Gi", pinned+
			" pci_passthrough:alias=qat:1 hw:pci_numa_affinity_policy=required")),
			"deviceNUMANodes of qat of the node type compute"},
		"shared core": {scenario(nova.HCG40, compute(single, "64Gi", 1),
			vms("a", 1, 2, "2Gi", pinned+" hw:wrs:shared_vcpu=0")), "compute.sharedCores of the node type compute"},
		"NIC":  {scenario(nova.HCG40, nic, port), "numaNode of the NIC vf of the node type compute"},
		"zone": {scenario(nova.HCG40, compute(single, "64Gi", 1), zoned), "the availability zone nova"},
	} {
		switch name {
		case "NIC":
			c.s.Workload.Servers[0].Ports = []v1alpha1.Port{{VNICType: "direct", PhysicalNetwork: "fast"}}
		case "zone":
			c.s.Workload.Servers[0].AvailabilityZone = "az1"
		}
		if got := remediesOf(t, c.s); !slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, c.want) }) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
