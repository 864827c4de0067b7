package device

import (
	"fmt"
	"math/bits"

	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
)

// Pod is a pod's containers, init containers first, and the devices they hold.
type Pod struct {
	containers []Container
	held       []holding
	// reusable devices of finished init containers.
	reusable []holding
}

// holding is devices of one resource that the container with this index has.
type holding struct {
	container, resource int
	devices             set
}

// NewPod is a pod that holds nothing yet.
func NewPod(containers []Container) Pod { return Pod{containers: containers} }

// Reset makes it another pod that holds nothing yet.
func (p *Pod) Reset(containers []Container) {
	p.containers, p.held, p.reusable = containers, p.held[:0], p.reusable[:0]
}

// Whole is what a pod asks for of each resource at its peak.
func Whole(containers []Container) []Request {
	var out []Request
	for i := range containers {
		for _, r := range containers[i].Requests {
			known := false
			for j := range out {
				known = known || out[j].Resource == r.Resource
			}
			if !known {
				out = append(out, Request{r.Resource, peak(containers, r.Resource)})
			}
		}
	}
	return out
}

func peak(containers []Container, resource int) int {
	var s podres.Sum
	for i := range containers {
		count := 0
		for _, r := range containers[i].Requests {
			if r.Resource == resource {
				count = r.Count
			}
		}
		s.Add(containers[i].Sort, int64(count))
	}
	return int(s.Peak())
}

// Each calls f for every set of nodes that could serve a request with what is
// free now and what the pod's init containers leave; a set is preferred when it
// is as small as the request needs at least, devices in use and unhealthy ones
// counted. The sets lie within Nodes and come in rising order. No call at all is
// an empty list. (generateDeviceTopologyHints)
func (m *Manager) Each(p *Pod, r Request, f func(nodes hint.Mask, preferred bool)) {
	res := &m.resources[r.Resource]
	again := p.reusableOf(r.Resource)
	if m.available(r.Resource)+p.extra(again, m, r.Resource) < r.Count {
		return
	}
	least := m.Least(r)
	for nodes := res.nodes & -res.nodes; nodes != 0; nodes = (nodes - res.nodes) & res.nodes {
		if matching, ok := m.matching(r.Resource, nodes, again); ok && matching >= r.Count {
			f(nodes, bits.OnesCount64(nodes) == least)
		}
	}
}

// Least is the size of the smallest set that carries as many devices as are
// requested, in use and unhealthy ones counted; all nodes with devices when there is none.
func (m *Manager) Least(r Request) int {
	res := &m.resources[r.Resource]
	least := bits.OnesCount64(res.nodes)
	for nodes := res.nodes & -res.nodes; nodes != 0; nodes = (nodes - res.nodes) & res.nodes {
		carried := 0
		for k := range res.kinds {
			if res.kinds[k].nodes&nodes != 0 {
				carried += res.kinds[k].count
			}
		}
		if carried >= r.Count {
			least = min(least, bits.OnesCount64(nodes))
		}
	}
	return least
}

// matching counts the reusable and the free devices on the nodes; ok is false
// when a reusable one stands elsewhere.
func (m *Manager) matching(resource int, nodes hint.Mask, again set) (n int, ok bool) {
	r := &m.resources[resource]
	for k := range r.kinds {
		reused := 0
		for i, w := range again {
			reused += bits.OnesCount64(w & r.kinds[k].devices[i])
		}
		switch {
		case r.kinds[k].nodes&nodes != 0:
			n += reused + r.kinds[k].devices.free(r.healthy, m.taken[resource])
		case reused > 0:
			return 0, false
		}
	}
	return n, true
}

// extra counts the reusable devices that are not available anyway.
func (p *Pod) extra(again set, m *Manager, resource int) int {
	n := 0
	for i, w := range again {
		n += bits.OnesCount64(w &^ (m.resources[resource].healthy[i] &^ m.taken[resource][i]))
	}
	return n
}

func (p *Pod) reusableOf(resource int) set {
	for i := range p.reusable {
		if p.reusable[i].resource == resource {
			return p.reusable[i].devices
		}
	}
	return nil
}

// Allocate gives the container with this index its devices; affinity 0 is none.
// An error is the kubelet's own and refuses the pod; what the container got of
// other resources before stays with it. (allocateContainerResources)
func (m *Manager) Allocate(p *Pod, container int, affinity hint.Mask) error {
	c := &p.containers[container]
	for _, r := range c.Requests {
		got, err := m.choose(p, r, affinity)
		if err != nil {
			return err
		}
		if got == nil {
			continue
		}
		p.held = append(p.held, holding{container, r.Resource, got})
	}
	for i := range p.held {
		if p.held[i].container == container {
			p.passOn(c.Sort, &p.held[i])
		}
	}
	return nil
}

// passOn adds the devices of an init container to those that can be used again,
// and takes those that stay in use out.
func (p *Pod) passOn(sort podres.Sort, h *holding) {
	again := p.reusableOf(h.resource)
	switch {
	case sort == podres.Init && again == nil:
		p.reusable = append(p.reusable, holding{resource: h.resource, devices: append(set(nil), h.devices...)})
	case sort == podres.Init:
		for i, w := range h.devices {
			again[i] |= w
		}
	default:
		for i := range again {
			again[i] &^= h.devices[i]
		}
	}
}

// choose takes devices: first those of init containers, then from the nodes of
// the affinity, then any; of each the lowest ids, as a device plugin without
// other wishes prefers them. (devicesToAllocate)
func (m *Manager) choose(p *Pod, r Request, affinity hint.Mask) (set, error) {
	res := &m.resources[r.Resource]
	if res.healthy.len() == 0 {
		return nil, fmt.Errorf("no healthy devices present; cannot allocate unhealthy devices %s", res.name)
	}
	if r.Count == 0 {
		return nil, nil
	}
	got := set{}.grown(len(res.ids))
	taken := m.taken[r.Resource]
	left := r.Count
	take := func(i int, w uint64) {
		for ; w != 0 && left > 0; w &= w - 1 {
			got[i] |= w & -w
			taken[i] |= w & -w
			left--
		}
	}
	for i, w := range p.reusableOf(r.Resource) {
		take(i, w)
	}
	if free := m.available(r.Resource); left > 0 && free < left {
		return nil, fmt.Errorf("requested number of devices unavailable for %s. Requested: %d, Available: %d", res.name,
			left, free)
	}
	for i := range got {
		take(i, res.on(affinity, i)&res.healthy[i]&^taken[i])
	}
	for i := range got {
		take(i, res.healthy[i]&^taken[i])
	}
	return got, nil
}

// on is the devices, of the i-th word of their set, that are attached to any of the nodes.
func (r *resource) on(nodes hint.Mask, i int) uint64 {
	word := uint64(0)
	for k := range r.kinds {
		if r.kinds[k].nodes&nodes != 0 {
			word |= r.kinds[k].devices[i]
		}
	}
	return word
}

// Remove releases all devices of the pod. The pod is not changed, so that clones
// may share it.
func (m *Manager) Remove(p *Pod) {
	for _, h := range p.held {
		for i, w := range h.devices {
			m.taken[h.resource][i] &^= w
		}
	}
}

// Held calls f for every resource of which the container has devices, with their
// ids in rising order.
func (m *Manager) Held(p *Pod, container int, f func(resource string, ids []string)) {
	for _, h := range p.held {
		if h.container != container {
			continue
		}
		r := &m.resources[h.resource]
		ids := make([]string, 0, h.devices.len())
		for i, w := range h.devices {
			for ; w != 0; w &= w - 1 {
				ids = append(ids, r.ids[i<<6|bits.TrailingZeros64(w)])
			}
		}
		f(r.name, ids)
	}
}
