package kubelet

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/place/podres"
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
	c := &Class{s: n.s, pod: *p, level: p.PodLevel()}
	if !n.s.levels {
		c.pod.Requests, c.pod.Limits = nil, nil
	}
	c.qos = podres.QOS(c.pod)
	c.request = n.s.request(&c.pod)
	count := len(p.Init) + len(p.Containers)
	c.names = make([]string, 0, count)
	c.cpus = make([]cpu.Container, 0, count)
	c.devices = make([]device.Container, 0, count)
	c.pinned = n.memory != nil && c.qos == podres.Guaranteed && (!c.level || n.s.levelManagers)
	if c.pinned {
		c.memory = make([]memory.Container, 0, count)
	}
	for i := range p.Init {
		c.add(n, &p.Init[i], true)
	}
	for i := range p.Containers {
		c.add(n, &p.Containers[i], false)
	}
	if n.s.podScope {
		c.wholes(n)
	}
	return c
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
func (c *Class) add(n *Node, container *Container, init bool) {
	c.names = append(c.names, container.Name)
	sort, kind := podres.App, cpu.App
	switch {
	case init && container.Restartable:
		sort, kind = podres.Sidecar, cpu.Sidecar
	case init:
		sort, kind = podres.Init, cpu.Init
	}
	own := c.qos == podres.Guaranteed && (!c.level || exact(container))
	request, _ := container.Request(podres.CPU)
	c.cpus = append(c.cpus, cpu.Container{Kind: kind, CPUs: cpu.Exclusive(own, unit.CPU(request))})
	c.devices = append(c.devices, device.Container{Sort: sort, Requests: n.deviceRequests(container)})
	if !c.pinned {
		return
	}
	m := memory.Container{Sort: sort}
	if own {
		m.Requests = n.memory.Requests(container)
	}
	c.memory = append(c.memory, m)
}

// exact says whether a container of a pod with resources as a whole would make
// a pod Guaranteed by itself.
func exact(c *Container) bool {
	return podres.QOS(Pod{Containers: []Container{*c}}) == podres.Guaranteed
}

// deviceRequests are the limits that name devices of the node.
func (n *Node) deviceRequests(c *Container) []device.Request {
	var out []device.Request
	for name, count := range c.Limits {
		if at, known := n.devices.Resource(name); known {
			out = append(out, device.Request{Resource: at, Count: int(count)})
		}
	}
	slices.SortFunc(out, func(a, b device.Request) int { return cmp.Compare(a.Resource, b.Resource) })
	return out
}
