package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/unit"
)

func TestPlannedNodes(t *testing.T) {
	c := &cluster.Cluster{Types: []cluster.Type{{Name: "big"}}, Of: []int{0}, Nodes: []scheduler.Node{{Name: "big-1",
		Labels: map[string]string{"topology.kubernetes.io/zone": "zone-2"},
		Taints: []v1alpha1.Taint{{Key: "dedicated", Value: "db", Effect: "NoSchedule"}},
		Images: map[string]int64{"registry/app:1": 5},
		Allocatable: scheduler.Resources{CPU: 7500, Memory: 30 << 30, Pods: 240, EphemeralStorage: 100,
			Scalar: map[string]int64{"hugepages-1Gi": 1 << 30, "nvidia.com/gpu": 2, "plimsoll.dev/per-node-db": 1,
				scheduler.AttachLimit + "ebs.csi.aws.com": 25}}}}}
	got := Planned(c, []v1alpha1.NodeType{{Name: "big", CPUs: 8, Memory: 32 * unit.GiB, MaxPods: 250}})
	free := map[string]string{"cpu": "7500m", "memory": "32212254720", "pods": "240", "ephemeral-storage": "100",
		"hugepages-1Gi": "1073741824", "nvidia.com/gpu": "2"}
	has := map[string]string{"cpu": "8000m", "memory": "34359738368", "pods": "250", "ephemeral-storage": "100",
		"hugepages-1Gi": "1073741824", "nvidia.com/gpu": "2"}
	want := []Node{{APIVersion: "v1", Kind: "Node",
		Metadata: Metadata{Name: "big-1", Labels: map[string]string{"topology.kubernetes.io/zone": "zone-2"}},
		Spec:     NodeSpec{Taints: []Taint{{Key: "dedicated", Value: "db", Effect: "NoSchedule"}}},
		Status: NodeStatus{Capacity: has, Allocatable: free,
			Images: []Image{{Names: []string{"registry/app:1"}, SizeBytes: 5}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Overcommit has the scheduler see more than the machine has: a capacity below what is
// allocatable would be no node.
func TestOvercommittedNodes(t *testing.T) {
	c := &cluster.Cluster{Types: []cluster.Type{{Name: "big"}}, Of: []int{0},
		Nodes: []scheduler.Node{{Name: "big-1", Allocatable: scheduler.Resources{CPU: 16000}}}}
	if got := Planned(c, []v1alpha1.NodeType{{Name: "big", CPUs: 8}})[0].Status.Capacity["cpu"]; got != "16000m" {
		t.Errorf("capacity %s", got)
	}
}

func TestNodeTypes(t *testing.T) {
	got, err := ParseNodeType("memory=64Gi,cpus=16")
	if err != nil || got != (NodeType{CPUs: 16, Memory: 64 * unit.GiB, Pods: 250}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "cpu=8", "cpus=0", "cpus=x", "memory=1", "pods=0", "cpus=8,"} {
		if _, err := ParseNodeType(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	nodes := Plain(2, got)
	if nodes[1].Metadata.Name != "node-2" || nodes[1].Status.Allocatable["cpu"] != "16" {
		t.Errorf("%+v", nodes[1])
	}
}
