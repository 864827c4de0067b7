package kube_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/source/kube"
)

const placed = `{"kind":"List","apiVersion":"v1","items":[
{"kind":"Namespace","metadata":{"name":"shop","labels":{"team":"a"}}},
{"kind":"Node","metadata":{"name":"b","labels":{"topology.kubernetes.io/zone":"z1"}},"spec":{"unschedulable":true},
 "status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{"cpu":"3500m","memory":"15Gi","pods":"110","example.com/dev":"2"},
 "conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"Unknown"}]}},
{"kind":"Node","metadata":{"name":"a"},"status":{"capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{"cpu":"3500m","memory":"15Gi","pods":"110"}}},
{"kind":"Pod","metadata":{"name":"web-5d8-1","namespace":"shop","labels":{"app":"web","pod-template-hash":"5d8"},"ownerReferences":[{"kind":"ReplicaSet","name":"web-5d8","controller":true}]},
 "spec":{"nodeName":"a","priority":1000,"preemptionPolicy":"Never",
  "initContainers":[{"name":"init","resources":{"requests":{"cpu":"2"}}},{"name":"proxy","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}],
  "containers":[{"name":"web","ports":[{"containerPort":8080},{"containerPort":443,"hostPort":8443,"protocol":"UDP","hostIP":"127.0.0.1"}],
   "resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"memory":"2Gi"}}}],
  "affinity":{
   "nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd","nvme"]}]}]},
    "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"gen","operator":"Gt","values":["3"]}]}}]},
   "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname",
    "labelSelector":{"matchLabels":{"app":"web"}},"namespaceSelector":{}}}]}},
  "topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"ScheduleAnyway",
   "labelSelector":{"matchLabels":{"app":"web"}},"matchLabelKeys":["pod-template-hash","track"]}]}},
{"kind":"Pod","metadata":{"name":"web-5d8-2","namespace":"shop","labels":{"app":"web","pod-template-hash":"5d8"},"ownerReferences":[{"kind":"ReplicaSet","name":"web-5d8","controller":true}]},
 "spec":{"nodeName":"b","containers":[{"name":"web","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}},
{"kind":"Pod","metadata":{"name":"late","namespace":"shop"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}
]}`

// TestSingle reads nodes one by one and the pods on them, with the rules that
// decide on their places.
func TestSingle(t *testing.T) {
	inv, err := kube.ReadSnapshot(strings.NewReader(placed), "cluster.json", kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	nodes := []v1alpha1.Node{
		{Name: "b", Type: inv.NodeTypes[1].Name, Labels: map[string]string{"topology.kubernetes.io/zone": "z1"},
			Unschedulable: true,
			// As the node controller taints a node that it hears nothing of (pkg/controller/nodelifecycle).
			Taints:      []v1alpha1.Taint{{Key: "node.kubernetes.io/unreachable", Effect: "NoSchedule"}},
			Allocatable: map[string]int64{"cpu": 3500, "memory": 15 << 30, "pods": 110, "example.com/dev": 2}},
		{Name: "a", Type: inv.NodeTypes[0].Name, Allocatable: map[string]int64{"cpu": 3500, "memory": 15 << 30, "pods": 110}},
	}
	if diff := cmp.Diff(nodes, inv.Nodes); diff != "" {
		t.Error(diff)
	}
	at := map[string]int{}
	for i, p := range inv.PodTypes {
		at[p.Name] = i
	}
	var full, plain int
	for name, i := range at {
		switch {
		case name == "shop/late":
		case inv.PodTypes[i].Priority == 1000:
			full = i
		default:
			plain = i
		}
	}
	bound := map[v1alpha1.Bound]bool{{PodType: full, Node: 1, Count: 1}: true, {PodType: plain, Node: 0, Count: 1}: true}
	for _, b := range inv.Bound {
		if !bound[b] {
			t.Errorf("bound %+v, which is not expected (types %v)", b, at)
		}
	}
	if len(inv.Bound) != 2 || len(inv.PodTypes) != 3 {
		t.Errorf("%d bound of %d types", len(inv.Bound), len(inv.PodTypes))
	}
	if diff := cmp.Diff(map[string]map[string]string{"shop": {"team": "a"}}, inv.Namespaces); diff != "" {
		t.Error(diff)
	}
	checkRules(t, inv.PodTypes[full])
}

func checkRules(t *testing.T, got v1alpha1.PodType) {
	t.Helper()
	web := &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	want := v1alpha1.PodType{
		Labels: map[string]string{"app": "web", "pod-template-hash": "5d8"}, Priority: 1000, PreemptionPolicy: "Never",
		HostPorts: []v1alpha1.HostPort{{Port: 8443, Protocol: "UDP", HostIP: "127.0.0.1"}},
		Affinity: &v1alpha1.Affinity{
			NodeAffinity: &v1alpha1.NodeAffinity{
				Required: &v1alpha1.NodeSelector{NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{
					{MatchExpressions: []v1alpha1.Requirement{{Key: "disk", Operator: "In", Values: []string{"ssd", "nvme"}}}}}},
				Preferred: []v1alpha1.PreferredSchedulingTerm{{Weight: 7, Preference: v1alpha1.NodeSelectorTerm{
					MatchExpressions: []v1alpha1.Requirement{{Key: "gen", Operator: "Gt", Values: []string{"3"}}}}}}},
			PodAntiAffinity: &v1alpha1.PodAffinity{Preferred: []v1alpha1.WeightedPodAffinityTerm{{Weight: 100,
				PodAffinityTerm: v1alpha1.PodAffinityTerm{
					TopologyKey: "kubernetes.io/hostname", LabelSelector: web, NamespaceSelector: &v1alpha1.LabelSelector{}}}}}},
		TopologySpreadConstraints: []v1alpha1.TopologySpreadConstraint{{MaxSkew: 2,
			TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: "ScheduleAnyway",
			LabelSelector: web, NodeAffinityPolicy: "Honor", NodeTaintsPolicy: "Ignore",
			MatchLabelKeys: []string{"pod-template-hash", "track"}}},
	}
	only := v1alpha1.PodType{Labels: got.Labels, Priority: got.Priority, PreemptionPolicy: got.PreemptionPolicy,
		HostPorts: got.HostPorts, Affinity: got.Affinity, TopologySpreadConstraints: got.TopologySpreadConstraints}
	if diff := cmp.Diff(want, only); diff != "" {
		t.Error(diff)
	}
	if len(got.InitContainers) != 2 || got.InitContainers[1].RestartPolicy != "Always" ||
		*got.InitContainers[0].CPU != 2000 ||
		len(got.ContainerSpecs) != 1 || *got.ContainerSpecs[0].MemoryLimit != 2<<30 || got.ContainerSpecs[0].CPULimit != nil {
		t.Errorf("containers %+v, %+v", got.InitContainers, got.ContainerSpecs)
	}
}

// TestTold: what a snapshot's nodes leave open, and what they take for granted, is told by name.
func TestTold(t *testing.T) {
	node := func(name, spec, ready string) string {
		return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "` + name + `"}, "spec": {` + spec + `}, ` +
			`"status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "` +
			ready + `"}]}}`
	}
	inv, err := kube.ReadSnapshot(strings.NewReader(`{"kind": "List", "apiVersion": "v1", "items": [`+
		node("a", "", "False")+","+node("b", `"unschedulable": true`, "True")+","+node("c", "", "True")+"]}"), "c.json",
		kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if open := v1alpha1.Undecided(inv.Skipped); len(open) != 1 || !strings.HasPrefix(open[0], "a: it is not ready") {
		t.Errorf("open: %q", open)
	}
	if a := inv.Assumptions; len(a) != 1 || a[0].Field != "cordoned nodes" || a[0].Why != "b" {
		t.Errorf("assumed: %+v", a)
	}
}
