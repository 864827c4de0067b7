// Package helion plans a cloud of VMs on Helion OpenStack Carrier Grade and what it
// became: the deployment model, compute hosts by true placement, controllers, storage
// hosts and network, with the limits of the system (HCG 2 to 8).
//
// Model, computes and controllers work on one another, so the package decides the
// order; the arithmetic of each part is in the packages below. It does not place VMs
// itself: package place/cloud does.
//
//	p := helion.Make(scenario, assumptions, facts.Load(), nil)
//	p.Verdict.Summary // "controller storage: 2 controllers, 8 computes (1 spare), no storage hosts"
package helion

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/ceph"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/topo"
)

// planner holds what the parts of one plan share.
type planner struct {
	s        *v1alpha1.Scenario
	c        *facts.Catalogue
	o        *part.Origin
	b        derive.Book
	doubts   *doubt.Log
	machines map[string]topo.Machine

	parts []*part.Part
	load  workload
	// pair is the index of the node type that a CPE would be made of; -1 is none.
	pair int
	// regions that the workload is divided over; 1 until the model says otherwise.
	regions int
	model   model.Decision
	// fleets of the node types, and the index of the chosen one; -1 is none. nets are the
	// cores of their vSwitches.
	fleets []compute.Fleet
	chosen int
	nets   network
	// computes is the number of compute hosts (of a region).
	computes derive.Value
	// cut is a compute host, cut into what it is used for.
	cut     []v1alpha1.ResourceLayers
	control controller.Result
	ceph    ceph.Result
	// lacking is what network and computes need and did not get.
	lacking []string

	// assumed are the fields that were filled in; trial says that the plan tries a remedy.
	assumed []v1alpha1.Assumption
	trial   bool

	plan v1alpha1.Plan
}

// readingOrder is the order of the sections.
var readingOrder = []string{model.Section, "workload", "controller", "drbd", "logging", "launch", compute.Section,
	"neutron", "ceph", "limits", doubt.Section}

// Make plans the scenario, whose defaults are filled in; assumed are the fields that
// were. machines are those that were read from files, by node type name; nil without.
// It never fails: what does not fit is a finding.
func Make(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue,
	machines map[string]topo.Machine) *v1alpha1.Plan {
	p := newPlanner(s, assumed, c, machines)
	p.assumed = assumed
	p.make()
	p.mend()
	return &p.plan
}

// make plans, but for the remedies that are tried.
func (p *planner) make() *v1alpha1.Plan {
	s := p.s
	p.count()
	p.decide()
	p.storageHosts()
	p.controllers()
	p.limits()
	p.plan.APIVersion, p.plan.Kind = v1alpha1.APIVersion, v1alpha1.KindPlan
	p.plan.Metadata, p.plan.Platform, p.plan.Assumptions = s.Metadata, s.Platform, p.assumed
	p.plan.Decisions.Helion = p.decision()
	p.plan.Nodes = p.layers(p.cut)
	p.put(doubt.Part(p.doubts))
	part.Collect(&p.plan, p.parts, readingOrder)
	p.remedyLimits()
	p.plan.Findings = tellOnce(p.plan.Findings)
	p.plan.Figures = p.b.Figures()
	p.doubts.Mark(&p.plan)
	part.Conclude(&p.plan, p.summary())
	p.plan.Verdict.Open = slices.Concat(p.ceph.Open, p.lacking)
	if p.load.vms.Number == 0 {
		p.plan.Verdict.Open = append(p.plan.Verdict.Open,
			"VMs: the scenario has none, so that nothing is asked of the hosts")
	}
	return &p.plan
}

func newPlanner(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue,
	machines map[string]topo.Machine) *planner {
	return &planner{s: s, c: c, o: part.NewOrigin(assumed, c), doubts: doubt.New(s.Policy.Doubtful, c), machines: machines,
		pair: -1, regions: 1}
}

// put adds parts.
func (p *planner) put(parts ...*part.Part) { p.parts = append(p.parts, parts...) }

// margin is policy.margin.
func (p *planner) margin() derive.Value {
	return p.o.Value("policy.margin", float64(p.s.Policy.Margin), "ratio")
}

// perCompute is policy.vmsPerCompute.
func (p *planner) perCompute() derive.Value {
	return p.o.Value("policy.vmsPerCompute", float64(p.s.Policy.VMsPerCompute), "VMs")
}

// spares is policy.spareNodes.
func (p *planner) spares() derive.Value {
	n := 1
	if p.s.Policy.SpareNodes != nil {
		n = *p.s.Policy.SpareNodes
	}
	return p.o.Value("policy.spareNodes", float64(n), "computes")
}
