package scenario

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// derived is the reason of a value that follows from other fields of the file:
// nothing was assumed.
const derived = "It follows from other fields"

// shapeOf is the machine that the topology line describes.
func shapeOf(t *v1alpha1.NodeType) (topo.Shape, bool) {
	if t.Topology == "" {
		return topo.Shape{}, false
	}
	s, err := topo.ParseShape(t.Topology)
	return s, err == nil
}

// topologyCPUs are the CPUs of the topology.
func topologyCPUs(parent any) (any, string, string) {
	if s, ok := shapeOf(parent.(*v1alpha1.NodeType)); ok {
		return s.CPUs(), "", derived
	}
	return nil, "", ""
}

// topologyNUMANodes are the NUMA nodes of the topology.
func topologyNUMANodes(parent any) (any, string, string) {
	if s, ok := shapeOf(parent.(*v1alpha1.NodeType)); ok {
		return s.Sockets * s.Nodes, "", derived
	}
	return nil, "", ""
}

// pagesOfNodes adds up what the NUMA nodes have.
func pagesOfNodes(parent any) (any, string, string) {
	perNode := parent.(*v1alpha1.NodeType).HugePagesPerNUMANode
	if len(perNode) == 0 {
		return nil, "", ""
	}
	sum := map[string]unit.Bytes{}
	for size, amounts := range perNode {
		sum[size] = 0
		for _, a := range amounts {
			sum[size] = add(sum[size], a)
		}
	}
	return sum, "", derived
}

// sumOf is a rule for what a pod type with containerSpecs has in all.
func sumOf(sum func(*v1alpha1.PodType) any) strict.Rule {
	return func(parent any) (any, string, string) {
		t := parent.(*v1alpha1.PodType)
		if len(t.ContainerSpecs) == 0 {
			return nil, "", ""
		}
		return sum(t), "", derived
	}
}

// limitOf is a rule for a limit: without one on each container the pod has none.
func limitOf[T unit.CPU | unit.Bytes](limit func(*v1alpha1.ContainerSpec) *T) strict.Rule {
	return func(parent any) (any, string, string) {
		var sum T
		specs := parent.(*v1alpha1.PodType).ContainerSpecs
		for i := range specs {
			l := limit(&specs[i])
			if l == nil {
				return nil, "", ""
			}
			sum = add(sum, *l)
		}
		if len(specs) == 0 {
			return nil, "", ""
		}
		return &sum, "", derived
	}
}

func cpuLimit(c *v1alpha1.ContainerSpec) *unit.CPU      { return c.CPULimit }
func memoryLimit(c *v1alpha1.ContainerSpec) *unit.Bytes { return c.MemoryLimit }

// requestOf is a request, or the limit when there is none.
func requestOf[T unit.CPU | unit.Bytes](request, limit *T) T {
	switch {
	case request != nil:
		return *request
	case limit != nil:
		return *limit
	}
	return 0
}

func sumCPU(specs []v1alpha1.ContainerSpec) (sum unit.CPU) {
	for _, c := range specs {
		sum = add(sum, requestOf(c.CPU, c.CPULimit))
	}
	return sum
}

func sumMemory(specs []v1alpha1.ContainerSpec) (sum unit.Bytes) {
	for _, c := range specs {
		sum = add(sum, requestOf(c.Memory, c.MemoryLimit))
	}
	return sum
}

func sumStorage(specs []v1alpha1.ContainerSpec) (sum unit.Bytes) {
	for _, c := range specs {
		sum = add(sum, c.EphemeralStorage)
	}
	return sum
}

func sumPages(specs []v1alpha1.ContainerSpec) map[string]unit.Bytes {
	return sumMaps(specs, func(c v1alpha1.ContainerSpec) map[string]unit.Bytes { return c.HugePages })
}

func sumDevices(specs []v1alpha1.ContainerSpec) map[string]int64 {
	return sumMaps(specs, func(c v1alpha1.ContainerSpec) map[string]int64 { return c.Devices })
}

// sumMaps is nil when no container has any.
func sumMaps[T int64 | unit.Bytes](specs []v1alpha1.ContainerSpec,
	of func(v1alpha1.ContainerSpec) map[string]T) map[string]T {
	var sum map[string]T
	for _, c := range specs {
		for name, amount := range of(c) {
			if sum == nil {
				sum = map[string]T{}
			}
			sum[name] = add(sum[name], amount)
		}
	}
	return sum
}

// add adds amounts that are not checked yet without running over.
func add[T ~int64](a, b T) T {
	const most = 1 << 60
	return min(a+min(b, most), most)
}
