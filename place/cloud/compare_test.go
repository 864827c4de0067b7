package cloud

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
)

// TestAdvice: a setting is advised where it was tried and helps; a proven lack where
// it is proven; nothing where the VMs run anyway.
func TestAdvice(t *testing.T) {
	advice := func(s *v1alpha1.Scenario) string {
		p := made(t, s, Options{Compare: true})
		if p.Comparison == nil {
			t.Fatal("no comparison")
		}
		return p.Comparison.Advice
	}
	two := compute(single, "64Gi", 2)
	two.Compute = &v1alpha1.Compute{PlatformCores: []int{0}, VSwitchCores: []int{0}}
	of := func(servers ...server) *v1alpha1.Scenario { return scenario(nova.HCG40, two, servers...) }
	// Each node takes one of 7 and one of 1: there is no lack that could be proven.
	spread := of(vms("small", 4, 1, "1Gi", pinned), vms("large", 4, 7, "1Gi", pinned))
	if got := advice(spread); strings.Contains(got, "can't hold") {
		t.Errorf("%s", got)
	}
	if got := advice(of(vms("a", 5, 8, "1Gi", pinned))); got != "2 hosts can't hold these VMs in any way: "+
		"at least 1 more are needed" {
		t.Errorf("%s", got)
	}
	order := of(vms("small", 2, 4, "1Gi", pinned), vms("large", 3, 8, "1Gi", pinned))
	if got := advice(order); !strings.HasPrefix(got, "start the largest VMs first") {
		t.Errorf("%s", got)
	}
	order.Scheduling.HostStrategy, order.Scheduling.Order = packHosts, whatif.LargestFirst
	if p := made(t, order, Options{}); !p.Verdict.Fits {
		t.Errorf("the advice does not help: %+v", p.Verdict)
	}
	mixed := of(vms("a", 5, 8, "1Gi", pinned))
	mixed.Hardware.NodeTypes = append(mixed.Hardware.NodeTypes, two)
	mixed.Hardware.NodeTypes[1].Name = "other"
	mixed.Hardware.NodeTypes[1].Count = ref(1)
	if got := advice(mixed); got != "" {
		t.Errorf("the VMs run, and yet: %s", got)
	}
}
