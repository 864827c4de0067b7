// Package plan dimensions a cluster: from workload, hardware and policy to
// nodes, network, control plane, monitoring, router, storage and rollout, every
// figure with its derivation and every limit with the share that is used.
//
// The parts work on one another: the node count feeds the network, the control
// plane and Prometheus; Prometheus and the routers take room on nodes; so the
// plan is repeated until the numbers stand still. Package plan decides the
// order; the arithmetic of each part is in the packages below. It places no
// single pod: package place does.
//
//	p := plan.Make(scenario, assumptions, facts.Load())
//	p.Verdict.Tightest // "nodes: 42 of 250 tested (17 %) ..."
package plan

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/plan/controlplane"
	"plimsoll.dev/plan/helion"
	"plimsoll.dev/plan/router"
	"plimsoll.dev/topo"
)

// maxRounds bounds the rounds in which the parts settle on one another. Each
// round can only add nodes for Prometheus, so few are needed.
const maxRounds = 8

// planner holds what the parts of one plan share.
type planner struct {
	s *v1alpha1.Scenario
	c *facts.Catalogue
	o *part.Origin
	b derive.Book

	parts    []*part.Part
	load     workload
	dims     dims
	rooms    []roomOf // per worker type
	priced   bool     // those of all options have a price
	options  []choice
	choice   *choice
	homeless []v1alpha1.PodType // infrastructure pods that run on the workers
	infra    infra
	control  controlplane.Result
	routing  router.Size
	// proofs are packings that were proven, by their problem; held are options that
	// were placed, by what was placed.
	proofs map[string]proved
	held   map[string]*holding
	// trials is what may still be placed on trial.
	trials place.Budget
	// spare and below are for the last trial of options, and for the search below what was found.
	spare, below place.Budget
	// today are the pods that have no other place on today's nodes when what the policy asks for happens.
	today []string
	// assumed and read are as for MakeOn.
	assumed []v1alpha1.Assumption
	read    Read
	// trial says that the plan tries a remedy.
	trial bool
	// lacking is what the workload needs and the scenario does not give.
	lacking []string
	// askDisk names the pods that ask for local storage, where some node type states no disk.
	askDisk string
	// unlimited are the quantities that no maximum is published for.
	unlimited []string

	plan v1alpha1.Plan
}

// Make plans the scenario, whose defaults are filled in. The assumptions are
// the fields that were. It never fails: what does not fit is a finding.
func Make(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue) *v1alpha1.Plan {
	return MakeOn(s, assumed, c, Read{})
}

// Read is what was read from files beside the scenario.
type Read struct {
	// Machines by node type name: package helion counts their NUMA nodes, placement their cores.
	Machines map[string]topo.Machine
	// Snapshot is the cluster as it runs; nil without one.
	Snapshot *v1alpha1.Inventory
	// Placing says that the caller places the nodes itself: those that are all stated are
	// not placed on trial before.
	Placing bool
}

// MakeOn is Make with what was read from files.
func MakeOn(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue, read Read) *v1alpha1.Plan {
	if s.Platform.Type == "helion" {
		return helion.Make(s, assumed, c, read.Machines)
	}
	p := newPlanner(s, assumed, c, read)
	p.make()
	p.mend()
	return &p.plan
}

func newPlanner(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue, read Read) *planner {
	return &planner{s: s, c: c, o: part.NewOrigin(assumed, c), assumed: assumed, read: read,
		trials: place.Budget{Pods: place.MostTrials}, spare: place.Budget{Pods: place.LastTrial},
		below: place.Budget{Pods: place.LastTrial}}
}

// few bounds what is tried where it is not the plan itself that is asked for.
func (p *planner) few() {
	p.trials.Pods, p.spare.Pods, p.below.Pods = fewTrials, fewTrials/2, fewTrials/2
}

// make plans, but for the remedies that are tried.
func (p *planner) make() *v1alpha1.Plan {
	s := p.s
	p.workload()
	p.settle()
	p.platformParts()
	if !p.trial {
		p.compare()
	}
	p.plan.APIVersion, p.plan.Kind = v1alpha1.APIVersion, v1alpha1.KindPlan
	p.plan.Metadata, p.plan.Platform, p.plan.Assumptions = s.Metadata, s.Platform, p.assumed
	p.plan.Machines, p.plan.Snapshot = p.read.Machines, p.read.Snapshot
	p.gauges()
	p.collect()
	p.verdict()
	return &p.plan
}

// readingOrder is the order of the sections; what is not in it comes last.
var readingOrder = []string{"workload", "nodes", "infra", "control", "network", "storage", "hugePages", "router",
	"monitoring", "grow", "limits"}

// collect puts the parts together.
func (p *planner) collect() {
	part.Collect(&p.plan, p.parts, readingOrder)
	p.plan.Figures = p.b.Figures()
}

// put adds a part, or replaces the part of the same section: the parts that
// settle on one another are made anew in each round.
func (p *planner) put(s *part.Part) {
	for i, old := range p.parts {
		if old.Section.ID == s.Section.ID {
			p.parts[i] = s
			return
		}
	}
	p.parts = append(p.parts, s)
}
