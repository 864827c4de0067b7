package place_test

import (
	"strings"
	"testing"
)

// The machine-config-operator updates each pool by itself, with the pool's own maxUnavailable ("maxUnavailable is the
// number of machines that can be updated at once in the pool", MachineConfigPool API), and its
// default is 1: two of four infrastructure nodes, with three pods that need a node each, are
// never away at once because two workers may be.
func TestPoolsAreUpdatedApart(t *testing.T) {
	const openshift = `
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {release: "4.14"}
hardware:
  nodeTypes:
    - {name: w, count: 5, cpus: 8, memory: 32Gi}
    - {name: i, role: infra, count: 4, cpus: 8, memory: 32Gi, labels: {node-role.kubernetes.io/infra: ""}}
workload:
  podTypes:
    - {name: web, replicas: 15, cpu: 1, memory: 1Gi, nodeSelector: {node-role.kubernetes.io/worker: ""}}
    - {name: kafka, replicas: 3, cpu: 6, memory: 8Gi, nodeSelector: {node-role.kubernetes.io/infra: ""}}
policy: {spareNodes: 1, maxUnavailable: 2}
`
	// Of two node groups of three each one node at least is there while two of the other are away.
	const kubernetes = `
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.33"}
hardware:
  nodeTypes: [{name: a, cpus: 8, memory: 32Gi, labels: {g: a}}, {name: b, cpus: 8, memory: 32Gi, labels: {g: b}}]
  options: [{name: both, nodes: [{type: a, count: 3}, {type: b, count: 3}]}]
workload:
  podTypes:
    - {name: web, replicas: 2, cpu: 3, memory: 1Gi, nodeSelector: {g: a}}
    - {name: db, replicas: 2, cpu: 3, memory: 1Gi, nodeSelector: {g: b}}
policy: {spareNodes: 1, maxUnavailable: 2, controlPlaneNodes: 0}
`
	for _, c := range []struct {
		text    string
		batches int
	}{
		{openshift, 3 + 4}, {kubernetes, 2 + 2},
		{strings.Replace(openshift, "maxUnavailable: 2", "maxUnavailable: 40%", 1), 3 + 4},
	} {
		d := placed(t, c.text, "").Drains[0]
		if d.Worst != "" || d.Batches != c.batches || d.MaxUnavailable != 2 {
			t.Errorf("%+v; want %d batches that keep every pod running:\n%s", d, c.batches, c.text)
		}
	}
}
