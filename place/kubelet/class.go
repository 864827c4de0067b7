package kubelet

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// Class is what pods of the same containers have in common, worked out once for
// the nodes of one type.
type Class struct {
	s     *setup
	pod   Pod
	qos   string
	names []string // of the containers, init containers first
	cpus  []cpu.Container
	// level is a pod with resources as a whole, cpuLevel what it then asks for.
	level    bool
	cpuLevel int
	memory   []memory.Container
	devices  []device.Container
	// memoryPod and devicePod are what the pod asks for as a whole, in pod scope.
	memoryPod []memory.Request
	devicePod []device.Request
	// pinned says that the memory manager looks at the pod.
	pinned  bool
	request request
}

// Compile works out a class of pods, for this node and its clones. The pod must
// not be changed afterwards; its UID is of no meaning.
func (n *Node) Compile(p *Pod) *Class {
	c := new(Class)
	c.compile(n, p)
	return c
}

// compile makes it the class of a pod, in the memory that it has.
func (c *Class) compile(n *Node, p *Pod) {
	c.s, c.pod, c.level = n.s, *p, p.PodLevel()
	if !n.s.levels {
		c.pod.Requests, c.pod.Limits = nil, nil
	}
	c.qos = podres.QOS(c.pod)
	c.pinned = n.memory != nil && c.qos == podres.Guaranteed && (!c.level || n.s.levelManagers)
	c.cpuLevel, c.devicePod, c.memoryPod = 0, nil, nil
	c.count()
	c.addAll(n)
	if n.s.podScope {
		c.wholes(n)
	}
}

// count works out what the predicates count; resources that only containers name
// are left to addAll.
func (c *Class) count() {
	c.request = request{milliCPU: podres.RequestOf(&c.pod, podres.CPU), memory: podres.RequestOf(&c.pod, podres.Memory),
		scalars: c.request.scalars[:0]}
	if c.s.capacity.storage >= 0 {
		c.request.storage = podres.RequestOf(&c.pod, podres.EphemeralStorage)
	}
	for _, amounts := range []map[string]int64{c.pod.Requests, c.pod.Limits, c.pod.Overhead} {
		for name := range amounts {
			c.scalar(name)
		}
	}
}

// addAll works out all containers.
func (c *Class) addAll(n *Node) {
	p := &c.pod
	count := len(p.Init) + len(p.Containers)
	c.names, c.cpus = slices.Grow(c.names[:0], count), slices.Grow(c.cpus[:0], count)
	c.devices, c.memory = c.devices[:0], c.memory[:0]
	for i := range p.Init {
		if p.Init[i].Restartable {
			c.add(n, &p.Init[i], podres.Sidecar, cpu.Sidecar)
		} else {
			c.add(n, &p.Init[i], podres.Init, cpu.Init)
		}
	}
	for i := range p.Containers {
		c.add(n, &p.Containers[i], podres.App, cpu.App)
	}
	slices.SortFunc(c.request.scalars, func(a, b scalar) int { return cmp.Compare(a.name, b.name) })
}

// wholes works out what the pod asks for as a whole.
func (c *Class) wholes(n *Node) {
	c.devicePod = device.Whole(c.devices)
	c.memoryPod = memory.Whole(c.memory)
	if !c.level {
		return
	}
	all := podres.LevelRequests(&c.pod)
	c.cpuLevel = cpu.Exclusive(c.qos == podres.Guaranteed, unit.CPU(all[podres.CPU]))
	if c.pinned {
		maps.DeleteFunc(all, func(_ string, size int64) bool { return size <= 0 })
		c.memoryPod = n.memory.Requests(&podres.Container{Requests: all})
	}
}

// add works out one container.
func (c *Class) add(n *Node, container *Container, sort podres.Sort, kind cpu.Kind) {
	own := c.qos == podres.Guaranteed && (!c.level || exact(container))
	request, _ := container.Request(podres.CPU)
	c.names = append(c.names, container.Name)
	c.cpus = append(c.cpus, cpu.Container{Kind: kind, CPUs: cpu.Exclusive(own, unit.CPU(request))})
	c.devices, c.memory = longer(c.devices), longer(c.memory)
	d, m := &c.devices[len(c.devices)-1], &c.memory[len(c.memory)-1]
	d.Sort, d.Requests = sort, d.Requests[:0]
	m.Sort, m.Requests = sort, m.Requests[:0]
	for name, amount := range container.Requests {
		c.scalar(name)
		if own && c.pinned {
			m.Requests = n.memory.AddRequest(m.Requests, name, amount)
		}
	}
	for name, amount := range container.Limits {
		if at, known := n.devices.Resource(name); known {
			d.Requests = append(d.Requests, device.Request{Resource: at, Count: int(amount)})
		}
		if _, requested := container.Requests[name]; requested {
			continue
		}
		c.scalar(name)
		if own && c.pinned {
			m.Requests = n.memory.AddRequest(m.Requests, name, amount)
		}
	}
	slices.SortFunc(d.Requests, func(a, b device.Request) int { return cmp.Compare(a.Resource, b.Resource) })
}

// longer is a list with one element more, which may have been in use before.
func longer[T any](list []T) []T {
	return slices.Grow(list, 1)[:len(list)+1]
}

// scalar notes what the predicates count of a resource that is neither CPU, memory
// nor storage.
func (c *Class) scalar(name string) {
	if name == podres.CPU || name == podres.Memory || name == podres.EphemeralStorage {
		return
	}
	at := slices.IndexFunc(c.s.capacity.scalars, func(has scalar) bool { return has.name == name })
	known := slices.ContainsFunc(c.request.scalars, func(has scalar) bool { return has.name == name })
	if known || at < 0 && !refusable(name) {
		return
	}
	if amount := podres.RequestOf(&c.pod, name); amount > 0 {
		c.request.scalars = append(c.request.scalars, scalar{name, amount, at})
	}
}

// exact reports whether a container of a pod with resources as a whole would make
// a pod Guaranteed by itself.
func exact(c *Container) bool {
	return podres.QOS(Pod{Containers: []Container{*c}}) == podres.Guaranteed
}
