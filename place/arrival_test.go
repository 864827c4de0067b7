package place_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/source/scenario"
)

// What a plan may try within its budget, a placement of its nodes may, too: whether every order
// of arrival holds is judged by both. The example takes more than two million pods on trial.
func TestArrivalIsJudgedAsInThePlan(t *testing.T) {
	var pods strings.Builder
	for i := range 60 {
		fmt.Fprintf(&pods, "{name: p%d, replicas: 40, cpu: %dm, memory: %dMi}, ", i, 100*(1+i%7), 256<<(i%4))
	}
	doc, err := scenario.Read("test.yaml", []byte(head+"hardware: {nodeTypes: [{name: w, cpus: 32, memory: 128Gi}]}\n"+
		"workload: {podTypes: ["+pods.String()+"]}\npolicy: {spareNodes: 3, maxUnavailable: 5%, arrival: any, zones: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Scenario
	c := cluster.Build(cluster.Input{Scenario: s, Pools: []v1alpha1.PoolDecision{{Type: "w", Count: 33}},
		Assumptions: doc.Assumptions,
		Facts:       facts.Load()})
	d := place.Stated(s, doc.Assumptions)
	p, err := place.Make(c, s, place.Options{Order: "runs", Stated: d})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Findings {
		if f.ID == "place.arrival" {
			t.Error(f.Message)
		}
	}
}
