// Package nova decides where the parts of one VM go on one compute host: virtual
// NUMA nodes to NUMA nodes, vCPUs to cores, memory to pages, devices to slots. It
// knows three rule sets: the document's, the public StarlingX fork's and Nova's.
//
// It chooses no host (package place/cloud does) and reads no flavor (package
// place/nova/flavor does). Amounts of memory are in MiB, page sizes in KiB, as
// Nova counts them.
//
//	fit, ok := host.Fit(&request, nova.Nova)
//	fit.Cells[0].Node // 1
//	host.Claim(&request, fit)
package nova

import "plimsoll.dev/unit"

// Rules is a set of rules by which VMs are placed.
type Rules string

// The rule sets.
const (
	// HCG40 is the Helion OpenStack Carrier Grade 4.0 document (HCG 7).
	HCG40 Rules = "hcg-4.0"
	// StarlingX is the public Nova fork of StarlingX, 2018.
	StarlingX Rules = "starlingx"
	// Nova is Nova as it is today (34.0).
	Nova Rules = "nova"
)

// Policies of CPUs (hw:cpu_policy).
const (
	Shared    = "shared"
	Dedicated = "dedicated"
	Mixed     = "mixed"
)

// Thread policies (hw:cpu_thread_policy).
const (
	Prefer  = "prefer"
	Require = "require"
	Isolate = "isolate"
)

// Policies of the emulator's threads (hw:emulator_threads_policy).
const (
	EmulatorShare   = "share"
	EmulatorIsolate = "isolate"
)

// Affinity policies of devices. The document's strict is Required, its prefer
// Preferred; Legacy is Nova's default.
const (
	Required  = "required"
	Preferred = "preferred"
	Legacy    = "legacy"
	Socket    = "socket"
)

// Page sizes that are words (hw:mem_page_size); a positive one is in KiB, and 0
// is not given.
const (
	SmallPages PageSize = -1
	LargePages PageSize = -2
	AnyPages   PageSize = -3
)

// PageSize of a VM's memory: a word, or KiB.
type PageSize int64

// Request is what one VM asks of a host.
type Request struct {
	// VCPUs in all; Memory in all, in MiB.
	VCPUs  int
	Memory int64
	// Cells are the virtual NUMA nodes; none floats over the host (Nova: no NUMA
	// topology at all).
	Cells []GuestCell
	// CPUPolicy is Shared, Dedicated or Mixed; ThreadPolicy "", Prefer, Require or Isolate.
	CPUPolicy, ThreadPolicy string
	// EmulatorThreads is "", EmulatorShare or EmulatorIsolate.
	EmulatorThreads string
	// SharedVCPU is the vCPU on a node's shared core (hw:wrs:shared_vcpu); -1 is none.
	SharedVCPU int
	// VSwitchAffinity is "", Required or Preferred: nodes where the vSwitch has cores (hcg-4.0 and starlingx).
	VSwitchAffinity string
	// Devices asked for, by kind.
	Devices []DeviceRequest
	// Physnets are physical networks, and Tunneled says that a tunnelled network is
	// among the VM's; both bind the VM to their nodes (rules of nova).
	Physnets []string
	Tunneled bool
}

// GuestCell is a virtual NUMA node.
type GuestCell struct {
	// ID is its number in the VM.
	ID int
	// VCPUs float, PCPUs are pinned; both are numbers of the VM's vCPUs.
	VCPUs, PCPUs unit.CPUSet
	// Memory in MiB.
	Memory int64
	// PageSize of the memory.
	PageSize PageSize
	// HostNode that the cell is pinned to (hw:numa_node.N); -1 is any.
	HostNode int
}

// DeviceRequest is a number of PCI devices of a kind.
type DeviceRequest struct {
	// Kind is the alias, or the physical network of virtual functions.
	Kind string
	// Count of devices.
	Count int
	// Policy is Required, Preferred, Legacy or Socket.
	Policy string
}

// MaxNodes is the most NUMA nodes that a host may have.
const MaxNodes = 64

// Host is a compute host and what is in use on it. Only Prepare, Claim and Release
// write to it: the other methods may run at the same time.
type Host struct {
	// Cells are the NUMA nodes in the host's order, at most MaxNodes.
	Cells []HostCell
	// Pools are the PCI devices, one for each kind and node.
	Pools []DevicePool
	// CPUAllocationRatio of floating vCPUs to CPUs, RAMAllocationRatio of memory
	// without pages of its own; 0 counts as 1. The rules of hcg-4.0 and starlingx
	// take 16 for the first.
	CPUAllocationRatio, RAMAllocationRatio float64
	// PackNodes tries the fuller nodes first (packing_host_numa_cells_allocation_strategy).
	PackNodes bool
	// Floating sums of VMs without a NUMA topology: vCPUs and MiB.
	FloatingVCPUs  int
	FloatingMemory int64
}

// HostCell is a NUMA node of a host.
type HostCell struct {
	// ID of the node, and of its socket.
	ID, Socket int
	// Shared are the CPUs of floating vCPUs (cpu_shared_set). With the rules of
	// hcg-4.0 and starlingx it equals Dedicated: whatever is not pinned is shared.
	Shared unit.CPUSet
	// Dedicated are the CPUs for pinned vCPUs (cpu_dedicated_set), Pinned those in use.
	Dedicated, Pinned unit.CPUSet
	// Siblings are the threads of each core, in the order in which cores are taken;
	// cores of one thread are sets of one. None at all: each dedicated CPU is a core.
	Siblings []unit.CPUSet
	// CPUUsage is the number of floating vCPUs on the node.
	CPUUsage int
	// SharedVCPU is the shared core of the node (one core, or one thread of it); none
	// of it is in Dedicated. VMs that float run on it with the rules of hcg-4.0 alone.
	// SharedUsage is the number of shared vCPUs on it, at most 16.
	SharedVCPU  unit.CPUSet
	SharedUsage int
	// VSwitch says that the vSwitch has cores on the node.
	VSwitch bool
	// Memory of the node in MiB and what is in use of it.
	Memory, MemoryUsage int64
	// Pages are the pools in the order of their size; the smallest is memory without huge pages.
	Pages []PagePool
	// Physnets that have a NIC on the node; Tunneled says that tunnels end here.
	Physnets []string
	Tunneled bool

	cores *cores // what Prepare made of Siblings
}

// PagePool is a number of pages of one size. Size is in KiB.
type PagePool struct {
	Size, Total, Used, Reserved int64
}

// Free pages of the pool.
func (p PagePool) Free() int64 { return p.Total - p.Used - p.Reserved }

// DevicePool is a number of equal PCI devices on a node; Node -1 is not known.
type DevicePool struct {
	Kind string
	Node int
	// Total devices and those that are free.
	Total, Free int
}

// Fit is where the parts of a VM go.
type Fit struct {
	// Cells in the order of the request's.
	Cells []CellFit
	// Devices taken, by pool.
	Devices []DeviceFit
}

// CellFit is where a virtual NUMA node goes.
type CellFit struct {
	// Node is the id of the host's NUMA node.
	Node int
	// PageSize in KiB of the pool that the memory comes from, the smallest where the
	// VM asks for none; 0 where the node has no pools.
	PageSize int64
	// Pins are the pinned vCPUs, by vCPU. Reserved are CPUs of emulator threads.
	Pins     []Pin
	Reserved unit.CPUSet
	// Idle are threads that are kept unused beside isolated vCPUs.
	Idle unit.CPUSet
}

// Pin is a vCPU and its CPU.
type Pin struct{ VCPU, CPU int }

// DeviceFit is a number of devices of a pool (an index in Host.Pools).
type DeviceFit struct{ Pool, Count int }

// Reason is the first test that a node, or the whole host, failed.
type Reason struct {
	// Node is the id of the host's NUMA node; -1 is the host as a whole.
	Node int
	// Cell is the id of the guest's cell; -1 is the VM as a whole.
	Cell int
	// Test is the name of the test: pages, pageSize, memory, vcpus, freeCPUs, threads,
	// siblings, overcommit, sharedCore, vswitch, hostNode, network, devices, cells,
	// hostCPUs (of a VM that floats over the host), sharedSet (there are no shared CPUs).
	Test string
	// Text such as "5 free CPUs < 6".
	Text string
}
