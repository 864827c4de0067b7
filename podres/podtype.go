package podres

import (
	"maps"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Of is a pod of the type as the kubelet sees it: its containers as the
// scenario lists them, or one container that has it all, however many there are.
func Of(t v1alpha1.PodType) Pod {
	p := Pod{Namespace: t.Namespace, Name: strings.TrimPrefix(t.Name, t.Namespace+"/")}
	if t.Spec != nil {
		p.Requests, p.Limits, p.Overhead = t.Spec.Requests, t.Spec.Limits, t.Spec.Overhead
	}
	for _, c := range t.InitContainers {
		p.Init = append(p.Init, container(c))
	}
	for _, c := range t.ContainerSpecs {
		p.Containers = append(p.Containers, container(c))
	}
	if len(t.ContainerSpecs) > 0 {
		return p
	}
	p.Containers = []Container{whole(t)}
	if t.Spec != nil && t.Spec.Container != "" {
		p.Containers[0].Name = t.Spec.Container
	}
	return p
}

// whole is a container that requests all that the pod type requests.
func whole(t v1alpha1.PodType) Container {
	c := v1alpha1.ContainerSpec{Name: t.Name, CPULimit: t.CPULimit, MemoryLimit: t.MemoryLimit,
		EphemeralStorage: t.EphemeralStorage, HugePages: t.HugePages, Devices: t.Devices}
	if t.CPU > 0 {
		c.CPU = &t.CPU
	}
	if t.Memory > 0 {
		c.Memory = &t.Memory
	}
	if t.QOSClass == "Guaranteed" {
		c.CPULimit, c.MemoryLimit = c.CPU, c.Memory
	}
	return container(c)
}

// container is a container as the kubelet sees it. Huge pages and devices are
// limits, which their requests equal.
func container(s v1alpha1.ContainerSpec) Container {
	c := Container{Name: s.Name, Requests: map[string]int64{}, Limits: map[string]int64{},
		Restartable: s.RestartPolicy == "Always"}
	if s.CPU != nil {
		c.Requests[CPU] = int64(*s.CPU)
	}
	if s.Memory != nil {
		c.Requests[Memory] = int64(*s.Memory)
	}
	if s.CPULimit != nil {
		c.Limits[CPU] = int64(*s.CPULimit)
	}
	if s.MemoryLimit != nil {
		c.Limits[Memory] = int64(*s.MemoryLimit)
	}
	if s.EphemeralStorage > 0 {
		c.Requests[EphemeralStorage] = int64(s.EphemeralStorage)
	}
	for size, n := range s.HugePages {
		c.Limits[HugePages+size] = int64(n)
	}
	maps.Copy(c.Limits, s.Devices)
	return c
}
