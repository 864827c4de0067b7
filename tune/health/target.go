package health

import (
	"fmt"
	"slices"
	"time"

	"plimsoll.dev/api/openshift"
)

// The labels and annotations that the operators read.
const (
	LabelMachineRole = "machine.openshift.io/cluster-api-machine-role"
	LabelMachineType = "machine.openshift.io/cluster-api-machine-type"
	LabelMachineSet  = "machine.openshift.io/cluster-api-machineset"
	// AnnotationPaused stops a check, whatever its value.
	AnnotationPaused = "cluster.x-k8s.io/paused"
)

// The phases of a machine.
const (
	Provisioning = "Provisioning"
	Provisioned  = "Provisioned"
	Running      = "Running"
	Deleting     = "Deleting"
	Failed       = "Failed"
)

// Machine is a machine as a check reads it.
type Machine struct {
	Name                string
	Labels, Annotations map[string]string
	Owners              []openshift.OwnerReference
	// Phase is empty before the machine controller has seen the machine.
	Phase string
	// LastUpdated is when the phase changed last; the zero time is never.
	LastUpdated time.Time
	// NodeName is the node that joined for the machine; empty before.
	NodeName string
	// Deleting says that the machine has been deleted and is still there.
	Deleting bool
}

// Node is a node as a check reads it.
type Node struct {
	Name       string
	Labels     map[string]string
	Conditions []Condition
	Cordoned   bool
}

// Condition is a condition of a node, in its status since a time.
type Condition struct {
	Type, Status string
	Since        time.Time
}

// Target is a machine that a check selects. Its node is nil before it has joined,
// and when the machine names a node that is not there any more.
type Target struct {
	Machine *Machine
	Node    *Node
}

// condition is the node's condition of a type; the first when there are several.
func (n *Node) condition(kind string) *Condition {
	for i := range n.Conditions { // asked for each node at each pass
		if n.Conditions[i].Type == kind {
			return &n.Conditions[i]
		}
	}
	return nil
}

// has says whether the node has a condition in a status.
func (n *Node) has(kind, status string) bool {
	c := n.condition(kind)
	return c != nil && c.Status == status
}

// controlled says whether one of the owners manages the machine.
func (m *Machine) controlled() bool {
	return slices.ContainsFunc(m.Owners, func(o openshift.OwnerReference) bool { return o.Controller })
}

// ownedBy says whether one of the owners is of a kind, managing or not.
func (m *Machine) ownedBy(kind string) bool {
	return slices.ContainsFunc(m.Owners, func(o openshift.OwnerReference) bool { return o.Kind == kind })
}

// isMaster says whether a target belongs to the control plane by its node's label,
// or by the role of its machine.
func (t Target) isMaster() bool {
	if t.Node != nil {
		if _, ok := t.Node.Labels[openshift.LabelMaster]; ok {
			return true
		}
	}
	return t.Machine.Labels[LabelMachineRole] == "master"
}

// MachineOf reads a machine. The error names a time that can't be read.
func MachineOf(m *openshift.Machine) (*Machine, error) {
	out := &Machine{Name: m.Metadata.Name, Labels: m.Metadata.Labels, Annotations: m.Metadata.Annotations,
		Owners: m.Metadata.OwnerReferences, Phase: m.Status.Phase, Deleting: m.Metadata.DeletionTimestamp != ""}
	if m.Status.NodeRef != nil {
		out.NodeName = m.Status.NodeRef.Name
	}
	at, err := timeOf(m.Status.LastUpdated)
	if err != nil {
		return nil, fmt.Errorf("machine %s: status.lastUpdated %w", m.Metadata.Name, err)
	}
	out.LastUpdated = at
	return out, nil
}

// timeOf reads a time as objects have it; nothing is the zero time.
func timeOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("%q is not a time such as 2021-02-14T09:30:00Z", text)
	}
	return at, nil
}
