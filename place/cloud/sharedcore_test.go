package cloud

import (
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
