package cloud

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// A shared core takes 16 vCPUs and no more. Each VM has one vCPU on the shared core of its node and
// one of its own; two hosts have one shared core each, and cores to spare.
func TestSharedCoreIsFull(t *testing.T) {
	for _, order := range []string{"runs", "shuffled"} {
		host := compute("1 socket x 40 cores", "256Gi", 2)
		host.Compute = &v1alpha1.Compute{SharedCores: []int{1}}
		s := scenario(nova.HCG40, host,
			vms("a", 40, 2, "1Gi", pinned+" hw:wrs:shared_vcpu=0"), vms("b", 2, 1, "1Gi", pinned))
		s.Scheduling.Order = order
		if got := placed(made(t, s, Options{})); got[0] != 32 || got[1] != 2 {
			t.Errorf("%s: %v VMs run, want 32 with a shared vCPU and 2 without", order, got)
		}
	}
}

// Of figure 16 the document says that VNF 4, VNF 5 and VNF 6 are connected to the shared
// core, and that VMs which float run on any core that is neither reserved nor dedicated,
// 16 vCPUs to one: where all others are dedicated, they have that one. The fork keeps
// them off it.
func TestFloatingVMsOnTheSharedCore(t *testing.T) {
	for rules, want := range map[nova.Rules][]int{nova.HCG40: {1, 2, 7}, nova.StarlingX: {1, 2, 0}} {
		host := compute("1 socket x 8 cores", "64Gi", 1)
		host.Compute = &v1alpha1.Compute{SharedCores: []int{1}} // beside the platform's and the vSwitch's two
		s := scenario(rules, host, vms("all", 1, 2, "1Gi", pinned), vms("mixed", 2, 2, "1Gi",
			pinned+" hw:wrs:shared_vcpu=0"), vms("floats", 9, 2, "1Gi", ""))
		if got := placed(made(t, s, Options{})); !slices.Equal(got, want) {
			t.Errorf("%s: %v run, want %v", rules, got, want)
		}
	}
}

// Who floats on a shared core is told at each such VM: that of VNF 4 and 5 in figure 16 is CPU 8.
func TestFloatingVMsAreToldOnTheSharedCore(t *testing.T) {
	const want = "floats on the shared CPU 8 of node 1 as well: it is neither reserved nor dedicated (HCG 7)"
	for rules, told := range map[nova.Rules]bool{nova.HCG40: true, nova.StarlingX: false} {
		host := compute("2 sockets x 8 cores", "64Gi", 1)
		host.Compute = &v1alpha1.Compute{SharedCores: []int{0, 1}}
		p := made(t, scenario(rules, host, vms("full", 1, 5, "1Gi", pinned), vms("floats", 1, 2, "1Gi", "")), Options{})
		for _, v := range p.Servers {
			if got := slices.Contains(v.Why, want); got != (told && v.Name == "floats") {
				t.Errorf("%s, %s: %q", rules, v.Name, v.Why)
			}
		}
	}
}
