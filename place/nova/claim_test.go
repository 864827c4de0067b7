package nova_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

var allRules = []nova.Rules{nova.HCG40, nova.StarlingX, nova.Nova}

var exported = cmpopts.IgnoreUnexported(nova.HostCell{})

// TestClaimRelease claims several VMs, checks what they take, and releases them in
// another order: the host is as it was.
func TestClaimRelease(t *testing.T) {
	for _, rules := range allRules {
		t.Run(string(rules), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				before := drawHost(t, rules)
				h := before.Clone()
				type claim struct {
					r *nova.Request
					f *nova.Fit
				}
				var claims []claim
				for range 4 {
					r := drawRequest(t, rules, len(h.Cells))
					f, ok := h.Fit(r, rules)
					if !ok {
						continue
					}
					old := h.Clone()
					h.Claim(r, f)
					checkClaim(t, old, h, r, f)
					claims = append(claims, claim{r, f})
				}
				for len(claims) > 0 {
					i := rapid.IntRange(0, len(claims)-1).Draw(t, "gone")
					h.Release(claims[i].r, claims[i].f)
					claims = append(claims[:i], claims[i+1:]...)
				}
				if diff := gocmp.Diff(before, h, exported); diff != "" {
					t.Fatalf("the host is not as before (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// checkClaim compares the host before and after: pins were free and are counted
// once, memory and devices are taken in full.
func checkClaim(t *rapid.T, old, now *nova.Host, r *nova.Request, f *nova.Fit) {
	memory, pages, floating, taken, devices := int64(0), int64(0), 0, 0, 0
	var before, after unit.CPUSet
	for i := range now.Cells {
		a, b := old.Cells[i], now.Cells[i]
		memory += b.MemoryUsage - a.MemoryUsage
		floating += b.CPUUsage - a.CPUUsage
		for p := range a.Pages {
			pages += (b.Pages[p].Used - a.Pages[p].Used) * b.Pages[p].Size
		}
		before, after = before.Union(a.Pinned), after.Union(b.Pinned)
		if !b.Pinned.Minus(a.Pinned).SubsetOf(b.Dedicated) || !a.Pinned.SubsetOf(b.Pinned) {
			t.Fatalf("node %d: pinned %v became %v of %v", a.ID, a.Pinned, b.Pinned, a.Dedicated)
		}
	}
	for i := range now.Pools {
		devices += old.Pools[i].Free - now.Pools[i].Free
		if now.Pools[i].Free < 0 {
			t.Fatalf("pool %d has %d free devices", i, now.Pools[i].Free)
		}
	}
	wanted, wantFloating, wantDevices := int64(0), 0, 0
	for i, c := range r.Cells {
		wanted += c.Memory
		taken += f.Cells[i].Idle.Len() + f.Cells[i].Reserved.Len()
		if r.CPUPolicy != nova.Shared {
			taken += c.PCPUs.Len()
		}
		if r.CPUPolicy != nova.Dedicated {
			wantFloating += c.VCPUs.Len()
		}
		if f.Cells[i].PageSize > 0 {
			pages -= c.Memory * 1024
		}
	}
	for _, q := range r.Devices {
		wantDevices += q.Count
	}
	if memory != wanted || pages != 0 || floating != wantFloating || devices != wantDevices ||
		after.Len()-before.Len() != taken {
		t.Fatalf("claimed memory %d of %d, pages off by %d KiB, %d of %d floating vCPUs, %d of %d devices, %d of %d CPUs",
			memory, wanted, pages, floating, wantFloating, devices, wantDevices, after.Len()-before.Len(), taken)
	}
	if len(r.Cells) == 0 && (now.FloatingVCPUs != old.FloatingVCPUs+r.VCPUs ||
		now.FloatingMemory != old.FloatingMemory+r.Memory) {
		t.Fatalf("floating %d vCPUs, %d MiB", now.FloatingVCPUs, now.FloatingMemory)
	}
}

// TestCloneIsApart claims on a copy and expects the original untouched.
func TestCloneIsApart(t *testing.T) {
	h := dualSocket(1, 5, 8)
	h.Pools = []nova.DevicePool{{Kind: "vf", Node: 1, Total: 2, Free: 2}}
	before := h.Clone()
	r := dedicated(3)
	r.Devices = []nova.DeviceRequest{{Kind: "vf", Count: 1, Policy: nova.Required}}
	f := mustFit(t, h, r, nova.Nova)
	before.Claim(r, f)
	if diff := gocmp.Diff(h, before, exported); diff == "" {
		t.Error("the claim took nothing of the copy")
	}
	before.Release(r, f)
	if diff := gocmp.Diff(h, before, exported); diff != "" {
		t.Errorf("the original changed with the copy:\n%s", diff)
	}
}

// TestPrepareNoticesNewSiblings replaces siblings after Prepare.
func TestPrepareNoticesNewSiblings(t *testing.T) {
	h := dualSocket(2, 2, 2)
	h.Prepare()
	r := dedicated(2)
	r.ThreadPolicy = nova.Require
	if !h.Fits(r, nova.Nova) {
		t.Fatal("two siblings fit")
	}
	for i := range h.Cells {
		h.Cells[i].Siblings = nil
	}
	if h.Fits(r, nova.Nova) {
		t.Error("require fits without threads")
	}
	h.Prepare()
	h.Cells[0].Dedicated = unit.CPUSetOf(0)
	h.Cells[1].Dedicated = unit.CPUSetOf(4)
	if r.ThreadPolicy = ""; h.Fits(r, nova.Nova) {
		t.Error("two vCPUs fit on one CPU")
	}
}

// TestSharedCoreLimit: sixteen vCPUs to a shared core, as to any core, and the core
// is free again once they have gone.
func TestSharedCoreLimit(t *testing.T) {
	vm := dedicated(1)
	vm.VCPUs, vm.SharedVCPU = 2, 1
	vm.Cells[0].VCPUs.Add(1)
	vm.Cells[0].Memory = 2
	for _, rules := range []nova.Rules{nova.HCG40, nova.StarlingX} {
		h := old(dualSocket(2, 20, 20))
		h.Cells[1].SharedVCPU = unit.CPUSetOf(200, 201)
		f := mustFit(t, h, vm, rules)
		h.Claim(vm, f)
		if got := 1 + fill(h, vm, rules); got != 16 || h.Cells[1].SharedUsage != 16 {
			t.Errorf("%s: %d vCPUs on the shared core (%d counted), want 16", rules, got, h.Cells[1].SharedUsage)
		}
		if got := tell(h.Explain(vm, rules)); len(got) != 2 ||
			got[1] != "1/0 sharedCore: 16 vCPUs on the shared core + 1 > 16" {
			t.Errorf("%s: reasons %q", rules, got)
		}
		h.Release(vm, f)
		if !h.Fits(vm, rules) || h.Cells[1].SharedUsage != 15 {
			t.Errorf("%s: nothing is free after a release (%d counted)", rules, h.Cells[1].SharedUsage)
		}
	}
}
