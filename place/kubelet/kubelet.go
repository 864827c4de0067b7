// Package kubelet decides as the kubelet of one node does: which pod it admits,
// and which CPUs, memory, huge pages and devices each container gets. It follows
// the rules of Kubernetes 1.36; nothing else is running, no clock, no files.
//
// It chooses no node: package kube does.
//
//	n, err := kubelet.New(machine, kubelet.Config{CPUManagerPolicy: "static", …})
//	v := n.Admit(&pod)
//	v.Admitted, v.Reason // false, "TopologyAffinityError"
package kubelet

import (
	"cmp"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// Config is the part of KubeletConfiguration that decides about admission and
// allocation. Field names, values and defaults are Kubernetes' own.
type Config struct {
	// CPUManagerPolicy is none (default) or static.
	CPUManagerPolicy string `json:"cpuManagerPolicy,omitempty"`
	// CPUManagerPolicyOptions such as full-pcpus-only: "true".
	CPUManagerPolicyOptions map[string]string `json:"cpuManagerPolicyOptions,omitempty"`
	// ReservedSystemCPUs are kept for the system; they replace the CPU part of both reservations.
	ReservedSystemCPUs unit.CPUSet `json:"reservedSystemCPUs,omitzero"`
	// MemoryManagerPolicy is None (default) or Static.
	MemoryManagerPolicy string `json:"memoryManagerPolicy,omitempty"`
	// ReservedMemory per NUMA node, for the Static memory manager.
	ReservedMemory []ReservedMemory `json:"reservedMemory,omitempty"`
	// TopologyManagerPolicy is none (default), best-effort, restricted or single-numa-node.
	TopologyManagerPolicy string `json:"topologyManagerPolicy,omitempty"`
	// TopologyManagerScope is container (default) or pod.
	TopologyManagerScope string `json:"topologyManagerScope,omitempty"`
	// TopologyManagerPolicyOptions such as prefer-closest-numa-nodes: "true".
	TopologyManagerPolicyOptions map[string]string `json:"topologyManagerPolicyOptions,omitempty"`
	// SystemReserved and KubeReserved are subtracted from the machine (Node Allocatable).
	SystemReserved, KubeReserved Amounts
	// EvictionHard is the memory below which pods are evicted; it is not allocatable.
	EvictionHard unit.Bytes `json:"evictionHard,omitempty"`
	// MaxPods is the most pods on the node; 0 is 110.
	MaxPods int `json:"maxPods,omitempty"`
	// PodsPerCore times the cores bounds the pods, too; 0 switches it off.
	PodsPerCore int `json:"podsPerCore,omitempty"`
	// EphemeralStorage that the machine has; 0 is not known, and then it is not counted.
	EphemeralStorage unit.Bytes `json:"ephemeralStorage,omitempty"`
	// FeatureGates that differ from the release's defaults, such as CPUManagerPolicyAlphaOptions.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
}

// withDefaults fills in the kubelet's defaults.
func (c Config) withDefaults() Config {
	c.CPUManagerPolicy = cmp.Or(c.CPUManagerPolicy, cpu.None)
	c.MemoryManagerPolicy = cmp.Or(c.MemoryManagerPolicy, memoryNone)
	c.TopologyManagerPolicy = cmp.Or(c.TopologyManagerPolicy, topologyNone)
	c.TopologyManagerScope = cmp.Or(c.TopologyManagerScope, scopeContainer)
	c.MaxPods = cmp.Or(c.MaxPods, defaultMaxPods)
	c.FeatureGates = c.gates()
	return c
}

// Values of the configuration.
const (
	memoryNone      = "None"
	memoryStatic    = "Static"
	topologyNone    = "none"
	bestEffort      = "best-effort"
	restricted      = "restricted"
	singleNUMANode  = "single-numa-node"
	scopeContainer  = "container"
	scopePod        = "pod"
	preferClosest   = "prefer-closest-numa-nodes"
	maxAllowable    = "max-allowable-numa-nodes"
	defaultMaxPods  = 110
	defaultMaxNodes = 8
)

// Amounts of CPU, memory and ephemeral storage.
type Amounts struct {
	CPU              unit.CPU   `json:"cpu,omitempty"`
	Memory           unit.Bytes `json:"memory,omitempty"`
	EphemeralStorage unit.Bytes `json:"ephemeralStorage,omitempty"`
}

// ReservedMemory is what is kept back on one NUMA node.
type ReservedMemory struct {
	// Node is the NUMA node's id.
	Node int `json:"numaNode"`
	// Limits by resource: memory, hugepages-2Mi, hugepages-1Gi.
	Limits map[string]unit.Bytes `json:"limits"`
}

// Pod is a pod that the kubelet is asked to run, and Container one of its
// containers; package podres has their quality-of-service class and their sums.
type (
	Pod       = podres.Pod
	Container = podres.Container
)

// The reasons with which a kubelet refuses a pod; the words stand in the pod's
// status.reason. Resources that are used up are "OutOf" and the resource's name.
const (
	TopologyAffinityError    = "TopologyAffinityError"
	SMTAlignmentError        = "SMTAlignmentError"
	UnexpectedAdmissionError = "UnexpectedAdmissionError"
	OutOfMemory              = "OutOfmemory"
	OutOfPods                = "OutOfpods"
	// Hangs is our own: this kubelet never comes back, holding its lock.
	Hangs = "KubeletHangs"
)

// Verdict is the answer to one pod.
type Verdict struct {
	// Admitted reports whether the pod runs.
	Admitted bool
	// QOS is Guaranteed, Burstable or BestEffort.
	QOS string
	// Reason is the pod's status.reason when it is refused.
	Reason string `json:",omitempty"`
	// Message is the pod's status.message when it is refused.
	Message string `json:",omitempty"`
	// Containers are what each got, init containers first; up to the refusal. Not to be
	// changed. AdmitClass leaves it out.
	Containers []Allocation `json:",omitempty"`
	// Preempted are the UIDs of the pods that are killed to make room for a critical pod, in that order.
	Preempted []string `json:",omitempty"`
	// Slow says that the real kubelet takes minutes for this pod, and why; it is decided all the same.
	Slow string `json:",omitempty"`
}

// Allocation is what one container got.
type Allocation struct {
	Container string
	// CPUs that are the container's own; empty when it runs in the shared pool.
	CPUs unit.CPUSet `json:",omitzero"`
	// Affinity is the NUMA nodes of the merged hint; nil when there is none.
	Affinity []int `json:",omitempty"`
	// Preferred is the merged hint's.
	Preferred bool `json:",omitempty"`
	// Memory blocks of the Static memory manager.
	Memory []MemoryBlock `json:",omitempty"`
	// Devices by resource, their ids sorted.
	Devices map[string][]string `json:",omitempty"`
}

// MemoryBlock is memory of one type from a set of NUMA nodes.
type MemoryBlock struct {
	// Nodes that the block may come from.
	Nodes []int
	// Type is memory or hugepages-*.
	Type string
	Size unit.Bytes
}
