package compute

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

const dual = "2 sockets x 8 cores x 2 threads"

// with adds VMs of a flavor of their own.
func with(s *v1alpha1.Scenario, count, vcpus int, ram unit.Bytes, properties map[string]string) *v1alpha1.Scenario {
	name := fmt.Sprint("vm", len(s.Workload.Servers))
	s.Workload.Flavors = append(s.Workload.Flavors,
		v1alpha1.Flavor{Name: name, VCPUs: vcpus, RAM: ram, Properties: properties})
	s.Workload.Servers = append(s.Workload.Servers,
		v1alpha1.Server{Name: name, Flavor: name, Count: count, BootFrom: "volume"})
	return s
}

var pinned = map[string]string{"hw:cpu_policy": "dedicated"}

// spared is the input with so many spare hosts.
func spared(s *v1alpha1.Scenario, spares int) Input {
	return Input{Book: &derive.Book{}, Facts: facts.Load(), Doubts: doubt.New(doubt.Careful, facts.Load()), Scenario: s,
		Spares: derive.Of(float64(spares), "computes"), Margin: derive.Of(0.25, unit.Ratio),
		VMs: derive.Of(float64(vmsOf(s)), "VMs")}
}

func stated(s *v1alpha1.Scenario, n int) *v1alpha1.Scenario {
	s.Hardware.NodeTypes[0].Count = &n
	return s
}

// A threshold is found exactly near small numbers and to some percent of large ones,
// with few tries, and not beyond the largest number.
func TestFewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, 20_000).Draw(t, "from")
		most := 2*from + rapid.IntRange(1, 9).Draw(t, "more")
		threshold := rapid.IntRange(from+1, most+3).Draw(t, "threshold")
		tries := 0
		n := fewest(from, most, func(n int) bool {
			if tries++; n <= from || n > most {
				t.Fatalf("%d is tried between %d and %d", n, from, most)
			}
			return n >= threshold
		})
		switch {
		case threshold > most:
			if n != 0 {
				t.Fatalf("%d holds though nothing up to %d does", n, most)
			}
		case n < threshold || n >= threshold+max(1, from/32):
			t.Fatalf("%d from %d, want %d", n, from, threshold)
		}
		if tries > 11 {
			t.Fatalf("%d tries", tries)
		}
	})
}

// The number of hosts is the least on which every VM runs in the order of arrival, also
// after losses: each smaller one is tried, since more hosts may hold less.
func TestLeastNumberAsPlaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := host(64*unit.GiB, dual, nil)
		for range rapid.IntRange(1, 3).Draw(t, "kinds") {
			with(s, rapid.IntRange(1, 12).Draw(t, "count"), 2*rapid.IntRange(1, 4).Draw(t, "vcpus"),
				unit.Bytes(rapid.IntRange(1, 8).Draw(t, "GiB"))*unit.GiB,
				map[string]string{"hw:cpu_policy": "dedicated", "hw:numa_nodes": fmt.Sprint(rapid.IntRange(1, 2).Draw(t, "nodes"))})
		}
		s.Scheduling.HostStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "strategy")
		in := spared(s, rapid.IntRange(0, 2).Draw(t, "spares"))
		f := Count(in, 0)
		if f.Enough == 0 {
			t.Skip("no number of hosts holds the VMs")
		}
		if !f.Fits || !f.Evacuates || f.Total != f.Enough || f.Total != f.Needed() || f.Floor > f.Base {
			t.Fatalf("%d hosts, %d enough, %d needed, floor %d: %s", f.Total, f.Enough, f.Needed(), f.Floor, f.Why)
		}
		for n := 1; n <= f.Total; n++ {
			pool := f.Pool
			pool.Count = n
			c, _ := cloud.New(s, []cloud.Pool{pool})
			p := cloud.Make(c, cloud.Options{Failures: f.Spares})
			holds := p.Verdict.Fits && n > f.Spares
			for _, h := range p.Hosts {
				holds = holds && h.VMs <= 20
			}
			for _, l := range p.Losses {
				holds = holds && l.Worst == ""
			}
			if holds != (n == f.Total) {
				t.Fatalf("%d hosts are enough as placed: %v, planned are %d", n, holds, f.Total)
			}
		}
	})
}

// VMs with a NUMA node on each of two sockets that come last find both taken on hosts
// that others filled in turn: the plan's number is that of the order, and it is tried
// from the floor on until it is found.
func TestNumberIsNotCutOff(t *testing.T) {
	s := with(host(128*unit.GiB, dual, nil), 350, 2, 2*unit.GiB, pinned)
	with(s, 150, 4, 4*unit.GiB, pinned)
	with(s, 50, 4, 4*unit.GiB, map[string]string{"hw:cpu_policy": "dedicated", "hw:numa_nodes": "2"})
	in := spared(s, 2)
	f := Count(in, 0)
	if !f.Fits || !f.Evacuates || !f.Each || f.Beyond == 0 {
		t.Errorf("%d hosts, floor %d, fits %v: %s", f.Total, f.Floor, f.Fits, f.Why)
	}
	// Spare hosts that are asked for and do not hold are no fit.
	if f := Count(spared(stated(s, f.Total-1), 2), 0); f.Fits || f.Enough <= f.Total {
		t.Errorf("%d hosts fit, %d are enough", f.Total, f.Enough)
	}
}

// Hosts are added until the fullest runs no more VMs than were tested, and what is
// provided can be lost: 20 VMs of 8 GiB go to the hosts in turn, and small ones then
// gather where fewer of them are.
func TestGrowForTestedNumber(t *testing.T) {
	s := with(with(host(128*unit.GiB, dual, nil), 20, 2, 8*unit.GiB, pinned), 100, 1, unit.GiB, pinned)
	in := spared(s, 1)
	f := Count(in, 0)
	if !f.Fits || !f.Evacuates || f.Most() > 20 || f.Beyond == 0 || f.Total != f.Least+1+f.Beyond ||
		f.Total != f.Needed() {
		t.Errorf("%d hosts, %d beyond %d, the fullest runs %d: %s", f.Total, f.Beyond, f.Least, f.Most(), f.Why)
	}
	// One host less does not do: the number is the least.
	less := f
	if less.settle(in, f.Total-1); less.holds(in) {
		t.Errorf("%d hosts do, %d are planned", f.Total-1, f.Total)
	}
	if !strings.Contains(f.Why, "20 VMs are tested") {
		t.Errorf("why %q", f.Why)
	}
}

// A strategy that fills hosts can't be helped by more of them: none are added, and the
// remedy is a setting that was tried.
func TestNoGrowthForPackedHosts(t *testing.T) {
	s := with(host(256*unit.GiB, "2 sockets x 16 cores", nil), 100, 1, unit.GiB, pinned)
	s.Scheduling.HostStrategy = "pack"
	in := spared(s, 1)
	f := Count(in, 0)
	if f.Total != 6 || f.Beyond != 0 || f.Most() != 29 {
		t.Errorf("%d hosts with %d VMs on the fullest, want 6 with 29", f.Total, f.Most())
	}
	if r := f.Remedy(in); !strings.Contains(r, "scheduling.hostStrategy: spread") || !strings.Contains(r, "6 hosts") {
		t.Errorf("remedy %q", r)
	}
	s.Scheduling.HostStrategy = "spread"
	if f := Count(in, 0); f.Total != 6 || f.Most() > 20 {
		t.Errorf("the remedy is none: %d hosts, %d VMs on the fullest", f.Total, f.Most())
	}
}

// The remedy of too few stated hosts is a number that was tried.
func TestRemedyIsANumberOfHosts(t *testing.T) {
	in := spared(stated(with(host(64*unit.GiB, dual, nil), 30, 6, 4*unit.GiB, pinned), 5), 1)
	f := Count(in, 0)
	n := f.Enough
	if f.Fits || n <= 5 || f.Remedy(in) != fmt.Sprintf("take %d hosts: then all holds", n) {
		t.Fatalf("%d hosts are enough, fits %v: %q", n, f.Fits, f.Remedy(in))
	}
	in.Scenario = stated(in.Scenario, n)
	if f := Count(in, 0); !f.Fits || !f.Evacuates {
		t.Errorf("%d hosts are not enough: %s", n, f.Why)
	}
	in.Scenario = stated(in.Scenario, n-1)
	if f := Count(in, 0); f.Fits && f.Evacuates {
		t.Errorf("%d hosts are enough, %d are named", n-1, n)
	}
}

// A CPE's host of 2 x 8 cores keeps a core for the platform, one for the controller's
// two CPUs and two for the vSwitch: 8 and 16 CPUs are left, 2 and 4 VMs of 4 vCPUs.
func TestCPEHoldsSixNotSeven(t *testing.T) {
	for n, fits := range map[int]bool{6: true, 7: false} {
		in := spared(with(host(128*unit.GiB, dual, nil), n, 4, 4*unit.GiB, pinned), 1)
		in.CPE = true
		if f := Count(in, 0); f.Fits != fits || f.Total != 2 || (f.Base == 1) != fits || fits && f.MostAfter() != n {
			t.Errorf("%d VMs: fits %v on %d hosts, %d needed, %d after a loss: %s", n, f.Fits, f.Total, f.Base,
				f.MostAfter(), f.Why)
		}
	}
}

// Node 0 of a CPE's host of 2 x 12 cores has 7 left, node 1 has 12. VMs of 7, 4 and 8
// vCPUs fit on one host, 7 on node 0 and 4 + 8 on node 1; but where 4 runs on node 0
// already, 7 and 8 find no two nodes any more when their host is lost.
func TestCPEWhereALossStrandsVMs(t *testing.T) {
	s := host(128*unit.GiB, "2 sockets x 12 cores", nil)
	for _, vcpus := range []int{4, 7, 8} {
		with(s, 1, vcpus, 4*unit.GiB, pinned)
	}
	in := spared(s, 1)
	in.CPE = true
	f := Count(in, 0)
	switch {
	case f.Base != 1:
		t.Errorf("%d hosts hold the VMs, want 1", f.Base)
	case f.Setting == "" && (f.Fits || f.Evacuates || !strings.Contains(f.Why, "after the loss of any 1 host")):
		t.Errorf("no setting helps, but fits is %v: %s", f.Fits, f.Why)
	case f.Setting != "" && (!f.Fits || !f.Evacuates || !strings.Contains(f.Why, f.Setting)):
		t.Errorf("with %s fits is %v: %s", f.Setting, f.Fits, f.Why)
	}
	in.Scenario.Workload.Servers = in.Scenario.Workload.Servers[1:]
	in.VMs.Number = 2
	if f := Count(in, 0); !f.Fits || !f.Evacuates || f.Setting != "" {
		t.Errorf("7 and 8 vCPUs need no setting, but %q, fits %v: %s", f.Setting, f.Fits, f.Why)
	}
}

// What a stated number of hosts comes to is found without building all of them: as
// many VMs leave the others empty.
func TestStatedHostsBeyondVMs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := with(with(host(64*unit.GiB, dual, nil), rapid.IntRange(1, 5).Draw(t, "a"),
			2*rapid.IntRange(1, 3).Draw(t, "vcpus"), 4*unit.GiB, pinned),
			rapid.IntRange(0, 5).Draw(t, "b"), 1, unit.GiB, nil)
		s.Scheduling.HostStrategy = rapid.SampledFrom([]string{"spread", "pack"}).Draw(t, "strategy")
		n := rapid.IntRange(1, 40).Draw(t, "hosts")
		if zones := rapid.IntRange(1, 3).Draw(t, "zones"); zones > 1 {
			s.Hardware.NodeTypes[0].Domains = map[string]int{"zone": zones}
			s.Workload.Servers[0].AvailabilityZone = "zone-1"
		}
		f := Count(spared(stated(s, n), 1), 0)
		if f.Base == 0 {
			t.Skip("no host takes a VM")
		}
		pool := f.Pool
		pool.Count = n
		c, problems := cloud.New(s, []cloud.Pool{pool})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p := cloud.Make(c, cloud.Options{Failures: 1})
		fullest := 0
		for _, h := range p.Hosts {
			fullest = max(fullest, h.VMs)
		}
		if f.Loads != nil && f.Most() != fullest || (f.Loads == nil) == p.Verdict.Fits && vmsOf(s) > 0 {
			t.Fatalf("%d VMs on the fullest, want %d", f.Most(), fullest)
		}
		for i, r := range f.Resources {
			if w := p.Resources[i]; r.Resource != w.Resource || r.Allocatable != w.Allocatable || r.Requested != w.Requested {
				t.Fatalf("%+v, want %+v", r, w)
			}
		}
	})
}

// A million stated hosts are judged like few.
func TestMillionStatedHosts(t *testing.T) {
	in := spared(stated(with(host(64*unit.GiB, dual, nil), 100, 2, 4*unit.GiB, pinned), 1_000_000), 1)
	if f := Count(in, 0); !f.Fits || !f.Evacuates || f.Total != 1_000_000 || f.Base > 10 ||
		f.Resources[0].Allocatable != 26_000_000 {
		t.Errorf("%d hosts, %d needed: %+v", f.Total, f.Base, f.Resources)
	}
}

// With policy.surviveZoneLoss the hosts of any one zone can be lost: two zones of half
// the hosts each take twice the hosts that the VMs need, which spare hosts alone don't.
func TestZoneCanBeLost(t *testing.T) {
	s := with(host(64*unit.GiB, dual, nil), 24, 4, 4*unit.GiB, pinned) // 2 and 4 on the nodes of a host: 4 hosts
	s.Policy.Zones = 2
	in := spared(s, 1)
	if f := Count(in, 0); !f.Fits || f.Total != 5 {
		t.Errorf("%d hosts for 24 VMs and one spare, want 5: %s", f.Total, f.Why)
	}
	s.Policy.SurviveZoneLoss = true
	if f := Count(in, 0); !f.Fits || !f.Evacuates || f.Total != 8 {
		t.Errorf("%d hosts in two zones, want 8: %s", f.Total, f.Why)
	}
	in.Scenario = stated(s, 7)
	if f := Count(in, 0); f.Fits || !strings.Contains(f.Why, "zone zone-1") ||
		f.Remedy(in) != "take 8 hosts: then all holds" {
		t.Errorf("7 hosts in two zones fit %v: %s, %q", f.Fits, f.Why, f.Remedy(in))
	}
}

// Where more hosts are to be taken than the VMs and the spare ones need, it is said why those
// would not do.
func TestHostsBeyondTheSpareOnesAreExplained(t *testing.T) {
	s := with(host(64*unit.GiB, dual, nil), 24, 4, 4*unit.GiB, pinned)
	s.Policy.Zones, s.Policy.SurviveZoneLoss = 2, true
	in := spared(stated(s, 4), 1)
	f := Count(in, 0)
	if got, want := f.Remedy(in), "take 8 hosts: then all holds; with 7 hosts, "; f.Enough != 8 ||
		!strings.HasPrefix(got, want) || !strings.Contains(got, "after the loss") {
		t.Errorf("%d hosts are enough: %s", f.Enough, got)
	}
}
