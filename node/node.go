// Package node says what a machine leaves for pods: capacity less what is
// reserved for the system, the kubelet and eviction, less huge pages, less
// DaemonSets; and how many pods it may hold.
//
// It places nothing; package fit does.
//
//	room := node.Measure(&b, origin, node.Input{Type: nodeType})
//	room.CPU.Text // "3.5 cores" of a machine with 4
package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Room is what one node of a type leaves for the workload's pods.
type Room struct {
	Type v1alpha1.NodeType
	// Capacity of the machine.
	CPUCapacity, MemoryCapacity derive.Value
	// Allocatable is what the scheduler may give away (Node Allocatable).
	CPUAllocatable, MemoryAllocatable derive.Value
	// PodsAllocatable is the kubelet's limit of pods.
	PodsAllocatable derive.Value
	// CPU, Memory and Pods that are left when DaemonSets and the platform's own
	// pods have taken theirs.
	CPU, Memory, Pods derive.Value
	// HugePages pre-allocated on the node, in bytes by page size.
	HugePages map[string]unit.Bytes
	// Layers of the node below the workload, in bottom-up order.
	CPULayers, MemoryLayers, PodLayers []v1alpha1.Layer
}

// Input describes one node type and what runs on each of its nodes.
type Input struct {
	// Label tells apart figures of one type in two roles; empty is the type's name.
	Label string
	// Index of the type in hardware.nodeTypes, for the paths of its fields.
	Index int
	Type  v1alpha1.NodeType
	// Daemons are the DaemonSets that run on nodes of this type.
	Daemons []v1alpha1.PodType
	// SystemPods on each node, with provenance.
	SystemPods derive.Value
	// HugePages in place of the type's own, when the plan derives them.
	HugePages map[string]unit.Bytes
}

// PodLimit is the number of pods that a kubelet admits: the lower of maxPods and
// podsPerCore times the cores; podsPerCore 0 switches the second off (OCP 2.1).
func PodLimit(cpus, podsPerCore, maxPods int) int {
	if podsPerCore > 0 {
		return min(podsPerCore*cpus, maxPods)
	}
	return maxPods
}

// Measure records the figures of one node type and returns the room it leaves.
func Measure(b *derive.Book, o *part.Origin, in Input) Room {
	m := measure{b: b, o: o, in: in, t: in.Type, name: cmp.Or(in.Label, in.Type.Name),
		path: fmt.Sprintf("hardware.nodeTypes[%d]", in.Index)}
	room := Room{Type: in.Type, HugePages: in.Type.HugePages}
	if in.HugePages != nil {
		room.HugePages = in.HugePages
	}
	m.pods(&room)
	m.cpu(&room)
	m.memory(&room)
	return room
}

type measure struct {
	b    *derive.Book
	o    *part.Origin
	in   Input
	t    v1alpha1.NodeType
	name string
	path string
}

func (m *measure) field(name string, number float64, unitName string) derive.Value {
	return m.o.Value(m.path+"."+name, number, unitName)
}

// unset is a field that the scenario does not have.
func (m *measure) unset(name string, unitName string) derive.Value {
	return derive.Default(m.path+"."+name, 0, unitName)
}

// reserved is an amount that is kept back on the node.
func (m *measure) reserved(name string, r *v1alpha1.Reserved) (cpu, memory derive.Value) {
	if r == nil {
		return m.unset(name+".cpu", unit.Millicores), m.unset(name+".memory", unit.ByteUnit)
	}
	return m.field(name+".cpu", float64(r.CPU), unit.Millicores), m.field(name+".memory", float64(r.Memory), unit.ByteUnit)
}

func (m *measure) id(name string) string { return "node." + name + "[" + m.name + "]" }

func layer(name string, v derive.Value) v1alpha1.Layer { return v1alpha1.Layer{Name: name, Value: v} }

func (m *measure) pods(room *Room) {
	perCore := 0
	if m.t.PodsPerCore != nil {
		perCore = *m.t.PodsPerCore
	}
	limit := PodLimit(m.t.CPUs, perCore, m.t.MaxPods)
	id := m.id("pods")
	room.PodsAllocatable = m.b.Found(id, "Pods that the kubelet admits on each "+m.name, float64(limit), "pods",
		"min(maxPods, if(gt(podsPerCore, 0), podsPerCore * cpus, maxPods))",
		derive.In("maxPods", m.field("maxPods", float64(m.t.MaxPods), "pods")),
		derive.In("podsPerCore", m.field("podsPerCore", float64(perCore), "pods")),
		derive.In("cpus", m.field("cpus", float64(m.t.CPUs), "CPUs")))
	m.b.Note(id, "", derive.Source{Code: "OCP", Section: "2.1"})
	system := m.in.SystemPods
	daemons := derive.Of(float64(len(m.in.Daemons)), "pods")
	room.Pods = m.b.Calc(m.id("room.pods"), "Places for the workload's pods on each "+m.name, "pods",
		"max(0, admitted - systemPods - daemonSets)",
		derive.In("admitted", room.PodsAllocatable), derive.In("systemPods", system), derive.In("daemonSets", daemons))
	room.PodLayers = []v1alpha1.Layer{layer("system", system), layer("daemonsets", daemons)}
}

func (m *measure) cpu(room *Room) {
	capacity := m.field("cpus", float64(m.t.CPUs)*1000, unit.Millicores)
	system, _ := m.reserved("systemReserved", m.t.SystemReserved)
	kubelet, _ := m.reserved("kubeReserved", m.t.KubeReserved)
	room.CPUCapacity = capacity
	room.CPUAllocatable = m.b.Calc(m.id("allocatable.cpu"), "CPU that each "+m.name+" can give to pods", unit.Millicores,
		"max(0, capacity - systemReserved - kubeReserved)",
		derive.In("capacity", capacity), derive.In("systemReserved", system), derive.In("kubeReserved", kubelet))
	m.b.Note(m.id("allocatable.cpu"), "", derive.Source{Code: "OCP", Section: "2.3"},
		derive.Source{Code: "OCP", Section: "6.1"})
	daemons := m.daemons("cpu", "CPU", unit.Millicores, func(p v1alpha1.PodType) float64 { return float64(p.CPU) })
	room.CPU = m.b.Calc(m.id("room.cpu"), "CPU for the workload on each "+m.name, unit.Millicores,
		"max(0, allocatable - daemonSets)", derive.In("allocatable", room.CPUAllocatable), derive.In("daemonSets", daemons))
	room.CPULayers = []v1alpha1.Layer{layer("system", system), layer("kubelet", kubelet), layer("daemonsets", daemons)}
}

func (m *measure) memory(room *Room) {
	eviction := unit.Bytes(0)
	if m.t.EvictionHard != nil {
		eviction = *m.t.EvictionHard
	}
	capacity := m.field("memory", float64(m.t.Memory), unit.ByteUnit)
	_, system := m.reserved("systemReserved", m.t.SystemReserved)
	_, kubelet := m.reserved("kubeReserved", m.t.KubeReserved)
	evict := m.field("evictionHard", float64(eviction), unit.ByteUnit)
	pages := m.pages(room)
	room.MemoryCapacity = capacity
	room.MemoryAllocatable = m.b.Calc(m.id("allocatable.memory"), "Memory that each "+m.name+" can give to pods",
		unit.ByteUnit, "max(0, capacity - systemReserved - kubeReserved - evictionHard - hugePages)",
		derive.In("capacity", capacity), derive.In("systemReserved", system), derive.In("kubeReserved", kubelet),
		derive.In("evictionHard", evict), derive.In("hugePages", pages))
	m.b.Note(m.id("allocatable.memory"), "", derive.Source{Code: "OCP", Section: "6.1"})
	daemons := m.daemons("memory", "Memory", unit.ByteUnit, func(p v1alpha1.PodType) float64 { return float64(p.Memory) })
	room.Memory = m.b.Calc(m.id("room.memory"), "Memory for the workload on each "+m.name, unit.ByteUnit,
		"max(0, allocatable - daemonSets)", derive.In("allocatable", room.MemoryAllocatable),
		derive.In("daemonSets", daemons))
	room.MemoryLayers = []v1alpha1.Layer{layer("system", system), layer("kubelet", kubelet), layer("eviction", evict),
		layer("hugepages", pages), layer("daemonsets", daemons)}
}

// pages is the memory that huge pages take out of a node.
func (m *measure) pages(room *Room) derive.Value {
	total := unit.Bytes(0)
	for _, size := range slices.Sorted(maps.Keys(room.HugePages)) {
		total += room.HugePages[size]
	}
	if room.HugePages == nil {
		return m.unset("hugePages", unit.ByteUnit)
	}
	if m.in.HugePages == nil {
		return m.field("hugePages", float64(total), unit.ByteUnit)
	}
	return m.b.Record(derive.Figure{ID: m.id("hugePages"), Title: "Huge pages pre-allocated on each " + m.name,
		Value:   derive.Of(float64(total), unit.ByteUnit),
		Method:  "the most that the packing puts on any node, by page size, on each NUMA node as much",
		Sources: []derive.Source{{Code: "OCP", Section: "13.2"}}})
}

// daemons sums what the DaemonSets of a node request.
func (m *measure) daemons(id, title, unitName string, of func(v1alpha1.PodType) float64) derive.Value {
	if len(m.in.Daemons) == 0 {
		return derive.Of(0, unitName)
	}
	t := derive.Terms{Texts: []string{"0"}}
	for i, p := range m.in.Daemons {
		t.Product(derive.In(fmt.Sprintf("d%d", i+1), PodValue(p, id, of(p), unitName)))
	}
	return m.b.Calc(m.id("daemons."+id), title+" of the DaemonSets on each "+m.name, unitName, t.Sum(), t.In...)
}

// PodValue is a field of a pod type with its provenance: the file it was read
// from, or the scenario.
func PodValue(p v1alpha1.PodType, field string, number float64, unitName string) derive.Value {
	if p.Origin != "" {
		return derive.FromPlace(p.Origin, number, unitName)
	}
	return derive.Given("workload.podTypes["+p.Name+"]."+field, number, unitName)
}
