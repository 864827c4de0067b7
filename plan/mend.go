package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/unit"
)

const (
	// mostReplanned is the number of pods that are planned again for remedies, in all plans of one;
	// each has mostReplans at most.
	mostReplanned = 8000
	mostReplans   = 48
)

// mend gives the findings the remedies that a plan of the changed scenario shows to help.
func (p *planner) mend() {
	if p.trial || p.read.Placing || p.read.Snapshot != nil {
		return
	}
	m := part.Mender{Left: min(mostReplans, mostReplanned/max(1, int(p.load.count.Number))), Replan: p.replan}
	m.Mend(p.s, part.Trial{Plan: &p.plan, Changes: p.changes})
}

// replan plans a changed scenario, without remedies.
func (p *planner) replan(s *v1alpha1.Scenario, stated []string) part.Trial {
	q := newPlanner(s, part.Unassumed(p.assumed, stated), p.c, p.read)
	q.trial = true
	q.few()
	return part.Trial{Plan: q.make(), Changes: q.changes}
}

// changes might mend a finding.
func (p *planner) changes(f *v1alpha1.Finding) []part.Change {
	kind, about, _ := strings.Cut(strings.TrimSuffix(f.ID, "]"), "[")
	switch c := p.choice; {
	case kind == "infra.empty":
		return resized("smaller", p.infra.room.index, p.infra.room.Type, 0.5, 0.25)
	case kind == "infra.left":
		return resized("larger", p.infra.room.index, p.infra.room.Type, 2, 4)
	case kind == "grow.rollout.full":
		return p.moreSpares(about)
	case c == nil || len(c.rooms) != len(c.opt.Nodes):
	case kind == "nodes.option" && about == c.opt.Name, kind == "nodes.held":
		return p.choiceChanges(c)
	case kind == "nodes.left":
		for _, l := range c.pack.Left {
			if c.items[l.Item].Name == about {
				return p.leftChanges(c, l)
			}
		}
	case kind == "limits.stock":
		return p.moreStock(c)
	case kind == "limits.podsPerCore":
		return p.fewerPods(about)
	}
	return nil
}

// choiceChanges might mend what is wrong with the chosen option.
func (p *planner) choiceChanges(c *choice) []part.Change {
	switch {
	case len(c.pack.Left) > 0:
		return p.leftChanges(c, c.pack.Left[0])
	case c.noNodes() != "":
		return nil
	case c.opt.Verified != nil && c.opt.Verified.Status == v1alpha1.NotVerified && c.holding.err == nil:
		return append(p.heldChanges(c), p.moreStock(c)...)
	case c.short() >= 0:
		return append(p.moreStock(c), p.otherTypes(c)...)
	}
	return append(c.take(c.opt.Total), p.overcommits(c)...)
}

// overcommits are those of CPUs with which the nodes in mind might do.
func (p *planner) overcommits(c *choice) []part.Change {
	if c.opt.Given == 0 {
		return nil
	}
	over := max(1, float64(p.s.Policy.Overcommit.CPU)) * float64(c.opt.Total) / float64(c.opt.Given)
	var out []part.Change
	for _, f := range []float64{c.opt.FitsAt, over, over * 1.25} {
		if f = math.Ceil(f*100) / 100; f > float64(p.s.Policy.Overcommit.CPU) {
			out = append(out, part.Change{Kind: "overcommit", Sets: "policy.overcommit.cpu",
				Says: fmt.Sprintf("set policy.overcommit.cpu to %g if pods can bear it", f),
				Do:   func(s *v1alpha1.Scenario) { s.Policy.Overcommit.CPU = unit.Factor(f) }})
		}
	}
	return out
}

// take is another number of nodes where the scenario states one.
func (c *choice) take(n int) []part.Change {
	if len(c.rooms) != 1 {
		return nil
	}
	says := fmt.Sprintf("take %d nodes", n)
	if c.stated[0] == 0 {
		return []part.Change{{Kind: "nodes", Says: says,
			Do: part.OnType(c.rooms[0].index, func(t *v1alpha1.NodeType) { t.Count = &n })}}
	}
	return []part.Change{{Kind: "nodes", Says: says, Do: func(s *v1alpha1.Scenario) {
		s.Hardware.Options = slices.Clone(s.Hardware.Options)
		for i, o := range s.Hardware.Options {
			if o.Name == c.opt.Name {
				s.Hardware.Options[i].Nodes = []v1alpha1.OptionNodes{{Type: o.Nodes[0].Type, Count: n}}
			}
		}
	}}}
}

// moreNodes is the number of nodes that the plan would take if the scenario stated none.
func (p *planner) moreNodes(c *choice) []part.Change {
	if len(c.rooms) != 1 || c.stated[0] == 0 || c.opt.Name == TodaysNodes {
		return nil
	}
	s := *p.s
	c.take(0)[0].Do(&s)
	q := newPlanner(&s, p.assumed, p.c, p.read)
	q.trial = true
	q.few()
	q.make()
	for i := range q.options {
		if o := &q.options[i]; o.opt.Name == c.opt.Name && o.opt.Fits && o.verified() {
			return c.take(o.opt.Total)
		}
	}
	return nil
}

// moreStock has as many machines on hand as are needed.
func (p *planner) moreStock(c *choice) []part.Change {
	var out []part.Change
	have := func(t v1alpha1.NodeType, index, need int) {
		if t.Available != nil && *t.Available < need {
			out = append(out, part.Change{Kind: "stock " + t.Name, Says: fmt.Sprintf("have %d %s in stock", need, t.Name),
				Do: part.OnType(index, func(t *v1alpha1.NodeType) { t.Available = &need })})
		}
	}
	for i, r := range c.rooms {
		need := c.opt.Nodes[i].Count
		if p.infra.room.Type.Name == r.Type.Name {
			need += int(p.infra.count.Number)
		}
		have(r.Type, r.index, need)
	}
	for _, m := range p.otherMachines() {
		have(m.NodeType, m.index, int(m.count.Number))
	}
	return out
}

// otherTypes are as many of another type as are needed, where those are not enough either.
func (p *planner) otherTypes(c *choice) []part.Change {
	var out []part.Change
	for i := range p.options {
		if o := &p.options[i]; o.opt.Name != c.opt.Name && len(o.rooms) == 1 {
			out = append(out, p.moreStock(o)...)
		}
	}
	return out
}

// moreSpares is a node to spare in a pool.
func (p *planner) moreSpares(pool string) []part.Change {
	if pool != "worker" && pool != "" {
		n := int(p.infra.count.Number) + 1
		return []part.Change{{Kind: "infra", Says: fmt.Sprintf("set policy.infraNodes to %d", n), Sets: "policy.infraNodes",
			Do: func(s *v1alpha1.Scenario) { s.Policy.InfraNodes = &n }}}
	}
	return append([]part.Change{part.Spares(*p.s.Policy.SpareNodes + 1)}, p.choice.take(p.choice.opt.Total+1)...)
}

// fewerPods keeps to the pods that the cores of a node are good for.
func (p *planner) fewerPods(name string) []part.Change {
	for _, r := range p.choice.rooms {
		if f, _, _, ok := p.c.ForRelease(p.maxPrefix()+"podsPerCore", p.s.Platform.Release); ok && r.Type.Name == name {
			n := int(f.Number) * r.Type.CPUs
			return []part.Change{{Kind: "maxPods", Says: fmt.Sprintf("set maxPods of %s to %d", name, n),
				Do: part.OnType(r.index, func(t *v1alpha1.NodeType) { t.MaxPods = n })}}
		}
	}
	return nil
}

// less asks for less of what an event takes away.
func (p *planner) less(e place.Event) []part.Change {
	switch n := *p.s.Policy.SpareNodes; {
	case e == place.Failures && n > 0:
		return []part.Change{part.Spares(n - 1)}
	case e == place.ZoneLoss:
		return []part.Change{part.NoZoneLoss()}
	case e == place.Update && p.s.Policy.MaxUnavailable != "1":
		return []part.Change{{Kind: "away", Says: "set policy.maxUnavailable to 1", Sets: "policy.maxUnavailable",
			Do: func(s *v1alpha1.Scenario) { s.Policy.MaxUnavailable = "1" }}}
	}
	return nil
}

// onPods changes the pod types of a name.
func onPods(name string, do func(t *v1alpha1.PodType)) func(s *v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Workload.PodTypes = slices.Clone(s.Workload.PodTypes)
		for i := range s.Workload.PodTypes {
			if s.Workload.PodTypes[i].Name == name {
				do(&s.Workload.PodTypes[i])
			}
		}
	}
}

// each makes changes one after the other.
func each(changes ...func(s *v1alpha1.Scenario)) func(s *v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		for _, do := range changes {
			do(s)
		}
	}
}
