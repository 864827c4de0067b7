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
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/plan/control"
	"plimsoll.dev/plan/part"
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
	options  []choice
	choice   *choice
	homeless []v1alpha1.PodType // infrastructure pods that run on the workers
	infra    infra
	control  control.Result
	// proofs are packings that were proven, by their problem.
	proofs map[string]proved
	// unlimited are the quantities that no maximum is published for.
	unlimited []string

	plan v1alpha1.Plan
}

// Make plans the scenario, whose defaults are filled in. The assumptions are
// the fields that were. It never fails: what does not fit is a finding.
func Make(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue) *v1alpha1.Plan {
	p := &planner{s: s, c: c, o: part.NewOrigin(assumed, c)}
	p.workload()
	p.settle()
	p.platformParts()
	p.compare()
	p.plan.APIVersion, p.plan.Kind = v1alpha1.APIVersion, v1alpha1.KindPlan
	p.plan.Metadata, p.plan.Platform, p.plan.Assumptions = s.Metadata, s.Platform, assumed
	p.gauges()
	p.collect()
	p.verdict()
	return &p.plan
}

// readingOrder is the order of the sections; what is not in it comes last.
var readingOrder = []string{"workload", "nodes", "infra", "control", "network", "storage", "hugePages", "router", "monitoring", "grow", "limits"}

// collect puts the parts together.
func (p *planner) collect() {
	slices.SortStableFunc(p.parts, func(a, b *part.Part) int {
		return cmp.Compare(rank(a.Section.ID), rank(b.Section.ID))
	})
	for _, s := range p.parts {
		limit.Sort(s.Gauges) // the worst is told first
		s.Findings = append(s.Findings, passedGauges(s)...)
		p.plan.Sections = append(p.plan.Sections, s.Section)
		p.plan.Findings = append(p.plan.Findings, s.Findings...)
		p.plan.Gauges = append(p.plan.Gauges, s.Gauges...)
	}
	p.plan.Figures = p.b.Figures()
	limit.Sort(p.plan.Gauges)
	sortFindings(p.plan.Findings)
}

func rank(section string) int {
	if i := slices.Index(readingOrder, section); i >= 0 {
		return i
	}
	return len(readingOrder)
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
