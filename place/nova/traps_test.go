package nova_test

import (
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// dualSocket is a host of one node for each number of cores, of so many threads
// each, all for pinned vCPUs; 64 GiB a node, in 2 MiB pages all but 4 GiB.
func dualSocket(threads int, cores ...int) *nova.Host {
	h := &nova.Host{CPUAllocationRatio: 16, RAMAllocationRatio: 1}
	cpu := 0
	for id, n := range cores {
		c := nova.HostCell{ID: id, Socket: id, Memory: 64 << 10, Pages: []nova.PagePool{
			{Size: 4, Total: 4 << 20 / 4}, {Size: 2048, Total: 60 << 10 / 2}}}
		for range n {
			var core unit.CPUSet
			for range threads {
				core.Add(cpu)
				cpu++
			}
			c.Siblings = append(c.Siblings, core)
			c.Dedicated = c.Dedicated.Union(core)
		}
		h.Cells = append(h.Cells, c)
	}
	return h
}

// dedicated is a VM with one cell for each number of vCPUs, and 1 GiB in each.
func dedicated(vcpus ...int) *nova.Request {
	r := &nova.Request{CPUPolicy: nova.Dedicated, SharedVCPU: -1}
	for id, n := range vcpus {
		c := nova.GuestCell{ID: id, Memory: 1024, PageSize: 2048, HostNode: -1}
		for range n {
			c.PCPUs.Add(r.VCPUs)
			r.VCPUs++
		}
		r.Memory += c.Memory
		r.Cells = append(r.Cells, c)
	}
	return r
}

func threads(r *nova.Request, policy string) *nova.Request { r.ThreadPolicy = policy; return r }

func paged(r *nova.Request, memory int64, page nova.PageSize) *nova.Request {
	for i := range r.Cells {
		r.Cells[i].Memory, r.Cells[i].PageSize = memory, page
	}
	return r
}

// floating makes the VM's vCPUs float on the shared CPUs of its nodes.
func floating(r *nova.Request) *nova.Request {
	r.CPUPolicy = nova.Shared
	for i := range r.Cells {
		r.Cells[i].VCPUs, r.Cells[i].PCPUs = r.Cells[i].PCPUs, unit.CPUSet{}
	}
	return r
}

// old makes the host one that is set up in the old way, or of the document: what
// is not pinned is shared.
func old(h *nova.Host) *nova.Host {
	for i := range h.Cells {
		h.Cells[i].Shared = h.Cells[i].Dedicated
	}
	return h
}

// fill claims the VM as often as it fits.
func fill(h *nova.Host, r *nova.Request, rules nova.Rules) int {
	for n := 0; ; n++ {
		f, ok := h.Fit(r, rules)
		if !ok {
			return n
		}
		h.Claim(r, f)
	}
}

func mustFit(t *testing.T, h *nova.Host, r *nova.Request, rules nova.Rules) *nova.Fit {
	t.Helper()
	f, ok := h.Fit(r, rules)
	if !ok {
		t.Fatalf("it does not fit: %v", h.Explain(r, rules))
	}
	return f
}

// TestTrapCounts are numbers of VMs that fit on one host, of the notes on what misleads
// planners; 13 cores are the document's compute host of 2 x 8.
func TestTrapCounts(t *testing.T) {
	ht := func() *nova.Host { return dualSocket(2, 5, 8) }
	large := dualSocket(1, 5, 8)
	for i := range large.Cells {
		large.Cells[i].Pages = append(large.Cells[i].Pages, nova.PagePool{Size: 1 << 20, Total: 1})
	}
	smallOnly := dualSocket(1, 8)
	smallOnly.Cells[0].Pages = smallOnly.Cells[0].Pages[:1]
	shared := &nova.Host{CPUAllocationRatio: 16, RAMAllocationRatio: 16, Cells: []nova.HostCell{
		{Memory: 64 << 10, Shared: unit.CPUSetOf(0, 1, 2, 3), Dedicated: unit.CPUSetOf(4, 5),
			Pages: []nova.PagePool{{Size: 4, Total: 16 << 20}}}}}
	for name, c := range map[string]struct {
		h     *nova.Host
		r     *nova.Request
		rules nova.Rules
		want  int
	}{
		"1: three vCPUs":                    {dualSocket(1, 5, 8), dedicated(3), nova.Nova, 3},
		"1: six vCPUs":                      {dualSocket(1, 5, 8), dedicated(6), nova.Nova, 1},
		"1: six over two nodes":             {dualSocket(1, 5, 8), dedicated(3, 3), nova.Nova, 1},
		"1: four over two nodes":            {dualSocket(1, 5, 8), dedicated(2, 2), nova.Nova, 2},
		"1: the document counts the same":   {old(dualSocket(1, 5, 8)), dedicated(3), nova.HCG40, 3},
		"2: isolate with threads, nova":     {ht(), threads(dedicated(2), nova.Isolate), nova.Nova, 0},
		"2: isolate on an old host, nova":   {old(ht()), threads(dedicated(2), nova.Isolate), nova.Nova, 6},
		"2: isolate, document":              {old(ht()), threads(dedicated(2), nova.Isolate), nova.HCG40, 6},
		"2: isolate, fork":                  {old(ht()), threads(dedicated(2), nova.Isolate), nova.StarlingX, 6},
		"2: isolate without threads":        {dualSocket(1, 5, 8), threads(dedicated(2), nova.Isolate), nova.Nova, 6},
		"3: require three":                  {ht(), threads(dedicated(3), nova.Require), nova.Nova, 6},
		"3: require three, document":        {old(ht()), threads(dedicated(3), nova.Require), nova.HCG40, 6},
		"3: prefer three":                   {ht(), threads(dedicated(3), nova.Prefer), nova.Nova, 8},
		"3: require one takes a whole core": {ht(), threads(dedicated(1), nova.Require), nova.Nova, 13},
		"3: require without threads":        {dualSocket(1, 5, 8), threads(dedicated(2), nova.Require), nova.Nova, 0},
		"4: 4097 MiB in 2 MiB pages":        {dualSocket(1, 5, 8), paged(dedicated(1), 4097, 2048), nova.Nova, 0},
		"4: 1536 MiB in 1 GiB pages":        {large, paged(dedicated(1), 1536, 1<<20), nova.Nova, 0},
		"5: 5 GiB without a page size":      {dualSocket(1, 5, 8), paged(dedicated(1), 5<<10, 0), nova.Nova, 0},
		"5: 4 GiB without a page size":      {dualSocket(1, 5, 8), paged(dedicated(1), 4<<10, 0), nova.Nova, 2},
		"6: large without large pages":      {smallOnly.Clone(), paged(dedicated(1), 1024, nova.LargePages), nova.Nova, 0},
		"6: any falls back to the smallest": {smallOnly.Clone(), paged(dedicated(1), 1024, nova.AnyPages), nova.Nova, 4},
		"7: sixteen guests of four":         {shared.Clone(), paged(floating(dedicated(4)), 1024, 0), nova.Nova, 16},
		"7: five vCPUs on four shared CPUs": {shared.Clone(), paged(floating(dedicated(5)), 1024, 0), nova.Nova, 0},
		"11: emulator isolate":              {dualSocket(1, 5, 8), emulator(dedicated(4)), nova.Nova, 2},
		"11: with isolate, whole cores":     {old(ht()), emulator(threads(dedicated(2), nova.Isolate)), nova.Nova, 3},
		"11: with isolate, the document":    {old(ht()), emulator(threads(dedicated(2), nova.Isolate)), nova.HCG40, 3},
		"16 vCPUs a CPU less the pinned one": {pinned(old(dualSocket(1, 2))), paged(floating(dedicated(1)), 2, 2048),
			nova.HCG40, 16},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fill(c.h, c.r, c.rules); got != c.want {
				t.Errorf("%d VMs fit, want %d", got, c.want)
			}
		})
	}
}

func emulator(r *nova.Request) *nova.Request { r.EmulatorThreads = nova.EmulatorIsolate; return r }

func pinned(h *nova.Host) *nova.Host { h.Cells[0].Pinned.Add(0); return h }

// TestTrap3Stranded: six VMs of three vCPUs leave eight threads; Nova and the fork
// give the odd ones of the cores to others, the document to nobody.
func TestTrap3Stranded(t *testing.T) {
	for rules, want := range map[nova.Rules]int{nova.Nova: 8, nova.StarlingX: 8, nova.HCG40: 2} {
		h := old(dualSocket(2, 5, 8))
		fill(h, threads(dedicated(3), nova.Require), rules)
		if got := fill(h, dedicated(1), rules); got != want {
			t.Errorf("%s: %d VMs of one vCPU still fit, want %d", rules, got, want)
		}
	}
}

// TestTrap8Devices: which policies accept devices of an unknown, wrong or
// neighbouring node for a VM that only fits on node 0.
func TestTrap8Devices(t *testing.T) {
	type verdicts map[string]bool
	for name, c := range map[string]struct {
		node int
		want verdicts
	}{
		"known":      {0, verdicts{nova.Required: true, nova.Legacy: true, nova.Preferred: true, nova.Socket: true}},
		"unknown":    {-1, verdicts{nova.Required: false, nova.Legacy: true, nova.Preferred: true, nova.Socket: false}},
		"neighbour":  {1, verdicts{nova.Required: false, nova.Legacy: false, nova.Preferred: true, nova.Socket: true}},
		"far":        {2, verdicts{nova.Required: false, nova.Legacy: false, nova.Preferred: true, nova.Socket: false}},
		"no device":  {9, verdicts{nova.Required: false, nova.Legacy: false, nova.Preferred: true, nova.Socket: false}},
		"no sockets": {3, verdicts{nova.Socket: false}},
	} {
		for policy, want := range c.want {
			h := dualSocket(1, 8, 2, 2, 2)
			h.Cells[1].Socket, h.Cells[2].Socket = 0, 1
			if c.node == 3 {
				h.Cells[3].Socket, c.node = -1, 1
			}
			h.Pools = []nova.DevicePool{{Kind: "vf", Node: c.node, Total: 1, Free: 1}}
			r := dedicated(4)
			r.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: policy}}
			if got := h.Fits(r, nova.Nova); got != want {
				t.Errorf("%s device, %s: fits %v, want %v", name, policy, got, want)
			}
		}
	}
}
