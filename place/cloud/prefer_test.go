package cloud

import (
	"strings"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// HCG 7: memory of a virtual node comes from "the designated zone" (strict), or with prefer from another
// "if necessary". Prefer is read as strict, and where a VM is refused for that alone, it is told beside the
// verdict. A compute of 64 GiB has 23 and 29 GiB for VMs on its two NUMA nodes.
func TestMemoryThatPrefers(t *testing.T) {
	const dedicated = pinned + " "
	for _, c := range []struct {
		name  string
		rules nova.Rules
		vcpus int
		ram   string
		specs string
		open  bool
	}{
		{"more than on a node", nova.HCG40, 4, "40Gi", dedicated + "hw:numa_mempolicy=prefer", true},
		{"all of the host", nova.HCG40, 4, "52Gi", dedicated + "hw:numa_mempolicy=preferred", true},
		{"more than all", nova.HCG40, 4, "53Gi", dedicated + "hw:numa_mempolicy=prefer", false},
		{"strict", nova.HCG40, 4, "40Gi", dedicated + "hw:numa_mempolicy=strict", false},
		{"nothing said", nova.HCG40, 4, "40Gi", dedicated, false},
		{"it fits", nova.HCG40, 4, "20Gi", dedicated + "hw:numa_mempolicy=prefer", false},
		{"CPUs lack as well", nova.HCG40, 12, "40Gi", dedicated + "hw:numa_mempolicy=prefer", false},
		{"pages that no node has", nova.HCG40, 4, "40Gi",
			dedicated + "hw:numa_mempolicy=prefer hw:mem_page_size=1048576 hw:numa_node.0=0", false},
		{"two virtual nodes", nova.HCG40, 4, "50Gi", dedicated + "hw:numa_mempolicy=prefer hw:numa_nodes=2", true},
		{"StarlingX", nova.StarlingX, 4, "40Gi", dedicated + "hw:numa_mempolicy=prefer hw:mem_page_size=2048", true},
	} {
		p := made(t, scenario(c.rules, compute(single, "64Gi", 1), vms("a", 1, c.vcpus, c.ram, c.specs)), Options{})
		open := strings.Join(p.Verdict.Open, "; ")
		if (open != "") != c.open || c.open && !strings.HasPrefix(open, "memory: VMs of a would find a host") {
			t.Errorf("%s: %d placed, open %q; %v", c.name, p.ServerTypes[0].Placed, open, p.Refusals)
		}
	}
}

// It is told as well where the VM's own node has no page at all, or node 0 has none of that size: a
// compute of 64 GiB with pages of 1 GiB as given, and none of 2 MiB. VMs of 6 vCPUs fit only on node 1,
// which has 8 CPUs for VMs; node 0 has 5.
func TestMemoryThatPrefersAnotherNode(t *testing.T) {
	const specs = pinned + " hw:numa_mempolicy=prefer hw:mem_page_size="
	for _, c := range []struct {
		name  string
		pages [2]unit.Bytes // of 1 GiB
		vcpus int
		ram   string
		specs string
		open  bool
	}{
		{"no page on its own node", [2]unit.Bytes{0, 20}, 4, "20Gi", specs + "1GB hw:numa_node.0=0", true},
		{"none on the other", [2]unit.Bytes{20, 0}, 6, "20Gi", specs + "1GB", true},
		{"node 0 has no such pages, and node 1 too few", [2]unit.Bytes{0, 20}, 4, "21Gi", specs + "1GB", false},
		{"both together", [2]unit.Bytes{10, 10}, 4, "20Gi", specs + "large", true},
		{"no whole number of pages", [2]unit.Bytes{10, 10}, 4, "18944Mi", specs + "1GB", false},
		{"two virtual nodes", [2]unit.Bytes{0, 20}, 4, "20Gi", specs + "1GB hw:numa_nodes=2", true},
		{"small pages all in huge ones", [2]unit.Bytes{23, 0}, 4, "20Gi", specs + "small hw:numa_node.0=0", true},
		{"strict", [2]unit.Bytes{0, 20}, 4, "20Gi", pinned + " hw:mem_page_size=1GB hw:numa_node.0=0", false},
	} {
		for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
			host := compute(single, "64Gi", 1)
			host.HugePagesPerNUMANode = map[string][]unit.Bytes{"2Mi": {0, 0},
				"1Gi": {c.pages[0] * unit.GiB, c.pages[1] * unit.GiB}}
			p := made(t, scenario(rules, host, vms("a", 1, c.vcpus, c.ram, c.specs)), Options{})
			if open := strings.Join(p.Verdict.Open, "; "); (open != "") != c.open || p.ServerTypes[0].Placed > 0 {
				t.Errorf("%s, %s: %d placed, open %q; %v", c.name, rules, p.ServerTypes[0].Placed, open, p.Refusals)
			}
		}
	}
}

// VMs that float over the host have 2 of its 52 GiB in small pages, so that 50 GiB are left to others.
func TestMemoryThatPrefersBesideFloating(t *testing.T) {
	for ram, want := range map[string]bool{"50Gi": true, "51Gi": false} {
		p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 1), vms("floats", 1, 1, "2Gi", ""),
			vms("a", 1, 4, ram, pinned+" hw:numa_mempolicy=prefer hw:numa_nodes=1")), Options{})
		if open := strings.Join(p.Verdict.Open, "; "); (open != "") != want || p.ServerTypes[0].Placed != 1 {
			t.Errorf("%s: open %q; %v", ram, open, p.Refusals)
		}
	}
}
