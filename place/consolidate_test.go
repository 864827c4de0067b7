package place_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/source/scenario"
)

// clusterOf is the cluster of a scenario with nodes of some types.
func clusterOf(t *testing.T, text string, pools ...v1alpha1.PoolDecision) *cluster.Cluster {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cluster.Build(cluster.Input{Scenario: doc.Scenario, Pools: pools, Assumptions: doc.Assumptions,
		Facts: facts.Load()})
}

// Ten nodes of 8 CPUs carry ten pods of 3: two on each of five nodes would do. One
// node must be spare, so four can go, and what is left still bears a failure. Nodes of the
// infrastructure stay, empty as they are.
func TestSuperfluous(t *testing.T) {
	c := clusterOf(t, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: w, cpus: 8, memory: 32Gi}
    - {name: i, cpus: 8, memory: 32Gi, labels: {node-role.kubernetes.io/infra: ""},
       taints: [{key: infra, effect: NoSchedule}]}
workload: {podTypes: [{name: a, replicas: 10, cpu: 3, memory: 1Gi}]}`,
		v1alpha1.PoolDecision{Type: "w", Count: 10}, v1alpha1.PoolDecision{Type: "i", Count: 2})
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

// Three routers keep apart on three nodes that they select: when one fails its router has
// no other place, with ten further nodes or with six. Ten pods of 3 CPUs take five nodes
// of 8, and a sixth that may fail.
func TestSuperfluousBesideWhatLacksToday(t *testing.T) {
	c := clusterOf(t, `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: w, cpus: 8, memory: 32Gi}
    - {name: i, cpus: 8, memory: 32Gi, labels: {edge: "yes"}, taints: [{key: edge, effect: NoSchedule}]}
workload:
  podTypes:
    - {name: a, replicas: 10, cpu: 3, memory: 1Gi}
    - {name: router, replicas: 3, cpu: 1, memory: 1Gi, maxPerNode: 1, nodeSelector: {edge: "yes"},
       tolerations: [{key: edge}]}`,
		v1alpha1.PoolDecision{Type: "w", Count: 10}, v1alpha1.PoolDecision{Type: "i", Count: 3})
	d, b := place.Demand{Order: cluster.Runs, Failures: 1, MaxUnavailable: "1"}, place.Budget{Pods: 1_000_000}
	h, err := place.Hold(c, d, &b)
	if err != nil || h.Holds() || h.Pods != "router x1" {
		t.Fatalf("%+v, %v", h, err)
	}
	d, ok := h.Borne(d, &b)
	if !ok || !slices.Equal(d.Lacking, []string{"router"}) {
		t.Errorf("%v have no other place (%v), want the router", d.Lacking, ok)
	}
	if got, ok := h.Superfluous(d, &b); !ok || len(got) != 4 {
		t.Errorf("%v can go (%v), want 4", got, ok)
	}
}

// placedOn are so many nodes of 8 CPUs with 20 types of 20 pods: 400 pods of half a CPU fill 25
// nodes, and a 26th may fail.
func placedOn(t *testing.T, nodes int, d place.Demand) *place.Held {
	t.Helper()
	text := `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, systemReserved: {cpu: 0, memory: 0}}]}
workload: {podTypes: [`
	for i := range 20 {
		text += fmt.Sprintf("{name: p%d, replicas: 20, cpu: 500m, memory: 1Gi},", i)
	}
	c := clusterOf(t, text+"]}", v1alpha1.PoolDecision{Type: "w", Count: nodes})
	h, err := place.Hold(c, d, &place.Budget{Pods: 10_000_000})
	if err != nil || !h.Holds() {
		t.Fatalf("%+v, %v", h, err)
	}
	return &h
}

// What can go of many nodes takes few copies of the cluster, not one for each node: a copy makes
// some hundred objects. Where the others have no room in sum it takes hardly any.
func TestSuperfluousOfMany(t *testing.T) {
	d := place.Demand{Order: cluster.Runs, Failures: 1, MaxUnavailable: "1"}
	for nodes, most := range map[int]float64{26: 7_000, 400: 50_000} {
		h := placedOn(t, nodes, d)
		var names []string
		made := testing.AllocsPerRun(1, func() { names, _ = h.Superfluous(d, &place.Budget{Pods: 10_000_000}) })
		if len(names) != nodes-26 {
			t.Errorf("%d of %d nodes can go, want all but 26", len(names), nodes)
		}
		if made > most {
			t.Errorf("of %d nodes: %.0f objects made, want at most %.0f", nodes, made, most)
		}
	}
}

// A budget that ends the search leaves what was found until then: the first of those that
// can go when nothing ends it.
func TestSuperfluousUntilTheBudgetEnds(t *testing.T) {
	d := place.Demand{Order: cluster.Runs, Failures: 1, MaxUnavailable: "1"}
	h := placedOn(t, 60, d)
	every, all := h.Superfluous(d, &place.Budget{Pods: 10_000_000})
	if len(every) != 60-26 || !all {
		t.Fatalf("%v can go (%t), want all but 26 of 60", every, all)
	}
	some := 0
	for pods := 0; pods < 12_000; pods += 200 {
		names, all := h.Superfluous(d, &place.Budget{Pods: pods})
		if n := len(names); n > len(every) || !slices.Equal(names, every[:n]) || all && n < len(every) {
			t.Errorf("with a budget of %d: %v (%t), want the first of %v", pods, names, all, every)
		} else if n > 0 && n < len(every) {
			some++
		}
	}
	if some == 0 {
		t.Error("no budget ended the search when some had been found")
	}
}

// What a glance refutes is refuted for the same reason by all that is asked, and what it does not refute no
// arrival and no loss of a zone does, and no failure of one where it has tried them all.
func TestGlance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, _ := drawCluster(t, `{type: kubernetes, release: "1.36"}`, `{type: kubernetes, release: "1.33"}`)
		asked := place.Demand{Order: d.order, Failures: below(t, "failures", 3), Zones: rarely(t, "zones", 2),
			MaxUnavailable: "1"}
		all, err := place.Hold(c, asked, &place.Budget{Pods: 1_000_000})
		if err != nil {
			t.Skip(err)
		}
		asked.Glance = true
		glance, err := place.Hold(c, asked, &place.Budget{Pods: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		if !glance.Holds() && (glance.Event != all.Event || glance.Pods != all.Pods) ||
			glance.Holds() && (all.Event == place.Arrival || all.Event == place.ZoneLoss ||
				all.Event == place.Failures && asked.Failures == 1 && len(c.Nodes) <= 50) {
			t.Fatalf("at a glance %q %s, all %q %s\n%s", glance.Event, glance.Pods, all.Event, all.Pods, d.text)
		}
	})
}
