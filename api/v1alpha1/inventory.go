package v1alpha1

// Inventory is what was found in manifests or in a snapshot of a cluster, in
// the scenario's own terms.
type Inventory struct {
	// PodTypes are groups of equal pods; Origin says where each was read. Those that are held come last.
	PodTypes []PodType `json:"podTypes,omitempty"`
	// NodeTypes are groups of equal nodes, with their counts.
	NodeTypes []NodeType `json:"nodeTypes,omitempty"`
	// Nodes are the single nodes of a snapshot, in its order.
	Nodes []Node `json:"nodes,omitempty"`
	// Bound are the pods that already run, by pod type and node.
	Bound []Bound `json:"bound,omitempty"`
	// Queue are the pods that wait, in the order in which the scheduler takes them: by priority, then by age.
	Queue []Queued `json:"queue,omitempty"`
	// Budgets are the PodDisruptionBudgets that guard any of the pod types.
	Budgets []DisruptionBudget `json:"budgets,omitempty"`
	// Namespaces have the labels that namespace selectors ask for.
	Namespaces map[string]map[string]string `json:"namespaces,omitempty"`
	// Kubernetes is the release of the oldest kubelet, as "1.27"; empty where no node states one.
	Kubernetes string `json:"kubernetes,omitempty"`
	// OpenShift is the release that the cluster version states, as "4.14.9"; empty where none does.
	OpenShift string `json:"openshift,omitempty"`
	// Pools are the machine config pools.
	Pools []MachinePool `json:"pools,omitempty"`
	// Network is what the cluster's own Network object says of type, pods' and services' addresses.
	Network *Network `json:"network,omitempty"`
	// Provider below the nodes, as in platform.provider; empty where they name none, or several.
	Provider string `json:"provider,omitempty"`
	// Zones in which the nodes stand that carry workload.
	Zones int `json:"zones,omitempty"`
	// Objects are the numbers of objects, the largest namespace's included.
	Objects Objects `json:"objects,omitzero"`
	// Skipped is what could not be understood or does not count.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Assumptions are what the reader decided, to be told beside the verdict.
	Assumptions []Assumption `json:"assumptions,omitempty"`
}

// What is assumed of the workload as it was read.
const (
	Autoscaled = "autoscaled replicas"
	Cordoned   = "cordoned nodes"
	// MachineFiles are topologyFiles that leave something out.
	MachineFiles = "machine files"
	// NotOpenShift is why a cluster is taken for one of Kubernetes.
	NotOpenShift = "the snapshot has nothing of OpenShift (--platform names another)"
	// AsSnapshot is why a value is taken that a snapshot gave.
	AsSnapshot = "as the snapshot has it"
	// What is assumed of them.
	AutoscaledValue   = "the most that autoscalers allow"
	AutoscaledRunning = "as many as run"
	CordonedValue     = "in service, without new pods"
	MachineFilesValue = "completed where they are silent"
)

// MachinePool is a machine config pool of a cluster that runs.
type MachinePool struct {
	// Name of the pool.
	Name string `json:"name"`
	// MaxUnavailable is how many of its nodes are updated at once, as "5" or "10%".
	MaxUnavailable string `json:"maxUnavailable"`
}

// Node is one node of a snapshot, as the scheduler sees it.
type Node struct {
	// Name of the node.
	Name string `json:"name"`
	// Type is the name of the node type that it was grouped under.
	Type string `json:"type"`
	// Labels of the node.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints of the node, with those that come and go with its condition.
	Taints []Taint `json:"taints,omitempty"`
	// Addresses of the node within the cluster (status.addresses of type InternalIP).
	Addresses []string `json:"addresses,omitempty"`
	// Kubelet are the policies of the KubeletConfig of the node's pool, as it sets them; nil without one.
	Kubelet *Kubelet `json:"kubelet,omitempty"`
	// Unschedulable is set on a cordoned node.
	Unschedulable bool `json:"unschedulable,omitempty"`
	// Images on the node, with their sizes in bytes, by each of their names.
	Images map[string]int64 `json:"images,omitempty"`
	// VolumeLimits are the most volumes that can be attached, by CSI driver.
	VolumeLimits map[string]int64 `json:"volumeLimits,omitempty"`
	// Allocatable by resource: cpu in millicores, memory and storage in bytes, counts else.
	Allocatable map[string]int64 `json:"allocatable"`
}

// Queued is a pod that waits for a node.
type Queued struct {
	// PodType is the index of the pod type in the inventory's podTypes.
	PodType int `json:"podType"`
	// Node is the index in the inventory's nodes of the only one that it may run on, as the controller of a
	// DaemonSet names it; -1 for any.
	Node int `json:"node"`
}

// Bound is a number of equal pods on one node.
type Bound struct {
	// PodType is the index of the pod type in the inventory's podTypes.
	PodType int `json:"podType"`
	// Node is the index in the inventory's nodes.
	Node int `json:"node"`
	// Count of pods.
	Count int `json:"count"`
}
