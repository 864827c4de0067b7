package profile

import (
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/tune/tuned"
)

// Input is what the operator sees of a cluster.
type Input struct {
	// Tuneds are the Tuned CRs. Where none is named "default", the one that the operator
	// of the release makes is added.
	Tuneds []object.Typed[openshift.Tuned]
	Nodes  []Node
	// Pods on the nodes, in any namespace and phase. Those of other nodes are passed over.
	Pods []Pod
	// Pools are the machine config pools, which machineConfigLabels select.
	Pools []openshift.MachineConfigPool
	// Profiles are what the operator asks of nodes, and what these have: one object for each node. ProfilesSeen says that
	// these are all there are, so that a node without has none.
	Profiles     []openshift.Profile
	ProfilesSeen bool
	// Unseen is what nobody showed, and may turn what nodes get: Pools are those that every
	// cluster has then, and CR default is the only one.
	Unseen struct{ Tuneds, Pools, Pods bool }
	// Now is when all this was seen, by which ages are judged; the zero time takes all for old.
	Now time.Time
	// Release of OpenShift whose operator decides.
	Release release.Release
	// Stored says that the CRs come from a cluster, which has taken them: none is left out
	// because the API server would refuse it.
	Stored bool
	// Kernel tells the kernel arguments that TuneD computes for a profile on a node; ok is
	// false when TuneD loads nothing. Nil tells none.
	Kernel func(n *Node, profile string) (line tuned.CommandLine, ok bool)
	// Vendor are names of profiles that are installed with TuneD, beyond those that are known.
	Vendor []string
}

// Node is a node as far as the choice reads it. A node without the label
// kubernetes.io/os is taken for one of Linux; every real node has it.
type Node struct {
	Name   string
	Labels map[string]string
	// CPUs that the node has; 0 when not known.
	CPUs int
	// Created as RFC 3339; empty when not known.
	Created string
}

// Pod is a pod as far as the choice reads it. It counts in any phase, completed and
// terminating ones included, as long as it is bound to a node and exists.
type Pod struct {
	Namespace, Name string
	// Node that the pod is bound to; the pod doesn't count when it is empty.
	Node   string
	Labels map[string]string
}

// Nodes takes from nodes what the choice reads.
func Nodes(list []openshift.Node) []Node {
	out := make([]Node, len(list))
	for i := range list {
		out[i] = Node{Name: list[i].Metadata.Name, Labels: list[i].Metadata.Labels,
			Created: list[i].Metadata.CreationTimestamp, CPUs: pool.CPUs(&list[i])}
	}
	return out
}

// String is namespace/name.
func (p *Pod) String() string {
	if p.Namespace == "" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

// osLabel says which operating system a node runs.
const osLabel = "kubernetes.io/os"

// counts says whether the operator computes a profile for the node.
func (n *Node) counts(b release.Release) bool {
	os, ok := n.Labels[osLabel]
	return !ok || os == "linux" || !linuxOnly.In(b)
}
