package pool

import (
	"fmt"
	"strconv"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// The states that the daemon on a node reports.
const (
	Done           = "Done"
	Working        = "Working"
	Degraded       = "Degraded"
	Unreconcilable = "Unreconcilable"
)

// The annotations of a node that hold its configurations, the daemon's state, and
// the reason for it.
const (
	CurrentAnnotation = "machineconfiguration.openshift.io/currentConfig"
	DesiredAnnotation = "machineconfiguration.openshift.io/desiredConfig"
	StateAnnotation   = "machineconfiguration.openshift.io/state"
	ReasonAnnotation  = "machineconfiguration.openshift.io/reason"
)

// zoneLabel is the label that the operator orders nodes by.
const zoneLabel = "topology.kubernetes.io/zone"

// Failure is where a node's update ends each time it is tried.
type Failure string

// The failures; the empty one is none.
const (
	// FailsConfig refuses the configuration before the node is drained.
	FailsConfig Failure = "config"
	// FailsDrain never gets the node empty: it stays cordoned.
	FailsDrain Failure = "drain"
	// FailsApply can't write the configuration after the drain: the node stays cordoned.
	FailsApply Failure = "apply"
	// FailsBoot never comes back from the reboot.
	FailsBoot Failure = "boot"
)

// Failures are all failures.
func Failures() []Failure { return []Failure{FailsConfig, FailsDrain, FailsApply, FailsBoot} }

// Range is a time of which only the least and the greatest are known; both are
// equal when it is.
type Range struct {
	Min unit.Duration `json:"min"`
	Max unit.Duration `json:"max"`
}

// Node is a node as the rollout sees it.
type Node struct {
	Name   string
	Labels map[string]string
	// Created as RFC 3339; older nodes go first.
	Created string
	// Cordoned nodes are unschedulable. These and the others are unavailable.
	Cordoned, NotReady, DiskPressure, NetworkUnavailable bool
	// Current and Desired name configurations, State is what the daemon reports;
	// all are empty for a node that the daemon never ran on.
	Current, Desired, State string
	// Drain is the time until the node is empty, Reboot from then until it is Ready
	// with the new configuration.
	Drain, Reboot Range
	Fails         Failure
	// Held says why a drain never ends, where that is known.
	Held string
	// CPU and Pods that the node takes.
	CPU  unit.CPU
	Pods int
}

// old is the name of the configuration that nodes have when nothing else is known.
const old = "rendered-old"

// Workers makes n ready workers, worker-1 and so on, whose configuration is up to
// date.
func Workers(n int, drain, reboot Range) []Node { return Nodes(Worker, n, drain, reboot) }

// MostNodes is how many nodes a rollout is played with at most: four times what
// Kubernetes supports.
const MostNodes = 20_000

// Nodes makes n ready nodes of a role; beyond MostNodes only as many as Options.Problems
// need to refuse them.
func Nodes(role string, n int, drain, reboot Range) []Node {
	out := make([]Node, min(max(n, 0), MostNodes+1))
	for i := range out {
		out[i] = Node{Name: fmt.Sprintf("%s-%0*d", role, len(strconv.Itoa(n)), i+1),
			Labels:  map[string]string{"node-role.kubernetes.io/" + role: ""},
			Current: old, Desired: old, State: Done, Drain: drain, Reboot: reboot, CPU: 1000, Pods: 1}
	}
	return out
}

// Usual is the time of a whole update of a node, drain and reboot together, in the
// document's example.
func Usual() Range {
	c := facts.Load()
	return Range{unit.Duration(c.Must("ocp.rollout.perNodeMin").Number),
		unit.Duration(c.Must("ocp.rollout.perNodeMax").Number)}
}

// FromObjects takes nodes of a cluster, which all drain and reboot in the same
// time. If no node has the operator's annotations, all are taken to be up to date.
func FromObjects(nodes []openshift.Node, drain, reboot Range) []Node {
	managed := false
	for i := range nodes {
		managed = managed || nodes[i].Metadata.Annotations[CurrentAnnotation] != ""
	}
	out := make([]Node, len(nodes))
	for i := range nodes {
		out[i] = fromObject(&nodes[i])
		out[i].Drain, out[i].Reboot = drain, reboot
		if !managed {
			out[i].Current, out[i].Desired, out[i].State = old, old, Done
		}
	}
	return out
}

func fromObject(o *openshift.Node) Node {
	m := &o.Metadata
	n := Node{Name: m.Name, Labels: m.Labels, Created: m.CreationTimestamp, Cordoned: o.Spec.Unschedulable,
		Current: m.Annotations[CurrentAnnotation], Desired: m.Annotations[DesiredAnnotation],
		State: m.Annotations[StateAnnotation]}
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case "Ready":
			n.NotReady = c.Status != "True"
		case "DiskPressure":
			n.DiskPressure = c.Status != "False"
		case "NetworkUnavailable":
			n.NetworkUnavailable = c.Status != "False"
		}
	}
	if cpu, err := unit.ParseCPU(o.Status.Capacity["cpu"]); err == nil {
		n.CPU = cpu
	}
	if pods, err := strconv.Atoi(o.Status.Capacity["pods"]); err == nil {
		n.Pods = pods
	}
	return n
}

// CPUs is the number of CPUs that a node reports; 0 where it says nothing.
func CPUs(n *openshift.Node) int {
	cpus, _ := unit.ParseCPU(n.Status.Capacity["cpu"])
	return int(cpus.Cores())
}

// takesPods says whether pods can be put on the node.
func (n *Node) takesPods() bool { return !n.Cordoned && !n.NotReady && !n.DiskPressure }

// ready is readiness as the operator means it: a cordoned node is not ready.
func (n *Node) ready() bool { return n.notReady() == "" }

// notReady says why a node is not ready; empty when it is.
func (n *Node) notReady() string {
	switch {
	case n.NotReady:
		return "not Ready"
	case n.DiskPressure:
		return "short of disk"
	case n.NetworkUnavailable:
		return "without network"
	case n.Cordoned:
		return "cordoned"
	}
	return ""
}

// failing says whether the daemon gave up on the desired configuration.
func (n *Node) failing() bool {
	return n.Current != n.Desired && n.gaveUp()
}

// gaveUp says whether the daemon reports that it can't do what it should.
func (n *Node) gaveUp() bool { return n.State == Degraded || n.State == Unreconcilable }

// settled says whether the node has what it is to have.
func (n *Node) settled() bool { return n.Current != "" && n.Current == n.Desired && n.State == Done }

// unavailable says whether the node counts against the budget.
func (n *Node) unavailable() bool { return !n.ready() || !n.settled() && !n.failing() }
