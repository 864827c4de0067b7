// Package ingresscontroller knows how the Ingress Operator reads an IngressController: on which
// nodes its routers run and how many of them fit, which fields and tuningOptions a
// release has, and how a router is moved to nodes of choice.
//
// It doesn't size routers (plan/router does), and judges no values of tuningOptions
// (package router beside it does).
//
//	found := ingresscontroller.Check(objects, era.V44)
//	ic, left := ingresscontroller.Generate(ingresscontroller.Options{Release: 20, NodeSelector: infra})
package ingresscontroller

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/era"
)

var (
	deployment = derive.Source{Code: "cluster-ingress-operator source", Section: "pkg/operator/controller/ingress/deployment.go"}
	types      = derive.Source{Code: "OpenShift API", Section: "operator/v1 IngressController"}
)

// Rollout is how many routers more and fewer run while a new version is rolled out,
// when they are not on the host network.
type Rollout struct {
	// SurgeShare: a quarter more, else one. UnavailableShare: a half fewer (a quarter
	// from four routers on), else none.
	SurgeShare, UnavailableShare bool
}

// String is the rollout for people.
func (r Rollout) String() string {
	if r.SurgeShare {
		return "25 % more, 50 % fewer (25 % from 4 routers on)"
	}
	return "1 more, none fewer"
}

// What differs by era.
var (
	rollout = era.Rule[Rollout]{ID: "ingress.rollout",
		Title: "how many routers run more and fewer while a new version is rolled out, but on the host network (a quarter fewer, none more)",
		At:    [4]Rollout{era.V45: {true, true}, era.Current: {true, true}}, Source: deployment}
)

// Eras are the rules that differ by era.
func Eras() []era.Row { return []era.Row{rollout.Row()} }

// What Check finds.
var (
	unknownField = object.Rule{ID: "ingress.unknownField", Severity: v1alpha1.Warning,
		Title: "a field that no release knows: it has no effect", Sources: []derive.Source{types}}
	otherRelease = object.Rule{ID: "ingress.otherRelease", Severity: v1alpha1.Warning,
		Title: "a field that other releases know: it has no effect", Sources: []derive.Source{types}}
	badSelector = object.Rule{ID: "ingress.selector", Severity: v1alpha1.Error,
		Title: "a node selector that can't be made labels with one value each: the operator leaves the routers as they are", Sources: []derive.Source{deployment}}
	bareLabels = object.Rule{ID: "ingress.bareLabels", Severity: v1alpha1.Error,
		Title: "labels stand in nodeSelector without matchLabels: they have no effect, and routers run on any node", Sources: []derive.Source{types, deployment}}
	anyNode = object.Rule{ID: "ingress.anyNode", Severity: v1alpha1.Warning,
		Title: "an empty node selector replaces the default: routers run on any node", Sources: []derive.Source{deployment}}
	badToleration = object.Rule{ID: "ingress.toleration", Severity: v1alpha1.Error,
		Title: "a toleration that Kubernetes refuses", Sources: []derive.Source{types}}
	pending = object.Rule{ID: "ingress.pending", Severity: v1alpha1.Error,
		Title: "more routers than nodes that take them: two never share a node, the rest stay Pending", Sources: []derive.Source{deployment}}
)

// Rules are all rules of this package.
func Rules() []object.Rule {
	return []object.Rule{unknownField, otherRelease, badSelector, bareLabels, anyNode, badToleration, pending}
}
