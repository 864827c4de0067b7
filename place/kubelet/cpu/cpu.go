// Package cpu decides as the kubelet's CPU manager does: which CPUs a container
// gets for itself, which stay in the shared pool, and on which NUMA nodes a
// request could be met. It follows Kubernetes 1.36, policies none and static with
// all options, its mistakes included: a placement is only worth something if it
// is the one that the node will make.
//
// It merges no hints, looks at no memory and knows no QoS class; the package
// above it does. A Manager is one node's, and for one goroutine at a time.
//
//	machine, _ := topo.Parse("2 sockets x 1 numa x 8 cores x 2 threads")
//	m, err := cpu.New(&machine, cpu.Config{Policy: cpu.Static, Reserved: 2000})
//	pod := cpu.Pod{UID: "a", Containers: []cpu.Container{{CPUs: 4}}}
//	hints := m.Hints(&pod, 0)       // either node, preferred; or both
//	err = m.Allocate(&pod, 0, 0b01) // from the first node, as far as it goes
//	pod.Container(0)                // 1-2,17-18; 0 and 16 are reserved
package cpu

import "plimsoll.dev/unit"

// The policies of cpuManagerPolicy.
const (
	None   = "none"
	Static = "static"
)

// Config is what decides about a node's CPU manager. Names and values are those of
// the KubeletConfiguration.
type Config struct {
	// Policy is none (also "") or static.
	Policy string
	// Options such as full-pcpus-only: "true" (cpuManagerPolicyOptions).
	Options map[string]string
	// Gates are the feature gates that differ from the defaults of 1.36.
	Gates map[string]bool
	// TopologyPolicy is the topology manager's policy; with single-numa-node the
	// option align-by-socket is refused.
	TopologyPolicy string
	// Reserved is kube-reserved plus system-reserved CPU. The static policy takes
	// it rounded up to whole CPUs, which it chooses as it does for a container.
	Reserved unit.CPU
	// ReservedCPUs are reserved instead, when there are any (reservedSystemCPUs).
	ReservedCPUs unit.CPUSet
}

// Kind is the sort of container, as far as its life matters for its CPUs.
type Kind uint8

const (
	// App containers run side by side.
	App Kind = iota
	// Init containers run one after the other, before the app containers.
	Init
	// Sidecar is an init container that keeps running (restartPolicy: Always).
	Sidecar
)

// Container of a pod.
type Container struct {
	// Kind of the container; the zero value is App.
	Kind Kind
	// CPUs that it is to have for itself, as Exclusive says; 0: it runs in the shared pool.
	CPUs int
}

// Pod as the CPU manager sees it.
type Pod struct {
	// UID tells pods apart.
	UID string
	// Containers in the order of admission: Init and Sidecar ones as the pod lists
	// them, then App ones. A container is known by its index here.
	Containers []Container
	// Level says that the pod has resources of its own (pod.spec.resources). The CPU
	// manager leaves such pods alone unless the feature gates PodLevelResources and
	// PodLevelResourceManagers (alpha in 1.36: off) are on.
	Level bool
	// CPUs is what the pod as a whole asks for, as Exclusive says; only with Level.
	CPUs int

	held []holding
	// whole is the set of a pod with resources of its own, of which held are shares.
	whole    unit.CPUSet
	hasWhole bool
}

// holding is the CPUs of the container with this index.
type holding struct {
	container int
	cpus      unit.CPUSet
}

// Reset makes it another pod of containers that holds nothing yet, without
// resources of its own.
func (p *Pod) Reset(uid string, containers []Container) {
	p.UID, p.Containers, p.Level, p.CPUs = uid, containers, false, 0
	p.held, p.hasWhole = p.held[:0], false
}

// Container is the CPUs that a container was given; false when it has none and
// runs in the shared pool. In a pod that was allocated as a whole its containers
// without CPUs of their own have the pod's shared ones.
func (p *Pod) Container(container int) (unit.CPUSet, bool) {
	if own := p.find(container); own != nil {
		return *own, true
	}
	return unit.CPUSet{}, false
}

// find is the set of a container; nil when it has none.
func (p *Pod) find(container int) *unit.CPUSet {
	for i := range p.held {
		if p.held[i].container == container {
			return &p.held[i].cpus
		}
	}
	return nil
}

// hold notes the CPUs of a container.
func (p *Pod) hold(container int, cpus *unit.CPUSet) {
	if old := p.find(container); old != nil {
		*old = *cpus
		return
	}
	p.held = append(p.held, holding{container, *cpus})
}

// Exclusive is the number of CPUs that a request gets for itself: all of it when
// the pod is Guaranteed and the request is whole CPUs, else none. In a pod with
// resources of its own, "guaranteed" must hold for the container, too: requests
// equal to limits for CPU and memory. (staticPolicy.guaranteedCPUs)
func Exclusive(guaranteed bool, request unit.CPU) int {
	if !guaranteed || request%1000 != 0 {
		return 0
	}
	return int(request / 1000)
}
