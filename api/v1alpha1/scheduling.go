package v1alpha1

import "plimsoll.dev/unit"

// HostnameLabel is the well-known label with the name of a node.
const HostnameLabel = "kubernetes.io/hostname"

// Affinity constrains the nodes that pods may run on, as in a pod's spec.
type Affinity struct {
	// NodeAffinity compares labels of nodes.
	NodeAffinity *NodeAffinity `json:"nodeAffinity,omitempty"`
	// PodAffinity attracts pods to where matching pods run.
	PodAffinity *PodAffinity `json:"podAffinity,omitempty"`
	// PodAntiAffinity keeps pods away from where matching pods run.
	PodAntiAffinity *PodAffinity `json:"podAntiAffinity,omitempty"`
}

// NodeAffinity compares labels of nodes.
type NodeAffinity struct {
	// Required must hold when the pod is scheduled.
	Required *NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	// Preferred adds to a node's score.
	Preferred []PreferredSchedulingTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// NodeSelector is met when one of its terms is.
type NodeSelector struct {
	// NodeSelectorTerms of which one must match.
	NodeSelectorTerms []NodeSelectorTerm `json:"nodeSelectorTerms" check:"required"`
}

// NodeSelectorTerm is met when all its requirements are.
type NodeSelectorTerm struct {
	// MatchExpressions on the node's labels.
	MatchExpressions []Requirement `json:"matchExpressions,omitempty"`
	// MatchFields on the node's fields; metadata.name is the only one.
	MatchFields []Requirement `json:"matchFields,omitempty"`
}

// Requirement compares one label.
type Requirement struct {
	// Key of the label.
	Key string `json:"key" check:"required"`
	// Operator that compares. Gt and Lt are for nodes only.
	Operator string `json:"operator" check:"required,enum=In|NotIn|Exists|DoesNotExist|Gt|Lt"`
	// Values to compare with.
	Values []string `json:"values,omitempty"`
}

// PreferredSchedulingTerm adds its weight to nodes that match.
type PreferredSchedulingTerm struct {
	// Weight from 1 to 100.
	Weight int32 `json:"weight" check:"required,min=1,max=100"`
	// Preference that a node matches or not.
	Preference NodeSelectorTerm `json:"preference"`
}

// PodAffinity attracts or repels pods.
type PodAffinity struct {
	// Required must hold when the pod is scheduled.
	Required []PodAffinityTerm `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	// Preferred adds to, or takes from, a node's score.
	Preferred []WeightedPodAffinityTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// WeightedPodAffinityTerm is a term with a weight.
type WeightedPodAffinityTerm struct {
	// Weight from 1 to 100.
	Weight int32 `json:"weight" check:"required,min=1,max=100"`
	// PodAffinityTerm that counts matching pods.
	PodAffinityTerm PodAffinityTerm `json:"podAffinityTerm"`
}

// PodAffinityTerm selects pods, and the label that says where "the same place" is.
type PodAffinityTerm struct {
	// LabelSelector of the pods.
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// Namespaces of the pods; the pod's own when neither this nor namespaceSelector is given.
	Namespaces []string `json:"namespaces,omitempty"`
	// NamespaceSelector selects namespaces by label; an empty one selects all.
	NamespaceSelector *LabelSelector `json:"namespaceSelector,omitempty"`
	// TopologyKey is the node label whose value names the place.
	TopologyKey string `json:"topologyKey" check:"required"`
	// MatchLabelKeys are label keys whose values are taken from the incoming pod.
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty"`
	// MismatchLabelKeys are label keys whose values must differ from the incoming pod's.
	MismatchLabelKeys []string `json:"mismatchLabelKeys,omitempty"`
}

// LabelSelector selects by labels; an empty one selects everything.
type LabelSelector struct {
	// MatchLabels that must all be equal.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// MatchExpressions that must all hold.
	MatchExpressions []Requirement `json:"matchExpressions,omitempty"`
}

// TopologySpreadConstraint spreads matching pods over places.
type TopologySpreadConstraint struct {
	// MaxSkew is the difference allowed between a place and the emptiest one.
	MaxSkew int32 `json:"maxSkew" check:"required,min=1"`
	// TopologyKey is the node label whose value names the place.
	TopologyKey string `json:"topologyKey" check:"required"`
	// WhenUnsatisfiable refuses the pod or only lowers the score.
	WhenUnsatisfiable string `json:"whenUnsatisfiable,omitempty" default:"DoNotSchedule" check:"enum=DoNotSchedule|ScheduleAnyway"`
	// LabelSelector of the pods that count.
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// MinDomains is the number of places below which the emptiest counts as empty.
	MinDomains *int32 `json:"minDomains,omitempty" check:"min=1"`
	// NodeAffinityPolicy says whether nodes that the pod can't use count: Honor leaves them out.
	NodeAffinityPolicy string `json:"nodeAffinityPolicy,omitempty" default:"Honor" check:"enum=Honor|Ignore"`
	// NodeTaintsPolicy says whether nodes whose taints the pod doesn't tolerate are left out.
	NodeTaintsPolicy string `json:"nodeTaintsPolicy,omitempty" default:"Ignore" check:"enum=Honor|Ignore"`
	// MatchLabelKeys are label keys whose values are taken from the incoming pod.
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty"`
}

// HostPort is a port that a pod takes on its node.
type HostPort struct {
	// Port on the node.
	Port int32 `json:"port" check:"required,min=1,max=65535"`
	// Protocol of the port.
	Protocol string `json:"protocol,omitempty" default:"TCP" check:"enum=TCP|UDP|SCTP"`
	// HostIP that the port is taken on; empty is all addresses.
	HostIP string `json:"hostIP,omitempty"`
}

// ContainerSpec is one container of a pod type, where the pod's totals do not
// say enough: CPU Manager and Topology Manager decide for each container.
type ContainerSpec struct {
	// Name of the container.
	Name string `json:"name" check:"required"`
	// CPU that the container requests; its limit when not given.
	CPU *unit.CPU `json:"cpu,omitempty"`
	// Memory that the container requests; its limit when not given.
	Memory *unit.Bytes `json:"memory,omitempty"`
	// CPULimit of the container.
	CPULimit *unit.CPU `json:"cpuLimit,omitempty"`
	// MemoryLimit of the container.
	MemoryLimit *unit.Bytes `json:"memoryLimit,omitempty"`
	// EphemeralStorage that the container requests.
	EphemeralStorage unit.Bytes `json:"ephemeralStorage,omitempty"`
	// HugePages of the container by page size, as memory; requests equal limits.
	HugePages map[string]unit.Bytes `json:"hugePages,omitempty" check:"hugepages"`
	// Devices of the container, by resource name; requests equal limits.
	Devices map[string]int64 `json:"devices,omitempty" check:"min=0,max=10000"`
	// RestartPolicy Always makes an init container a sidecar.
	RestartPolicy string `json:"restartPolicy,omitempty" check:"enum=Always"`
}

// Kubelet is the part of KubeletConfiguration that decides where on the machine
// containers run.
type Kubelet struct {
	// CPUManagerPolicy gives Guaranteed pods with whole CPUs cores of their own when static.
	CPUManagerPolicy string `json:"cpuManagerPolicy,omitempty" default:"none" check:"enum=none|static"`
	// CPUManagerPolicyOptions such as full-pcpus-only: "true".
	CPUManagerPolicyOptions map[string]string `json:"cpuManagerPolicyOptions,omitempty"`
	// ReservedSystemCPUs are kept for the system, as a list such as "0-1,28-29"; it replaces the CPU
	// part of systemReserved.
	ReservedSystemCPUs string `json:"reservedSystemCPUs,omitempty" check:"cpuset"`
	// MemoryManagerPolicy keeps the memory of Guaranteed pods on NUMA nodes when Static.
	MemoryManagerPolicy string `json:"memoryManagerPolicy,omitempty" default:"None" check:"enum=None|Static"`
	// ReservedMemory per NUMA node; without it the reservations are taken from the first node.
	ReservedMemory []ReservedMemory `json:"reservedMemory,omitempty"`
	// TopologyManagerPolicy lines CPUs, memory and devices up on NUMA nodes.
	TopologyManagerPolicy string `json:"topologyManagerPolicy,omitempty" default:"none" check:"enum=none|best-effort|restricted|single-numa-node"`
	// TopologyManagerScope is what is lined up: each container, or the pod.
	TopologyManagerScope string `json:"topologyManagerScope,omitempty" default:"container" check:"enum=container|pod"`
	// TopologyManagerPolicyOptions such as prefer-closest-numa-nodes: "true".
	TopologyManagerPolicyOptions map[string]string `json:"topologyManagerPolicyOptions,omitempty"`
	// FeatureGates that differ from the release's defaults.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
}

// ReservedMemory is what is kept back on one NUMA node.
type ReservedMemory struct {
	// NUMANode is the node's id.
	NUMANode int `json:"numaNode" check:"min=0,max=63"`
	// Limits by resource: memory, hugepages-2Mi, hugepages-1Gi.
	Limits map[string]unit.Bytes `json:"limits" check:"required"`
}

// Scheduling says how pods or VMs are placed, and in which order they arrive.
type Scheduling struct {
	// Release of Kubernetes whose scheduler decides, such as "1.36"; without it that of the platform.
	Release string `json:"release,omitempty" check:"kubernetes" platform:"openshift|kubernetes"`
	// ScoringStrategy of NodeResourcesFit.
	ScoringStrategy string `json:"scoringStrategy,omitempty" default:"LeastAllocated" check:"enum=LeastAllocated|MostAllocated|RequestedToCapacityRatio" platform:"openshift|kubernetes"`
	// Resources that the strategy weighs; cpu and memory alike without it.
	Resources []ResourceWeight `json:"resources,omitempty" platform:"openshift|kubernetes"`
	// Shape of RequestedToCapacityRatio.
	Shape []ShapePoint `json:"shape,omitempty" platform:"openshift|kubernetes"`
	// PercentageOfNodesToScore is how many of the nodes are looked at for each pod; 0 is the scheduler's own choice.
	PercentageOfNodesToScore int `json:"percentageOfNodesToScore,omitempty" check:"min=0,max=100" platform:"openshift|kubernetes"`
	// Rules by which VMs are placed: hcg-4.0 (the document), starlingx (the public fork's) or nova (today's).
	Rules string `json:"rules,omitempty" default:"hcg-4.0" check:"enum=hcg-4.0|starlingx|nova" platform:"helion"`
	// HostStrategy is how VMs are shared out over hosts: spread (Nova's default weighers) or pack (the
	// fullest host that fits first).
	HostStrategy string `json:"hostStrategy,omitempty" default:"spread" check:"enum=spread|pack" platform:"helion"`
	// NUMAStrategy is which NUMA node of a host a VM tries first: spread (the one with most room) or
	// pack (the one with least).
	NUMAStrategy string `json:"numaStrategy,omitempty" check:"enum=spread|pack" default:"spread" platform:"helion"`
	// Order in which pods or VMs arrive: type by type as they are written, shuffled, or the largest first.
	Order string `json:"order,omitempty" default:"runs" check:"enum=runs|shuffled|largestFirst"`
	// Seed of what is random: the shuffle, and ties up to release 1.34.
	Seed int `json:"seed,omitempty" check:"min=0,max=9007199254740991"`
}

// ResourceWeight is a resource's weight in a scoring strategy.
type ResourceWeight struct {
	// Name of the resource.
	Name string `json:"name" check:"required"`
	// Weight from 1 to 100.
	Weight int64 `json:"weight,omitempty" default:"1" check:"min=1,max=100"`
}

// ShapePoint of RequestedToCapacityRatio.
type ShapePoint struct {
	// Utilization in per cent.
	Utilization int `json:"utilization" check:"min=0,max=100"`
	// Score from 0 to 10.
	Score int `json:"score" check:"min=0,max=10"`
}
