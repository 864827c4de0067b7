package plan

import (
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/source/scenario"
)

func measuredPlan(t *testing.T, measurements string) *v1alpha1.Plan {
	t.Helper()
	doc, err := scenario.Read("s.yaml", []byte(`
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {release: "4.4"}
hardware: {nodeTypes: [{name: big, cpus: 64, memory: 256Gi}]}
workload: {podTypes: [{name: web, replicas: 900, cpu: 100m, memory: 64Mi, namespace: shop}]}
`+measurements))
	if err != nil {
		t.Fatal(err)
	}
	return Make(doc.Scenario, doc.Assumptions, Catalogue(facts.Load(), doc.Scenario))
}

func gaugeNamed(t *testing.T, p *v1alpha1.Plan, id string) limit.Gauge {
	t.Helper()
	for _, g := range p.Gauges {
		if g.ID == id {
			return g
		}
	}
	t.Fatalf("no gauge %s", id)
	return limit.Gauge{}
}

func warned(p *v1alpha1.Plan, id string) bool {
	for _, f := range p.Findings {
		if strings.HasPrefix(f.ID, id) && f.Severity == v1alpha1.Warning {
			return true
		}
	}
	return false
}

// A limit that was measured takes the published one's place, with its source, and says what it replaced;
// what was published under the same name is no doubt about it. Simulated nodes are told beside it.
func TestMeasuredLimit(t *testing.T) {
	before := gaugeNamed(t, measuredPlan(t, ""), "podsPerNamespace")
	p := measuredPlan(t, `measurements:
- {fact: ocp.max.podsPerNamespace/4.4, value: 800, source: run 7, simulated: true}`)
	g := gaugeNamed(t, p, "podsPerNamespace")
	notes := strings.Join(g.Notes, "; ")
	if g.Limit.Number != 800 || g.Kind != limit.Measured || g.Verdict != limit.Passed || len(g.Doubts) > 0 ||
		!strings.Contains(notes, "in place of the 25,000 pods") || !strings.Contains(notes, "simulated") ||
		strings.Contains(notes, "tested with") {
		t.Errorf("%+v (it was %+v)", g, before)
	}
	if g.Limit.From.Source == nil || !strings.Contains(g.Limit.From.Source.String(), "run 7") {
		t.Errorf("%+v", g.Limit.From)
	}
	if !warned(p, "limits.simulated") || warned(p, "limits.measurement") {
		t.Errorf("%+v", p.Findings)
	}
	p = measuredPlan(t, `measurements:
- {fact: ocp.max.podsPerNamespace/4.17, value: 800, source: run 7}`)
	if gaugeNamed(t, p, "podsPerNamespace").Kind != before.Kind || warned(p, "limits.simulated") ||
		!warned(p, "limits.measurement[ocp.max.podsPerNamespace/4.17]") {
		t.Errorf("%+v", p.Findings)
	}
}
