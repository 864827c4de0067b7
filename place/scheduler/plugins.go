// Package scheduler decides as kube-scheduler does: which node each pod is bound to,
// one after the other, exactly, with the release's own rules for scores, sampling
// and ties; and why a pod fits nowhere. It is a simulation without clock, queue
// and API: parallelism 1, no batching, every pod tried once.
//
// What a kubelet then does with the pod is package kubelet's matter.
//
//	s, err := scheduler.New(scheduler.Profile{Release: "1.36"}, nodes)
//	c, err := s.Class(podClass) // once for each kind of pod
//	d := s.Schedule(c)          // d.Node is an index, -1 when it fits nowhere
package scheduler

import "plimsoll.dev/api/v1alpha1"

// Resources of a node or a pod. CPU is in millicores, memory and storage in
// bytes, everything else in counts (hugepages-* in bytes).
type Resources struct {
	CPU              int64 `json:"cpu,omitempty"`
	Memory           int64 `json:"memory,omitempty"`
	EphemeralStorage int64 `json:"ephemeralStorage,omitempty"`
	// Pods that a node admits; of a pod it is always 1 and not written.
	Pods int64 `json:"pods,omitempty"`
	// Scalar are hugepages-* and extended resources by name.
	Scalar map[string]int64 `json:"scalar,omitempty"`
}

// Node is a node as the scheduler sees it.
type Node struct {
	Name          string            `json:"name"`
	Labels        map[string]string `json:"labels,omitempty"`
	Taints        []v1alpha1.Taint  `json:"taints,omitempty"`
	Unschedulable bool              `json:"unschedulable,omitempty"`
	// Images on the node, with their sizes in bytes, by each of their names.
	Images      map[string]int64 `json:"images,omitempty"`
	Allocatable Resources        `json:"allocatable"`
}

// PodClass is what a number of equal pods have in common.
type PodClass struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace,omitempty"` // default when empty
	Labels    map[string]string `json:"labels,omitempty"`
	// Request is what the filters count (init containers, sidecars, overhead and pod-level resources included).
	Request Resources `json:"request"`
	// NonZeroCPU (millicores) and NonZeroMemory (bytes) are what LeastAllocated and MostAllocated count:
	// a container without a request counts as 100m and 200 MiB.
	NonZeroCPU    int64 `json:"nonZeroCPU"`
	NonZeroMemory int64 `json:"nonZeroMemory"`
	// Incoming is what NodeResourcesFit's score counts of the pod that is to be placed, where that is not what it
	// counts of pods that run: resources of the pod as a whole are left out of it (noderesources/fit.go builds the
	// scorer without enablePodLevelResources).
	Incoming *Resources `json:"incoming,omitempty"`

	NodeSelector              map[string]string                   `json:"nodeSelector,omitempty"`
	Affinity                  *v1alpha1.Affinity                  `json:"affinity,omitempty"`
	Tolerations               []v1alpha1.Toleration               `json:"tolerations,omitempty"`
	TopologySpreadConstraints []v1alpha1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	HostPorts                 []v1alpha1.HostPort                 `json:"hostPorts,omitempty"`
	// DefaultSpread selects the pods of the Services and of the controller that the pods belong to. Pods without
	// constraints of their own are then spread softly over nodes and zones, by the scheduler's default; without it
	// they belong to none and are not.
	DefaultSpread *v1alpha1.LabelSelector `json:"defaultSpread,omitempty"`
	// Images of the containers, one each, and of image volumes, with their tags.
	Images       []string `json:"images,omitempty"`
	ImageVolumes []string `json:"imageVolumes,omitempty"`
	// Volumes are what the pods' claims mean; nil when they keep them from no node.
	Volumes *v1alpha1.PodVolumes `json:"volumes,omitempty"`
	// Terminating pods hold what they have, and don't count for topology spread.
	Terminating bool  `json:"terminating,omitempty"`
	Priority    int32 `json:"priority,omitempty"`
	// PreemptionPolicy is PreemptLowerPriority (default) or Never.
	PreemptionPolicy string `json:"preemptionPolicy,omitempty"`
	// NodeName binds the pods without asking the scheduler.
	NodeName string `json:"nodeName,omitempty"`
}

// Profile is the scheduler's configuration, with Kubernetes' names and values.
type Profile struct {
	// Release decides the rules: 1.36 and later; 1.35; 1.34 and earlier.
	Release string `json:"release"`
	// ScoringStrategy of NodeResourcesFit: LeastAllocated (default), MostAllocated or RequestedToCapacityRatio.
	ScoringStrategy string `json:"scoringStrategy,omitempty"`
	// Resources that the strategy weighs; cpu 1 and memory 1 when empty.
	Resources []v1alpha1.ResourceWeight `json:"resources,omitempty"`
	// Shape of RequestedToCapacityRatio: utilization 0 to 100 to score 0 to 10.
	Shape []v1alpha1.ShapePoint `json:"shape,omitempty"`
	// PercentageOfNodesToScore is 1 to 100; 0 is the adaptive default.
	PercentageOfNodesToScore int `json:"percentageOfNodesToScore,omitempty"`
	// Weights replaces plug-in weights by name, such as NodeResourcesBalancedAllocation: 0.
	Weights map[string]int64 `json:"weights,omitempty"`
	// Seed of the random ties of releases up to 1.34.
	Seed uint64 `json:"seed,omitempty"`
	// Namespaces have the labels that namespaceSelector asks for.
	Namespaces map[string]map[string]string `json:"namespaces,omitempty"`
}

// Decision is where one pod went.
type Decision struct {
	// Node is the index of the node, -1 when the pod fits nowhere.
	Node int
}

// The reasons of the filters, word for word as kube-scheduler counts them in
// "0/3 nodes are available: 3 Insufficient cpu.". Insufficient resources are
// "Insufficient " and the resource's name.
const (
	TooManyPods         = "Too many pods"
	NodeUnschedulable   = "node(s) were unschedulable"
	NodeAffinityReason  = "node(s) didn't match Pod's node affinity/selector"
	NodePortsReason     = "node(s) didn't have free ports for the requested pod ports"
	SpreadReason        = "node(s) didn't match pod topology spread constraints"
	SpreadLabelReason   = "node(s) didn't match pod topology spread constraints (missing required label)"
	AffinityReason      = "node(s) didn't match pod affinity rules"
	AntiAffinityReason  = "node(s) didn't match pod anti-affinity rules"
	ExistingAntiReason  = "node(s) didn't satisfy existing pods anti-affinity rules"
	UntoleratedTaintFmt = "node(s) had untolerated taint(s)"
)

// Reason is why nodes were ruled out, and how many of them.
type Reason struct {
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}
