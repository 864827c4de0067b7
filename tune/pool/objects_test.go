package pool

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// fromManifests takes the nodes and pools of manifests.
func fromManifests(objects []*object.Object) Options {
	pools, _ := object.All[openshift.MachineConfigPool](objects, "MachineConfigPool")
	nodes, _ := object.All[openshift.Node](objects, "Node")
	return Options{Pools: object.Values(pools), Nodes: FromObjects(object.Values(nodes), Range{60, 90}, Range{120, 180})}
}

const cluster = `
apiVersion: v1
kind: List
items:
- kind: Node
  metadata:
    name: worker-0
    creationTimestamp: "2021-02-01T10:00:00Z"
    labels: {node-role.kubernetes.io/worker: "", topology.kubernetes.io/zone: a}
    annotations:
      machineconfiguration.openshift.io/currentConfig: rendered-worker-1
      machineconfiguration.openshift.io/desiredConfig: rendered-worker-2
      machineconfiguration.openshift.io/state: Degraded
  spec: {unschedulable: true}
  status:
    capacity: {cpu: "4", pods: "250", memory: 16Gi}
    conditions:
    - {type: Ready, status: Unknown}
    - {type: DiskPressure, status: "True"}
    - {type: NetworkUnavailable, status: "False"}
- kind: Node
  metadata: {name: worker-1}
- kind: MachineConfigPool
  metadata: {name: worker}
  spec:
    nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}
    maxUnavailable: 50%
    configuration: {name: rendered-worker-2}
`

func TestFromObjects(t *testing.T) {
	o := fromManifests(objectsOf(t, cluster))
	want := []Node{
		{Name: "worker-0", Labels: map[string]string{"node-role.kubernetes.io/worker": "",
			"topology.kubernetes.io/zone": "a"}, Created: "2021-02-01T10:00:00Z",
			Cordoned: true, NotReady: true, DiskPressure: true, Current: "rendered-worker-1", Desired: "rendered-worker-2",
			State: Degraded, Drain: Range{60, 90}, Reboot: Range{120, 180}, CPU: 4000, Pods: 250},
		{Name: "worker-1", Drain: Range{60, 90}, Reboot: Range{120, 180}},
	}
	if d := cmp.Diff(want, o.Nodes); d != "" {
		t.Error(d)
	}
	if o.Pools[0].Spec.Configuration.Name != "rendered-worker-2" || o.Pools[0].Spec.MaxUnavailable != "50%" {
		t.Errorf("%+v", o.Pools[0].Spec)
	}
	// The node fails on the very configuration that the pool asks for, and is away.
	o.Release, o.Continue = release.Current, true
	r, err := Simulate(o)
	if err != nil || len(r.Stalls) != 1 || r.Pools[0].Degraded != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

// Nodes without the operator's annotations, as people write them by hand, are up to
// date.
func TestFromPlainObjects(t *testing.T) {
	nodes := FromObjects([]openshift.Node{{Metadata: openshift.ObjectMeta{Name: "a"}}}, Range{}, Range{})
	if n := nodes[0]; !n.settled() {
		t.Errorf("%+v", n)
	}
}
