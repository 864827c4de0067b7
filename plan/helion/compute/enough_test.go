package compute

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Two VMs that must be apart on the two hosts of a CPE: either host would have to carry both,
// so that nothing but the group's policy helps; a wish in place of the demand does.
func TestRemedyOfAGroup(t *testing.T) {
	s := host(128*unit.GiB, dual, nil)
	with(s, 2, 2, 4*unit.GiB, pinned)
	s.Workload.ServerGroups = []v1alpha1.ServerGroup{{Name: "pair", Policy: "anti-affinity"}}
	s.Workload.Servers[0].Group = "pair"
	in := spared(s, 1)
	in.CPE = true
	in.VMs.Number = 2
	f := Count(in, 0)
	const want = "soft-anti-affinity in place of anti-affinity in the server group pair"
	if got := f.Remedy(in); f.Fits || got != want {
		t.Errorf("fits %v, %q, want %q", f.Fits, got, want)
	}
	s.Workload.ServerGroups[0].Policy = "soft-anti-affinity"
	if f := Count(in, 0); !f.Fits || f.Remedy(in) != "" && !strings.Contains(f.Remedy(in), "scheduling") {
		t.Errorf("what the remedy says does not help: %s", f.Why)
	}
}

// A CPE whose VMs need both hosts: larger ones help, which is tried, and twice the hosts are
// none of it. VMs that no host of that kind would carry get no such advice.
func TestRemedyOfLargerHosts(t *testing.T) {
	for vms, want := range map[int]string{8: "twice the cores and memory", 60: ""} {
		s := host(128*unit.GiB, dual, nil)
		with(s, vms, 4, 4*unit.GiB, pinned)
		in := spared(s, 1)
		in.CPE = true
		in.VMs.Number = float64(vms)
		f := Count(in, 0)
		if got := f.Remedy(in); f.Fits || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%d VMs: fits %v, %q, want %q", vms, f.Fits, got, want)
		}
	}
}

// What is spare is lost, however many hosts that are: no setting is advised on fewer hosts than
// may fail, and a number that is named holds.
func TestRemedyOfManySpares(t *testing.T) {
	s := host(128*unit.GiB, dual, nil)
	with(s, 14, 2, 4*unit.GiB, pinned) // 5 + 8 on the cores of a host's two nodes: 2 hosts
	s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order = "spread", "spread", "runs"
	for spares, want := range map[int]string{3: "take 5 hosts", 9: "take 11 hosts"} {
		in := spared(stated(s, 4), spares)
		f := Count(in, 0)
		if got := f.Remedy(in); f.Evacuates || !strings.Contains(got, want) {
			t.Errorf("%d spare: %q, want %q", spares, got, want)
		}
		n := f.Enough
		if f = Count(spared(stated(s, n), spares), 0); !f.Fits || !f.Evacuates {
			t.Errorf("%d spare: not on %d hosts: %s", spares, n, f.Why)
		}
	}
}

// VMs that are packed run more on the first hosts than are tested, however many hosts there are.
func TestRemedyOfPackedHosts(t *testing.T) {
	s := host(128*unit.GiB, dual, nil)
	with(s, 30, 1, unit.GiB, nil)
	s.Scheduling.HostStrategy = "pack"
	in := spared(s, 1)
	f := Count(in, 0)
	const want = "place with scheduling.hostStrategy: spread: then all holds on 3 hosts" // 20 each after a loss
	if got := f.Remedy(in); f.Enough > 0 || got != want {
		t.Errorf("enough: %d, %q, want %q", f.Enough, got, want)
	}
}

// VMs that ask for a zone that no host is in find none however many there are: too few hosts for
// the spare one is not all that is said.
func TestWhatMoreHostsDoNotMend(t *testing.T) {
	s := host(128*unit.GiB, dual, nil)
	with(s, 14, 2, 4*unit.GiB, pinned)
	s.Workload.Servers[0].AvailabilityZone = "zone-1"
	f := Count(spared(stated(s, 2), 1), 0)
	if f.Fits || !strings.Contains(f.Why, "not in the availability zone zone-1") || !strings.Contains(f.Why, "1 spare") {
		t.Errorf("fits %v: %s", f.Fits, f.Why)
	}
}
