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
