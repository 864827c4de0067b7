package kube

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// nodeJSON is a node; spec, capacity and allocatable are the insides of JSON
// objects.
func nodeJSON(name, labels, spec, capacity, allocatable string) string {
	return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "` + name + `", "labels": {` + labels +
		`}}, "spec": {` + spec +
		`}, "status": {"capacity": {` + capacity + `}, "allocatable": {` + allocatable + `}}}`
}

func nodes(t *testing.T, items ...string) *v1alpha1.Inventory {
	t.Helper()
	return snapshot(t, `{"kind": "List", "items": [`+strings.Join(items, ",\n")+"]}")
}

// TestNodeOfOCP6 is the node that OCP 6.1 describes: of 8162900Ki it offers
// 7548500Ki, which is 500Mi for the system and 100Mi until eviction.
func TestNodeOfOCP6(t *testing.T) {
	inv := nodes(t, nodeJSON("perf-node.example.com", `"cpumanager": "true", "node-role.kubernetes.io/worker": ""`, "",
		`"attachable-volumes-aws-ebs": "39", "cpu": "2", "ephemeral-storage": "124768236Ki", "hugepages-1Gi": "0", `+
			`"hugepages-2Mi": "0", "memory": "8162900Ki", "pods": "250"`,
		`"attachable-volumes-aws-ebs": "39", "cpu": "1500m", "ephemeral-storage": "124768236Ki", "hugepages-1Gi": "0", `+
			`"hugepages-2Mi": "0", "memory": "7548500Ki", "pods": "250"`))
	one, eviction := 1, 100*unit.MiB
	want := []v1alpha1.NodeType{{
		Name: "2cpu-8Gi", Role: "worker", CPUs: 2, Memory: 8162900 * unit.KiB, Disk: 124768236 * unit.KiB, Count: &one,
		MaxPods: 250, SystemReserved: &v1alpha1.Reserved{CPU: 500, Memory: 500 * unit.MiB}, EvictionHard: &eviction,
		Labels: map[string]string{"node-role.kubernetes.io/worker": ""},
	}}
	if diff := cmp.Diff(want, inv.NodeTypes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWholeCluster: zones are those of the nodes with workload, the release that of the oldest
// kubelet (an upgrade replaces them one by one), the provider the scheme of the providerID.
func TestWholeCluster(t *testing.T) {
	const size = `"cpu": "8", "memory": "32Gi"`
	node := func(name, role, zone, id, kubelet string) string {
		return strings.Replace(nodeJSON(name, `"node-role.kubernetes.io/`+role+`": "", "topology.kubernetes.io/zone": "`+
			zone+`"`, `"providerID": "`+id+`"`, size, size), `"status": {`,
			`"status": {"nodeInfo": {"kubeletVersion": "`+kubelet+`"}, `, 1)
	}
	inv := nodes(t, node("m", "master", "z9", "aws:///z9/i-0", "v1.28.1+abc"),
		node("i", "infra", "z1", "aws:///z1/i-1", "v1.27.6+abc"), node("w", "worker", "z2", "aws:///z2/i-2", "v1.28.1+abc"))
	if inv.Kubernetes != "1.27" || inv.Provider != "aws" || inv.Zones != 2 {
		t.Errorf("Kubernetes %q on %q in %d zones", inv.Kubernetes, inv.Provider, inv.Zones)
	}
	inv = nodes(t, node("a", "worker", "z1", "gce://p/z/a", "v1.30.0"), node("b", "worker", "z1", "kind://b", "odd"))
	if inv.Kubernetes != "1.30" || inv.Provider != "" || inv.Zones != 1 {
		t.Errorf("Kubernetes %q on %q in %d zones", inv.Kubernetes, inv.Provider, inv.Zones)
	}
}

func TestNodeTypes(t *testing.T) {
	const size = `"cpu": "8", "memory": "32Gi", "pods": "250"`
	const offer = `"cpu": "7500m", "memory": "30Gi", "pods": "250"`
	kind := func(name string) string { return `"node.kubernetes.io/instance-type": "` + name + `"` }
	tests := []struct {
		name  string
		items []string
		want  []string
	}{
		{"equal ones are one type", []string{nodeJSON("a", kind("m"), "", size, offer),
			nodeJSON("b", kind("m"), "", size, offer)},
			[]string{"m worker x2 cpus=8 mem=32Gi reserved=500m/1948Mi"}},
		{"a few KiB make no difference, and the least counts", []string{
			nodeJSON("a", kind("m"), "", `"cpu": "8", "memory": "33554432Ki"`, `"cpu": "8", "memory": "33452032Ki"`),
			nodeJSON("b", kind("m"), "", `"cpu": "8", "memory": "33554400Ki"`, `"cpu": "8", "memory": "33452000Ki"`),
			nodeJSON("c", kind("m"), "", `"cpu": "8", "memory": "64Gi"`, `"cpu": "8", "memory": "64Gi"`)},
			[]string{"m worker x2 cpus=8 mem=33554400Ki reserved=0/0", "m-2 worker x1 cpus=8 mem=64Gi reserved=0/0"}},
		{"roles", []string{
			nodeJSON("a", kind("m")+`, "node-role.kubernetes.io/master": ""`, "", size, offer),
			nodeJSON("b", kind("m")+`, "node-role.kubernetes.io/control-plane": ""`, "", size, offer),
			nodeJSON("c", kind("m")+`, "node-role.kubernetes.io/infra": "", "node-role.kubernetes.io/worker": ""`, "",
				size, offer),
			nodeJSON("d", kind("m")+`, "node-role.kubernetes.io/worker": ""`, "", size, offer)},
			[]string{"m-controlPlane controlPlane x1 cpus=8 mem=32Gi reserved=500m/1948Mi",
				"m-controlPlane-2 controlPlane x1 cpus=8 mem=32Gi reserved=500m/1948Mi",
				"m-infra infra x1 cpus=8 mem=32Gi reserved=500m/1948Mi", "m worker x1 cpus=8 mem=32Gi reserved=500m/1948Mi"}},
		{"huge pages and devices", []string{nodeJSON("a", kind("gpu"), "",
			`"cpu": "8", "memory": "32Gi", "hugepages-1Gi": "4Gi", "nvidia.com/gpu": "4"`,
			`"cpu": "8", "memory": "27548Mi", "hugepages-1Gi": "4Gi", "nvidia.com/gpu": "3"`)},
			[]string{"gpu worker x1 cpus=8 mem=32Gi reserved=0/1Gi pages=map[1Gi:4Gi] devices=map[nvidia.com/gpu:3]"}},
		{"taints that stay", []string{nodeJSON("a", kind("m"), `"taints": [{"key": "team", "value": "a", `+
			`"effect": "NoSchedule"}, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]`, size, offer)},
			[]string{"m worker x1 cpus=8 mem=32Gi reserved=500m/1948Mi taint=team=a:NoSchedule"}},
		{"labels that pods select", []string{
			nodeJSON("a", kind("m")+`, "disk": "ssd", "rack": "1"`, "", size, offer),
			nodeJSON("b", kind("m")+`, "disk": "hdd", "rack": "2"`, "", size, offer),
			nodeJSON("c", kind("m")+`, "disk": "hdd", "rack": "3"`, "", size, offer),
			`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, ` +
				`"spec": {"nodeSelector": {"disk": "ssd"}, "containers": [{}]}}`},
			[]string{"m worker x2 cpus=8 mem=32Gi reserved=500m/1948Mi label=disk:hdd",
				"m-2 worker x1 cpus=8 mem=32Gi reserved=500m/1948Mi label=disk:ssd"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, n := range nodes(t, test.items...).NodeTypes {
				got = append(got, nodeLine(n))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func nodeLine(n v1alpha1.NodeType) string {
	s := fmt.Sprintf("%s %s x%d cpus=%d mem=%s reserved=%s/%s", n.Name, n.Role, *n.Count, n.CPUs, n.Memory,
		n.SystemReserved.CPU, n.SystemReserved.Memory)
	if n.HugePages != nil {
		s += fmt.Sprintf(" pages=%v", n.HugePages)
	}
	if n.Devices != nil {
		s += fmt.Sprintf(" devices=%v", n.Devices)
	}
	for _, t := range n.Taints {
		s += " taint=" + t.Key + "=" + t.Value + ":" + t.Effect
	}
	if disk, ok := n.Labels["disk"]; ok {
		s += " label=disk:" + disk
	}
	return s
}

func TestNodesLeftOut(t *testing.T) {
	inv := nodes(t,
		nodeJSON("virtual", "", "", `"cpu": "0", "memory": "0"`, ""),
		nodeJSON("off", "", `"unschedulable": true`, `"cpu": "1", "memory": "1Gi"`, `"cpu": "1", "memory": "1Gi"`))
	want := []string{
		"s.json:1: Node virtual: it reports no CPU or no memory",
		"s.json:2: cordoned nodes: they are counted as nodes in service",
	}
	if diff := cmp.Diff(want, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(inv.NodeTypes) != 1 {
		t.Errorf("%d node types", len(inv.NodeTypes))
	}
}

// TestNotReadyYet: a node that is not Ready and not yet tainted is told; one that has its taint is as it stands.
func TestNotReadyYet(t *testing.T) {
	node := func(name, taints string) string {
		return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "` + name + `"}, "spec": {"taints": [` + taints +
			`]}, "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, ` +
			`"conditions": [{"type": "Ready", "status": "False"}]}}`
	}
	inv := snapshot(t, asList(node("a", ""), node("b", `{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}`)))
	told := slices.DeleteFunc(inv.Skipped, func(s v1alpha1.Skipped) bool { return s.Decides })
	if len(told) != 1 || told[0].What != "nodes that are not Ready and have no taint yet" || told[0].Count != 0 {
		t.Errorf("%+v", inv.Skipped)
	}
	for _, n := range inv.Nodes {
		if len(n.Taints) != 1 {
			t.Errorf("%s: %+v", n.Name, n.Taints)
		}
	}
}
