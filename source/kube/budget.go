package kube

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/selector"
)

// budget is a PodDisruptionBudget.
type budget struct {
	name, namespace string
	selector        *v1alpha1.LabelSelector
	min, max        string
	place           place
}

// budget records a PodDisruptionBudget. One that gives neither number misses no pod.
func (r *reader) budget(o *object) {
	b := budget{name: path(o.namespace(), o.name()), namespace: o.namespace(),
		selector: selectorOf(o.spec.get("selector")), place: o.place(),
		min: o.spec.get("minAvailable").text(), max: o.spec.get("maxUnavailable").text()}
	if b.min == "" && b.max == "" {
		b.max = "0"
	}
	r.budgets = append(r.budgets, b)
}

// guard notes the budgets of each group. An empty selector takes all pods of the
// namespace, none takes none (policy/v1).
func (t *tally) guard(groups []*group) {
	slices.SortFunc(t.budgets, func(a, b budget) int { return flip(b.place.before(a.place)) })
	given := map[string]bool{}
	t.budgets = slices.DeleteFunc(t.budgets, func(b budget) bool { // the last counts, as of all that stands twice
		again := given[b.name]
		given[b.name] = true
		return again
	})
	for _, b := range t.budgets {
		found := false
		for _, g := range groups {
			if g.namespace == b.namespace && selector.Selects(b.selector, asMap(slices.Concat(g.labels, g.own))) {
				g.budgets, found = append(g.budgets, b.name), true
			}
		}
		if !found {
			t.skip(b.place, "PodDisruptionBudget "+b.name, "it guards no pod that is counted")
		}
	}
}

// guarded is a text that is equal for groups with the same budgets.
func (g *group) guarded() string { return strings.Join(g.budgets, "\n") }

// addBudgets adds the budgets with the types of the pods that they guard.
func (t *tally) addBudgets(inv *v1alpha1.Inventory, groups []*group) {
	for _, b := range t.budgets {
		out := v1alpha1.DisruptionBudget{Name: b.name, MinAvailable: b.min, MaxUnavailable: b.max}
		for i, g := range groups {
			if slices.Contains(g.budgets, b.name) {
				out.Pods = append(out.Pods, inv.PodTypes[i].Name)
			}
		}
		if len(out.Pods) > 0 {
			inv.Budgets = append(inv.Budgets, out)
		}
	}
}
