package place_test

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/source/scenario"
)

// Ten nodes of 8 CPUs carry ten pods of 3: two on each of five nodes would do. One
// node must be spare, so four can go, and what is left still bears a failure.
func TestSuperfluous(t *testing.T) {
	doc, err := scenario.Read("test.yaml", []byte(`apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: a, replicas: 10, cpu: 3, memory: 1Gi}]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: []v1alpha1.PoolDecision{{Type: "w", Count: 10}},
		Assumptions: doc.Assumptions, Facts: facts.Load()})
	for failures, want := range []int{5, 4, 3} {
		d := place.Demand{Order: cluster.Runs, Failures: failures}
		b := place.Budget{Pods: 1_000_000}
		h, err := place.Hold(c, d, &b)
		if err != nil || !h.Holds() {
			t.Fatalf("%+v, %v", h, err)
		}
		if got, ok := h.Superfluous(d, &b); !ok || len(got) != want {
			t.Errorf("%d may fail: %v can go (%v), want %d", failures, got, ok, want)
		}
		if _, ok := h.Superfluous(d, &place.Budget{Pods: 3}); ok {
			t.Error("a budget of three pods was enough")
		}
	}
}
