package v1alpha1

import "plimsoll.dev/unit"

// APIVersion and the kinds of this package's documents.
const (
	APIVersion   = "plimsoll.dev/v1alpha1"
	KindScenario = "Scenario"
	KindPlan     = "Plan"
	// KindPlacement is the answer of "place".
	KindPlacement = "Placement"
)

// Scenario describes a cluster to be planned: platform, hardware, workload,
// network, storage, monitoring, router and policy. Every command reads it.
type Scenario struct {
	// Version of this document's format; always plimsoll.dev/v1alpha1.
	APIVersion string `json:"apiVersion" check:"required,enum=plimsoll.dev/v1alpha1"`
	// Kind of document; always Scenario.
	Kind string `json:"kind" check:"required,enum=Scenario"`
	// Metadata names the scenario.
	Metadata Metadata `json:"metadata,omitzero"`
	// Platform is the product, its release and where it runs.
	Platform Platform `json:"platform" check:"required"`
	// Hardware lists the kinds of node to choose from.
	Hardware Hardware `json:"hardware,omitzero"`
	// Workload says what the cluster is to run.
	Workload Workload `json:"workload,omitzero"`
	// Network describes the cluster network and the network below it.
	Network Network `json:"network,omitzero"`
	// Storage lists what needs persistent storage and on what it is to lie.
	Storage Storage `json:"storage,omitzero"`
	// Monitoring describes the platform's own Prometheus.
	Monitoring Monitoring `json:"monitoring,omitzero" platform:"openshift|kubernetes"`
	// Router describes the ingress traffic.
	Router Router `json:"router,omitzero" platform:"openshift|kubernetes"`
	// Policy holds the planner's choices: spare nodes, growth, overcommit.
	Policy Policy `json:"policy,omitzero"`
	// Scheduling says how pods or VMs are placed: the scheduler's rules and the order of arrival.
	Scheduling Scheduling `json:"scheduling,omitzero"`
	// Measurements replace figures of the catalogue by your own.
	Measurements []Measurement `json:"measurements,omitempty" check:"unique=fact"`
}

// Metadata names a document.
type Metadata struct {
	// Name of the scenario and of the cluster; it prefixes the names of machine sets.
	Name string `json:"name,omitempty" default:"cluster" check:"name"`
	// Description in a sentence; it heads the report.
	Description string `json:"description,omitempty"`
}

// Platform is the product, its release and where it runs.
type Platform struct {
	// Type of platform: openshift, kubernetes, or helion: Helion OpenStack Carrier Grade and the
	// OpenStack clouds that it became.
	Type string `json:"type,omitempty" default:"openshift" check:"enum=openshift|kubernetes|helion"`
	// Release of the product, such as "4.4" or "4.17"; for kubernetes "1.36", for helion "4.0". Quote
	// it: 4.10 without quotes is the number 4.1.
	Release string `json:"release" check:"required,release"`
	// Provider is the infrastructure below the cluster. It decides MachineSets, storage choices and
	// how the router is published.
	Provider string `json:"provider,omitempty" default:"none" check:"enum=aws|azure|gcp|openstack|vsphere|baremetal|ibmz|none" platform:"openshift|kubernetes"`
	// Service is self-managed, or the managed service: of OpenShift (rosa, osd) with lower limits, of
	// Kubernetes (gke, eks, aks) with what it keeps back on nodes.
	Service string `json:"service,omitempty" default:"self-managed" check:"enum=self-managed|rosa|osd|gke|eks|aks" platform:"openshift|kubernetes"`
}

// Hardware lists the kinds of node to choose from.
type Hardware struct {
	// NodeTypes are the machines on offer, or in stock, or in the cluster today.
	NodeTypes []NodeType `json:"nodeTypes,omitempty" check:"unique=name"`
	// Options are fixed mixes of node types to compare. Without any, each worker node type is an option of its own.
	Options []HardwareOption `json:"options,omitempty" check:"unique=name"`
	// Currency of the prices, as it is to be printed.
	Currency string `json:"currency,omitempty" platform:"openshift|kubernetes"`
	// PricePeriod is the time that a price is for; a month has 730 hours.
	PricePeriod string `json:"pricePeriod,omitempty" default:"hour" check:"enum=hour|month" platform:"openshift|kubernetes"`
}

// NodeType is one kind of machine.
type NodeType struct {
	// Name of the type, such as an instance type of the provider.
	Name string `json:"name" check:"required"`
	// Role that machines of this type play: worker, infra or controlPlane; on helion compute,
	// controller or storage. The hosts of a CPE have the role compute.
	Role string `json:"role,omitempty" default:"worker" check:"enum=worker|infra|controlPlane|compute|controller|storage"`
	// CPUs that the operating system sees (hardware threads or virtual CPUs). The default is what
	// topology has; without one it is required.
	CPUs int `json:"cpus" check:"min=1,max=4096"`
	// Memory of the machine.
	Memory unit.Bytes `json:"memory" check:"required,min=1"`
	// Disk is the local disk for the operating system, images and ephemeral storage. 0 leaves it out of the plan.
	Disk unit.Bytes `json:"disk,omitempty" platform:"openshift|kubernetes"`
	// Network is the speed of the network interface, such as 10G.
	Network unit.BitRate `json:"network,omitempty" platform:"openshift|kubernetes"`
	// HugePages are the pages to pre-allocate on each machine, by page size ("2Mi", "1Gi"), as memory.
	// Without it the plan derives them from the pods.
	HugePages map[string]unit.Bytes `json:"hugePages,omitempty" check:"hugepages"`
	// Devices are extended resources on each machine, by resource name ("nvidia.com/gpu").
	Devices map[string]int64 `json:"devices,omitempty" check:"min=0,max=10000"`
	// NUMANodes is the number of NUMA nodes, over which huge pages are spread. With a topology it is that of the topology.
	NUMANodes int `json:"numaNodes,omitempty" default:"1" check:"min=1,max=64"`
	// Topology of the machine in one line, such as "2 sockets x 2 numa x 14 cores x 2 threads": NUMA
	// nodes per socket, cores per NUMA node, threads per core. Without it each NUMA node is a socket
	// of CPUs without siblings.
	Topology string `json:"topology,omitempty" check:"topology"`
	// TopologyFile is the output of "lscpu -J" or "lstopo --of xml", or a directory with a saved sysfs
	// tree, relative to this file.
	TopologyFile string `json:"topologyFile,omitempty"`
	// DeviceNUMANodes are the NUMA nodes of the devices, one entry per device in their order:
	// {nvidia.com/gpu: [0, 0, 1, 1]}. Devices without an entry do not say where they are.
	DeviceNUMANodes map[string][]int `json:"deviceNUMANodes,omitempty" check:"min=0,max=63"`
	// HugePagesPerNUMANode are the pre-allocated pages of each NUMA node as memory, by page size:
	// {1Gi: [8Gi, 0]}. Without it hugePages are spread evenly; with it hugePages need not be given.
	HugePagesPerNUMANode map[string][]unit.Bytes `json:"hugePagesPerNUMANode,omitempty" check:"hugepages"`
	// Kubelet is how the kubelet places containers on the machine.
	Kubelet *Kubelet `json:"kubelet,omitempty" platform:"openshift|kubernetes"`
	// Domains are labels whose values the machines of the type take in turn, with the number of
	// values: {topology.kubernetes.io/zone: 3, rack: 12}. The zones of policy.zones need not be
	// repeated.
	Domains map[string]int `json:"domains,omitempty" check:"min=1,max=100000"`
	// BareMetal says that the machine is not virtual; the router is then about twice as fast.
	BareMetal bool `json:"bareMetal,omitempty" platform:"openshift|kubernetes"`
	// Price of one machine for hardware.pricePeriod; the options are compared by it.
	Price float64 `json:"price,omitempty" check:"min=0,max=1000000000000"`
	// Count is the number of machines in mind or in use. The plan says what it implies; without it the
	// plan finds the number.
	Count *int `json:"count,omitempty" check:"min=0,max=100000"`
	// Available is the stock: the plan uses no more than this.
	Available *int `json:"available,omitempty" check:"min=0,max=100000"`
	// MaxPods is the kubelet's maxPods on this type.
	MaxPods int `json:"maxPods,omitempty" default:"250" fact:"ocp.kubelet.maxPods" check:"min=1,max=100000" platform:"openshift|kubernetes"`
	// PodsPerCore is the kubelet's podsPerCore; 0 switches it off. It may not exceed maxPods.
	PodsPerCore *int `json:"podsPerCore,omitempty" default:"0" fact:"ocp.kubelet.podsPerCore" check:"min=0,max=100000" platform:"openshift|kubernetes"`
	// AutoSizingReserved keeps back for the system what the release's own rule makes of the machine's
	// CPUs and memory, as OpenShift does from 4.21 on for new workers; without it the fixed amount of
	// the release.
	AutoSizingReserved bool `json:"autoSizingReserved,omitempty" platform:"openshift|kubernetes"`
	// SystemReserved is kept back for the operating system and the kubelet. The default is that of the release.
	SystemReserved *Reserved `json:"systemReserved,omitempty" platform:"openshift|kubernetes"`
	// KubeReserved is kept back for the kubelet and the container runtime; OpenShift leaves it empty
	// and reserves all under systemReserved.
	KubeReserved *Reserved `json:"kubeReserved,omitempty" platform:"openshift|kubernetes"`
	// EvictionHard is the memory below which the kubelet evicts pods; it is not allocatable.
	EvictionHard *unit.Bytes `json:"evictionHard,omitempty" default:"100Mi" fact:"ocp.evictionHard.memory" platform:"openshift|kubernetes"`
	// CPUGHz is the clock rate of the CPUs in GHz; packets are turned into vSwitch cores by it.
	CPUGHz float64 `json:"cpuGHz,omitempty" default:"2.6" fact:"hcg.bench.cpuGHz" check:"min=0.1,max=20" platform:"helion"`
	// Disks of the host by their use.
	Disks []Disk `json:"disks,omitempty" platform:"helion"`
	// NICs are the network ports of the host by their use.
	NICs []NIC `json:"nics,omitempty" platform:"helion"`
	// Compute says what a compute host keeps back, and how it shares the rest out.
	Compute *Compute `json:"compute,omitempty" platform:"helion"`
	// Labels of the node, matched by the pods' nodeSelector; on helion the metadata of its host
	// aggregates, matched by aggregate_instance_extra_specs of flavors.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints of the node.
	Taints []Taint `json:"taints,omitempty" platform:"openshift|kubernetes"`
}

// Reserved is an amount of CPU and memory that is kept back on a node.
type Reserved struct {
	// CPU kept back.
	CPU unit.CPU `json:"cpu,omitempty"`
	// Memory kept back.
	Memory unit.Bytes `json:"memory,omitempty"`
}

// Taint repels pods that do not tolerate it.
type Taint struct {
	// Key of the taint.
	Key string `json:"key" check:"required"`
	// Value of the taint.
	Value string `json:"value,omitempty"`
	// Effect on pods that do not tolerate the taint.
	Effect string `json:"effect" check:"required,enum=NoSchedule|PreferNoSchedule|NoExecute"`
}

// HardwareOption is a fixed mix of node types.
type HardwareOption struct {
	// Name of the option, shown above its column.
	Name string `json:"name" check:"required"`
	// Nodes of the mix.
	Nodes []OptionNodes `json:"nodes" check:"required"`
}

// OptionNodes is a number of machines of one type.
type OptionNodes struct {
	// Type is the name of a node type.
	Type string `json:"type" check:"required"`
	// Count of machines of that type; 0 takes as many as are needed and is allowed for the last entry only.
	Count int `json:"count,omitempty" check:"min=0,max=100000"`
}

// Policy holds the planner's choices.
type Policy struct {
	// SpareNodes are worker nodes beyond what the workload needs, so that as many may fail.
	SpareNodes *int `json:"spareNodes,omitempty" default:"1" check:"min=0,max=10000"`
	// Zones is the number of availability zones over which nodes are spread evenly.
	Zones int `json:"zones,omitempty" default:"1" check:"min=1,max=100"`
	// SurviveZoneLoss sizes workers and infrastructure nodes so that, when a whole zone is lost, the
	// workload still fits, and as many routers as the traffic takes.
	SurviveZoneLoss bool `json:"surviveZoneLoss,omitempty"`
	// Arrival is the order in which pods may come for the number of nodes to hold: that of
	// scheduling.order, or any order.
	Arrival string `json:"arrival,omitempty" check:"enum=any" platform:"openshift|kubernetes"`
	// Growth is added to the workload before anything is sized and before limits are checked: 30%
	// makes 1.3 times the pods and objects, or VMs.
	Growth unit.Factor `json:"growth,omitempty" default:"0" check:"max=1000"`
	// DefaultRequests are taken for pods that request no CPU or no memory, which count as nothing
	// otherwise; a LimitRange in their namespaces gives running pods the same.
	DefaultRequests DefaultRequests `json:"defaultRequests,omitzero" platform:"openshift|kubernetes"`
	// Overcommit divides what pods request before they are packed.
	Overcommit Overcommit `json:"overcommit,omitzero" platform:"openshift|kubernetes"`
	// ExpectedNodes is the number of nodes that the cluster is expected to reach one day. The control
	// plane and the cluster network can't be changed later and are sized for it.
	ExpectedNodes *int `json:"expectedNodes,omitempty" check:"min=1,max=100000" platform:"openshift|kubernetes"`
	// InfraNodes is the number of infrastructure nodes; 0 leaves router and monitoring on the workers.
	// Without it the plan finds the number, at least three.
	InfraNodes *int `json:"infraNodes,omitempty" check:"min=0,max=1000" platform:"openshift|kubernetes"`
	// ControlPlaneNodes is the number of control plane nodes; on kubernetes 0 leaves them to whoever
	// manages the cluster.
	ControlPlaneNodes int `json:"controlPlaneNodes,omitempty" default:"3" check:"min=0,max=9" platform:"openshift|kubernetes"`
	// BatchSize is the number of machines that are added at once.
	BatchSize int `json:"batchSize,omitempty" default:"25" fact:"ocp.scale.batchMin" check:"min=1,max=10000" platform:"openshift|kubernetes"`
	// MaxUnavailable is how many nodes of a pool may be updated at once, as a number ("5") or a percentage ("10%").
	MaxUnavailable string `json:"maxUnavailable,omitempty" default:"1" fact:"ocp.rollout.maxUnavailable" check:"intorpercent" platform:"openshift|kubernetes"`
	// RolloutPerNode is the time that one node takes to drain, reboot and return. Without it the document's range is used.
	RolloutPerNode *unit.Duration `json:"rolloutPerNode,omitempty" check:"min=1" platform:"openshift|kubernetes"`
	// SystemPodsPerNode are the platform's own pods on each node; they take addresses and places.
	SystemPodsPerNode int `json:"systemPodsPerNode,omitempty" default:"15" fact:"ocp.systemPods.max" check:"min=0,max=1000" platform:"openshift|kubernetes"`
	// Model is the deployment model to plan with: cpe, controller-storage, dedicated-storage or
	// multi-region. Without it the plan chooses by the document's rules.
	Model string `json:"model,omitempty" check:"enum=cpe|controller-storage|dedicated-storage|multi-region" platform:"helion"`
	// Margin is added to what images, volumes and disks need.
	Margin unit.Factor `json:"margin,omitempty" default:"0.25" fact:"hcg.margin" check:"max=10" platform:"helion"`
	// VMsPerCompute is the mean number of VMs on a compute that limits are estimated with before they are placed.
	VMsPerCompute int `json:"vmsPerCompute,omitempty" default:"10" fact:"hcg.scale.vmsPerCompute" check:"min=1,max=10000" platform:"helion"`
	// Sites is the number of places that need a cloud of their own.
	Sites int `json:"sites,omitempty" default:"1" check:"min=1,max=100000" platform:"helion"`
	// Doubtful says what becomes of figures that a document contradicts itself about: careful takes
	// what the arithmetic supports, as-printed the document's figure, refuse fails a plan that
	// depends on one.
	Doubtful string `json:"doubtful,omitempty" default:"careful" check:"enum=careful|as-printed|refuse" platform:"helion"`
	// Meters is the number of meters of the telemetry service, where it is known. Without it the
	// database is sized by the numbers of VMs and computes.
	Meters int `json:"meters,omitempty" check:"min=0,max=1000000000" platform:"helion"`
	// RemoteLogging sends the hosts' logs to a remote server.
	RemoteLogging bool `json:"remoteLogging,omitempty" default:"true" platform:"helion"`
	// Node is the name of the node type to plan with. Without it the plan takes the cheapest option
	// that fits (the fewest cores where no prices are given).
	Node string `json:"node,omitempty"`
}

// DefaultRequests are what each container requests that states no request and no limit.
type DefaultRequests struct {
	// CPU of each container.
	CPU unit.CPU `json:"cpu,omitempty"`
	// Memory of each container.
	Memory unit.Bytes `json:"memory,omitempty"`
}

// Overcommit is the factor by which requests may exceed what the nodes have.
type Overcommit struct {
	// CPU factor; 1.375 packs 550 cores on 400.
	CPU unit.Factor `json:"cpu,omitempty" default:"1" check:"min=1,max=100"`
	// Memory factor. Memory can't be taken back from a pod, so 1 is the safe choice.
	Memory unit.Factor `json:"memory,omitempty" default:"1" check:"min=1,max=100"`
}

// Measurement replaces a figure of the catalogue by one of your own.
type Measurement struct {
	// Fact is the id of the figure that is replaced, as "plimsoll facts" shows it.
	Fact string `json:"fact" check:"required"`
	// Value in the fact's base unit.
	Value float64 `json:"value" check:"required"`
	// Source says where and how you measured it.
	Source string `json:"source" check:"required"`
	// Simulated says that the nodes were not real, as in a laboratory: the control plane was measured, and nothing else.
	Simulated bool `json:"simulated,omitempty"`
}
