package v1alpha1

import (
	"fmt"
	"strings"

	"plimsoll.dev/unit"
)

// Network describes the cluster network and the network below it.
type Network struct {
	// Type of the network plug-in. The default is that of the release: OpenShiftSDN before 4.12, OVNKubernetes since.
	Type string `json:"type,omitempty" check:"enum=OpenShiftSDN|OVNKubernetes" platform:"openshift|kubernetes"`
	// ClusterNetwork is the pods' network. Without it the plan derives it; with it the plan checks it.
	ClusterNetwork []ClusterNetwork `json:"clusterNetwork,omitempty" platform:"openshift|kubernetes"`
	// MachineNetwork are the networks of the machines.
	MachineNetwork []string `json:"machineNetwork,omitempty" default:"10.0.0.0/16" fact:"ocp.network.machineNetwork" check:"cidr" platform:"openshift|kubernetes"`
	// ServiceNetwork are the networks of the services' addresses.
	ServiceNetwork []string `json:"serviceNetwork,omitempty" default:"172.30.0.0/16" fact:"ocp.network.serviceNetwork" check:"cidr" platform:"openshift|kubernetes"`
	// NICMTU is the MTU of the machines' network interfaces: 1500, or 9000 for jumbo frames.
	NICMTU int `json:"nicMTU,omitempty" default:"1500" fact:"ocp.mtu.ethernetNIC" check:"min=576,max=65535" platform:"openshift|kubernetes"`
	// ClusterMTU is the MTU of the pods' interfaces. Without it the plan derives the largest that is
	// safe; with it the plan checks it.
	ClusterMTU *int `json:"clusterMTU,omitempty" check:"min=576,max=65535" platform:"openshift|kubernetes"`
	// IPsec encrypts the traffic between nodes.
	IPsec bool `json:"ipsec,omitempty" platform:"openshift|kubernetes"`
	// IPFamily of the network between the machines.
	IPFamily string `json:"ipFamily,omitempty" default:"IPv4" check:"enum=IPv4|IPv6" platform:"openshift|kubernetes"`
	// Offload says that the interfaces compute checksums and segments of tunnelled packets.
	Offload bool `json:"offload,omitempty" platform:"openshift|kubernetes"`
	// Neutron are the tenants' networks and the vSwitch.
	Neutron Neutron `json:"neutron,omitzero" platform:"helion"`
}

// Blocks are the pods' networks in words: "10.128.0.0/14 with /23 a node".
func (n *Network) Blocks() string {
	var blocks []string
	for _, c := range n.ClusterNetwork {
		blocks = append(blocks, fmt.Sprintf("%s with /%d a node", c.CIDR, c.HostPrefix))
	}
	return strings.Join(blocks, ", ")
}

// ClusterNetwork is one block of pod addresses.
type ClusterNetwork struct {
	// CIDR of the block.
	CIDR string `json:"cidr" check:"required,cidr"`
	// HostPrefix is the prefix length of each node's share; 23 gives 510 pod addresses.
	HostPrefix int `json:"hostPrefix,omitempty" default:"23" fact:"ocp.network.hostPrefix" check:"min=1,max=128"`
}

// Storage lists what needs persistent storage.
type Storage struct {
	// Uses are the things that need storage, each with the storage chosen for it or none.
	Uses []StorageUse `json:"uses,omitempty" check:"unique=name" platform:"openshift|kubernetes"`
	// Etcd is the disk under etcd: nvme, ssd, hdd, ceph or nfs.
	Etcd string `json:"etcd,omitempty" check:"enum=nvme|ssd|hdd|ceph|nfs" platform:"openshift|kubernetes"`
	// EtcdQuota is etcd's space quota. The default is that of the release: 7Gi from 4.4 on, 8Gi from
	// 4.9 on; on kubernetes etcd's own 2Gi.
	EtcdQuota unit.Bytes `json:"etcdQuota,omitempty" check:"min=1" platform:"openshift|kubernetes"`
	// LogsPerNodePerDay is what a node writes to /var/log in a day. Without it the document's range is used.
	LogsPerNodePerDay unit.Bytes `json:"logsPerNodePerDay,omitempty" platform:"openshift|kubernetes"`
	// LogRetention is how long /var/log is kept on the node.
	LogRetention unit.Duration `json:"logRetention,omitempty" default:"7d" check:"min=1" platform:"openshift|kubernetes"`
	// Ceph describes the storage cluster of the storage hosts.
	Ceph Ceph `json:"ceph,omitzero" platform:"helion"`
	// DRBD are the settings of the synchronisation between the controllers.
	DRBD DRBD `json:"drbd,omitzero" platform:"helion"`
	// Creation says how volumes and VMs are created.
	Creation Creation `json:"creation,omitzero" platform:"helion"`
}

// StorageUse is one thing that needs persistent storage.
type StorageUse struct {
	// Name of the use.
	Name string `json:"name" check:"required"`
	// Use that the storage is put to.
	Use string `json:"use" check:"required,enum=registry|scaledRegistry|metrics|logging|apps|database|etcd"`
	// AccessMode that the use needs: RWO, ROX or RWX.
	AccessMode string `json:"accessMode,omitempty" default:"RWO" check:"enum=RWO|ROX|RWX"`
	// Technology chosen: block, file or object. Without it the adviser only ranks the choices.
	Technology string `json:"technology,omitempty" check:"enum=block|file|object"`
	// Product chosen, where a footnote of the document names it.
	Product string `json:"product,omitempty" check:"enum=rhel-nfs|netapp-nfs|vendor-nfs|aws-ebs|azure-disk|vmdk|physical-disk|vm-physical-disk|loopback-nfs|cinder|ceph-rbd|cephfs|s3|gcs|azure-blob|swift|ssd|nvme|hdd|other"`
	// Size of the volume.
	Size unit.Bytes `json:"size,omitempty" check:"max=1152921504606846976"`
}

// Monitoring describes the platform's own Prometheus.
type Monitoring struct {
	// Retention is how long samples are kept.
	Retention unit.Duration `json:"retention,omitempty" default:"15d" fact:"ocp.prometheus.retention" check:"min=3600"`
	// Replicas of Prometheus, each with a volume of its own.
	Replicas int `json:"replicas,omitempty" default:"2" check:"min=1,max=10"`
	// StorageClass of the volumes; empty takes the cluster's default class.
	StorageClass string `json:"storageClass,omitempty"`
	// AlertmanagerSize is the volume of each Alertmanager.
	AlertmanagerSize unit.Bytes `json:"alertmanagerSize,omitempty" default:"20Gi" fact:"ocp.prometheus.alertmanagerSize" check:"min=1"`
}

// Router describes the ingress traffic and the routers that take it.
type Router struct {
	// Publishing is how the router's endpoint is published. The default follows the provider:
	// LoadBalancerService in a cloud, HostNetwork elsewhere.
	Publishing string `json:"publishing,omitempty" check:"enum=LoadBalancerService|HostNetwork"`
	// Threads of HAProxy in each router.
	Threads int `json:"threads,omitempty" default:"4" fact:"ocp.router.threads" check:"min=1,max=64"`
	// Traffic is the mix of requests, one entry a kind.
	Traffic []Traffic `json:"traffic,omitempty" check:"unique=name"`
	// Utilisation is the share of a router's measured rate that is planned with, so that peaks fit.
	Utilisation unit.Factor `json:"utilisation,omitempty" default:"0.65" check:"min=0.05,max=1"`
	// Spare routers beyond what the traffic needs.
	Spare *int `json:"spare,omitempty" default:"1" check:"min=0,max=1000"`
	// MaxConnections of one router (HAProxy's maxconn). The default is that of the release.
	MaxConnections int `json:"maxConnections,omitempty" default:"50000" fact:"ocp.router.maxConnections" check:"min=1,max=2000000"`
	// ApplicationsPerRouter is the number of applications above which routers are split into shards.
	ApplicationsPerRouter int `json:"applicationsPerRouter,omitempty" default:"1000" fact:"ocp.router.appsMax" check:"min=1,max=1000000"`
	// CPU that one router pod requests.
	CPU *unit.CPU `json:"cpu,omitempty"`
	// Memory that one router pod requests. Without it the plan estimates it.
	Memory *unit.Bytes `json:"memory,omitempty"`
}

// Traffic is one kind of request.
type Traffic struct {
	// Name of the kind.
	Name string `json:"name" check:"required"`
	// Encryption of the route: none, edge, passthrough or re-encrypt.
	Encryption string `json:"encryption,omitempty" default:"none" check:"enum=none|edge|passthrough|re-encrypt"`
	// RequestsPerSecond of this kind at the peak.
	RequestsPerSecond float64 `json:"requestsPerSecond" check:"required,min=0,max=1000000000"`
	// KeepAlive is the share of requests on connections that are kept open; the rest open one each.
	KeepAlive *unit.Factor `json:"keepAlive,omitempty" default:"1" check:"max=1"`
	// PageSize is the mean size of an answer.
	PageSize unit.Bytes `json:"pageSize,omitempty" default:"1k" fact:"ocp.router.pageSize" check:"max=1099511627776"`
	// Connections open at the peak.
	Connections int `json:"connections,omitempty" check:"min=0,max=100000000"`
	// Applications (routes) that serve this kind.
	Applications int `json:"applications,omitempty" check:"min=0,max=100000"`
	// Content served: static (a file server or a cache) or dynamic.
	Content string `json:"content,omitempty" default:"dynamic" check:"enum=static|dynamic"`
}
