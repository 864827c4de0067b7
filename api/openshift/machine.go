package openshift

import "plimsoll.dev/api/v1alpha1"

// Node is a node of the cluster.
type Node struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       NodeSpec   `json:"spec,omitzero"`
	Status     NodeStatus `json:"status,omitzero"`
}

// NodeSpec is the part of a node that people change.
type NodeSpec struct {
	Unschedulable bool             `json:"unschedulable,omitempty"`
	ProviderID    string           `json:"providerID,omitempty"`
	Taints        []v1alpha1.Taint `json:"taints,omitempty"`
}

// NodeStatus is what the kubelet reports.
type NodeStatus struct {
	Conditions []Condition `json:"conditions,omitempty"`
	// Capacity by resource, as quantities.
	Capacity map[string]string `json:"capacity,omitempty" check:"plain"`
	NodeInfo NodeInfo          `json:"nodeInfo,omitzero"`
}

// NodeInfo is what the node runs on.
type NodeInfo struct {
	// Architecture is amd64, arm64 or another one of Go's names.
	Architecture string `json:"architecture,omitempty"`
}

// Pod is a pod as far as the choice of a profile reads it.
type Pod struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       PodSpec    `json:"spec,omitzero"`
	Status     PodStatus  `json:"status,omitzero"`
}

// PodSpec names the node of a pod; empty before it is scheduled.
type PodSpec struct {
	NodeName string `json:"nodeName,omitempty"`
}

// PodStatus is the pod's phase.
type PodStatus struct {
	Phase string `json:"phase,omitempty"`
}

// Machine is a machine of the machine API, machine.openshift.io/v1beta1.
type Machine struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   ObjectMeta    `json:"metadata"`
	Spec       MachineSpec   `json:"spec,omitzero"`
	Status     MachineStatus `json:"status,omitzero"`
}

// MachineSpec is what a machine is to be, of which only the provider is read.
type MachineSpec struct {
	ProviderSpec struct {
		Value struct {
			// Kind tells the provider: BareMetalMachineProviderSpec for servers of metal.
			Kind string `json:"kind,omitempty"`
		} `json:"value,omitzero"`
	} `json:"providerSpec,omitzero"`
}

// MachineStatus is what the machine controller reports.
type MachineStatus struct {
	// Phase is Provisioning, Provisioned, Running, Deleting or Failed.
	Phase string `json:"phase,omitempty"`
	// LastUpdated is the time of the last change of the phase, as RFC 3339.
	LastUpdated string   `json:"lastUpdated,omitempty"`
	NodeRef     *NodeRef `json:"nodeRef,omitempty"`
}

// NodeRef names the node of a machine.
type NodeRef struct {
	Name string `json:"name"`
}

// MachineHealthCheck says when machines are unhealthy, machine.openshift.io/v1beta1.
type MachineHealthCheck struct {
	APIVersion string                 `json:"apiVersion"`
	Kind       string                 `json:"kind"`
	Metadata   ObjectMeta             `json:"metadata"`
	Spec       MachineHealthCheckSpec `json:"spec"`
}

// MachineHealthCheckSpec selects machines of the check's own namespace.
type MachineHealthCheckSpec struct {
	Selector            LabelSelector        `json:"selector"`
	UnhealthyConditions []UnhealthyCondition `json:"unhealthyConditions"`
	// MaxUnhealthy is a number (int64) or text such as "40%"; nil, which is 100 %, when absent.
	MaxUnhealthy any `json:"maxUnhealthy,omitempty"`
	// NodeStartupTimeout is a duration as Go writes it, from 4.5 on; nil when absent.
	NodeStartupTimeout *string `json:"nodeStartupTimeout,omitempty"`
	// RemediationTemplate names an external remediation.
	RemediationTemplate map[string]any `json:"remediationTemplate,omitempty"`
}

// UnhealthyCondition is a status of a node's condition that may last for Timeout.
type UnhealthyCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Timeout string `json:"timeout"`
}
