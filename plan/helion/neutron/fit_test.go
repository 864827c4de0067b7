package neutron

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// "It is not recommended to configure AVS on NUMA node 0 and restrict networking VMs to NUMA
// node 1" (HCG 5). The vSwitch of these hosts is on node 0, where their NICs are.
func TestVMsBoundAwayFromTheVSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []int
		port  string
		cores []int
		away  bool
	}{
		"on the other node":              {[]int{1}, "normal", nil, true},
		"beside the vSwitch":             {[]int{0}, "normal", nil, false},
		"on both":                        {[]int{0, 1}, "normal", nil, false},
		"anywhere":                       {nil, "normal", nil, false},
		"with a virtual function":        {[]int{1}, "direct", nil, false},
		"cores of the vSwitch on node 1": {[]int{1}, "normal", []int{1, 1}, false},
		"cores of the vSwitch on 1 only": {[]int{0}, "normal", []int{0, 2}, true},
	} {
		s := vnf("vnf", 1, v1alpha1.Port{VNICType: c.port})
		s.NUMANodes = c.nodes
		in := input(2, s)
		in.Types[0].VSwitchCores = c.cores
		_, p := run(t, in)
		if got := slices.Contains(ids(p, v1alpha1.Warning), "away[vnf/compute]"); got != c.away {
			t.Errorf("%s: %v, want %v: %v", name, got, c.away, ids(p, v1alpha1.Warning))
		}
	}
}

// With an MTU of 1500 a frame has 1500 bytes of payload, 14 of header, 4 of VLAN tag and 4 of
// checksum: 1522. Of two NICs on a network the larger MTU counts; a virtual function is not the
// vSwitch's.
func TestFramesBeyondTheMTU(t *testing.T) {
	for name, c := range map[string]struct {
		frame, port, network string
		mtu                  int
		beyond               bool
	}{
		"jumbo on 1500":      {"9000", "normal", "physnet0", 1500, true},
		"jumbo on 9000":      {"9000", "normal", "physnet0", 9000, false},
		"1522":               {"1522", "normal", "physnet0", 1500, false},
		"1523":               {"1523", "normal", "physnet0", 1500, true},
		"a mix":              {"imix", "normal", "physnet0", 1500, false},
		"a virtual function": {"9000", "direct", "physnet0", 1500, false},
	} {
		in := input(2, vnf("vnf", 1, v1alpha1.Port{VNICType: c.port, FrameSize: c.frame, PhysicalNetwork: c.network}))
		in.Types[0].NICs[0].MTU = c.mtu
		_, p := run(t, in)
		at := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.ID == "neutron.mtu[compute/vnf/0]" })
		if (at >= 0) != c.beyond {
			t.Errorf("%s: %v", name, ids(p, v1alpha1.Warning))
		}
		if at >= 0 && p.Findings[at].Severity != v1alpha1.Error { // the MTU is written
			t.Errorf("%s: %s", name, p.Findings[at].Severity)
		}
		if at >= 0 && !strings.Contains(p.Findings[at].Message, "a frame has 1,522 bytes at most") {
			t.Errorf("%s: %s", name, p.Findings[at].Message)
		}
	}
}
