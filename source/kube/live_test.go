package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/tune/profile"
)

const liveCluster = `{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b", "labels": {"node-role.kubernetes.io/worker": ""}}, "spec": {"unschedulable": true},
 "status": {"capacity": {"cpu": "4", "pods": "250"}, "conditions": [{"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}},
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "x"}}, "spec": {"nodeName": "a"}, "status": {"phase": "Succeeded"}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "q", "labels": {"app": "x"}, "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"nodeName": "a"}},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "r", "labels": {"app": "x"}}, "spec": {}},
{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool", "metadata": {"name": "worker"},
 "spec": {"maxUnavailable": "3", "paused": true, "configuration": {"name": "rendered-worker-1"}, "nodeSelector": {"matchLabels": {"k": "v"}}, "machineConfigSelector": {"matchExpressions": [{"key": "r", "operator": "In", "values": ["worker", "infra"]}]}}},
{"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine", "metadata": {"name": "m", "ownerReferences": [{"kind": "MachineSet", "name": "s", "controller": true}]},
 "status": {"phase": "Running", "nodeRef": {"name": "a"}}},
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
]}`

func TestReadCluster(t *testing.T) {
	got, err := ReadCluster(strings.NewReader(liveCluster), "nodes.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	pool := openshift.MachineConfigPool{Kind: "MachineConfigPool", Metadata: openshift.ObjectMeta{Name: "worker"}}
	pool.Spec.MaxUnavailable, pool.Spec.Paused, pool.Spec.Configuration.Name = "3", true, "rendered-worker-1"
	pool.Spec.NodeSelector = &openshift.LabelSelector{MatchLabels: map[string]string{"k": "v"}}
	pool.Spec.MachineConfigSelector = &openshift.LabelSelector{
		MatchExpressions: []v1alpha1.Requirement{{Key: "r", Operator: "In", Values: []string{"worker", "infra"}}},
	}
	want := &Cluster{
		Nodes: []openshift.Node{{Kind: "Node", Metadata: openshift.ObjectMeta{Name: "a"}},
			{Kind: "Node", Metadata: openshift.ObjectMeta{Name: "b", Labels: map[string]string{openshift.LabelWorker: ""}},
				Spec: openshift.NodeSpec{Unschedulable: true},
				Status: openshift.NodeStatus{Capacity: map[string]string{"cpu": "4", "pods": "250"},
					Conditions: []openshift.Condition{
						{Type: "Ready", Status: "Unknown", LastTransitionTime: "2026-01-01T00:00:00Z"},
					}}}},
		Pools: []openshift.MachineConfigPool{pool},
		Machines: []openshift.Machine{{Kind: "Machine", Metadata: openshift.ObjectMeta{Name: "m",
			OwnerReferences: []openshift.OwnerReference{{Kind: "MachineSet", Name: "s", Controller: true}}},
			Status: openshift.MachineStatus{Phase: "Running", NodeRef: &openshift.NodeRef{Name: "a"}}}},
		Pods: []profile.Pod{{Name: "p", Node: "a", Labels: map[string]string{"app": "x"}},
			{Name: "q", Node: "a", Labels: map[string]string{"app": "x"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadClusterRefusesOtherTexts(t *testing.T) {
	if _, err := ReadCluster(strings.NewReader(`{"kind": "List", "items": [`), "nodes.json", Options{}); err == nil ||
		!strings.Contains(err.Error(), "ends in the middle") {
		t.Errorf("%v", err)
	}
}

func TestReadClusterWantsNodes(t *testing.T) {
	for _, text := range []string{`{"kind": "List", "items": []}`, "kind: Deployment\n"} {
		_, err := ReadCluster(strings.NewReader(text), "nodes.json", Options{})
		if err == nil || !strings.Contains(err.Error(),
			"there is no node in it (write it with 'kubectl get nodes,pods,machineconfigpools,machines -A -o json')") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ReadCluster(strings.NewReader(""), "nodes.json", Options{}); err == nil ||
		!strings.Contains(err.Error(), "machineconfigpools") {
		t.Errorf("empty: %v", err)
	}
}
