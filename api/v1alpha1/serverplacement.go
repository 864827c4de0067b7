package v1alpha1

import "plimsoll.dev/unit"

// KindServerPlacement is the answer of "place" for a cloud of VMs.
const KindServerPlacement = "ServerPlacement"

// ServerPlacement is the answer of "place" on platform helion: the host, NUMA
// nodes, cores, pages and devices of each VM, what found no host and why, and
// what the cloud survives. Amounts of memory are in bytes.
type ServerPlacement struct {
	PlacementHead
	// ServerTypes are the scenario's servers, and what became of them.
	ServerTypes []ServerOutcome `json:"serverTypes"`
	// Servers are the single VMs that run, in the order in which they were placed; only of up to 20,000.
	Servers []PlacedServer `json:"servers,omitzero"`
	// Hosts are all compute hosts; equal ones without a map may be told as one with a count.
	Hosts []PlacedHost `json:"hosts"`
	// Resources of the whole cloud: in use of usable, and what is stranded.
	Resources []ClusterResource `json:"resources"`
	// Machines show who owns which core, page and device: those of the hosts that tell most, at most eight.
	Machines []MachineMap `json:"machines,omitempty"`
	// Refusals explain why VMs found no host, one for each server type.
	Refusals []ServerRefusal `json:"refusals,omitempty"`
	// Comparison of the hosts in use, the packed order and the proven floor.
	Comparison *HostComparison `json:"comparison,omitempty"`
	// Losses are what-ifs: hosts or zones that fail, and their VMs are evacuated.
	Losses []ServerLoss `json:"losses,omitempty"`
	// Stranding is what a thread policy, a page size or a device leaves that nobody can use.
	Stranding []Stranding `json:"stranding,omitempty"`
	// Assumptions are fields that the scenario left open.
	Assumptions []Assumption `json:"assumptions,omitempty"`
	// Skipped is what could not be understood or does not count.
	Skipped []Skipped `json:"skipped,omitempty"`
}

// ServerOutcome is what became of the VMs of one entry of workload.servers.
type ServerOutcome struct {
	// Name of the server, and of its flavor.
	Name   string `json:"name"`
	Flavor string `json:"flavor"`
	// VCPUs and RAM of one VM.
	VCPUs int        `json:"vcpus"`
	RAM   unit.Bytes `json:"ram"`
	// Policy in one line: "dedicated, isolate, 2 NUMA nodes, 1G pages, vswitch strict".
	Policy string `json:"policy"`
	// Wanted is the number of VMs asked for; Bound of them ran already.
	Wanted int `json:"wanted"`
	Bound  int `json:"bound,omitempty"`
	// Placed is the number that run; Refused those without a host.
	Placed  int `json:"placed"`
	Refused int `json:"refused,omitempty"`
	// More is how many more of this type would fit now, with AtLeast counted no further.
	More    int  `json:"more"`
	AtLeast bool `json:"atLeast,omitempty"`
	// NovaRefuses is the number of VMs that run here and that Nova's own search would refuse on that
	// host (its fault with unequal cells).
	NovaRefuses int `json:"novaRefuses,omitempty"`
}

// PlacedServer is one VM that runs.
type PlacedServer struct {
	// Name of the VM; ServerType is the index in ServerTypes.
	Name       string `json:"name"`
	ServerType int    `json:"serverType"`
	// Host that it runs on.
	Host string `json:"host"`
	// Cells are its virtual NUMA nodes; none when it floats over the host.
	Cells []PlacedCell `json:"cells,omitempty"`
	// EmulatorCPUs are the CPUs of its emulator threads, where they have their own.
	EmulatorCPUs unit.CPUSet `json:"emulatorCPUs,omitzero"`
	// Devices that it owns.
	Devices []PlacedDevice `json:"devices,omitempty"`
	// Why says in sentences why it is there, one for each thing it is near to or far from.
	Why []string `json:"why,omitempty"`
	// NovaRefuses says that Nova's own search would refuse it on this host.
	NovaRefuses string `json:"novaRefuses,omitempty"`
}

// PlacedCell is a virtual NUMA node of a VM.
type PlacedCell struct {
	// Cell is its number in the VM, Node that of the host's NUMA node.
	Cell int `json:"cell"`
	Node int `json:"node"`
	// VCPUs of the cell that are not pinned: they float over the node's shared CPUs, or the host's.
	VCPUs unit.CPUSet `json:"vcpus,omitzero"`
	// Pins are the pinned vCPUs in their order.
	Pins []PinnedCPU `json:"pins,omitempty"`
	// Idle are threads that the isolate policy leaves unused.
	Idle unit.CPUSet `json:"idle,omitzero"`
	// Memory in bytes, and the size of its pages; 0 where the host's smallest are used without being counted.
	Memory   unit.Bytes `json:"memory"`
	PageSize unit.Bytes `json:"pageSize,omitempty"`
}

// PinnedCPU is a vCPU and the CPU that it is pinned to.
type PinnedCPU struct {
	VCPU int `json:"vcpu"`
	CPU  int `json:"cpu"`
	// Shared says that the CPU is the node's shared core (hw:wrs:shared_vcpu).
	Shared bool `json:"shared,omitempty"`
}

// PlacedDevice is a number of PCI devices of a VM.
type PlacedDevice struct {
	// Kind is the alias, or the physical network of a virtual function.
	Kind string `json:"kind"`
	// Node that they are on; -1 when they do not say.
	Node  int `json:"node"`
	Count int `json:"count"`
}

// PlacedHost is a compute host, or a number of equal ones.
type PlacedHost struct {
	// Name of the host, or of the first of equal ones; Count of them.
	Name  string `json:"name"`
	Count int    `json:"count"`
	// Type is the node type's name, Zone its availability zone.
	Type string `json:"type"`
	Zone string `json:"zone,omitempty"`
	// VMs on each of them.
	VMs int `json:"vms"`
	// Nodes are the NUMA nodes.
	Nodes []HostNode `json:"nodes"`
	// Full says that no VM of any type fits any more.
	Full bool `json:"full,omitempty"`
	// Machine is the index in Machines, from 1; 0 is none.
	Machine int `json:"machine,omitempty"`
}

// HostNode is a NUMA node of a host: usable and in use.
type HostNode struct {
	ID int `json:"id"`
	// Dedicated CPUs (threads) for pinned vCPUs, and those in use.
	Dedicated int `json:"dedicated"`
	Pinned    int `json:"pinned"`
	// Shared CPUs for floating vCPUs, and the vCPUs on them.
	Shared int `json:"shared,omitempty"`
	VCPUs  int `json:"vcpus,omitempty"`
	// Pools of pages, by size.
	Pools []PagePool `json:"pools"`
	// Devices on the node.
	Devices []DevicePool `json:"devices,omitempty"`
}

// PagePool is memory in pages of one size.
type PagePool struct {
	// PageSize such as 2Mi; 4Ki is memory without huge pages.
	PageSize unit.Bytes `json:"pageSize"`
	Total    unit.Bytes `json:"total"`
	Used     unit.Bytes `json:"used"`
}

// DevicePool is a number of devices of a kind.
type DevicePool struct {
	Kind  string `json:"kind"`
	Total int    `json:"total"`
	Used  int    `json:"used"`
}

// ServerRefusal explains why a VM found no host.
type ServerRefusal struct {
	// ServerType is the index in ServerTypes, Count the VMs refused for the same reasons.
	ServerType int `json:"serverType"`
	Count      int `json:"count"`
	// Reasons are hosts per first failed test, most hosts first: "not enough free dedicated CPUs on any NUMA node".
	Reasons []UnfitReason `json:"reasons"`
	// Nearest host, and the first failing test of each of its NUMA nodes: "node 0: 5 free CPUs < 6".
	Nearest string   `json:"nearest,omitempty"`
	Nodes   []string `json:"nodes,omitempty"`
	// Remedies are the smallest changes that would give it a place, tried one by one.
	Remedies []string `json:"remedies,omitempty"`
}

// HostComparison is how many hosts the VMs need.
type HostComparison struct {
	// Floor is a number of hosts that no placement can do with fewer of, Method what proves it.
	Floor  int    `json:"floor"`
	Method string `json:"method"`
	// Packed is what the packed order needs: the largest VMs first, each on the fullest host that takes it.
	Packed int `json:"packed"`
	// Nova is what Nova's filters and weighers need when it fills hosts in the order of arrival;
	// AtLeast where some VMs fit nowhere.
	Nova    int  `json:"nova"`
	AtLeast bool `json:"atLeast,omitempty"`
	// Given is the number of hosts there are.
	Given int `json:"given"`
	// Advice that follows.
	Advice string `json:"advice,omitempty"`
}

// ServerLoss is the loss of hosts that run VMs, which are evacuated.
type ServerLoss = LossOf[ServerCount]

// ServerCount is a number of VMs of a type, and why.
type ServerCount struct {
	// ServerType is the index in ServerTypes.
	ServerType int    `json:"serverType"`
	Count      int    `json:"count"`
	Reason     string `json:"reason,omitempty"`
}

// Stranding is what is free and of no use.
type Stranding struct {
	// Resource such as "threads", "2Mi pages on node 1".
	Resource string `json:"resource"`
	// Amount in Unit, and its share of the total.
	Amount int64  `json:"amount"`
	Unit   string `json:"unit"`
	// Why in a sentence: "require with 3 vCPUs leaves one thread of a core that no require VM takes".
	Why string `json:"why"`
}
