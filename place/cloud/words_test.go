package cloud

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// TestStrandedByTheVMThere: the VM that leaves a thread is one on the host, and its
// vCPUs are odd.
func TestStrandedByTheVMThere(t *testing.T) {
	specs := pinned + " hw:mem_page_size=2048 hw:cpu_thread_policy=require"
	p := made(t, scenario(nova.Nova, compute(dual, "64Gi", 1), vms("even", 1, 4, "2Gi", specs),
		vms("odd", 10, 3, "2Gi", specs)), Options{})
	if i := slices.IndexFunc(p.Stranding, func(s v1alpha1.Stranding) bool {
		return strings.Contains(s.Why, "require with")
	}); i < 0 || !strings.Contains(p.Stranding[i].Why, "require with 3 vCPUs") {
		t.Errorf("%+v", p.Stranding)
	}
	p = made(t, scenario(nova.Nova, compute(dual, "64Gi", 1), vms("even", 10, 4, "2Gi", specs)), Options{})
	for _, s := range p.Stranding {
		if strings.Contains(s.Why, "require with") {
			t.Errorf("four vCPUs leave no thread of a core: %+v", s)
		}
	}
}

// TestManyNodes: nodes that fail alike are told together where there are many.
func TestManyNodes(t *testing.T) {
	w := refusal{cells: 1}
	for i := range 64 {
		w.reasons = append(w.reasons, nova.Reason{Node: i, Text: "0 free CPUs < 2"})
	}
	w.reasons[3].Text = "1 free CPU < 2"
	if got := w.nodes(); len(got) != 2 || !strings.HasPrefix(got[0], "nodes 0, 1, 2, 4, ") ||
		got[1] != "node 3: 1 free CPU < 2" {
		t.Errorf("%q", got)
	}
	w.reasons = w.reasons[:2]
	if got := w.nodes(); !slices.Equal(got, []string{"node 0: 0 free CPUs < 2", "node 1: 0 free CPUs < 2"}) {
		t.Errorf("%q", got)
	}
}

// TestRulesInWords: both readings of the document's 16 to a core on hosts with
// threads, and who runs on shared cores.
func TestRulesInWords(t *testing.T) {
	n := compute(dual, "64Gi", 1)
	n.Compute = &v1alpha1.Compute{SharedCores: []int{1}}
	rules := strings.Join(made(t, scenario(nova.HCG40, n, vms("a", 1, 1, "1Gi", "")), Options{}).Rules, "\n")
	for _, want := range []string{"16 floating vCPUs a CPU, a thread being one (8 if the " +
		"document's core is a physical one)", "shared cores: up to 16 shared vCPUs each, and VMs that float run there"} {
		if !strings.Contains(rules, want) {
			t.Errorf("%q is not in\n%s", want, rules)
		}
	}
	rules = strings.Join(made(t, scenario(nova.Nova, compute(single, "64Gi", 1), vms("a", 1, 1, "1Gi", "")),
		Options{}).Rules, "\n")
	if !strings.Contains(rules, "4 floating vCPUs a CPU, memory 1:1") {
		t.Errorf("%s", rules)
	}
}

// TestSizeOfPagesTwice: 2Mi and 2048Ki are the same pages.
func TestSizeOfPagesTwice(t *testing.T) {
	s := scenario(nova.HCG40, compute(single, "64Gi", 1))
	s.Hardware.NodeTypes[0].HugePages = map[string]unit.Bytes{"2Mi": unit.GiB, "2048Ki": 2 * unit.GiB}
	if _, problems := New(s, poolsOf(s)); len(problems) != 1 || problems[0].Field != "hardware.nodeTypes[0].hugePages" ||
		!strings.Contains(problems[0].Text, "twice") {
		t.Errorf("%v", problems)
	}
}

// TestFreeSharedCPUs: a pinned CPU is none for VMs that float.
func TestFreeSharedCPUs(t *testing.T) {
	p := made(t, scenario(nova.HCG40, compute(single, "64Gi", 1), vms("a", 1, 4, "1Gi", pinned),
		vms("b", 1, 1, "1Gi", "")), Options{})
	if n := p.Hosts[0].Nodes[0]; n.Dedicated != 5 || n.Pinned != 4 || n.Shared != 1 {
		t.Errorf("%+v", n)
	}
}
