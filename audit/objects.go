package audit

import (
	"encoding/json"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
)

// Meta is what all objects have.
type Meta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Created     time.Time         `json:"creationTimestamp"`
	Owners      []struct {
		Kind, Name string
		Controller bool
	} `json:"ownerReferences"`
}

// Object is one of which no more than its metadata counts.
type Object struct {
	Metadata Meta `json:"metadata"`
}

func (o Object) path() string { return o.Metadata.Namespace + "/" + o.Metadata.Name }

// Condition of an object.
type Condition struct {
	Type, Status, Reason string
	LastTransitionTime   time.Time
}

// conditions is what an object says of itself.
type conditions []Condition

// of is the condition of a type; its zero value where there is none.
func (c conditions) of(kind string) Condition {
	for _, one := range c {
		if one.Type == kind {
			return one
		}
	}
	return Condition{}
}

// Node is a machine of the cluster.
type Node struct {
	Object
	Spec struct {
		Unschedulable bool
		ProviderID    string
		Taints        []v1alpha1.Taint
	}
	Status struct {
		Capacity, Allocatable map[string]string
		Conditions            conditions
		NodeInfo              struct{ KubeletVersion, Architecture, OperatingSystem string }
		Addresses             []struct{ Type, Address string }
	}
}

// has says whether a node has a role: "master", "infra".
func (n *Node) has(role string) bool {
	_, ok := n.Metadata.Labels["node-role.kubernetes.io/"+role]
	return ok
}

// control says whether it is a node of the control plane.
func (n *Node) control() bool {
	return n.has("master") || n.has("control-plane") || n.has("controlplane")
}

// windows says whether it is a node of Windows, which gets no settings of a pool.
func (n *Node) windows() bool {
	return n.Metadata.Labels["kubernetes.io/os"] == "windows" || n.Status.NodeInfo.OperatingSystem == "windows"
}

// zone of a node; empty where no label says it.
func (n *Node) zone() string { return n.Metadata.Labels["topology.kubernetes.io/zone"] }

// allocatable and capacity of a resource: millicores, bytes or pieces.
func (n *Node) allocatable(resource string) int64 {
	return quantity(resource, n.Status.Allocatable[resource])
}

func (n *Node) capacity(resource string) int64 {
	return quantity(resource, n.Status.Capacity[resource])
}

// Amounts of CPU in millicores and memory in bytes.
type Amounts struct{ CPU, Memory int64 }

// Pod is one that was seen, by whatever phase. Equal labels are one map, which must not be changed.
type Pod struct {
	Namespace, Name, Node, Owner string // Owner is the kind and name of its controller: "ReplicaSet/web-5d"
	Phase, Reason                string
	Created                      time.Time
	Labels                       map[string]string
	HostNetwork                  bool
	Containers                   int
	// Requests and Limits are the sums of the containers; Limitless says that a container has no limit of memory.
	Requests, Limits Amounts
	Limitless        bool
	// QoS is its class.
	QoS string
	// Resources are extended resources and huge pages that it asks for, by name.
	Resources map[string]int64
	// Unschedulable says that the scheduler finds no node for it.
	Unschedulable bool
	Restarts      int
	OOMKilled     bool
	// Changed is when a condition of it did the last time; at the earliest when it was made.
	Changed time.Time
	// Waiting is why a container does not start: "ImagePullBackOff"; WaitingIn is its name.
	Waiting, WaitingIn string
	// Priority by which the scheduler takes it.
	Priority int
	// OOMKilledAt is when that was the last time, as far as it is told.
	OOMKilledAt time.Time
	// Killed is the container that this befell last, and KilledLimit its limit of memory; 0 is none.
	Killed      string
	KilledLimit int64
	// NodeOOM says that a container without a limit was killed: it was the node's memory that ran out.
	NodeOOM bool
	// Fractional says that a container may use more than one CPU, and no whole number of them.
	Fractional bool
	// PageVolumes are the sizes of the largest volumes of huge pages, by their medium: "HugePages-2Mi".
	PageVolumes map[string]int64
	// Claims of volumes, by name in its namespace.
	Claims []string
}

func (p Pod) path() string { return p.Namespace + "/" + p.Name }

// ends says whether a pod takes nothing any more.
func (p *Pod) ended() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// Pool is a machine config pool.
type Pool struct {
	Object
	Spec struct {
		MachineConfigSelector, NodeSelector *v1alpha1.LabelSelector
		MaxUnavailable                      any
		Paused                              bool
	}
	Status struct {
		MachineCount, UpdatedMachineCount, DegradedMachineCount int
		Conditions                                              conditions
	}
}

// Machine of the machine API.
type Machine struct {
	Object
	Status struct {
		Phase, ErrorReason string
		LastUpdated        time.Time
		NodeRef            *struct{ Name string }
	}
}

// MachineSet of the machine API.
type MachineSet struct {
	Object
	Spec struct {
		Replicas *int
		Template struct {
			Metadata struct{ Labels map[string]string }
		}
	}
	Status struct{ Replicas, ReadyReplicas, AvailableReplicas int }
}

// HealthCheck is a MachineHealthCheck.
type HealthCheck struct {
	Object
	Spec   openshift.MachineHealthCheckSpec
	Status struct {
		ExpectedMachines, CurrentHealthy *int
		RemediationsAllowed              *int
		Conditions                       conditions
	}
}

// KubeletConfig of a pool.
type KubeletConfig struct {
	Object
	Spec   openshift.KubeletConfigSpec
	Status struct{ Conditions conditions }
}

// Profile is what the Node Tuning Operator says of a node, whose name it has.
type Profile struct {
	Object
	Spec   openshift.ProfileSpec
	Status openshift.ProfileStatus
}

// Router is an IngressController.
type Router struct {
	Object
	Spec   openshift.IngressControllerSpec
	Status struct {
		AvailableReplicas int
		Conditions        conditions
	}
}

// Budget is a PodDisruptionBudget.
type Budget struct {
	Object
	Spec   struct{ Selector *v1alpha1.LabelSelector }
	Status struct {
		DisruptionsAllowed, CurrentHealthy, DesiredHealthy, ExpectedPods int
		Conditions                                                       conditions
	}
}

// Claim is a PersistentVolumeClaim.
type Claim struct {
	Object
	Spec struct {
		StorageClassName *string
		VolumeName       string
		VolumeMode       string
		AccessModes      []string
		Resources        struct{ Requests map[string]string }
	}
	Status struct {
		Phase    string
		Capacity map[string]string
	}
}

// Volume is a PersistentVolume.
type Volume struct {
	Object
	Spec struct {
		CSI              *struct{ Driver string }
		NFS              *struct{}
		StorageClassName string
		AccessModes      []string
		Capacity         map[string]string
	}
}

// StorageClass of the cluster.
type StorageClass struct {
	Object
	Provisioner string
}

// CSINode says how many volumes of a driver a node takes.
type CSINode struct {
	Object
	Spec struct {
		Drivers []struct {
			Name        string
			Allocatable *struct{ Count *int }
		}
	}
}

// Service of a namespace.
type Service struct {
	Object
	Spec struct {
		Type     string
		Selector map[string]string
	}
}

// Workload is a Deployment, StatefulSet, DaemonSet or DeploymentConfig, whose selector is not read.
type Workload struct {
	Kind string `json:"-"`
	Object
	Spec struct {
		Replicas *int
		Selector *v1alpha1.LabelSelector
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct{ NodeSelector map[string]string }
		}
	}
}

// Network is the cluster's own configuration of it.
type Network struct {
	Spec, Status struct {
		NetworkType    string
		ClusterNetwork []struct {
			CIDR       string
			HostPrefix int
		}
	}
}

// Scheduler is the cluster's own configuration of it.
type Scheduler struct {
	Spec struct {
		MastersSchedulable  bool
		DefaultNodeSelector string
		Profile             string
	}
}

// Registry is the configuration of the image registry.
type Registry struct {
	Spec struct {
		ManagementState string
		Replicas        int
		Storage         map[string]json.RawMessage
	}
}

// kindOf is the kind of each resource, and ofOpenShift says which are of OpenShift alone.
var (
	kindOf = map[string]string{"nodes": "Node", "pods": "Pod", "namespaces": "Namespace",
		"machineconfigpools": "MachineConfigPool", "machines": "Machine", "machinesets": "MachineSet",
		"machinehealthchecks": "MachineHealthCheck", "kubeletconfigs": "KubeletConfig", "tuneds": "Tuned",
		"profiles": "Profile", "featuregates": "FeatureGate", "ingresscontrollers": "IngressController", "routes": "Route",
		"poddisruptionbudgets": "PodDisruptionBudget", "persistentvolumeclaims": "PersistentVolumeClaim",
		"persistentvolumes": "PersistentVolume", "storageclasses": "StorageClass", "csinodes": "CSINode",
		"services": "Service", "deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet",
		"deploymentconfigs": "DeploymentConfig",
		"networks":          "Network", "schedulers": "Scheduler", "configs": "Config",
		"configmaps/cluster-monitoring-config": "ConfigMap", "clusterversions": "ClusterVersion",
		"servers": "Server", "flavors": "Flavor", "images": "Image", "hypervisors": "Hypervisor",
		"compute-services": "ComputeService", "volume-services": "VolumeService", "network-agents": "NetworkAgent",
		"server-groups": "ServerGroup", "volumes": "Volume", "neutron-networks": "NeutronNetwork", "subnets": "Subnet",
		"routers": "Router", "ports": "Port", "security-group-rules": "SecurityGroupRule", "ceph-health": "CephCheck",
		"ceph-df": "CephRoom", "ceph-osd-tree": "CephNode"}
	ofOpenShift = map[string]bool{"machineconfigpools": true, "machines": true, "machinesets": true,
		"machinehealthchecks": true, "kubeletconfigs": true, "tuneds": true, "profiles": true, "featuregates": true,
		"ingresscontrollers": true, "routes": true, "networks": true, "schedulers": true, "configs": true,
		"configmaps/cluster-monitoring-config": true, "clusterversions": true, "deploymentconfigs": true}
)
