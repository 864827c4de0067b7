package helion

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
)

const (
	// mostReplanned is the number of VMs that are planned again for remedies, in all plans of one;
	// each has mostReplans at most.
	mostReplanned = 5000
	mostReplans   = 64
)

// mend gives the findings the remedies that a plan of the changed scenario shows to help.
func (p *planner) mend() {
	m := part.Mender{Left: min(mostReplans, mostReplanned/max(1, int(p.load.vms.Number)*p.regions)), Replan: p.replan}
	m.Mend(p.s, part.Trial{Plan: &p.plan, Changes: p.changes})
}

// replan plans a changed scenario, without remedies.
func (p *planner) replan(s *v1alpha1.Scenario, stated []string) part.Trial {
	assumed := part.Unassumed(p.assumed, stated)
	q := newPlanner(s, assumed, p.c, p.machines)
	q.assumed, q.trial = assumed, true
	return part.Trial{Plan: q.make(), Changes: q.changes}
}

// changes might mend a finding.
func (p *planner) changes(f *v1alpha1.Finding) []part.Change {
	if p.chosen < 0 {
		return nil
	}
	fleet, in := &p.fleets[p.chosen], p.computeInput(p.model.Chosen == controller.CPE, p.nets)
	kind, about, _ := strings.Cut(strings.TrimSuffix(f.ID, "]"), "[")
	about, _, _ = strings.Cut(about, "/")
	switch chosen := about == p.s.Hardware.NodeTypes[fleet.Type].Name; {
	case kind == "compute.localSize":
		return fleet.MoreLocal(p.s)
	case kind == "limits.vmsPerCompute", kind == "compute.option" && chosen:
		return fleet.Changes(in)
	case chosen && slices.Contains([]string{"neutron.numa.nic", "neutron.numa.split", "neutron.cores.short"}, kind):
		return fleet.VSwitchAtNICs(in)
	}
	return nil
}
