package plan_test

import (
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// TestEffectiveRequests counts as the scheduler does: an init container of 5 CPUs
// beside a sidecar of 1 asks for more than the two containers, 2 and the sidecar's
// 1; so an 8-CPU node holds one such pod. Pods that keep their like away by host,
// or that take a host port, have a node each.
func TestEffectiveRequests(t *testing.T) {
	for name, pod := range map[string]string{
		"init containers": `{name: a, replicas: 3, initContainers: [{name: side, restartPolicy: Always, cpu: 1}, {name: ` +
			`init, cpu: 5}], containerSpecs: [{name: main, cpu: 2}]}`,
		"anti-affinity": `{name: a, replicas: 3, cpu: 1, labels: {app: db}, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
      [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}}`,
		"host port": `{name: a, replicas: 3, cpu: 1, hostPorts: [{port: 443}]}`,
	} {
		doc, err := scenario.Read("t.yaml",
			[]byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {type: kubernetes, release: \"1.36\"}\n"+
				"hardware:\n  nodeTypes:\n    - {name: n, cpus: 8, memory: 64Gi}\nworkload:\n  podTypes:\n    - "+pod+
				"\npolicy: {spareNodes: 0}\n"))
		if err != nil {
			t.Fatal(err)
		}
		made := plan.Make(doc.Scenario, doc.Assumptions, facts.Load())
		if o := made.Options[0]; o.Base != 3 || o.Floor != 3 {
			t.Errorf("%s: %d nodes, no fewer than %d; want 3 of both", name, o.Base, o.Floor)
		}
	}
}
