package v1alpha1

import "plimsoll.dev/unit"

// Disk is a number of equal disks of a host and what they are for.
type Disk struct {
	// Use of the disks: system (the primary disk), lvm (a controller's Cinder volumes), local (a
	// compute's instances), osd, journal or cache.
	Use string `json:"use" check:"required,enum=system|lvm|local|osd|journal|cache"`
	// Count of disks of the kind in each host.
	Count int `json:"count,omitempty" default:"1" check:"min=1,max=1000"`
	// Size of one disk.
	Size unit.Bytes `json:"size" check:"required,min=1"`
	// Media of the disks; a SAS disk says its speed.
	Media string `json:"media,omitempty" default:"ssd" check:"enum=nvme|ssd|sas15k|sas10k|hdd"`
}

// NIC is a number of equal network ports of a host and what they are for.
type NIC struct {
	// Name of the interface; it is told in findings.
	Name string `json:"name,omitempty"`
	// Use of the ports: data (given to the vSwitch), sriov (virtual functions for VMs), passthrough
	// (whole ports for VMs), management, infrastructure or oam.
	Use string `json:"use" check:"required,enum=data|sriov|passthrough|management|infrastructure|oam"`
	// Count of ports of the kind in each host.
	Count int `json:"count,omitempty" default:"1" check:"min=1,max=64"`
	// Speed of one port.
	Speed unit.BitRate `json:"speed,omitempty" default:"10G" check:"min=1"`
	// NUMANode that the port's PCI slot belongs to; without it the port does not say where it is.
	NUMANode *int `json:"numaNode,omitempty" check:"min=0,max=63"`
	// PhysicalNetworks that the port carries; VMs with a port on one of them are drawn to its NUMA node.
	PhysicalNetworks []string `json:"physicalNetworks,omitempty"`
	// VirtualFunctions of each sriov port.
	VirtualFunctions int `json:"virtualFunctions,omitempty" check:"min=0,max=256"`
	// MTU of the port.
	MTU int `json:"mtu,omitempty" default:"1500" check:"min=576,max=65535"`
}

// Compute says what a compute host keeps back, and how it shares the rest out.
// Lists have one entry for each NUMA node, in order; nodes beyond their end have none.
type Compute struct {
	// PlatformCores are physical cores for the platform by NUMA node; [1, 0] keeps one on node 0. The
	// default is one on node 0, on CPE hosts what the controller takes with it.
	PlatformCores []int `json:"platformCores,omitempty" check:"min=0,max=512"`
	// VSwitchCores are physical cores for the vSwitch by NUMA node; [2, 0] is the document's default.
	// Without it the plan derives them from the packet rates, at least the default.
	VSwitchCores []int `json:"vSwitchCores,omitempty" check:"min=0,max=512"`
	// SharedCores are physical cores for shared vCPUs by NUMA node, at most one each; the default is none.
	SharedCores []int `json:"sharedCores,omitempty" check:"min=0,max=1"`
	// FloatingCores are physical cores by NUMA node for VMs with the shared CPU policy, as
	// cpu_shared_set has them. With the rules of hcg-4.0 and starlingx such VMs run on whatever is not
	// dedicated, and this is not given.
	FloatingCores []int `json:"floatingCores,omitempty" check:"min=0,max=512"`
	// PlatformMemory is kept for the platform by NUMA node. The default is 6 GB on node 0 and 2 GB on
	// each node; of CPE hosts more.
	PlatformMemory []unit.Bytes `json:"platformMemory,omitempty"`
	// VSwitchMemory is kept for the vSwitch by NUMA node, in pages of 1 GB. The default is 1 GB on each node.
	VSwitchMemory []unit.Bytes `json:"vSwitchMemory,omitempty"`
	// CPUAllocationRatio of vCPUs with the shared policy to CPUs. It is 16; with the rules of nova it can be
	// set, and is 4 by default.
	CPUAllocationRatio unit.Factor `json:"cpuAllocationRatio,omitempty" check:"min=1,max=1000"`
	// RAMAllocationRatio of the memory of VMs without huge pages and NUMA nodes to the host's. The default is 1.
	RAMAllocationRatio unit.Factor `json:"ramAllocationRatio,omitempty" check:"min=1,max=100"`
	// NetworkAffinity binds VMs to the NUMA nodes of the data NICs that carry their networks, as Nova
	// does where its operator has named those nodes ([neutron_physnet_NAME] and [neutron_tunnel],
	// numa_nodes). Only the rules of nova know it; Nova's default is without.
	NetworkAffinity bool `json:"networkAffinity,omitempty"`
	// LocalBacking of the local disks: image (copy on write), lvm or remote (Ceph). Without it the
	// plan chooses by the servers' needs.
	LocalBacking string `json:"localBacking,omitempty" check:"enum=image|lvm|remote"`
}

// Flavor is a Nova flavor.
type Flavor struct {
	// Name of the flavor.
	Name string `json:"name" check:"required"`
	// VCPUs of a VM.
	VCPUs int `json:"vcpus" check:"required,min=1,max=1024"`
	// RAM of a VM.
	RAM unit.Bytes `json:"ram" check:"required,min=1"`
	// Disk is the root disk of a VM that boots from an image.
	Disk unit.Bytes `json:"disk,omitempty"`
	// Ephemeral disk of a VM.
	Ephemeral unit.Bytes `json:"ephemeral,omitempty"`
	// Swap disk of a VM.
	Swap unit.Bytes `json:"swap,omitempty"`
	// Properties are the flavor's extra specs under their real names: hw:cpu_policy, hw:numa_nodes,
	// hw:mem_page_size, hw:wrs:shared_vcpu ... Numbers and booleans need no quotes.
	Properties map[string]string `json:"properties,omitempty" check:"plain"`
}

// Server is a number of equal VMs.
type Server struct {
	// Name of the VMs; several are told as name-1, name-2 and so on.
	Name string `json:"name" check:"required"`
	// Count of VMs.
	Count int `json:"count,omitempty" default:"1" check:"min=0,max=1000000"`
	// Flavor of the VMs, by name.
	Flavor string `json:"flavor" check:"required"`
	// Image that the VMs boot from, by name; its properties count as Nova counts them.
	Image string `json:"image,omitempty"`
	// Group is the server group of the VMs, by name.
	Group string `json:"group,omitempty"`
	// AvailabilityZone that the VMs ask for.
	AvailabilityZone string `json:"availabilityZone,omitempty"`
	// Host that the VMs run on already; they keep their place before others are placed.
	Host string `json:"host,omitempty"`
	// BootFrom is volume (Cinder), image (a disk on the compute's local storage) or remoteImage (a disk in Ceph).
	BootFrom string `json:"bootFrom,omitempty" default:"volume" check:"enum=volume|image|remoteImage"`
	// Volumes are the sizes of each VM's Cinder volumes, the root volume included. A VM that boots
	// from a volume and names none has one of the size of its image's disk.
	Volumes []unit.Bytes `json:"volumes,omitempty"`
	// LiveMigration says that the VMs' ephemeral, swap and image disks must follow a live migration.
	LiveMigration bool `json:"liveMigration,omitempty"`
	// KeepData says that data on local disks must outlive a cold migration.
	KeepData bool `json:"keepData,omitempty"`
	// IOIntensive says that the VMs write much to their local disks.
	IOIntensive bool `json:"ioIntensive,omitempty"`
	// IOPS is the mean rate of one VM's disk operations.
	IOPS float64 `json:"iops,omitempty" check:"min=0,max=1000000000"`
	// Throughput is the mean rate of one VM's disk reads and writes, in bytes a second ("3M").
	Throughput unit.Bytes `json:"throughput,omitempty"`
	// Ports are the virtual NICs of one VM.
	Ports []Port `json:"ports,omitempty"`
}

// Port is a virtual NIC of a VM.
type Port struct {
	// Network is the tenant or provider network's name.
	Network string `json:"network,omitempty"`
	// PhysicalNetwork below the network; with it, the NUMA nodes of the host's NICs on it count.
	PhysicalNetwork string `json:"physicalNetwork,omitempty"`
	// VNICType is normal (the vSwitch), direct (an SR-IOV virtual function) or direct-physical (a whole port).
	VNICType string `json:"vnicType,omitempty" default:"normal" check:"enum=normal|direct|direct-physical"`
	// SecurityRules on the port, ingress and egress together.
	SecurityRules int `json:"securityRules,omitempty" check:"min=0,max=1000000"`
	// PacketsPerSecond through the port, received and sent together.
	PacketsPerSecond float64 `json:"packetsPerSecond,omitempty" check:"min=0,max=1000000000000"`
	// Bandwidth through the port in each direction; it is turned into packets by the frame size.
	Bandwidth unit.BitRate `json:"bandwidth,omitempty"`
	// FrameSize of the traffic, in bytes with the checksum: a number from 64 on, or imix.
	FrameSize string `json:"frameSize,omitempty" default:"imix" check:"framesize"`
	// CrossNUMA says that the traffic crosses NUMA nodes between VM and NIC.
	CrossNUMA bool `json:"crossNUMA,omitempty"`
}

// ServerGroup keeps VMs together or apart.
type ServerGroup struct {
	// Name of the group.
	Name string `json:"name" check:"required"`
	// Policy of the group.
	Policy string `json:"policy" check:"required,enum=affinity|anti-affinity|soft-affinity|soft-anti-affinity"`
	// MaxServerPerHost is the most VMs of an anti-affinity group on one host.
	MaxServerPerHost int `json:"maxServerPerHost,omitempty" default:"1" check:"min=1,max=10000"`
}

// Image is a number of equal Glance images.
type Image struct {
	// Name of the image.
	Name string `json:"name" check:"required"`
	// Count of such images.
	Count int `json:"count,omitempty" default:"1" check:"min=0,max=1000000"`
	// Size of the file on disk, as "qemu-img info" tells it.
	Size unit.Bytes `json:"size" check:"required,min=1"`
	// DiskSize is the size of the raw disk that it becomes. The default is its size.
	DiskSize unit.Bytes `json:"diskSize,omitempty"`
	// Cached says that Ceph also keeps it as a raw image (--cache-raw).
	Cached bool `json:"cached,omitempty"`
	// Properties of the image that constrain its VMs: hw_cpu_policy, hw_numa_nodes ...
	Properties map[string]string `json:"properties,omitempty" check:"plain"`
}

// Volumes is a number of Cinder volumes besides those of the servers.
type Volumes struct {
	// Name of the kind.
	Name string `json:"name" check:"required"`
	// Count of volumes.
	Count int `json:"count" check:"required,min=0,max=100000000"`
	// Size of one volume on disk.
	Size unit.Bytes `json:"size" check:"required,min=1"`
}

// ObjectStore is what Swift keeps.
type ObjectStore struct {
	// Objects is their number.
	Objects int `json:"objects,omitempty" check:"min=0,max=1000000000000"`
	// Size of the mean object.
	Size unit.Bytes `json:"size,omitempty" check:"max=1152921504606846976"`
}

// Neutron are the tenants' networks and the vSwitch.
type Neutron struct {
	// TenantNetworks in the cloud; the names in the servers' ports count where they are more.
	TenantNetworks int `json:"tenantNetworks,omitempty" check:"min=0,max=1000000"`
	// ProviderNetworks in the cloud; the physical networks of the NICs count where they are more.
	ProviderNetworks int `json:"providerNetworks,omitempty" check:"min=0,max=1000000"`
	// Subnets in the cloud.
	Subnets int `json:"subnets,omitempty" check:"min=0,max=1000000"`
	// SubnetsPerCompute is the most subnets that share one compute host. The default spreads the
	// subnets evenly over the computes.
	SubnetsPerCompute *int `json:"subnetsPerCompute,omitempty" check:"min=0,max=1000000"`
	// Routers are the virtual routers in the cloud.
	Routers int `json:"routers,omitempty" check:"min=0,max=1000000"`
	// DHCPServers in the cloud.
	DHCPServers int `json:"dhcpServers,omitempty" check:"min=0,max=1000000"`
	// SegmentsPerCompute is the most network segments that are active on one compute host. The default
	// is the subnets of one host.
	SegmentsPerCompute *int `json:"segmentsPerCompute,omitempty" check:"min=0,max=1000000"`
	// MACsPerSegment is the most endpoints that one compute host talks with on a segment at a time.
	MACsPerSegment int `json:"macsPerSegment,omitempty" check:"min=0,max=100000000"`
	// StackResources is the size of the largest Heat stack.
	StackResources int `json:"stackResources,omitempty" check:"min=0,max=1000000"`
	// StackServers is the number of VMs of the largest Heat stack.
	StackServers int `json:"stackServers,omitempty" check:"min=0,max=1000000"`
	// CyclesPerPacket that the vSwitch spends on one packet: measure it, for OVS-DPDK with "ovs-appctl
	// dpif-netdev/pmd-stats-show". The default is a published sample.
	CyclesPerPacket float64 `json:"cyclesPerPacket,omitempty" default:"814" fact:"vswitch.cyclesPerPacket" check:"min=1,max=1000000"`
	// Utilisation of the vSwitch's cores that is planned with.
	Utilisation unit.Factor `json:"utilisation,omitempty" default:"0.8" check:"min=0.05,max=1"`
}

// Ceph describes the storage cluster of the storage hosts.
type Ceph struct {
	// Replicas of each object. The document implies 2 and never says so.
	Replicas int `json:"replicas,omitempty" default:"2" fact:"hcg.ceph.replicas" check:"min=1,max=10"`
	// NearFull is the share of the raw capacity that is planned with; Ceph warns beyond it and stops writing soon after.
	NearFull unit.Factor `json:"nearFull,omitempty" default:"0.85" fact:"ceph.nearfull" check:"min=0.1,max=1"`
	// OSDsPerNode when it is fixed. Without it the plan finds the number.
	OSDsPerNode *int `json:"osdsPerNode,omitempty" check:"min=1,max=1000"`
	// CacheTiering puts a tier of SSDs before the OSDs, for workloads that are known to gain.
	CacheTiering bool `json:"cacheTiering,omitempty"`
	// OSDRate is what one OSD sustains for random reads, in operations a second; measure it. Without
	// it the plan says which rate each OSD has to reach.
	OSDRate float64 `json:"osdRate,omitempty" check:"min=0,max=100000000"`
	// OSDThroughput is what one OSD sustains, in bytes a second; measure it.
	OSDThroughput unit.Bytes `json:"osdThroughput,omitempty"`
}

// DRBD are the settings of the synchronisation between the controllers.
type DRBD struct {
	// Parallel is how many partitions are synchronised at once.
	Parallel int `json:"parallel,omitempty" default:"2" fact:"hcg.drbd.parallel" check:"min=1,max=10"`
	// Utilisation of the link that is allowed for it.
	Utilisation unit.Factor `json:"utilisation,omitempty" default:"0.4" fact:"hcg.drbd.utilisation" check:"min=0.05,max=1"`
	// Link between the controllers.
	Link unit.BitRate `json:"link,omitempty" default:"10G" fact:"hcg.net.infrastructure" check:"min=1"`
}

// Creation says how volumes and VMs are created.
type Creation struct {
	// Parallel is the most volumes with VMs that are created at once.
	Parallel int `json:"parallel,omitempty" default:"5" fact:"hcg.create.parallel" check:"min=1,max=10000"`
	// Thin provisioning of the volumes.
	Thin bool `json:"thin,omitempty" default:"true"`
	// CachedImages is how many images a compute with LVM backing keeps on its disk. The default is all images.
	CachedImages *int `json:"cachedImages,omitempty" check:"min=0,max=1000000"`
}
