// Package device decides as the kubelet's device manager does: which devices of
// an extended resource a container gets, and which sets of NUMA nodes could serve
// a request for some. It follows Kubernetes 1.36. Where the kubelet leaves the
// choice to the device plugin, or to the order of a Go map, the lowest ids are
// taken here.
//
// It merges no hints and does not look at quality-of-service classes: the kubelet
// gives devices to pods of every class.
//
//	m := device.New(&machine)
//	gpu, ok := m.Resource("nvidia.com/gpu")
//	pod := device.NewPod([]device.Container{{Requests: []device.Request{{Resource: gpu, Count: 2}}}})
//	err := m.Allocate(&pod, 0, 0b01) // of NUMA node 0 first
//	m.Held(&pod, 0, func(resource string, ids []string) { ... }) // gpu-0, gpu-1
package device

import (
	"cmp"
	"math/bits"
	"slices"

	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
)

// Request is a number of devices of a resource, by its index in the manager.
type Request struct {
	Resource int
	Count    int
}

// Container and the devices that its limits name, by resource.
type Container struct {
	Sort     podres.Sort
	Requests []Request
}

// Manager is the devices of one node.
type Manager struct {
	resources []resource // shared by all clones
	// taken devices by resource.
	taken []set
}

// resource is what is fixed about one.
type resource struct {
	name string
	ids  []string // rising; a device is known by its index here
	// healthy devices; the others are counted and never given.
	healthy set
	// kinds are the devices by the set of nodes that they are attached to; those that
	// do not say are in none.
	kinds []kind
	// nodes that have devices; 0 when none says, and then the resource is not aligned.
	nodes hint.Mask
}

// kind is devices with the same set of nodes.
type kind struct {
	nodes   hint.Mask
	devices set
	count   int
}

// New makes the manager of a machine none of whose devices is in use. The ids of
// their nodes must be the machine's.
func New(m *topo.Machine) *Manager {
	mgr := &Manager{}
	devices := slices.Clone(m.Devices)
	slices.SortStableFunc(devices, func(a, b topo.Device) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.ID, b.ID))
	})
	for i := range devices {
		last := len(mgr.resources) - 1
		if last < 0 || mgr.resources[last].name != devices[i].Resource {
			mgr.resources = append(mgr.resources, resource{name: devices[i].Resource})
			last++
		}
		mgr.resources[last].add(&devices[i], m)
	}
	for i := range mgr.resources {
		r := &mgr.resources[i]
		r.healthy = r.healthy.grown(len(r.ids))
		for k := range r.kinds {
			r.kinds[k].devices = r.kinds[k].devices.grown(len(r.ids))
		}
		mgr.taken = append(mgr.taken, set{}.grown(len(r.ids)))
	}
	return mgr
}

func (r *resource) add(d *topo.Device, m *topo.Machine) {
	at := len(r.ids)
	r.ids = append(r.ids, d.ID)
	if r.healthy = r.healthy.grown(at + 1); !d.Unhealthy {
		r.healthy.add(at)
	}
	nodes := hint.Mask(0)
	for _, id := range d.Nodes {
		if i := slices.IndexFunc(m.Nodes, func(n topo.Node) bool { return n.ID == id }); i >= 0 {
			nodes |= 1 << i
		}
	}
	if nodes == 0 {
		return
	}
	r.nodes |= nodes
	k := slices.IndexFunc(r.kinds, func(k kind) bool { return k.nodes == nodes })
	if k < 0 {
		k = len(r.kinds)
		r.kinds = append(r.kinds, kind{nodes: nodes})
	}
	r.kinds[k].devices = r.kinds[k].devices.grown(at + 1)
	r.kinds[k].devices.add(at)
	r.kinds[k].count++
}

// Clone is an independent copy.
func (m *Manager) Clone() *Manager {
	c := &Manager{resources: m.resources, taken: make([]set, len(m.taken))}
	for i := range m.taken {
		c.taken[i] = slices.Clone(m.taken[i])
	}
	return c
}

// Resource is the index of a resource; ok is false when no device has this name.
func (m *Manager) Resource(name string) (index int, ok bool) {
	for i := range m.resources {
		if m.resources[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// Resources are the names of all resources, by index.
func (m *Manager) Resources() []string {
	names := make([]string, len(m.resources))
	for i := range m.resources {
		names[i] = m.resources[i].name
	}
	return names
}

// Healthy is the number of devices of a resource that can be given, taken or not.
func (m *Manager) Healthy(resource int) int { return m.resources[resource].healthy.len() }

// Nodes are the NUMA nodes that have devices of the resource; 0 when none says,
// and then the resource has no opinion about nodes.
func (m *Manager) Nodes(resource int) hint.Mask { return m.resources[resource].nodes }

// Free is the number of healthy devices on a set of nodes that nobody has.
func (m *Manager) Free(resource int, nodes hint.Mask) int {
	r := &m.resources[resource]
	n := 0
	for k := range r.kinds {
		if r.kinds[k].nodes&nodes != 0 {
			n += r.kinds[k].devices.free(r.healthy, m.taken[resource])
		}
	}
	return n
}

// available is the number of healthy devices that nobody has.
func (m *Manager) available(resource int) int {
	h := m.resources[resource].healthy
	return h.free(h, m.taken[resource])
}

// set of devices by index.
type set []uint64

// grown is the set with room for n devices.
func (s set) grown(n int) set {
	for len(s) < (n+63)/64 {
		s = append(s, 0)
	}
	return s
}

func (s set) add(i int) { s[i>>6] |= 1 << (i & 63) }

func (s set) len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// free counts those that are healthy and not taken.
func (s set) free(healthy, taken set) int {
	n := 0
	for i, w := range s {
		n += bits.OnesCount64(w & healthy[i] &^ taken[i])
	}
	return n
}
