package helion

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
)

const (
	// mostReplanned is the number of VMs that are planned again for remedies, in all plans of one;
	// each has mostReplans at most.
	mostReplanned = 8000
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
	if f.ID == "compute.localSize" {
		return p.fleets[p.chosen].MoreLocal(p.s)
	}
	if p.chosen < 0 || !slices.Contains([]string{"compute.option[" + p.s.Hardware.NodeTypes[p.fleets[p.chosen].Type].Name +
		"]", "limits.vmsPerCompute"}, f.ID) {
		return nil
	}
	return p.fleets[p.chosen].Changes(p.computeInput(p.model.Chosen == controller.CPE, p.nets))
}
