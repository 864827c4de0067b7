package cloud

import (
	"strings"
	"testing"

	"plimsoll.dev/place/nova"
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
