package kubelet

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/podres"
)

// capacity is Node Allocatable: what the predicates count against.
type capacity struct {
	milliCPU, memory int64
	// storage is -1 when it is not known.
	storage int64
	pods    int64
	// scalars are huge pages and devices, by name.
	scalars []scalar
}

// scalar is an amount of a resource that is neither CPU, memory nor storage.
type scalar struct {
	name   string
	amount int64
	// at is its index in the node's capacity; -1 when the node does not have it.
	at int
}

// podsResource is the name under which the number of pods is counted.
const podsResource = "pods"

// measure works out Node Allocatable: the machine less kube-reserved,
// system-reserved and hard eviction, never below 0; memory also less all huge
// pages (pkg/kubelet/nodestatus/setters.go; OCP 6.1). Unhealthy devices do not count.
func (s *setup) measure(devices *device.Manager) capacity {
	c := capacity{
		milliCPU: max(0, 1000*int64(len(s.machine.CPUs))-int64(s.config.reservedCPU())),
		storage:  -1,
		pods:     int64(s.config.MaxPods),
	}
	if perCore := s.config.PodsPerCore; perCore > 0 {
		c.pods = min(c.pods, int64(perCore*len(s.machine.CPUs)))
	}
	if total := s.config.EphemeralStorage; total > 0 {
		c.storage = max(0, int64(total-s.config.SystemReserved.EphemeralStorage-s.config.KubeReserved.EphemeralStorage))
	}
	amounts := map[string]int64{}
	pages := int64(0)
	for i := range s.machine.Nodes {
		c.memory += int64(s.machine.Nodes[i].Memory)
		for size, amount := range s.machine.Nodes[i].HugePages {
			amounts[podres.HugePages+size] += int64(amount)
			pages += int64(amount)
		}
	}
	c.memory = max(0, max(0, c.memory-int64(s.config.reservedMemory()))-pages)
	for i, name := range devices.Resources() {
		amounts[name] = int64(devices.Healthy(i))
	}
	for i, name := range slices.Sorted(maps.Keys(amounts)) {
		c.scalars = append(c.scalars, scalar{name, amounts[name], i})
	}
	return c
}

// Allocatable is Node Allocatable by resource: cpu in millicores, memory,
// ephemeral-storage and hugepages-* in bytes, pods and devices in counts.
// Ephemeral storage is left out when the machine's is not known.
func (n *Node) Allocatable() map[string]int64 {
	c := &n.s.capacity
	out := map[string]int64{podres.CPU: c.milliCPU, podres.Memory: c.memory, podsResource: c.pods}
	if c.storage >= 0 {
		out[podres.EphemeralStorage] = c.storage
	}
	for _, s := range c.scalars {
		out[s.name] = s.amount
	}
	return out
}

// request is what a pod counts for in the predicates.
type request struct {
	milliCPU, memory int64
	// storage is 0 when the node's is not known.
	storage int64
	// scalars by name; extended resources that the node does not have are left out:
	// the kubelet takes them for the cluster's.
	scalars []scalar
}

// refusable reports whether a pod is refused for a resource that the node does not
// have: one that Kubernetes itself counts.
func refusable(name string) bool {
	const native = "kubernetes.io/"
	return strings.HasPrefix(name, podres.HugePages) || strings.HasPrefix(name, "attachable-volumes-") ||
		strings.Contains(name, native)
}

// used is the sum of the running pods' requests.
type used struct {
	milliCPU, memory, storage, pods int64
	scalars                         []int64
}

// add counts a pod in (sign 1) or out (-1).
func (u *used) add(c *Class, sign int64) {
	u.milliCPU += sign * c.request.milliCPU
	u.memory += sign * c.request.memory
	u.storage += sign * c.request.storage
	u.pods += sign
	for _, s := range c.request.scalars {
		if s.at >= 0 {
			u.scalars[s.at] += sign * s.amount
		}
	}
}
