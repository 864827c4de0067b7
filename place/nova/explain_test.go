package nova_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// TestExplainAgreesWithFit: reasons if and only if there is no place, each with
// its test and text; a cell without a node has a reason for every node.
func TestExplainAgreesWithFit(t *testing.T) {
	for _, rules := range allRules {
		t.Run(string(rules), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := drawHost(t, rules)
				r := drawRequest(t, rules, len(h.Cells))
				_, ok := h.Fit(r, rules)
				reasons := h.Explain(r, rules)
				if ok != (reasons == nil) {
					t.Fatalf("fits: %v, reasons: %v", ok, reasons)
				}
				host := true
				for _, reason := range reasons {
					if reason.Test == "" || reason.Text == "" {
						t.Fatalf("%+v tells nothing", reason)
					}
					if reason.Node >= 0 {
						host = false
					} else if !host {
						t.Fatalf("the host's own reason %+v comes after a node's", reason)
					}
				}
				checkNodes(t, twin{h: h, r: r, rules: rules}, reasons)
			})
		})
	}
}

// checkNodes compares the nodes with reasons with the twin's tests of each pair.
func checkNodes(t *rapid.T, w twin, reasons []nova.Reason) {
	if len(reasons) == 0 {
		return
	}
	for i, g := range w.r.Cells {
		for k, c := range w.h.Cells {
			has := slices.ContainsFunc(reasons, func(r nova.Reason) bool {
				return r.Node == c.ID && r.Cell == g.ID && r.Test != "network" && r.Test != "devices"
			})
			if _, fits := w.pair(i, k); fits == has {
				t.Fatalf("cell %d fits on node %d: %v, and has a reason: %v", g.ID, c.ID, fits, has)
			}
		}
	}
}

// tell writes reasons on lines: "host" or "node/cell", test and text.
func tell(reasons []nova.Reason) []string {
	var out []string
	for _, r := range reasons {
		where := "host"
		if r.Node >= 0 {
			where = fmt.Sprintf("%d/%d", r.Node, r.Cell)
		}
		out = append(out, where+" "+r.Test+": "+r.Text)
	}
	return out
}

// TestExplain holds the first failing test of each kind.
func TestExplain(t *testing.T) {
	nets := dualSocket(1, 2, 8)
	nets.Cells[0].Physnets = []string{"physnet0"}
	onNet := dedicated(4)
	onNet.Physnets = []string{"physnet0"}
	far := dualSocket(1, 8, 2)
	far.Pools = []nova.DevicePool{{Kind: "vf", Node: 1, Total: 3, Free: 2}}
	strict := dedicated(4)
	strict.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: nova.Required}}
	many := dedicated(1)
	many.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 3, Policy: nova.Preferred}}
	two := dedicated(4, 4)
	two.Devices = strict.Devices
	pinnedTo := dedicated(1)
	pinnedTo.Cells[0].HostNode = 1
	sharedVCPU := dedicated(1)
	sharedVCPU.SharedVCPU = 1
	sharedVCPU.Cells[0].VCPUs = unit.CPUSetOf(1)
	vswitch := dedicated(1)
	vswitch.VSwitchAffinity = nova.Required
	overcommitted := &nova.Host{CPUAllocationRatio: 2,
		Cells: []nova.HostCell{{Shared: unit.CPUSetOf(0, 1), CPUUsage: 3, Memory: 4096}}}
	for name, c := range map[string]struct {
		h     *nova.Host
		r     *nova.Request
		rules nova.Rules
		want  []string
	}{
		"free CPUs": {pinned(dualSocket(1, 6, 6)), dedicated(6, 6), nova.Nova,
			[]string{"host cells: cells 0 and 1 fit on node 1 only", "0/0 freeCPUs: 5 free CPUs < 6",
				"0/1 freeCPUs: 5 free CPUs < 6"}},
		"node too small": {dualSocket(1, 5, 8), dedicated(9), nova.Nova,
			[]string{"0/0 vcpus: 5 dedicated CPUs on the node < 9", "1/0 vcpus: 8 dedicated CPUs on the node < 9"}},
		"odd memory": {dualSocket(1, 4), paged(dedicated(1), 4097, 2048), nova.Nova,
			[]string{"0/0 pageSize: 4097 MiB are no whole number of pages of 2 MiB"}},
		"few pages": {dualSocket(1, 4), paged(dedicated(1), 61<<10, 2048), nova.Nova,
			[]string{"0/0 pages: 61440 MiB free in pages of 2 MiB < 62464 MiB"}},
		"no pool": {dualSocket(1, 4), paged(dedicated(1), 1024, 1<<20), nova.Nova,
			[]string{"0/0 pageSize: the node has no pool of pages of 1 GiB"}},
		"isolate": {dualSocket(2, 4), threads(dedicated(2), nova.Isolate), nova.Nova,
			[]string{"0/0 threads: isolate is refused where cores have 2 threads"}},
		"isolate, document": {pinned(old(dualSocket(2, 2))), threads(dedicated(2), nova.Isolate), nova.HCG40,
			[]string{"0/0 siblings: 1 core with all threads free < 2"}},
		"require": {dualSocket(1, 4), threads(dedicated(2), nova.Require), nova.Nova,
			[]string{"0/0 threads: require needs cores with threads"}},
		"cells": {dualSocket(1, 4), dedicated(1, 1), nova.Nova, []string{"host cells: 1 NUMA node < 2 cells"}},
		"trap 9: network": {nets, onNet, nova.Nova,
			[]string{"0/0 vcpus: 2 dedicated CPUs on the node < 4", "1/0 network: physnet0 is on node 0 only"}},
		"far device": {far, strict, nova.Nova, []string{"1/0 vcpus: 2 dedicated CPUs on the node < 4",
			"0/0 devices: 0 free vf devices near enough for required < 1"}},
		"few devices": {far, many, nova.Nova, []string{"host devices: 2 free vf devices < 3"}},
		"crowded and far": {far, two, nova.Nova, []string{"host cells: cells 0 and 1 fit on node 0 only",
			"1/0 vcpus: 2 dedicated CPUs on the node < 4", "1/1 vcpus: 2 dedicated CPUs on the node < 4"}},
		"host node": {dualSocket(1, 4), pinnedTo, nova.HCG40, []string{"0/0 hostNode: the cell is pinned to node 1"}},
		"shared core": {dualSocket(1, 4), sharedVCPU, nova.StarlingX,
			[]string{"0/0 sharedCore: the node has no shared core"}},
		"vSwitch": {dualSocket(1, 4), vswitch, nova.HCG40, []string{"0/0 vswitch: no core of the vSwitch is on the node"}},
		"overcommit": {overcommitted, paged(floating(dedicated(2)), 1, 0), nova.Nova,
			[]string{"0/0 overcommit: 3 floating vCPUs + 2 > 4"}},
		"memory ratio": {overcommitted, paged(floating(dedicated(1)), 5000, 0), nova.Nova,
			[]string{"0/0 memory: 4096 MiB free < 5000 MiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := gocmp.Diff(c.want, tell(c.h.Explain(c.r, c.rules))); diff != "" {
				t.Errorf("the reasons differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestExplainInTheRulesWords: the document's strict is Nova's required; floating
// vCPUs keep some of the free CPUs; a host without shared CPUs says so; and what
// only together has no place is named.
func TestExplainInTheRulesWords(t *testing.T) {
	far := old(dualSocket(1, 4, 4))
	far.Pools = []nova.DevicePool{{Kind: "vf", Node: 1, Total: 3, Free: 0}, {Kind: "vf", Node: -1, Total: 1, Free: 1}}
	strict := dedicated(2)
	strict.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1}}
	busy := old(dualSocket(1, 2))
	busy.Cells[0].CPUUsage = 8
	two := dualSocket(1, 4, 4)
	two.Cells[0].Physnets = []string{"p0"}
	two.Pools = []nova.DevicePool{{Kind: "qat", Node: 1, Total: 1, Free: 1}}
	both := dedicated(1)
	both.Physnets, both.Devices = []string{"p0"}, []nova.DeviceRequest{{Kind: "qat", Count: 1, Policy: nova.Required}}
	split := dedicated(2, 2)
	split.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: nova.Required}}
	apart := dualSocket(1, 4, 4)
	apart.Pools = []nova.DevicePool{{Kind: "vf", Node: -1, Total: 1, Free: 1}}
	for name, c := range map[string]struct {
		h     *nova.Host
		r     *nova.Request
		rules nova.Rules
		want  []string
	}{
		"strict": {far, strict, nova.HCG40, []string{
			"0/0 devices: 0 free vf devices near enough for strict < 1; of 1 nobody says on which node",
			"1/0 devices: 0 free vf devices near enough for strict < 1; of 1 nobody says on which node"}},
		"busy": {busy, dedicated(2), nova.HCG40, []string{"0/0 freeCPUs: 2 free CPUs less 1 for floating vCPUs < 2"}},
		"no shared CPU": {dualSocket(1, 4), floating(dedicated(2)), nova.Nova,
			[]string{"0/0 sharedSet: the node has no shared CPUs (cpu_shared_set)"}},
		"together": {two, both, nova.Nova, []string{"host cells: each alone has a place, but no choice of nodes is " +
			"near to all of them: 1 qat device (required) and network p0"}},
		"two cells": {apart, split, nova.Nova,
			[]string{"host devices: no choice of nodes is near enough to 1 free vf device for required"}},
	} {
		if diff := gocmp.Diff(c.want, tell(c.h.Explain(c.r, c.rules))); diff != "" {
			t.Errorf("%s: the reasons differ (-want +got):\n%s", name, diff)
		}
	}
	none := &nova.Host{Cells: []nova.HostCell{{Dedicated: unit.CPUSetOf(0, 1), Memory: 1024}}}
	r := &nova.Request{VCPUs: 1, Memory: 64, SharedVCPU: -1}
	if got := tell(none.Explain(r, nova.Nova)); got[0] != "host sharedSet: "+
		"the host has no CPUs for VMs that float (cpu_shared_set)" {
		t.Error(got)
	}
}

// TestExplainCrowd finds the cells that stand in each other's way, and only those.
func TestExplainCrowd(t *testing.T) {
	h := dualSocket(1, 6, 6, 2, 2)
	got := tell(h.Explain(dedicated(1, 5, 6, 6), nova.Nova))
	if want := "host cells: cells 1, 2 and 3 fit on nodes 0 and 1 only"; got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
}

// TestTrap10NoTopology: no NUMA code looks at a VM without cells, so the host's
// totals are tested apart.
func TestTrap10NoTopology(t *testing.T) {
	h := &nova.Host{CPUAllocationRatio: 2, RAMAllocationRatio: 1, Cells: []nova.HostCell{
		{Memory: 64 << 10, Shared: unit.CPUSetOf(0, 1, 2, 3),
			Pages: []nova.PagePool{{Size: 4, Total: 4 << 20 / 4}, {Size: 2048, Total: 60 << 9}}}}}
	vm := func(vcpus int, memory int64) *nova.Request {
		return &nova.Request{VCPUs: vcpus, Memory: memory, CPUPolicy: nova.Shared, SharedVCPU: -1}
	}
	huge := vm(64, 1<<20)
	if _, ok := h.Search(huge); !ok {
		t.Error("Nova's NUMA code refuses 64 vCPUs and 1 TiB; it never looks at them")
	}
	for text, r := range map[string]*nova.Request{
		"host hostCPUs: 4 CPUs for VMs that float < 64 vCPUs": huge,
		"host hostCPUs: 4 CPUs for VMs that float < 5 vCPUs":  vm(5, 1),
		"host memory: 0 MiB in use + 5120 MiB > 4096 MiB":     vm(4, 5<<10),
	} {
		if got := strings.Join(tell(h.Explain(r, nova.Nova)), "\n"); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	if got := fill(h, vm(4, 1024), nova.Nova); got != 2 {
		t.Errorf("%d VMs of 4 vCPUs on 4 CPUs at 2 to 1, want 2", got)
	}
	if got := tell(h.Explain(vm(1, 1), nova.Nova)); len(got) != 1 ||
		got[0] != "host overcommit: 8 floating vCPUs + 1 > 8" {
		t.Errorf("reasons %q", got)
	}
}

// TestTrap13SharedVCPU: the fork wants a dedicated vCPU beside the shared one, no
// isolate or require, and a shared core on the node; the document wants the core.
func TestTrap13SharedVCPU(t *testing.T) {
	vm := func(dedicatedVCPUs int, policy string) *nova.Request {
		r := threads(dedicated(dedicatedVCPUs), policy)
		r.SharedVCPU = dedicatedVCPUs
		r.Cells[0].VCPUs.Add(dedicatedVCPUs)
		return r
	}
	h := old(dualSocket(2, 2, 4))
	h.Cells[0].SharedVCPU = unit.CPUSetOf(100, 101)
	for _, c := range []struct {
		r     *nova.Request
		rules nova.Rules
		want  bool
	}{
		{vm(1, ""), nova.StarlingX, true}, {vm(0, ""), nova.StarlingX, false}, {vm(2, nova.Isolate), nova.StarlingX, false},
		{vm(2, nova.Require), nova.StarlingX, false}, {vm(5, ""), nova.StarlingX, false}, {vm(5, ""), nova.Nova, true},
		{vm(1, ""), nova.HCG40, true}, {vm(0, ""), nova.HCG40, true}, {vm(2, nova.Isolate), nova.HCG40, true},
		{vm(5, ""), nova.HCG40, false},
		{floating(vm(1, "")), nova.StarlingX, false}, {floating(vm(1, "")), nova.HCG40, false},
	} {
		if got := h.Fits(c.r, c.rules); got != c.want {
			t.Errorf("%s, %d dedicated vCPUs, %q: fits %v, want %v", c.rules, c.r.Cells[0].PCPUs.Len(), c.r.ThreadPolicy,
				got, c.want)
		}
	}
	r := vm(2, "")
	f := mustFit(t, h, r, nova.StarlingX)
	want := []nova.Pin{{VCPU: 0, CPU: 0}, {VCPU: 1, CPU: 1}, {VCPU: 2, CPU: 100}}
	if !slices.Equal(f.Cells[0].Pins, want) || f.Cells[0].Node != 0 {
		t.Errorf("node %d, pins %v, want %v", f.Cells[0].Node, f.Cells[0].Pins, want)
	}
	h.Claim(r, f)
	if h.Cells[0].Pinned != unit.CPUSetOf(0, 1) || h.Cells[0].CPUUsage != 0 {
		t.Errorf("pinned %v, usage %d: the shared core is nobody's", h.Cells[0].Pinned, h.Cells[0].CPUUsage)
	}
}

// TestTrap14Fault: nodes with 4, 6, 4 and 2 free CPUs, cells of 2 and 6: Nova's
// search refuses what fits on nodes 0 and 1.
func TestTrap14Fault(t *testing.T) {
	h, r := dualSocket(1, 4, 6, 4, 2), dedicated(2, 6)
	f := mustFit(t, h, r, nova.Nova)
	if f.Cells[0].Node != 0 || f.Cells[1].Node != 1 {
		t.Errorf("nodes %d and %d, want 0 and 1", f.Cells[0].Node, f.Cells[1].Node)
	}
	if _, ok := h.Search(r); ok {
		t.Error("Nova's own search finds it")
	}
	if _, ok := h.Search(dedicated(2, 2)); !ok {
		t.Error("Nova's own search refuses equal cells")
	}
}
