package place_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// guardedBy is a scenario with two replicas of db and six of web under such disruption budgets.
func guardedBy(budgets, policy string) string {
	return fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.17\"}\n"+
		"hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}\n"+
		"workload:\n  podTypes:\n    - {name: db, replicas: 2, cpu: 2, maxPerNode: 1}\n"+
		"    - {name: web, replicas: 6, cpu: 1}\n"+
		"  disruptionBudgets: [%s]\npolicy: {infraNodes: 0, %s}\n", budgets, policy)
}

// A drain can't end where a budget lets no pod go (Kubernetes, "Specifying a Disruption Budget":
// percentages are rounded up, and the eviction API refuses pods with two budgets). Plan and
// placement say so alike; how many nodes there are makes no difference.
func TestBudgetsOfAnUpdate(t *testing.T) {
	for name, c := range map[string]struct {
		budgets, says string
		blocks        bool
	}{
		"none":                {"", "", false},
		"both are needed":     {"{name: db, pods: [db], minAvailable: 2}", "budget db lets no pod go", true},
		"one of two":          {"{name: db, pods: [db], minAvailable: 1}", "", false},
		"51 % of two are two": {"{name: db, pods: [db], minAvailable: 51%}", "budget db lets no pod go", true},
		"none may be missed":  {"{name: db, pods: [db], maxUnavailable: 0}", "budget db lets no pod go", true},
		"1 % of two is one":   {"{name: db, pods: [db], maxUnavailable: 1%}", "", false},
		"eight of two types":  {"{name: all, pods: [db, web], minAvailable: 8}", "budget all lets no pod go", true},
		"seven of two types":  {"{name: all, pods: [db, web], minAvailable: 7}", "", false},
		"two budgets for one pod": {"{name: a, pods: [db], maxUnavailable: 1}, " +
			"{name: b, pods: [db, web], maxUnavailable: 1}", "budgets a and b guard the same pods", true},
	} {
		for _, policy := range []string{"maxUnavailable: 1", "spareNodes: 1"} {
			doc, err := scenario.Read("test.yaml", []byte(guardedBy(c.budgets, policy)))
			if err != nil {
				t.Fatal(err)
			}
			made := plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
			asked := policy == "maxUnavailable: 1" // else only the default asks for it
			i := slices.IndexFunc(made.Findings, func(f v1alpha1.Finding) bool { return f.ID == "nodes.budget.blocks" })
			if (i >= 0) != c.blocks || c.blocks && !strings.Contains(made.Findings[i].Message, c.says) {
				t.Errorf("%s: %v", name, made.Findings)
			}
			if made.Verdict.Good() == (c.blocks && asked) {
				t.Errorf("%s, %s: the plan's verdict is good: %v", name, policy, made.Verdict.Good())
			}
			p := placed(t, guardedBy(c.budgets, policy), "")
			if d := p.Drains[0]; (d.Blocked != "") != c.blocks || !strings.Contains(d.Blocked, c.says) {
				t.Errorf("%s: %q", name, d.Blocked)
			}
		}
	}
}

// More of the six pods are on two nodes that are drained together than the two that may be away: the
// drain waits, and ends.
func TestUpdateWaitsForABudget(t *testing.T) {
	text := guardedBy("{name: web, pods: [web], maxUnavailable: 2}", "maxUnavailable: 50%, spareNodes: 2")
	p := placed(t, strings.Replace(text, "{name: w, cpus: 8", "{name: w, count: 4, cpus: 8", 1), "")
	if d := p.Drains[0]; d.MaxUnavailable != 2 || d.Blocked != "" ||
		!strings.Contains(d.Waits, "for web (maxUnavailable 2 of 6 pods) ") || !strings.Contains(d.Waits, " turns") {
		t.Errorf("%+v", d)
	}
}
