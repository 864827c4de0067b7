package scenario

import "plimsoll.dev/api/v1alpha1"

// qosClass demands that a class that is given can be that of the requests and
// limits that are given, of every container and init container.
func (v *validator) qosClass(at string, t *v1alpha1.PodType) {
	path := at + ".qosClass"
	if t.QOSClass == "" || !v.good(path, at+".cpu", at+".memory", at+".cpuLimit", at+".memoryLimit", at+".containerSpecs",
		at+".initContainers") {
		return
	}
	containers := containersOf(t)
	requests, limits := "a Guaranteed pod requests both CPU and memory",
		"the limits of a Guaranteed pod equal its requests, here they differ"
	if len(containers) > 1 {
		requests, limits = "each container of a Guaranteed pod requests both CPU and memory",
			"the limits of each container of a Guaranteed pod equal its requests, here they differ"
	}
	q := qosOf(containers)
	const fix = "remove qosClass; it is derived from requests and limits"
	switch {
	case t.QOSClass == "BestEffort" && q.anything:
		v.bad(path, "a BestEffort pod requests neither CPU nor memory, this one does", fix)
	case t.QOSClass == "Guaranteed" && q.incomplete:
		v.bad(path, requests, "add what is missing, or remove qosClass")
	case t.QOSClass == "Guaranteed" && q.unequal:
		v.bad(path, limits, fix)
	case t.QOSClass == "Burstable" && !q.anything:
		v.bad(path, "a pod without requests and limits is BestEffort", fix)
	case t.QOSClass == "Burstable" && q.limited && !q.incomplete && !q.unequal:
		v.bad(path, "a pod whose limits equal its requests is Guaranteed", fix)
	}
}

// containersOf are all containers of a pod; without containerSpecs the pod's
// totals are those of one.
func containersOf(t *v1alpha1.PodType) []v1alpha1.ContainerSpec {
	if len(t.ContainerSpecs) > 0 {
		return append(t.InitContainers[:len(t.InitContainers):len(t.InitContainers)], t.ContainerSpecs...)
	}
	c := v1alpha1.ContainerSpec{CPULimit: t.CPULimit, MemoryLimit: t.MemoryLimit}
	if t.CPU > 0 {
		c.CPU = &t.CPU
	}
	if t.Memory > 0 {
		c.Memory = &t.Memory
	}
	return append(t.InitContainers[:len(t.InitContainers):len(t.InitContainers)], c)
}

// qos is what decides about the class.
type qos struct {
	anything   bool // some container asks for something
	incomplete bool // some container asks not for both CPU and memory
	unequal    bool // some limit is not its request
	limited    bool // all containers have both limits
}

func qosOf(containers []v1alpha1.ContainerSpec) qos {
	q := qos{limited: true}
	for _, c := range containers {
		cpu, memory := requestOf(c.CPU, c.CPULimit), requestOf(c.Memory, c.MemoryLimit)
		q.anything = q.anything || cpu != 0 || memory != 0
		q.incomplete = q.incomplete || cpu == 0 || memory == 0
		q.unequal = q.unequal || c.CPULimit != nil && *c.CPULimit != cpu || c.MemoryLimit != nil && *c.MemoryLimit != memory
		q.limited = q.limited && c.CPULimit != nil && c.MemoryLimit != nil
	}
	return q
}
