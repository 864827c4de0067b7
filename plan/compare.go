package plan

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/needed"
)

// What the scheduler needs is found by simulation, so a plan does it for small
// workloads only; "place --compare" does it for any.
const (
	comparedPods    = 2000
	comparedOptions = 4
	mostOver        = 4 // times the floor, at which the search gives up
)

// compare sets beside each option's floor and packing what the scheduler needs
// on nodes of the option's type.
func (p *planner) compare() {
	if p.load.count.Number == 0 || p.load.count.Number > comparedPods || len(p.options) > comparedOptions || p.observed() {
		return
	}
	for i := range p.plan.Options {
		p.plan.Options[i].Comparison = Compare(p.s, &p.plan, p.plan.Options[i], p.c)
	}
}

// Compare measures how many nodes of an option's type the scheduler needs, by
// order of arrival and rules, beside the option's floor and packing. It is nil
// where the option is a mix of types, or does not hold the pods at all.
func Compare(s *v1alpha1.Scenario, made *v1alpha1.Plan, o v1alpha1.Option,
	c *facts.Catalogue) *v1alpha1.NodeComparison {
	if len(o.Nodes) != 1 || o.Base == 0 {
		return nil
	}
	pool := v1alpha1.PoolDecision{Type: o.Nodes[0].Type, Count: mostOver*o.Base + 4}
	on := cluster.Build(cluster.Input{Scenario: s, Pools: cluster.WithPages([]v1alpha1.PoolDecision{pool}, made),
		Platform: made.Decisions.WorkerPods, Assumptions: made.Assumptions, Facts: c})
	out := &v1alpha1.NodeComparison{Option: o.Name, Floor: o.Floor, Packed: o.Base, Method: o.FloorMethod}
	for _, setting := range needed.Settings(on.Profile) {
		out.Needed = append(out.Needed, needed.Compare(on, setting, o.Floor)...)
	}
	out.Advice = advice(out)
	return out
}

// advice says what follows from a comparison.
func advice(c *v1alpha1.NodeComparison) string {
	if len(c.Needed) == 0 {
		return ""
	}
	rules := c.Needed[0].Rules
	by := map[string]int{}
	for _, n := range c.Needed {
		if n.Rules == rules {
			by[n.Order] = max(n.Nodes, n.Most)
		}
	}
	worst := max(by[cluster.Runs], by[cluster.Shuffled])
	first := by[cluster.LargestFirst]
	switch {
	case worst <= c.Packed && first <= c.Packed:
		return "while nothing fails, the scheduler needs no more than packed, in any order"
	case first > 0 && first < worst:
		return fmt.Sprintf("while nothing fails, %d nodes do if the largest pods come first, "+
			"%d if pods arrive as they like", first, worst)
	}
	return fmt.Sprintf("while nothing fails, it takes %d nodes: the scheduler does not find the planned packing by itself",
		max(worst, first))
}
