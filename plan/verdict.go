package plan

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/place/scheduler"
)

// verdict says in three sentences what the plan comes to.
func (p *planner) verdict() {
	part.Conclude(&p.plan, p.summary())
	p.plan.Verdict.Open = slices.Concat(p.lacking, p.diskless(), p.zoneless(), p.unadmitted(), p.open())
}

// runsToday says that the nodes are those of a snapshot.
func (p *planner) runsToday() bool {
	return p.read.Snapshot != nil && (p.read.Placing || p.choice != nil && p.choice.opt.Name == TodaysNodes)
}

// zoneless tells of running nodes that don't say in which zone they are, where the policy
// states that a zone may fail.
func (p *planner) zoneless() []string {
	if !p.runsToday() || !p.s.Policy.SurviveZoneLoss {
		return nil
	}
	n := 0
	for _, node := range p.read.Snapshot.Nodes {
		if node.Labels[scheduler.ZoneLabel] == "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("zones: %s without the label %s, so that the loss of their zone was not tried",
		words.Count(n, "node"), scheduler.ZoneLabel)}
}

// summary says what is to be bought.
func (p *planner) summary() string {
	if p.choice == nil {
		return "no nodes can be planned"
	}
	const most = 4
	s, infra, infras := "", "", 0.0
	for i, r := range p.choice.rooms {
		switch n := float64(p.choice.opt.Nodes[i].Count); {
		case n > 0 && infraToday(r.Type):
			infras += n
			infra += words.Count(int(n), r.Type.Name+" infrastructure node") + ", "
		case n > 0 && masterNode(r.Type.Labels):
			s += words.Count(int(n), r.Type.Name+" control plane node") + " with workload, "
		case n > 0:
			s += words.Count(int(n), r.Type.Name+" worker") + ", "
		}
	}
	s += infra
	if n := len(p.choice.rooms); n > most {
		s = fmt.Sprintf("%s of %d types, ", derive.Of(p.choice.total.Number-infras, "workers"), n)
		if infras > 0 {
			s += derive.Of(infras, "infrastructure nodes").Text + ", "
		}
	}
	if n := p.infra.count.Int(); n > 0 {
		s += derive.Of(float64(n), "infrastructure nodes").Text + ", "
	}
	if p.s.Policy.ControlPlaneNodes == 0 {
		return s + fmt.Sprintf("managed control plane, for %s", p.load.count)
	}
	if n := p.apart(); n.Number > 0 {
		s += derive.Of(n.Number, "control plane nodes").Text
	}
	return strings.TrimSuffix(s, ", ") + fmt.Sprintf(" for %s", p.load.count)
}
