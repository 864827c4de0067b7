package v1alpha1

import "plimsoll.dev/unit"

// Workload says what the cluster is to run: a table of pod types, real
// manifests, a snapshot of a cluster, or all of them together.
type Workload struct {
	// PodTypes is the table of pods.
	PodTypes []PodType `json:"podTypes,omitempty" check:"unique=name" platform:"openshift|kubernetes"`
	// DisruptionBudgets are the PodDisruptionBudgets that drains keep to; those of manifests and of a
	// snapshot are added.
	DisruptionBudgets []DisruptionBudget `json:"disruptionBudgets,omitempty" check:"unique=name" platform:"openshift|kubernetes"`
	// Manifests are files or directories of Kubernetes or OpenShift manifests, relative to this file.
	Manifests []string `json:"manifests,omitempty" platform:"openshift|kubernetes"`
	// Snapshot is a file that "kubectl get nodes,pods,services,deployments,... -A -o json" wrote, relative to this file.
	Snapshot string `json:"snapshot,omitempty" platform:"openshift|kubernetes"`
	// Objects are the numbers of objects in the cluster, for the limits and for etcd's size.
	Objects Objects `json:"objects,omitzero" platform:"openshift|kubernetes"`
	// Flavors are the Nova flavors of the VMs.
	Flavors []Flavor `json:"flavors,omitempty" check:"unique=name" platform:"helion"`
	// FlavorFile is a file that "openstack flavor list --all --long -f json" wrote, relative to this
	// file; its flavors are added.
	FlavorFile string `json:"flavorFile,omitempty" platform:"helion"`
	// ImageFile is a file that "openstack image list --long -f json" wrote, relative to this file; its images are added.
	ImageFile string `json:"imageFile,omitempty" platform:"helion"`
	// Servers are the VMs.
	Servers []Server `json:"servers,omitempty" check:"unique=name" platform:"helion"`
	// ServerFile is a file that "openstack server list --all-projects --long -f json" wrote, relative
	// to this file; its VMs are added, on the hosts that it names.
	ServerFile string `json:"serverFile,omitempty" platform:"helion"`
	// ServerGroups keep VMs together or apart.
	ServerGroups []ServerGroup `json:"serverGroups,omitempty" check:"unique=name" platform:"helion"`
	// Images are the Glance images.
	Images []Image `json:"images,omitempty" check:"unique=name" platform:"helion"`
	// Volumes are Cinder volumes besides those of the servers.
	Volumes []Volumes `json:"volumes,omitempty" check:"unique=name" platform:"helion"`
	// ObjectStore is what Swift keeps.
	ObjectStore ObjectStore `json:"objectStore,omitzero" platform:"helion"`
}

// DisruptionBudget is a PodDisruptionBudget: how many of some pods a drain may move at once. One
// of minAvailable and maxUnavailable is given.
type DisruptionBudget struct {
	// Name of the budget.
	Name string `json:"name" check:"required"`
	// Pods are the names of the pod types that it guards, all together.
	Pods []string `json:"pods" check:"required"`
	// MinAvailable is how many of the pods run at any time, as a number ("2") or a percentage ("50%").
	MinAvailable string `json:"minAvailable,omitempty" check:"podsorpercent"`
	// MaxUnavailable is how many of the pods may be away, as a number ("1") or a percentage ("25%").
	MaxUnavailable string `json:"maxUnavailable,omitempty" check:"podsorpercent"`
}

// PodType is one kind of pod and how many there are of it.
type PodType struct {
	// Name of the type.
	Name string `json:"name" check:"required"`
	// Namespace the pods run in; pods of the same namespace count together.
	Namespace string `json:"namespace,omitempty"`
	// Replicas is the number of pods; of a daemonSet it is not used.
	Replicas int `json:"replicas,omitempty" default:"1" check:"min=0,max=10000000"`
	// DaemonSet puts one pod on every node that its nodeSelector selects and whose taints it tolerates.
	DaemonSet bool `json:"daemonSet,omitempty"`
	// CPU that one pod requests.
	CPU unit.CPU `json:"cpu,omitempty"`
	// Memory that one pod requests.
	Memory unit.Bytes `json:"memory,omitempty"`
	// CPULimit of one pod; for its QoS class.
	CPULimit *unit.CPU `json:"cpuLimit,omitempty"`
	// MemoryLimit of one pod; for its QoS class.
	MemoryLimit *unit.Bytes `json:"memoryLimit,omitempty"`
	// QOSClass of the pod; derived from requests and limits when not given.
	QOSClass string `json:"qosClass,omitempty" check:"enum=Guaranteed|Burstable|BestEffort"`
	// EphemeralStorage that one pod requests on the node's disk.
	EphemeralStorage unit.Bytes `json:"ephemeralStorage,omitempty"`
	// Storage is the persistent volume of one pod.
	Storage unit.Bytes `json:"storage,omitempty"`
	// HugePages that one pod uses, by page size ("2Mi", "1Gi"), as memory. Requests equal limits; they
	// are never overcommitted.
	HugePages map[string]unit.Bytes `json:"hugePages,omitempty" check:"hugepages"`
	// Devices are extended resources of one pod, by resource name.
	Devices map[string]int64 `json:"devices,omitempty" check:"min=0,max=10000"`
	// Containers in one pod, without the pause container.
	Containers int `json:"containers,omitempty" default:"1" check:"min=1,max=1000"`
	// Overcommit says what of this pod may be overcommitted: allowed (CPU and memory), cpuOnly (Java
	// and whatever holds on to its memory), forbidden. Pods with huge pages are at most cpuOnly.
	Overcommit string `json:"overcommit,omitempty" default:"allowed" check:"enum=allowed|cpuOnly|forbidden"`
	// MaxPerNode is the most pods of this type on one node; 1 is anti-affinity. 0 is no limit.
	MaxPerNode int `json:"maxPerNode,omitempty" check:"min=0,max=100000"`
	// NodeSelector picks the nodes by label.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations of the pods.
	Tolerations []Toleration `json:"tolerations,omitempty"`
	// Labels of the pods, matched by affinity and spread of this and other types.
	Labels map[string]string `json:"labels,omitempty"`
	// Affinity constrains the nodes, as in a pod's spec.
	Affinity *Affinity `json:"affinity,omitempty"`
	// TopologySpreadConstraints spread the pods over zones, racks or nodes, as in a pod's spec.
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	// HostPorts that each pod takes on its node.
	HostPorts []HostPort `json:"hostPorts,omitempty"`
	// Priority of the pods; those with a higher one may preempt others.
	Priority int32 `json:"priority,omitempty"`
	// PreemptionPolicy Never keeps the pods from preempting others.
	PreemptionPolicy string `json:"preemptionPolicy,omitempty" default:"PreemptLowerPriority" check:"enum=PreemptLowerPriority|Never"`
	// InitContainers run before the containers, one after the other.
	InitContainers []ContainerSpec `json:"initContainers,omitempty" check:"unique=name"`
	// ContainerSpecs say what each container requests; the pod's cpu, memory, hugePages and devices
	// are then their sum and not given. Without them one container requests it all.
	ContainerSpecs []ContainerSpec `json:"containerSpecs,omitempty" check:"unique=name"`
	// Origin is where the type was read, as file:line; empty for the scenario's own.
	Origin string `json:"origin,omitempty" check:"output"`
	// Bare says that no controller makes such a pod again: static pods and pods by themselves.
	Bare bool `json:"bare,omitempty" check:"output"`
	// Held says that the pods hold room on the nodes of a snapshot and are not planned.
	Held bool `json:"held,omitempty" check:"output"`
	// Spec is what placement goes by instead of the fields above; nil where they say it all.
	Spec *PodSpec `json:"spec,omitempty" check:"output"`
}

// PodSpec is what scheduler and kubelet see of a pod that was read, where the
// pod type says it in a plan's terms. Amounts are millicores for cpu, bytes for
// memory and huge pages.
type PodSpec struct {
	// NodeSelector of the pod's spec, with the names and zones of nodes.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations of the pod's spec, with those of nodes in trouble.
	Tolerations []Toleration `json:"tolerations,omitempty"`
	// Requests of the pod as a whole, by resource; nil when it has none.
	Requests map[string]int64 `json:"requests,omitempty"`
	// Limits of the pod as a whole, by resource; nil when it has none.
	Limits map[string]int64 `json:"limits,omitempty"`
	// Container is the name of the only container, where containerSpecs doesn't say.
	Container string `json:"container,omitempty"`
	// Overhead of the runtime class, by resource.
	Overhead map[string]int64 `json:"overhead,omitempty"`
	// DefaultSpread selects the pods of the Services and of the controller that the pod belongs to: the
	// scheduler spreads them where the pod has no constraints of its own. Nil when it belongs to none.
	DefaultSpread *LabelSelector `json:"defaultSpread,omitempty"`
	// Images of the containers, one each; the scheduler prefers nodes that have them, and those of image volumes.
	Images       []string `json:"images,omitempty"`
	ImageVolumes []string `json:"imageVolumes,omitempty"`
	// Terminating says that the pods are being deleted: they hold room and don't count for spread.
	Terminating bool `json:"terminating,omitempty"`
	// NotTried says why kube-scheduler does not try the pods; empty when it does.
	NotTried string `json:"notTried,omitempty"`
	// Volumes are what the pod's claims mean to the scheduler; nil when they keep it from no node.
	Volumes *PodVolumes `json:"volumes,omitempty"`
}

// PodVolumes are what the volume claims of a pod mean to the scheduler.
type PodVolumes struct {
	// Refused is why no node can take the pod, in the scheduler's words; empty when some may.
	Refused string `json:"refused,omitempty"`
	// InUse says that a claim for one pod is a running pod's; Once are those that the first of these pods takes.
	InUse bool     `json:"inUse,omitempty"`
	Once  []string `json:"once,omitempty"`
	// Nodes are the nodes that each of the bound volumes can be used on, Zones the labels that tell where they are.
	Nodes []NodeSelector `json:"nodes,omitempty"`
	Zones []Requirement  `json:"volumeZones,omitempty"`
	// Attached is the number of volumes to attach, by CSI driver.
	Attached map[string]int64 `json:"attached,omitempty"`
}

// Toleration lets a pod onto nodes with a taint.
type Toleration struct {
	// Key of the taint; empty with operator Exists tolerates everything.
	Key string `json:"key,omitempty"`
	// Operator that compares the value.
	Operator string `json:"operator,omitempty" default:"Equal" check:"enum=Equal|Exists"`
	// Value of the taint.
	Value string `json:"value,omitempty"`
	// Effect of the taint; empty matches all effects.
	Effect string `json:"effect,omitempty" check:"enum=NoSchedule|PreferNoSchedule|NoExecute"`
}

// Objects are numbers of objects. What manifests and snapshots hold is added.
type Objects struct {
	// Namespaces in the cluster, with those that pod types name.
	Namespaces int `json:"namespaces,omitempty" check:"min=0,max=100000000"`
	// Services in the cluster.
	Services int `json:"services,omitempty" check:"min=0,max=100000000"`
	// Deployments and deployment configs in the cluster.
	Deployments int `json:"deployments,omitempty" check:"min=0,max=100000000"`
	// Routes and ingresses in the cluster.
	Routes int `json:"routes,omitempty" check:"min=0,max=100000000"`
	// Secrets in the cluster.
	Secrets int `json:"secrets,omitempty" check:"min=0,max=100000000"`
	// ConfigMaps in the cluster.
	ConfigMaps int `json:"configMaps,omitempty" check:"min=0,max=100000000"`
	// Builds in the cluster, finished ones too.
	Builds int `json:"builds,omitempty" check:"min=0,max=100000000"`
	// BuildConfigs in the cluster.
	BuildConfigs int `json:"buildConfigs,omitempty" check:"min=0,max=100000000"`
	// CustomResourceDefinitions in the cluster.
	CustomResourceDefinitions int `json:"customResourceDefinitions,omitempty" check:"min=0,max=1000000"`
	// PodsPerNamespace is the number of pods in the largest namespace, when pod types don't say.
	PodsPerNamespace int `json:"podsPerNamespace,omitempty" check:"min=0,max=1000000"`
	// ServicesPerNamespace is the number of services in the largest namespace.
	ServicesPerNamespace int `json:"servicesPerNamespace,omitempty" check:"min=0,max=1000000"`
	// DeploymentsPerNamespace is the number of deployments in the largest namespace.
	DeploymentsPerNamespace int `json:"deploymentsPerNamespace,omitempty" check:"min=0,max=1000000"`
	// BackendsPerService is the number of pods behind the largest service.
	BackendsPerService int `json:"backendsPerService,omitempty" check:"min=0,max=1000000"`
}

// Add adds counts, and takes the larger of the figures of the largest namespace
// and service.
func (o *Objects) Add(more Objects) {
	o.Namespaces += more.Namespaces
	o.Services += more.Services
	o.Deployments += more.Deployments
	o.Routes += more.Routes
	o.Secrets += more.Secrets
	o.ConfigMaps += more.ConfigMaps
	o.Builds += more.Builds
	o.BuildConfigs += more.BuildConfigs
	o.CustomResourceDefinitions += more.CustomResourceDefinitions
	o.PodsPerNamespace = max(o.PodsPerNamespace, more.PodsPerNamespace)
	o.ServicesPerNamespace = max(o.ServicesPerNamespace, more.ServicesPerNamespace)
	o.DeploymentsPerNamespace = max(o.DeploymentsPerNamespace, more.DeploymentsPerNamespace)
	o.BackendsPerService = max(o.BackendsPerService, more.BackendsPerService)
}
