package plan

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
)

// verdict says in three sentences what the plan comes to.
func (p *planner) verdict() {
	part.Conclude(&p.plan, p.summary())
	p.plan.Verdict.Open = append(p.lacking, p.open()...)
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
	return s + fmt.Sprintf("%s for %s", derive.Of(float64(p.s.Policy.ControlPlaneNodes), "control plane nodes"),
		p.load.count)
}
