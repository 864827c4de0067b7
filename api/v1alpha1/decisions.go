package v1alpha1

import "plimsoll.dev/unit"

// Decisions are the plan's choices in the form that manifests are written
// from. Zero values are choices that the plan did not have to make.
type Decisions struct {
	// Network part of install-config.yaml.
	Network NetworkDecision `json:"network"`
	// ControlPlane machines.
	ControlPlane PoolDecision `json:"controlPlane"`
	// Pools of workers and infrastructure nodes.
	Pools []PoolDecision `json:"pools"`
	// Growth is the order in which machine sets are scaled up.
	Growth []GrowthBatch `json:"growth,omitempty"`
	// Monitoring settings.
	Monitoring MonitoringDecision `json:"monitoring"`
	// Router settings, one a shard.
	Routers []RouterDecision `json:"routers,omitempty"`
	// WorkerPods are the platform's own pods that run among the workload.
	WorkerPods []PodType `json:"workerPods,omitempty"`
	// InfraNodes says whether router and monitoring have nodes of their own.
	InfraNodes bool `json:"infraNodes"`
	// Helion are the choices of a plan on platform helion.
	Helion *HelionDecision `json:"helion,omitempty"`
}

// HelionDecision is the cloud that a plan on platform helion chose; hosts and disks
// are those of one region.
type HelionDecision struct {
	// Model of deployment: cpe, controller-storage, dedicated-storage or multi-region.
	Model string `json:"model"`
	// Regions of the multi-region model; 1 for the others.
	Regions int `json:"regions"`
	// Hosts by role and type. The hosts of a CPE have the role compute.
	Hosts []HelionHosts `json:"hosts"`
}

// HelionHosts are a number of equal hosts.
type HelionHosts struct {
	// Role of the hosts: compute, controller or storage.
	Role string `json:"role"`
	// Type is the node type's name; empty where the scenario offers none for the role.
	Type string `json:"type,omitempty"`
	// Count of hosts, and how many of them are spare.
	Count  int `json:"count"`
	Spares int `json:"spares,omitempty"`
	// Primary is the disk that one host needs for its system, LVM the one for Cinder volumes.
	Primary unit.Bytes `json:"primary,omitempty"`
	LVM     unit.Bytes `json:"lvm,omitempty"`
	// OSDs of one storage host, and the least size of one.
	OSDs    int        `json:"osds,omitempty"`
	OSDSize unit.Bytes `json:"osdSize,omitempty"`
	// Compute is what a compute host keeps back, where the plan chose it; nil keeps the scenario's.
	Compute *Compute `json:"compute,omitempty"`
	// Pages for VMs on each NUMA node of a compute host: numbers of pages by size ("2Mi"); nil keeps the scenario's.
	Pages map[string][]int64 `json:"pages,omitempty"`
}

// NetworkDecision is the networking part of install-config.yaml.
type NetworkDecision struct {
	Type           string           `json:"type"`
	ClusterNetwork []ClusterNetwork `json:"clusterNetwork"`
	MachineNetwork []string         `json:"machineNetwork"`
	ServiceNetwork []string         `json:"serviceNetwork"`
	ClusterMTU     int              `json:"clusterMTU"`
	IPsec          bool             `json:"ipsec,omitempty"`
}

// PoolDecision is a pool of equal machines.
type PoolDecision struct {
	// Name of the machine config pool: master, worker, infra or a custom one.
	Name string `json:"name"`
	// Role of the pool's nodes: worker, infra or controlPlane.
	Role string `json:"role"`
	// Type is the node type's name.
	Type string `json:"type"`
	// CPUs and Memory of one machine.
	CPUs   int        `json:"cpus"`
	Memory unit.Bytes `json:"memory"`
	// Disk that one machine needs; 0 when the plan does not know.
	Disk unit.Bytes `json:"disk,omitempty"`
	// Count of machines, and of machines by zone in the order of the zones.
	Count   int   `json:"count"`
	PerZone []int `json:"perZone"`
	// MaxPods and PodsPerCore of the kubelet; PodsPerCore 0 is off.
	MaxPods     int `json:"maxPods"`
	PodsPerCore int `json:"podsPerCore,omitempty"`
	// KubeAPIQPS and KubeAPIBurst of the kubelet; 0 keeps the default.
	KubeAPIQPS   int `json:"kubeAPIQPS,omitempty"`
	KubeAPIBurst int `json:"kubeAPIBurst,omitempty"`
	// SystemReserved when it is not the release's default.
	SystemReserved *Reserved `json:"systemReserved,omitempty"`
	// MaxUnavailable of the machine config pool.
	MaxUnavailable string `json:"maxUnavailable,omitempty"`
	// HugePages to pre-allocate, as a number of pages by size; NUMANodes spreads them.
	HugePages map[string]int64 `json:"hugePages,omitempty"`
	// Labels and Taints of the nodes beyond those of the role.
	Labels map[string]string `json:"labels,omitempty"`
	Taints []Taint           `json:"taints,omitempty"`
}

// GrowthBatch is one step of scaling up.
type GrowthBatch struct {
	// Step, from 1.
	Step int `json:"step"`
	// Pool that grows.
	Pool string `json:"pool"`
	// Add is the number of machines added by zone; Total the pool's size after.
	Add   []int `json:"add"`
	Total int   `json:"total"`
	// Replicas of each zone's machine set after the step.
	Replicas []int `json:"replicas"`
}

// MonitoringDecision holds the settings of cluster-monitoring-config.
type MonitoringDecision struct {
	Retention        unit.Duration `json:"retention"`
	Replicas         int           `json:"replicas"`
	PrometheusSize   unit.Bytes    `json:"prometheusSize"`
	PrometheusMemory unit.Bytes    `json:"prometheusMemory"`
	PrometheusCPU    unit.CPU      `json:"prometheusCPU"`
	AlertmanagerSize unit.Bytes    `json:"alertmanagerSize"`
	StorageClass     string        `json:"storageClass,omitempty"`
}

// RouterDecision is one IngressController.
type RouterDecision struct {
	// Name of the ingress controller: default, or shard-2 and so on.
	Name string `json:"name"`
	// Replicas of the router.
	Replicas int `json:"replicas"`
	// Threads of HAProxy.
	Threads int `json:"threads"`
	// MaxConnections of HAProxy; 0 keeps the default.
	MaxConnections int `json:"maxConnections,omitempty"`
	// Publishing strategy.
	Publishing string `json:"publishing"`
	// Shard is the number of this shard of Shards in all.
	Shard  int `json:"shard"`
	Shards int `json:"shards"`
}
