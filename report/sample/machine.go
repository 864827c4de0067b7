package sample

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// shape of a machine whose CPUs are numbered as Linux does it: the first threads
// of all cores, then the second ones.
type shape struct {
	sockets, numa, cores, threads int
	// caches are the uncore caches of a NUMA node.
	caches int
}

// machine builds a machine map, in which nobody owns anything yet.
type machine struct {
	v1alpha1.MachineMap
	shape
}

func newMachine(node, kind string, s shape, policies string) *machine {
	words := make([]string, 0, 4)
	for _, part := range []struct {
		n    int
		noun string
	}{{s.sockets, "socket"}, {s.numa, "numa"}, {s.cores, "core"}, {s.threads, "thread"}} {
		word := fmt.Sprintf("%d %s", part.n, part.noun)
		if part.n != 1 && part.noun != "numa" {
			word += "s"
		}
		words = append(words, word)
	}
	m := &machine{v1alpha1.MachineMap{Node: node, Type: kind, Layout: strings.Join(words, " x "), Policies: policies, Owners: []v1alpha1.Owner{}}, s}
	all := s.sockets * s.numa * s.cores
	for id := range s.sockets * s.numa {
		n := v1alpha1.NUMAMap{ID: id, Socket: id / s.numa}
		for c := range s.cores {
			core := v1alpha1.CoreMap{Cache: id*s.caches + c*s.caches/s.cores}
			for t := range s.threads {
				core.Threads = append(core.Threads, v1alpha1.ThreadMap{CPU: t*all + id*s.cores + c, Use: "shared"})
			}
			n.Cores = append(n.Cores, core)
		}
		m.NUMANodes = append(m.NUMANodes, n)
	}
	return m
}

// thread calls f for the thread of a CPU of the set.
func (m *machine) thread(cpus unit.CPUSet, f func(t *v1alpha1.ThreadMap)) {
	for i := range m.NUMANodes {
		for c := range m.NUMANodes[i].Cores {
			for t := range m.NUMANodes[i].Cores[c].Threads {
				if th := &m.NUMANodes[i].Cores[c].Threads[t]; cpus.Has(th.CPU) {
					f(th)
				}
			}
		}
	}
}

func (m *machine) reserve(cpus string) {
	m.thread(cpusOf(cpus), func(t *v1alpha1.ThreadMap) { t.Use = "reserved" })
}

// pages gives each NUMA node memory of a resource, of which some is reserved on
// the first one.
func (m *machine) pages(resource string, total, reserved unit.Bytes) {
	for i := range m.NUMANodes {
		x := v1alpha1.NUMAMemory{Resource: resource, Total: int64(total)}
		if i == 0 {
			x.Reserved = int64(reserved)
		}
		m.NUMANodes[i].Memory = append(m.NUMANodes[i].Memory, x)
	}
}

func (m *machine) device(numa int, resource string, ids ...string) {
	for _, id := range ids {
		m.NUMANodes[numa].Devices = append(m.NUMANodes[numa].Devices, v1alpha1.DeviceMap{Resource: resource, ID: id})
	}
}

// own makes a container the owner of CPUs and of what take adds.
func (m *machine) own(pod, container, cpus string, affinity []int, take ...func(o *v1alpha1.Owner, index int)) {
	m.Owners = append(m.Owners, v1alpha1.Owner{Pod: pod, Container: container, QOSClass: "Guaranteed", CPUs: cpusOf(cpus), Affinity: affinity})
	index := len(m.Owners)
	o := &m.Owners[index-1]
	m.thread(o.CPUs, func(t *v1alpha1.ThreadMap) { t.Use, t.Owner = "exclusive", index })
	for _, f := range take {
		f(o, index)
	}
}

// memory is so much of a resource on one NUMA node.
func (m *machine) memory(resource string, numa int, size unit.Bytes) func(*v1alpha1.Owner, int) {
	return func(o *v1alpha1.Owner, index int) {
		o.Memory = append(o.Memory, fmt.Sprintf("%s %s on %d", resource, size, numa))
		for i := range m.NUMANodes[numa].Memory {
			if x := &m.NUMANodes[numa].Memory[i]; x.Resource == resource {
				x.Used = append(x.Used, v1alpha1.OwnedMemory{Owner: index, Size: int64(size)})
			}
		}
	}
}

// takes are devices of one resource.
func (m *machine) takes(resource string, ids ...string) func(*v1alpha1.Owner, int) {
	return func(o *v1alpha1.Owner, index int) {
		if o.Devices == nil {
			o.Devices = map[string][]string{}
		}
		o.Devices[resource] = append(o.Devices[resource], ids...)
		for _, id := range ids {
			for i := range m.NUMANodes {
				for d := range m.NUMANodes[i].Devices {
					if x := &m.NUMANodes[i].Devices[d]; x.ID == id {
						x.Owner = index
					}
				}
			}
		}
	}
}

func cpusOf(text string) unit.CPUSet {
	s, err := unit.ParseCPUSet(text)
	if err != nil {
		panic("sample: " + err.Error())
	}
	return s
}
