package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// mix is a scenario with many pod types and node types, all different.
func mix(pods, nodes int) string {
	var b strings.Builder
	b.WriteString("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.14\"}\n" +
		"hardware:\n  nodeTypes:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "    - {name: n%d, cpus: %d, memory: %dGi, price: %d}\n", i, 8+4*i, 32+24*i, 10+7*i)
	}
	b.WriteString("workload:\n  podTypes:\n")
	for i := range pods {
		fmt.Fprintf(&b, "    - {name: p%d, replicas: %d, cpu: %dm, memory: %dMi}\n", i, 1+i%37, 50+37*(i%61), 64+113*(i%53))
	}
	return b.String()
}

func BenchmarkMake(b *testing.B) {
	doc, err := scenario.Read("mix.yaml", []byte(mix(200, 10)))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := *doc.Scenario
		plan.Make(&s, doc.Assumptions, facts.Load())
	}
}

func BenchmarkReadAndMake(b *testing.B) {
	text := []byte(mix(200, 10))
	for b.Loop() {
		doc, err := scenario.Read("mix.yaml", text)
		if err != nil {
			b.Fatal(err)
		}
		plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
	}
}
