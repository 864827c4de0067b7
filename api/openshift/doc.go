// Package openshift holds the objects of OpenShift and Kubernetes that settings
// are made of and judged by, as far as a rule reads them: Tuned, PerformanceProfile,
// KubeletConfig, MachineConfig and its pool, MachineHealthCheck and Machine,
// FeatureGate, IngressController, ConfigMap, Node and Pod.
//
// They are types and data: what an operator makes of them stands in the packages
// below tune. A field that no rule reads is not here; readers must let it pass.
//
//	cr := openshift.Tuned{Spec: openshift.TunedSpec{Recommend: items}}
package openshift

import "plimsoll.dev/api/v1alpha1"

// The namespaces that operators look into.
const (
	NamespaceTuned      = "openshift-cluster-node-tuning-operator"
	NamespaceMachines   = "openshift-machine-api"
	NamespaceMonitoring = "openshift-monitoring"
	NamespaceIngress    = "openshift-ingress-operator"
)

// The labels of roles: the key is the role, the value is empty.
const (
	LabelMaster       = "node-role.kubernetes.io/master"
	LabelControlPlane = "node-role.kubernetes.io/control-plane"
	LabelWorker       = "node-role.kubernetes.io/worker"
	LabelInfra        = "node-role.kubernetes.io/infra"
	// LabelRole is that of a MachineConfig, which pools select by.
	LabelRole = "machineconfiguration.openshift.io/role"
)

// ObjectMeta is what objects have in common.
type ObjectMeta struct {
	Name        string            `json:"name,omitempty"`
	Namespace   string            `json:"namespace,omitempty"`
	UID         string            `json:"uid,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// CreationTimestamp and DeletionTimestamp as RFC 3339; empty when there is none.
	CreationTimestamp string           `json:"creationTimestamp,omitempty"`
	DeletionTimestamp string           `json:"deletionTimestamp,omitempty"`
	OwnerReferences   []OwnerReference `json:"ownerReferences,omitempty"`
}

// OwnerReference names the object that an object belongs to.
type OwnerReference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
	// Controller says whether the owner manages the object.
	Controller bool `json:"controller,omitempty"`
}

// LabelSelector selects objects; nil selects nothing, an empty one everything.
// What it selects is told by place/selector.Selects.
type LabelSelector = v1alpha1.LabelSelector

// Condition is a condition of a node, a machine or another object's status.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Message is read of Profiles only.
	Message string `json:"message,omitempty"`
	// LastTransitionTime as RFC 3339.
	LastTransitionTime string `json:"lastTransitionTime,omitempty"`
}
