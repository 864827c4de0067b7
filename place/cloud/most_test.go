package cloud

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// TestLimitsOfVMs: HCG 5 has 8 vNICs, 8 virtual functions and 8 passed-through NICs
// a VM, and 128 rules a port; one more is told, and the VM still finds its host.
func TestLimitsOfVMs(t *testing.T) {
	ports := func(n int, vnic string, rules int) []v1alpha1.Port {
		return slices.Repeat([]v1alpha1.Port{{Network: "n", PhysicalNetwork: "p", VNICType: vnic, SecurityRules: rules}}, n)
	}
	for _, c := range []struct {
		ports []v1alpha1.Port
		want  []string
	}{
		{slices.Concat(ports(8, "", 128), ports(8, "direct", 0), ports(8, "direct-physical", 0)), nil},
		{ports(9, "normal", 0), []string{"a: 9 vNICs, a VM has 8 at most"}},
		{ports(9, "direct", 0), []string{"a: 9 virtual functions, a VM has 8 at most"}},
		{ports(9, "direct-physical", 0), []string{"a: 9 passed-through NICs, a VM has 8 at most"}},
		{ports(1, "", 129), []string{"a: 129 rules on a port, 128 at most, ingress and egress together"}},
		{ports(1, "direct", 129), nil},
	} {
		n := compute(single, "64Gi", 1)
		n.NICs = []v1alpha1.NIC{{Use: "sriov", VirtualFunctions: 32, NUMANode: ref(0), PhysicalNetworks: []string{"p"}},
			{Use: "passthrough", Count: 16, NUMANode: ref(0), PhysicalNetworks: []string{"p"}}}
		s := scenario(nova.HCG40, n, vms("a", 1, 1, "2Gi", pinned).with(func(v *v1alpha1.Server) { v.Ports = c.ports }))
		p := made(t, s, Options{})
		var got []string
		for _, f := range p.Findings {
			if f.Severity == v1alpha1.Error {
				got = append(got, f.Message)
			}
		}
		if !slices.Equal(got, c.want) || p.ServerTypes[0].Placed != 1 {
			t.Errorf("%v; want %v", got, c.want)
		}
	}
}
