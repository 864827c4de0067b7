// Package infra moves the platform's own components to infrastructure nodes: the
// pool that keeps those nodes managed, labels, taints, monitoring and router, in the
// order in which they are to be done, and what comes with it.
//
// It sizes no nodes, finds no relabelled ones (package pool does), and moves neither
// registry nor logging by itself: their steps are named.
//
//	move := infra.Plan(infra.Options{Release: 5, Nodes: []string{"worker-4"}})
//	answer := move.Answer()
package infra

import (
	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/era"
)

// Role is the usual name of the pool, and of the role in its nodes' label.
const Role = "infra"

var (
	daemon = derive.Source{Code: "MCO source", Section: "pkg/daemon/update.go"}
	tuned  = derive.Source{Code: "NTO source", Section: "assets/tuned/manifests/default-cr-tuned.yaml"}
)

// reboots says whether a node reboots for a change of its pool alone.
var reboots = era.Rule[bool]{ID: "infra.changeOfPoolReboots",
	Title: "a node that comes into another pool is drained and rebooted, even if the configuration is the same but for its name",
	At:    era.Until(era.V45), Source: daemon}

// Eras are the rules that differ by era.
func Eras() []era.Row { return []era.Row{reboots.Row()} }

// What Plan finds.
var (
	profile = object.Rule{ID: "infra.controlPlaneProfile", Severity: v1alpha1.Info,
		Title: "the label infra has TuneD give nodes the profile of the control plane", Sources: []derive.Source{tuned, {Code: "OCP", Section: "4.3"}}}
	reboot = object.Rule{ID: "infra.reboot", Severity: v1alpha1.Info,
		Title: "nodes that change their pool are drained and rebooted", Sources: []derive.Source{daemon}}
	badName = object.Rule{ID: "infra.nodeName", Severity: v1alpha1.Error,
		Title: "a name is not one that a node can have", Sources: []derive.Source{{Code: "kubernetes.io", Section: "Object names and IDs"}}}
	fewNodes = object.Rule{ID: "infra.fewNodes", Severity: v1alpha1.Warning,
		Title: "there are fewer infrastructure nodes than are recommended", Sources: []derive.Source{{Code: "OCP", Section: "8.1"}}}
	fewRouters = object.Rule{ID: "infra.routers", Severity: v1alpha1.Error,
		Title: "there are more routers than infrastructure nodes: the rest stay Pending", Sources: []derive.Source{{Code: "cluster-ingress-operator source", Section: "pkg/operator/controller/ingress/deployment.go"}}}
	behind = object.Rule{ID: "infra.staysBehind", Severity: v1alpha1.Info,
		Title: "some components can't be moved in this release", Sources: []derive.Source{{Code: "cluster-monitoring-operator source", Section: "pkg/manifests/config.go"}}}
	evicts = object.Rule{ID: "infra.taintEvicts", Severity: v1alpha1.Info,
		Title: "a taint keeps off, or evicts, the pods of daemon sets that don't tolerate it", Sources: []derive.Source{{Code: "OpenShift docs", Section: "Creating infrastructure machine sets"}}}
)

// Rules are all rules of this package.
func Rules() []object.Rule {
	return []object.Rule{profile, reboot, badName, fewNodes, fewRouters, behind, evicts}
}

// Pool makes the MachineConfigPool of a role whose nodes were workers: it takes what
// workers get as well as its own. maxUnavailable is a number or a percentage; nil for
// one node at a time.
func Pool(r era.Release, role string, maxUnavailable any) openshift.MachineConfigPool {
	labels := map[string]string{"custom-kubelet": role}
	if r >= 6 { // the operator labels its own pools so since then
		labels = map[string]string{"pools.operator.machineconfiguration.openshift.io/" + role: ""}
	}
	return openshift.MachineConfigPool{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfigPool",
		Metadata: openshift.ObjectMeta{Name: role, Labels: labels},
		Spec: openshift.MachineConfigPoolSpec{
			MachineConfigSelector: &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{{Key: openshift.LabelRole, Operator: "In", Values: []string{"worker", role}}}},
			NodeSelector:          &openshift.LabelSelector{MatchLabels: map[string]string{roleLabel(role): ""}},
			MaxUnavailable:        maxUnavailable}}
}

func roleLabel(role string) string { return "node-role.kubernetes.io/" + role }
