package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/pool"
)

// Pods as a drain sees them, and disruption budgets, with and without a status.
func TestReadClusterForDrains(t *testing.T) {
	c, err := ReadCluster(strings.NewReader(`{"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "w"}},
  {"kind": "Pod", "metadata": {"name": "a", "namespace": "shop", "labels": {"app": "db"}}, "spec": {"nodeName": "w"}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}},
  {"kind": "Pod", "metadata": {"name": "b", "namespace": "shop", "ownerReferences": [{"kind": "DaemonSet", "name": "x"}]}, "spec": {"nodeName": "w"}},
  {"kind": "Pod", "metadata": {"name": "c", "namespace": "shop", "annotations": {"kubernetes.io/config.mirror": "1"}}, "spec": {"nodeName": "w"}},
  {"kind": "Pod", "metadata": {"name": "d", "namespace": "shop"}, "spec": {"nodeName": "w"}, "status": {"phase": "Succeeded"}},
  {"kind": "Pod", "metadata": {"name": "e", "namespace": "shop", "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"nodeName": "w"}},
  {"kind": "Pod", "metadata": {"name": "f", "namespace": "shop", "deletionTimestamp": null}, "spec": {"nodeName": "w"}},
  {"kind": "PodDisruptionBudget", "metadata": {"name": "db", "namespace": "shop"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "db"}}}, "status": {"disruptionsAllowed": 0}},
  {"kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"maxUnavailable": "25%", "minAvailable": null, "selector": {}}}
]}`), "nodes.json", Options{Drains: true})
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) pool.Running {
		return pool.Running{Namespace: "shop", Name: name, Node: "w", Ready: true}
	}
	a, b, mirror, done, going := in("a"), in("b"), in("c"), in("d"), in("e")
	a.Labels, a.Ready = map[string]string{"app": "db"}, false
	b.Stays, mirror.Stays, done.Idle, going.Idle = true, true, true, true
	if diff := cmp.Diff([]pool.Running{a, b, mirror, done, going, in("f")}, c.Running); diff != "" {
		t.Error(diff)
	}
	budgets := []pool.Disruption{
		{Namespace: "shop", Name: "db", MinAvailable: int64(1), Allowed: new(int64(0)),
			Selector: &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}},
		{Namespace: "shop", Name: "web", MaxUnavailable: "25%", Selector: &v1alpha1.LabelSelector{}},
	}
	if diff := cmp.Diff(budgets, c.Budgets); diff != "" {
		t.Error(diff)
	}
}
