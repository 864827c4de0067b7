package scenario

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
)

// containers checks what is said about single containers.
func (v *validator) containers(at string, t *v1alpha1.PodType) {
	names := map[string]string{}
	for i := range t.InitContainers {
		v.container(fmt.Sprintf("%s.initContainers[%d]", at, i), &t.InitContainers[i], names)
	}
	for i := range t.ContainerSpecs {
		path := fmt.Sprintf("%s.containerSpecs[%d]", at, i)
		v.container(path, &t.ContainerSpecs[i], names)
		if v.given(path+".restartPolicy") && v.good(path+".restartPolicy") {
			v.bad(path+".restartPolicy", "only an init container can be a sidecar",
				"remove it, or move the container to initContainers")
		}
	}
	if len(t.ContainerSpecs) == 0 {
		return
	}
	for _, field := range []string{"cpu", "memory", "cpuLimit", "memoryLimit", "ephemeralStorage", "hugePages",
		"devices"} {
		if path := at + "." + field; v.given(path) && v.good(path) {
			v.bad(path, "is said twice: containerSpecs says it for each container", "remove it here, or remove containerSpecs")
		}
	}
	if path := at + ".containers"; v.given(path) && v.good(path) && t.Containers != len(t.ContainerSpecs) {
		v.bad(path, fmt.Sprintf("%d containers here, %d in containerSpecs", t.Containers, len(t.ContainerSpecs)), "remove it")
	}
}

// container checks one container. names are those of the pod so far, with their
// paths.
func (v *validator) container(at string, c *v1alpha1.ContainerSpec, names map[string]string) {
	if v.good(at+".name") && c.Name != "" {
		v.containerName(at, c.Name, names)
	}
	if c.CPU != nil {
		v.cores(at+".cpu", *c.CPU)
	}
	if c.Memory != nil {
		v.memory(at+".memory", *c.Memory)
	}
	if c.CPULimit != nil {
		v.cores(at+".cpuLimit", *c.CPULimit)
	}
	if c.MemoryLimit != nil {
		v.memory(at+".memoryLimit", *c.MemoryLimit)
	}
	v.bytes(at+".ephemeralStorage", c.EphemeralStorage, leastBytes, "Gi")
	below(v, at, "cpu", c.CPU, c.CPULimit)
	below(v, at, "memory", c.Memory, c.MemoryLimit)
	v.hugePages(at+".hugePages", c.HugePages)
	for _, size := range slices.Sorted(maps.Keys(c.HugePages)) {
		if path := at + ".hugePages." + size; c.HugePages[size] == 0 && v.good(path) {
			v.bad(path, "no huge pages are asked for", "write an amount such as "+size+", or remove the entry")
		}
	}
}

// containerName demands names that Kubernetes takes, each once in a pod.
func (v *validator) containerName(at, name string, names map[string]string) {
	path := at + ".name"
	if err := checkName(name); err != nil {
		v.bad(path, yamlpos.Quote(name)+" can't be the name of a container",
			"write small letters, digits and hyphens, at most 63")
		return
	}
	if first, twice := names[name]; twice {
		v.bad(path, yamlpos.Quote(name)+" stands twice in this pod",
			fmt.Sprintf("the first is %s; each name may be used once", first))
		return
	}
	names[name] = at
}

// below demands that a limit is not below its request.
func below[T interface {
	~int64
	String() string
}](v *validator, at, field string, request, limit *T) {
	if path := at + "." + field + "Limit"; request != nil && limit != nil && *limit < *request &&
		v.good(at+"."+field, path) {
		v.bad(path, fmt.Sprintf("%s is below the request of %s", (*limit).String(), (*request).String()),
			"write at least "+(*request).String())
	}
}
