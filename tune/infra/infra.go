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
	"plimsoll.dev/release"
)

// Role is the usual name of the pool, and of the role in its nodes' label.
const Role = "infra"

// Pool makes the MachineConfigPool of a role whose nodes were workers: it takes what
// workers get as well as its own. maxUnavailable is a number or a percentage; nil for
// one node at a time.
func Pool(r release.Release, role string, maxUnavailable any) openshift.MachineConfigPool {
	labels := map[string]string{"custom-kubelet": role}
	if r.Minor() >= 6 { // the operator labels its own pools so since then
		labels = map[string]string{"pools.operator.machineconfiguration.openshift.io/" + role: ""}
	}
	return openshift.MachineConfigPool{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfigPool",
		Metadata: openshift.ObjectMeta{Name: role, Labels: labels},
		Spec: openshift.MachineConfigPoolSpec{
			MachineConfigSelector: &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
				{Key: openshift.LabelRole, Operator: "In", Values: []string{"worker", role}},
			}},
			NodeSelector:   &openshift.LabelSelector{MatchLabels: map[string]string{roleLabel(role): ""}},
			MaxUnavailable: maxUnavailable}}
}

func roleLabel(role string) string { return "node-role.kubernetes.io/" + role }
