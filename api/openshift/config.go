package openshift

// KubeletConfig changes the kubelet's configuration on the nodes of pools,
// machineconfiguration.openshift.io/v1.
type KubeletConfig struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   ObjectMeta        `json:"metadata"`
	Spec       KubeletConfigSpec `json:"spec"`
}

// KubeletConfigSpec selects pools by the labels of the pool objects.
type KubeletConfigSpec struct {
	MachineConfigPoolSelector *LabelSelector `json:"machineConfigPoolSelector,omitempty"`
	// KubeletConfig holds fields of the kubelet's configuration as JSON values:
	// map[string]any, []any, string, int64, float64, bool, nil.
	KubeletConfig      map[string]any `json:"kubeletConfig,omitempty"`
	AutoSizingReserved *bool          `json:"autoSizingReserved,omitempty"`
	LogLevel           *int64         `json:"logLevel,omitempty"`
	TLSSecurityProfile map[string]any `json:"tlsSecurityProfile,omitempty"`
	// SystemGomaxprocsBehavior bounds the threads of the node's own Go programs, today.
	SystemGomaxprocsBehavior string `json:"systemGomaxprocsBehavior,omitempty"`
}

// FeatureGate turns features on for the whole cluster, config.openshift.io/v1.
type FeatureGate struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   ObjectMeta      `json:"metadata"`
	Spec       FeatureGateSpec `json:"spec"`
}

// FeatureGateSpec names a feature set: "", LatencySensitive, TechPreviewNoUpgrade, CustomNoUpgrade.
type FeatureGateSpec struct {
	FeatureSet      string         `json:"featureSet,omitempty"`
	CustomNoUpgrade map[string]any `json:"customNoUpgrade,omitempty"`
}

// MachineConfig is a piece of the operating system's configuration for the nodes
// of the pools that select it, machineconfiguration.openshift.io/v1.
type MachineConfig struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   ObjectMeta        `json:"metadata"`
	Spec       MachineConfigSpec `json:"spec"`
}

// MachineConfigSpec is an Ignition configuration and what Ignition doesn't know.
type MachineConfigSpec struct {
	// Config is an Ignition configuration of specification 2.2 or 3.x as JSON values.
	Config map[string]any `json:"config,omitempty"`
	// KernelArguments are added to the kernel's command line, in order.
	KernelArguments []string `json:"kernelArguments,omitempty"`
	// KernelType is "", "default" or "realtime".
	KernelType string `json:"kernelType,omitempty"`
	FIPS       bool   `json:"fips,omitempty"`
	OSImageURL string `json:"osImageURL,omitempty"`
	// BaseOSExtensionsContainerImage is filled in by the operator today.
	BaseOSExtensionsContainerImage string `json:"baseOSExtensionsContainerImage,omitempty"`
	// Extensions are groups of packages that are added to the system.
	Extensions []string `json:"extensions,omitempty"`
}

// MachineConfigPool joins nodes with the MachineConfigs that they get.
type MachineConfigPool struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Metadata   ObjectMeta            `json:"metadata"`
	Spec       MachineConfigPoolSpec `json:"spec"`
	Status     PoolStatus            `json:"status,omitzero"`
}

// MachineConfigPoolSpec selects nodes and MachineConfigs.
type MachineConfigPoolSpec struct {
	MachineConfigSelector *LabelSelector `json:"machineConfigSelector,omitempty"`
	NodeSelector          *LabelSelector `json:"nodeSelector,omitempty"`
	// MaxUnavailable is a number (int64) or text such as "10%"; nil when absent.
	MaxUnavailable any  `json:"maxUnavailable,omitempty"`
	Paused         bool `json:"paused,omitempty"`
	// Configuration names the rendered MachineConfig that the pool's nodes are to have.
	Configuration ConfigurationRef `json:"configuration,omitzero"`
	// PinnedImageSets and OSImageStream name objects of today's clusters that hold
	// images on the nodes, or choose the stream of their system.
	PinnedImageSets []map[string]any `json:"pinnedImageSets,omitempty"`
	OSImageStream   map[string]any   `json:"osImageStream,omitempty"`
}

// ConfigurationRef names a rendered MachineConfig, as any reference to an object does.
type ConfigurationRef struct {
	APIVersion      string           `json:"apiVersion,omitempty"`
	Kind            string           `json:"kind,omitempty"`
	Namespace       string           `json:"namespace,omitempty"`
	Name            string           `json:"name,omitempty"`
	UID             string           `json:"uid,omitempty"`
	ResourceVersion string           `json:"resourceVersion,omitempty"`
	FieldPath       string           `json:"fieldPath,omitempty"`
	Source          []map[string]any `json:"source,omitempty"`
}

// PoolStatus is what the operator last reported.
type PoolStatus struct {
	MachineCount        int         `json:"machineCount,omitempty"`
	UpdatedMachineCount int         `json:"updatedMachineCount,omitempty"`
	Conditions          []Condition `json:"conditions,omitempty"`
}

// IngressController is a router and its placement, operator.openshift.io/v1.
type IngressController struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Metadata   ObjectMeta            `json:"metadata"`
	Spec       IngressControllerSpec `json:"spec"`
}

// IngressControllerSpec is the part that tuning and placement read.
type IngressControllerSpec struct {
	Replicas                   *int64         `json:"replicas,omitempty"`
	NodePlacement              *NodePlacement `json:"nodePlacement,omitempty"`
	EndpointPublishingStrategy map[string]any `json:"endpointPublishingStrategy,omitempty"`
	// TuningOptions by their names, as JSON values.
	TuningOptions map[string]any `json:"tuningOptions,omitempty"`
}

// NodePlacement says on which nodes routers run.
type NodePlacement struct {
	NodeSelector *LabelSelector `json:"nodeSelector,omitempty"`
	Tolerations  []Toleration   `json:"tolerations,omitempty"`
}

// Toleration of a taint.
type Toleration struct {
	Key               string `json:"key,omitempty"`
	Operator          string `json:"operator,omitempty"`
	Value             string `json:"value,omitempty"`
	Effect            string `json:"effect,omitempty"`
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// ConfigMap holds texts by key; cluster-monitoring-config has one, config.yaml.
type ConfigMap struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   ObjectMeta        `json:"metadata"`
	Data       map[string]string `json:"data,omitempty"`
}
