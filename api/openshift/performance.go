package openshift

// PerformanceProfile is what the Node Tuning Operator makes a Tuned, a KubeletConfig, a
// MachineConfig and a RuntimeClass of, performance.openshift.io/v2.
type PerformanceProfile struct {
	APIVersion string                 `json:"apiVersion"`
	Kind       string                 `json:"kind"`
	Metadata   ObjectMeta             `json:"metadata"`
	Spec       PerformanceProfileSpec `json:"spec"`
}

// PerformanceProfileSpec says what nodes with workloads of low latency get. Of what is
// absent a pointer is nil.
type PerformanceProfileSpec struct {
	CPU            PerformanceCPU  `json:"cpu"`
	HardwareTuning *HardwareTuning `json:"hardwareTuning,omitempty"`
	HugePages      *HugePages      `json:"hugepages,omitempty"`
	// MachineConfigLabel and MachineConfigPoolSelector are one label each; nil follows NodeSelector.
	MachineConfigLabel        map[string]string `json:"machineConfigLabel,omitempty"`
	MachineConfigPoolSelector map[string]string `json:"machineConfigPoolSelector,omitempty"`
	// NodeSelector is one label.
	NodeSelector   map[string]string `json:"nodeSelector"`
	RealTimeKernel Enabled           `json:"realTimeKernel,omitzero"`
	// KernelPageSize is 4k or 64k, from 4.18 on.
	KernelPageSize       string         `json:"kernelPageSize,omitempty"`
	AdditionalKernelArgs []string       `json:"additionalKernelArgs,omitempty"`
	NUMA                 NUMA           `json:"numa,omitzero"`
	Net                  PerformanceNet `json:"net,omitzero"`
	// GloballyDisableIrqLoadBalancing keeps interrupts of devices off isolated CPUs.
	GloballyDisableIrqLoadBalancing bool          `json:"globallyDisableIrqLoadBalancing,omitempty"`
	WorkloadHints                   WorkloadHints `json:"workloadHints,omitzero"`
}

// Enabled turns something on.
type Enabled struct {
	Enabled bool `json:"enabled,omitempty"`
}

// NUMA holds the policy of the kubelet's topology manager.
type NUMA struct {
	TopologyPolicy *string `json:"topologyPolicy,omitempty"`
}

// PerformanceCPU are sets of CPUs in the kernel's format of lists.
type PerformanceCPU struct {
	Reserved *string `json:"reserved"`
	Isolated *string `json:"isolated"`
	// BalanceIsolated leaves the scheduler to balance load between isolated CPUs; nil is true.
	BalanceIsolated *bool `json:"balanceIsolated,omitempty"`
	// Offlined CPUs are turned off; Shared are for containers that ask for them, from 4.15 on; OVSDPDK from 4.23 on.
	Offlined string `json:"offlined,omitempty"`
	Shared   string `json:"shared,omitempty"`
	OVSDPDK  string `json:"ovsDpdk,omitempty"`
}

// HardwareTuning are highest frequencies in kHz, from 4.16 on.
type HardwareTuning struct {
	IsolatedCPUFreq *int64 `json:"isolatedCpuFreq,omitempty"`
	ReservedCPUFreq *int64 `json:"reservedCpuFreq,omitempty"`
}

// HugePages are allocated when a node starts.
type HugePages struct {
	DefaultHugepagesSize *string    `json:"defaultHugepagesSize,omitempty"`
	Pages                []HugePage `json:"pages,omitempty"`
}

// HugePage are pages of a size such as 1G, on all NUMA nodes where Node is nil.
type HugePage struct {
	Size  string `json:"size,omitempty"`
	Count int64  `json:"count,omitempty"`
	Node  *int64 `json:"node,omitempty"`
}

// PerformanceNet sets up the queues of network devices.
type PerformanceNet struct {
	UserLevelNetworking bool        `json:"userLevelNetworking,omitempty"`
	Devices             []NetDevice `json:"devices,omitempty"`
}

// NetDevice are the devices that have all that is given.
type NetDevice struct {
	InterfaceName *string `json:"interfaceName,omitempty"`
	VendorID      *string `json:"vendorID,omitempty"`
	DeviceID      *string `json:"deviceID,omitempty"`
}

// WorkloadHints weigh latency against power.
type WorkloadHints struct {
	HighPowerConsumption bool `json:"highPowerConsumption,omitempty"`
	// RealTime is true when nil.
	RealTime *bool `json:"realTime,omitempty"`
	// PerPodPowerManagement from 4.12 on, MixedCPUs from 4.15 on.
	PerPodPowerManagement bool `json:"perPodPowerManagement,omitempty"`
	MixedCPUs             bool `json:"mixedCpus,omitempty"`
}
