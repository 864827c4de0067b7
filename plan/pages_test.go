package plan_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/unit"
)

// The huge pages that a plan decides on are those of the nodes that it measures and places on.
func TestOneNumberOfPages(t *testing.T) {
	texts := []string{paged("64Gi, numaNodes: 2", "shuffled", 0, "{name: p0, replicas: 3, cpu: 250m, memory: 8Gi, "+
		"hugePages: {1Gi: 1Gi}}, {name: p1, replicas: 100, cpu: 2, memory: 1Gi}, {name: p2, replicas: 16, cpu: 1500m, "+
		"memory: 2Gi}, {name: p4, replicas: 33, cpu: 50m, memory: 1Gi, hostPorts: [{port: 9004}]}"),
		paged("64Gi", "runs", 0, "{name: p0, replicas: 4, cpu: 2500m, memory: 1Gi, hugePages: {1Gi: 2Gi}}, "+
			"{name: p1, replicas: 2, cpu: 1, memory: 256Mi, hugePages: {1Gi: 1Gi}}, "+
			"{name: p2, replicas: 4, cpu: 3, memory: 1Gi}"),
		paged("64Gi", "runs", 0, "{name: d, daemonSet: true, cpu: 100m, memory: 64Mi, hugePages: {2Mi: 64Mi}}, "+
			"{name: p2, replicas: 4, cpu: 3, memory: 1Gi}")}
	r := rand.New(rand.NewPCG(1, 2))
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 40 {
		var pods []string
		for i := range 2 + r.IntN(4) {
			pages := ""
			if i == 0 || r.IntN(4) == 0 {
				pages = ", hugePages: {" + one("1Gi", "2Mi") + ": " + one("1Gi", "2Gi") + "}"
			}
			const form = "{name: p%d, replicas: %d, cpu: %s, memory: %s%s}"
			pods = append(pods, fmt.Sprintf(form, i, 1+r.IntN(30),
				one("50m", "250m", "1500m", "2", "3"), one("256Mi", "1Gi", "4Gi"), pages))
		}
		texts = append(texts, paged(one("32Gi", "64Gi, numaNodes: 2"), one("runs", "shuffled", "largestFirst"), r.IntN(2),
			strings.Join(pods, ", ")))
	}
	for _, text := range texts {
		samePages(t, text)
	}
}

func paged(memory, order string, spare int, pods string) string {
	return fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: "+
		"{type: kubernetes, release: '1.33'}\nhardware: {nodeTypes: [{name: t, cpus: 8, memory: %s}]}\n"+
		"workload: {podTypes: [%s]}\npolicy: {spareNodes: %d, controlPlaneNodes: 0}\n"+
		"scheduling: {order: %s}\n", memory, pods, spare, order)
}

func samePages(t *testing.T, text string) {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := check(t, plan.Make(doc.Scenario, doc.Assumptions, facts.Load()))
	if !p.Verdict.Good() {
		return
	}
	kept, decided := 0.0, unit.Bytes(0)
	for _, r := range p.Nodes[0].Resources {
		for _, l := range r.Layers {
			if l.Name == "hugepages" {
				kept = l.Value.Number
			}
		}
	}
	for size, n := range p.Decisions.Pools[0].HugePages {
		page, err := unit.ParseBytes(size)
		if err != nil {
			t.Fatal(err)
		}
		decided += page * unit.Bytes(n)
	}
	if kept != float64(decided) || kept == 0 {
		t.Errorf("the layers keep %.0f bytes of pages on a node, the pool has %d:\n%s", kept, decided, text)
	}
	pools, err := cluster.Pools(doc.Scenario, p, "", true)
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: pools, Assumptions: doc.Assumptions,
		Facts: facts.Load()})
	h, err := place.Hold(c, place.Demand{Order: doc.Scenario.Scheduling.Order, Failures: *doc.Scenario.Policy.SpareNodes},
		&place.Budget{Pods: place.MostTrials})
	if err != nil || !h.Holds() {
		t.Errorf("the plan is verified, and on its nodes %+v (%v):\n%s", h.Broken, err, text)
	}
}
