package scenario

import (
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// managed are the services that run Kubernetes, and the provider of each.
var managed = map[string]string{"gke": "gcp", "eks": aws, "aks": "azure"}

// serviceReserved is what a managed Kubernetes keeps back on its nodes, by the published formulas.
func serviceReserved(s *v1alpha1.Scenario) strict.Rule {
	return func(parent any) (any, string, string) {
		t, service := parent.(*v1alpha1.NodeType), s.Platform.Service
		if managed[service] == "" || t.CPUs <= 0 || t.Memory <= 0 {
			return nil, "", ""
		}
		fact := service + ".reserved.cpuFirstCore"
		return &v1alpha1.Reserved{CPU: serviceCPU(service, t.CPUs), Memory: serviceMemory(service, t)}, fact,
			"What " + service + " keeps back, by its published formula"
	}
}

func reservedFact(service, name string) float64 {
	return facts.Load().Must(service + ".reserved." + name).Number
}

// serviceCPU is the sum of the shares of the first, the second, the next two and all further cores.
func serviceCPU(service string, cpus int) unit.CPU {
	share := func(name string) int64 { return int64(math.Round(reservedFact(service, name) * tenThousand)) }
	cpu, _ := kubelet.AutoSizing{CPU: []kubelet.Tier{{Width: 1, Share: share("cpuFirstCore")},
		{Width: 1, Share: share("cpuSecondCore")}, {Width: 2, Share: share("cpuNext2Cores")},
		{Share: share("cpuBeyond")}}}.Keep(cpus, 0)
	return cpu
}

// serviceMemory goes by the machine's memory on gke, by the pods that a node admits on eks, and by the
// smaller of the two on aks.
func serviceMemory(service string, t *v1alpha1.NodeType) unit.Bytes {
	byPods := func() float64 {
		return reservedFact(service, "memoryBase") + reservedFact(service, "memoryPerPod")*float64(t.MaxPods)
	}
	switch service {
	case "eks":
		return unit.Bytes(byPods())
	case "aks":
		return unit.Bytes(math.Min(byPods(), reservedFact(service, "memoryMost")*float64(t.Memory)))
	}
	if t.Memory < unit.GiB {
		return unit.Bytes(reservedFact(service, "memorySmall"))
	}
	kept, left := 0.0, float64(t.Memory)
	for _, tier := range []struct {
		name  string
		width float64
	}{{"memoryFirst4GiB", 4}, {"memoryNext4GiB", 4}, {"memoryNext8GiB", 8}, {"memoryNext112GiB", 112},
		{"memoryBeyond", math.Inf(1)}} {
		part := math.Min(left, tier.width*float64(unit.GiB))
		kept, left = kept+part*reservedFact(service, tier.name), left-part
	}
	return unit.Bytes(math.Round(kept))
}

// controlPlaneNodes of a managed Kubernetes are its provider's.
func controlPlaneNodes(s *v1alpha1.Scenario) strict.Rule {
	return func(any) (any, string, string) {
		if managed[s.Platform.Service] == "" {
			return nil, "", ""
		}
		return 0, "", "The provider runs the control plane"
	}
}
