// Package ingresscontroller knows how the Ingress Operator reads an IngressController: on which
// nodes its routers run and how many of them fit, which fields and tuningOptions a
// release has, and how a router is moved to nodes of choice.
//
// It doesn't size routers (plan/router does), and judges no values of tuningOptions
// (package router beside it does).
//
//	found := ingresscontroller.Check(objects, release.V44)
//	ic, left := ingresscontroller.Generate(ingresscontroller.Options{Release: 20, NodeSelector: infra})
package ingresscontroller

// Rollout is how many routers more and fewer run while a new version is rolled out,
// when they are not on the host network.
type Rollout struct {
	// SurgeShare: a quarter more, else one. UnavailableShare: a half fewer (a quarter
	// from four routers on), else none.
	SurgeShare, UnavailableShare bool
}

// byShare is the rollout since 4.5.
var byShare = Rollout{true, true}

// String is the rollout for people.
func (r Rollout) String() string {
	if r.SurgeShare {
		return "25 % more, 50 % fewer (25 % from 4 routers on)"
	}
	return "1 more, none fewer"
}
