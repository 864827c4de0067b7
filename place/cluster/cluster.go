// Package cluster turns a scenario into what the placement engines work on: each
// node with its labels and Node Allocatable, each kind of pod with its requests,
// the machine behind a node, and the pods that already run. It places nothing.
//
//	c := cluster.Build(cluster.Input{Scenario: s, Pools: pools, Facts: facts.Load()})
//	len(c.Nodes), c.Kinds[0].Pod.Request.CPU
package cluster

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
)

// Input is what a cluster is built from.
type Input struct {
	// Scenario with its defaults filled in.
	Scenario *v1alpha1.Scenario
	// Pools are the nodes to build, by type and count, with the huge pages to pre-allocate.
	Pools []v1alpha1.PoolDecision
	// Platform are pods of the platform itself that run on these nodes.
	Platform []v1alpha1.PodType
	// Snapshot's single nodes and the pods that run on them; nil without a snapshot.
	Snapshot *v1alpha1.Inventory
	// Machines by node type, where they were read from a file.
	Machines map[string]topo.Machine
	// Assumptions of the scenario.
	Assumptions []v1alpha1.Assumption
	Facts       *facts.Catalogue
}

// Cluster is what is placed, and where.
type Cluster struct {
	// Nodes in the order in which the scheduler came to know them.
	Nodes []scheduler.Node
	// Of is the index in Types of each node.
	Of []int
	// Types are the kinds of node.
	Types []Type
	// Kinds are the kinds of pod.
	Kinds []Kind
	// Bound are the pods that run already, and one of each DaemonSet for each node
	// that it selects.
	Bound []Bound
	// Queue are the pods of a snapshot that wait, in the scheduler's order; Counts has them, too.
	Queue []Queued
	// Domains are the label keys that failures follow, besides the single node.
	Domains []string
	// Budgets are the disruption budgets of the pods, by the names of their types.
	Budgets []v1alpha1.DisruptionBudget
	// ByRole says that nodes are updated by role, as OpenShift's machine config pools, else by type.
	ByRole bool
	// Profile of the scheduler.
	Profile scheduler.Profile
	// Notes say in words what was taken for granted.
	Notes []string
}

// Type is a kind of node.
type Type struct {
	Name string
	// Machine and Kubelet are set where containers are given CPUs, memory or devices of their own: Pinned.
	Pinned  bool
	Machine topo.Machine
	Kubelet kubelet.Config
}

// Kind is a kind of pod.
type Kind struct {
	// Type is the pod type that it was made from.
	Type v1alpha1.PodType
	// Pod is what the scheduler sees.
	Pod scheduler.PodClass
	// Spec is what the kubelet sees.
	Spec podres.Pod
	// QOS is the quality of service class.
	QOS string
	// Count of pods to schedule, in addition to those that are bound.
	Count int
	// NotTried says why the scheduler does not try the pods; empty when it does.
	NotTried string
}

// Queued is a pod that waits, and the only node that it may run on, -1 for any.
type Queued struct{ Kind, Node int }

// Bound is a number of equal pods on a node.
type Bound struct {
	Kind, Node, Count int
	// New says that they don't run yet: a DaemonSet's controller makes them for this
	// node, and the scheduler and the kubelet are asked.
	New bool
}

// builder holds what the parts of one build share.
type builder struct {
	Input
	o    *part.Origin
	over node.Overcommit
	c    Cluster
	// types by name, as indices in the scenario's node types.
	types map[string]int
	// limited are the pod types that the scheduler keeps to a number per node.
	limited []v1alpha1.PodType
	// made is the number of nodes by the prefix of their names, turns the number of
	// nodes that have taken a value of a label in turn.
	made, turns map[string]int
}

// Build makes the cluster. It never fails: the scenario was checked when it was
// read.
func Build(in Input) *Cluster {
	b := &builder{Input: in, o: part.NewOrigin(in.Assumptions, in.Facts), types: map[string]int{}, made: map[string]int{},
		turns: map[string]int{}}
	for i, t := range in.Scenario.Hardware.NodeTypes {
		b.types[t.Name] = i
	}
	b.c.Budgets = in.Scenario.Workload.DisruptionBudgets
	b.c.ByRole = in.Scenario.Platform.Type == "openshift"
	b.overcommit()
	b.profile()
	b.kinds()
	b.nodes()
	b.daemons()
	b.running()
	b.notes()
	return &b.c
}

// Wanted is the number of pods to schedule.
func (c *Cluster) Wanted() int {
	n := 0
	for _, k := range c.Kinds {
		n += k.Count
	}
	return n
}
