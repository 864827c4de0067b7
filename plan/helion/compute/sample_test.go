package compute

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// Servers that ask for the same are one, and of many VMs so many are left in
// proportion; each kind keeps one at least.
func TestSample(t *testing.T) {
	s := host(64*unit.GiB, dual, nil)
	for range 30 {
		with(s, 1000, 2, 4*unit.GiB, pinned)
	}
	with(s, 10_000, 4, 4*unit.GiB, pinned)
	with(s, 1, 4, 8*unit.GiB, pinned)
	out, fewer := sample(s)
	var counts []int
	for _, sv := range out.Workload.Servers {
		counts = append(counts, sv.Count)
	}
	if len(counts) != 3 || counts[0] != 1500 || counts[1] != 500 || counts[2] != 1 || !fewer {
		t.Errorf("%v, want 1500, 500 and 1", counts)
	}
	if len(s.Workload.Servers) != 32 || s.Workload.Servers[0].Count != 1000 {
		t.Error("the scenario itself has changed")
	}
}

// A few VMs are all placed, and servers of groups are left as they are.
func TestSampleOfFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := host(64*unit.GiB, dual, nil)
		for range rapid.IntRange(0, 6).Draw(t, "servers") {
			with(s, rapid.IntRange(0, 60).Draw(t, "count"), rapid.IntRange(1, 2).Draw(t, "vcpus"), unit.GiB, pinned)
			s.Workload.Servers[len(s.Workload.Servers)-1].Group = rapid.SampledFrom([]string{"", "", "g"}).Draw(t, "group")
		}
		out, fewer := sample(s)
		if vmsOf(out) != vmsOf(s) || fewer {
			t.Fatalf("%d VMs of %d", vmsOf(out), vmsOf(s))
		}
		grouped := 0
		for i := range s.Workload.Servers {
			if s.Workload.Servers[i].Group != "" {
				grouped++
			}
		}
		for i := range out.Workload.Servers {
			if out.Workload.Servers[i].Group != "" {
				grouped--
			}
		}
		if grouped != 0 {
			t.Fatalf("%d servers of groups are merged", grouped)
		}
	})
}

// A node type that names pages of 1 GiB alone has the rest in pages of 2 MiB (HCG 4):
// VMs that name no size take them, in the plan as in a placement, and the layers say so.
func TestRestIsPagesOf2MiB(t *testing.T) {
	s := with(with(host(128*unit.GiB, dual, nil), 8, 2, 8*unit.GiB, pinned), 4, 2, 4*unit.GiB,
		map[string]string{"hw:cpu_policy": "dedicated", "hw:mem_page_size": "1048576"})
	s.Hardware.NodeTypes[0].HugePagesPerNUMANode = map[string][]unit.Bytes{"1Gi": {16 * unit.GiB, 16 * unit.GiB}}
	in := spared(s, 1)
	f := Count(in, 0)
	if !f.Fits || !f.Fixed || f.Pool.Pages != nil {
		t.Fatalf("fits %v, pages %v: %s", f.Fits, f.Pool.Pages, f.Why)
	}
	for i, want := range []unit.Bytes{(55 - 16) * unit.GiB, (61 - 16) * unit.GiB} {
		if got := f.pool(i, Medium); got != want || f.pool(i, Large) != 16*unit.GiB {
			t.Errorf("node %d: %s in pages of 2 MiB, want %s", i, unit.FormatBytes(got), unit.FormatBytes(want))
		}
	}
	pool := f.Pool
	pool.Count = f.Total
	c, problems := cloud.New(s, []cloud.Pool{pool})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if p := cloud.Make(c, cloud.Options{}); !p.Verdict.Fits {
		t.Errorf("the placement says %+v", p.Verdict)
	}
}
