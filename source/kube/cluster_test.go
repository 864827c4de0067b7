package kube_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/kube"
)

// compact is a control plane node that takes workload: a static pod that no plan
// counts, a pod that waits for its zone, and a taint that comes and goes.
const compact = `{"kind":"List","apiVersion":"v1","items":[
{"kind":"Node","metadata":{"name":"m","labels":{"node-role.kubernetes.io/master":""}},
 "spec":{"taints":[{"key":"node.kubernetes.io/disk-pressure","effect":"NoSchedule"}]},
 "status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"},"allocatable":{"cpu":"8","memory":"32Gi","pods":"110"},
 "conditions":[{"type":"Ready","status":"Unknown"}]}},
{"kind":"Pod","metadata":{"name":"etcd-m","namespace":"kube-system","annotations":{"kubernetes.io/config.mirror":"x"},
 "ownerReferences":[{"kind":"Node","name":"m","controller":true}]},
 "spec":{"nodeName":"m","overhead":{"cpu":"250m"},"containers":[{"name":"etcd","resources":{"requests":{"cpu":"3"}}},{"name":"log"}]}},
{"kind":"Pod","metadata":{"name":"web-0","namespace":"shop","ownerReferences":[{"kind":"StatefulSet","name":"web","controller":true}]},
 "spec":{"nodeSelector":{"topology.kubernetes.io/zone":"z1"},"containers":[{"name":"web"}]}}
]}`

// TestToPlace goes with a snapshot to where pods are placed: a plan never sees
// what is held, and placement has all of it.
func TestToPlace(t *testing.T) {
	inv, err := kube.ReadSnapshot(strings.NewReader(compact), "cluster.json", kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &v1alpha1.Scenario{Platform: v1alpha1.Platform{Type: "kubernetes", Release: "1.36"},
		Workload: v1alpha1.Workload{Snapshot: "cluster.json",
			PodTypes: []v1alpha1.PodType{{Name: "own", Replicas: 2, Containers: 1}}}}
	s.Policy.Growth = 1
	plan.Merge(s, inv, nil)
	var planned []string
	for _, p := range s.Workload.PodTypes {
		planned = append(planned, p.Name)
	}
	if diff := cmp.Diff([]string{"own", "shop/web"}, planned); diff != "" {
		t.Error(diff)
	}
	c := cluster.Build(cluster.Input{Scenario: s, Snapshot: inv,
		Platform: []v1alpha1.PodType{{Name: "router", Replicas: 1, Containers: 1}}, Facts: facts.Load()})
	type kind struct {
		Name     string
		Count    int
		CPU      int64
		Selector map[string]string
	}
	var got []kind
	for _, k := range c.Kinds {
		got = append(got, kind{k.Type.Name, k.Count, k.Pod.Request.CPU, k.Pod.NodeSelector})
	}
	want := []kind{
		{"own", 4, 0, nil}, // twice as many with the growth
		{"shop/web", 2, 0, map[string]string{"topology.kubernetes.io/zone": "z1"}},
		{"kube-system/etcd-m", 0, 3250, nil},
		{"router", 1, 0, nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]cluster.Bound{{Kind: 2, Node: 0, Count: 1}}, c.Bound); diff != "" {
		t.Error(diff)
	}
	// Nobody cordoned the node: its taints say who may come.
	n := c.Nodes[0]
	taints := []v1alpha1.Taint{{Key: "node.kubernetes.io/disk-pressure", Effect: "NoSchedule"},
		{Key: "node.kubernetes.io/unreachable", Effect: "NoSchedule"}}
	if diff := cmp.Diff(taints, n.Taints); diff != "" || n.Unschedulable {
		t.Errorf("unschedulable %t, %s", n.Unschedulable, diff)
	}
	// The scheduler assumes 100m for the container that requests nothing.
	if cpu := c.Kinds[2].Pod.NonZeroCPU; cpu != 3350 {
		t.Errorf("etcd scores with %d", cpu)
	}
}
