package helion

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/topo"
)

// Decide is Make for those who place VMs (see Hosts and Pools): the plan has its
// decisions, the findings and the figures are left out, and so is the search for the
// fewest hosts where the scenario counts hosts that hold the VMs.
func Decide(s *v1alpha1.Scenario, assumed []v1alpha1.Assumption, c *facts.Catalogue,
	machines map[string]topo.Machine) *v1alpha1.Plan {
	p := newPlanner(s, assumed, c, machines)
	p.brief = true
	p.count()
	p.decide()
	p.storageHosts()
	p.controllers()
	p.plan.Decisions.Helion = p.decision()
	return &p.plan
}
