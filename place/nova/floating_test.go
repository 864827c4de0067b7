package nova_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// floatsOver is a VM without a NUMA topology.
func floatsOver(vcpus int, memory int64) *nova.Request {
	return &nova.Request{VCPUs: vcpus, Memory: memory, CPUPolicy: nova.Shared, SharedVCPU: -1}
}

// TestMemoryOfFloatingVMs: memory without huge pages is sold once, whoever comes
// first: VMs that float over the host or cells that draw on the smallest pools.
func TestMemoryOfFloatingVMs(t *testing.T) {
	host := func() *nova.Host { // 2 x 28 GiB, of which 24 each are small pages
		h := old(dualSocket(1, 8, 8))
		for i := range h.Cells {
			h.Cells[i].Memory = 28 << 10
			h.Cells[i].Pages = []nova.PagePool{{Size: 4, Total: 24 << 20 / 4}, {Size: 2048, Total: 4 << 10 / 2}}
		}
		return h
	}
	cell := func(memory int64, page nova.PageSize) *nova.Request { return paged(dedicated(2), memory, page) }
	const g = 1 << 10
	for _, rules := range []nova.Rules{nova.StarlingX, nova.Nova} {
		for name, c := range map[string]struct {
			vms  []*nova.Request
			want int // fit
		}{
			"a floating VM, then pinned ones": {[]*nova.Request{floatsOver(4, 28*g), cell(20*g, 0), cell(20*g, 0)}, 2},
			"pinned ones, then a floating VM": {[]*nova.Request{cell(20*g, 0), cell(20*g, 0), floatsOver(4, 28*g)}, 2},
			"small pages":                     {[]*nova.Request{floatsOver(4, 28*g), cell(21*g, nova.SmallPages)}, 1},
			"pages of the smallest size":      {[]*nova.Request{floatsOver(4, 28*g), cell(21*g, 4)}, 1},
			"any pages, small ones are left":  {[]*nova.Request{floatsOver(4, 28*g), cell(20*g, nova.AnyPages)}, 2},
			"any pages, large ones are left": {
				[]*nova.Request{floatsOver(4, 48*g), cell(4*g, nova.AnyPages), cell(4*g, nova.AnyPages)}, 3,
			},
			"any pages, nothing is left": {[]*nova.Request{floatsOver(4, 48*g), cell(5*g, nova.AnyPages)}, 1},
			"large pages":                {[]*nova.Request{floatsOver(4, 48*g), cell(4*g, 2048), cell(4*g, nova.LargePages)}, 3},
			"both nodes":                 {[]*nova.Request{floatsOver(4, 28*g), paged(dedicated(1, 1), 10*g, 0), cell(1, 0)}, 2},
		} {
			h, got := host(), 0
			for _, r := range c.vms {
				if f, ok := h.Fit(r, rules); ok {
					h.Claim(r, f)
					got++
				}
			}
			if got != c.want {
				t.Errorf("%s, %s: %d of %d VMs fit, want %d", rules, name, got, len(c.vms), c.want)
			}
		}
	}
	h := host()
	h.FloatingMemory = 28 * g
	for page, want := range map[nova.PageSize]string{
		0: "host memory: 28672 MiB in use + 21504 MiB > 49152 MiB",
		4: "1/0 memory: the memory without huge pages is in use by VMs that float over the host",
	} {
		if got := tell(h.Explain(cell(21*g, page), nova.StarlingX)); len(got) == 0 || !slices.Contains(got, want) {
			t.Errorf("pages %d: reasons %q, want %q", page, got, want)
		}
	}
}

// TestSqueezedByNode: what a pinned VM leaves to the vCPUs that float over the host
// depends on the node that it goes to: isolate takes two CPUs of a core where cores
// have two threads, and one where they have one.
func TestSqueezedByNode(t *testing.T) {
	host := func(floating int) *nova.Host { // 4 cores of one thread, 1 of two
		h := dualSocket(1, 4, 2)
		h.Cells[1].Siblings = []unit.CPUSet{unit.CPUSetOf(4, 5)}
		h.FloatingVCPUs = floating
		return old(h)
	}
	isolated := func(n ...int) *nova.Request { return threads(dedicated(n...), nova.Isolate) }
	for _, c := range []struct {
		floating int
		r        *nova.Request
		want     []int
	}{
		{16, isolated(3), []int{0}}, {48, isolated(3), []int{0}}, {49, isolated(3), nil},
		{64, isolated(1), []int{0}}, {80, isolated(1), []int{0}}, {81, isolated(1), nil},
		{48, isolated(1, 1), []int{0, 1}}, {65, isolated(1, 1), nil},
		{32, isolated(4), []int{0}}, {33, isolated(4), nil},
	} {
		for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
			h := host(c.floating)
			if got := nodes(h, c.r, rules); !slices.Equal(got, c.want) {
				t.Errorf("%s: %d isolated vCPUs beside %d that float: nodes %v, want %v", rules, c.r.VCPUs, c.floating, got, c.want)
			}
		}
	}
}

// TestSqueezedByRequire: the document's require takes the odd thread, too, from the
// vCPUs that float over the host; the fork's leaves it to them.
func TestSqueezedByRequire(t *testing.T) {
	for rules, want := range map[nova.Rules]bool{nova.HCG40: false, nova.StarlingX: true} {
		h := old(dualSocket(2, 2))
		h.FloatingVCPUs = 16
		r := threads(dedicated(3), nova.Require)
		if got := h.Fits(r, rules); got != want {
			t.Errorf("%s: fits %v, want %v", rules, got, want)
		}
		if reasons := strings.Join(tell(h.Explain(r, rules)), "\n"); !want && !strings.Contains(reasons, "overcommit: ") {
			t.Errorf("%s: reasons %q", rules, reasons)
		}
	}
}
