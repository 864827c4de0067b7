package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// asList is a snapshot of objects, one a line.
func asList(items ...string) string {
	return `{"kind": "List", "apiVersion": "v1", "items": [` + strings.Join(items, ",\n") + "]}"
}

// livePod is a pod of a controller; spec is the inside of a JSON object.
func livePod(name, kind, owner, labels, spec string) string {
	return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "` + name + `", "namespace": "n", "labels": {` +
		labels +
		`}, "ownerReferences": [{"kind": "` + kind + `", "name": "` + owner + `", "controller": true}]}, "spec": {` +
		spec + `}}`
}

const (
	fourCPUs = `"cpu": "4", "memory": "16Gi", "pods": "110"`
	oneCPU   = `"containers": [{"resources": {"requests": {"cpu": "1"}}}]`
	mirror   = `, "annotations": {"kubernetes.io/config.mirror": "x"}`
)

func worker(name, labels, spec string) string {
	return nodeJSON(name, labels, spec, fourCPUs, fourCPUs)
}

// byName finds a pod type.
func byName(t *testing.T, inv *v1alpha1.Inventory, name string) v1alpha1.PodType {
	t.Helper()
	i := slices.IndexFunc(inv.PodTypes, func(p v1alpha1.PodType) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no %s in %q", name, lines(inv))
	}
	return inv.PodTypes[i]
}

// running is how many pods of each type run on each node, as "type node count".
func running(inv *v1alpha1.Inventory) []string {
	var out []string
	for _, b := range inv.Bound {
		out = append(out, fmt.Sprintf("%s %s %d", inv.PodTypes[b.PodType].Name, inv.Nodes[b.Node].Name, b.Count))
	}
	slices.Sort(out)
	return out
}

// TestSelectorsOfPlaces: a plan knows no single nodes and zones, placement does.
func TestSelectorsOfPlaces(t *testing.T) {
	inv := snapshot(t, asList(worker("a", "", ""),
		livePod("db-0", "StatefulSet", "db", "", `"nodeSelector": {"disk": "ssd", "topology.kubernetes.io/zone": "z1"}, `+
			oneCPU),
		livePod("x-0", "StatefulSet", "x", "", `"nodeSelector": {"kubernetes.io/hostname": "a"}, `+oneCPU)))
	for name, want := range map[string][2]map[string]string{
		"n/db": {{"disk": "ssd"}, {"disk": "ssd", "topology.kubernetes.io/zone": "z1"}},
		"n/x":  {nil, {"kubernetes.io/hostname": "a"}},
	} {
		p := byName(t, inv, name)
		if p.Spec == nil || !maps.Equal(p.NodeSelector, want[0]) || !maps.Equal(p.Spec.NodeSelector, want[1]) {
			t.Errorf("%s: %v, %+v, want %v", name, p.NodeSelector, p.Spec, want)
		}
	}
}

// TestNodeName: a pod that names its node can be on no other. Its own terms are
// alternatives, so each of them gets the name.
func TestNodeName(t *testing.T) {
	here := v1alpha1.Requirement{Key: "metadata.name", Operator: "In", Values: []string{"w-3"}}
	exists := func(key string) v1alpha1.Requirement { return v1alpha1.Requirement{Key: key, Operator: "Exists"} }
	for affinity, want := range map[string][]v1alpha1.NodeSelectorTerm{
		"": {{MatchFields: []v1alpha1.Requirement{here}}},
		", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
			"{matchExpressions: [{key: a, operator: Exists}]}, {matchExpressions: [{key: b, operator: Exists}]}]}}}": {
			{MatchExpressions: []v1alpha1.Requirement{exists("a")}, MatchFields: []v1alpha1.Requirement{here}},
			{MatchExpressions: []v1alpha1.Requirement{exists("b")}, MatchFields: []v1alpha1.Requirement{here}}},
	} {
		inv := manifests(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: w-3, containers: [{}]"+
			affinity+"}")
		if diff := cmp.Diff(want, inv.PodTypes[0].Affinity.NodeAffinity.Required.NodeSelectorTerms); diff != "" {
			t.Error(diff)
		}
	}
}

// TestHeld: what a plan leaves out still has room on its node.
func TestHeld(t *testing.T) {
	mirrored := func(name, node string) string {
		pod := livePod(name+"-"+node, "Node", node, `"app": "`+name+`"`, `"nodeName": "`+node+`", `+oneCPU)
		return strings.Replace(pod, `, "ownerReferences"`, mirror+`, "ownerReferences"`, 1)
	}
	agent := func(node, cpu string) string {
		return livePod("agent-"+node, "DaemonSet", "agent", "", `"nodeName": "`+node+
			`", "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": `+
			`[{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["`+node+
			`"]}]}]}}}, "containers": [{"resources": {"requests": {"cpu": "`+cpu+`"}}}]`)
	}
	inv := snapshot(t, asList(
		worker("m", `"node-role.kubernetes.io/master": ""`, ""), worker("w", "", ""), worker("v", "", ""),
		mirrored("etcd", "m"), mirrored("proxy", "m"), mirrored("proxy", "w"), mirrored("proxy", "v"),
		agent("m", "2"), agent("w", "2"), agent("v", "4")))
	want := []string{
		"n/agent m 1", "n/agent w 1", // pods of one template, though each is bound to its own node
		"n/agent-2 v 1", // of the older template
		"n/etcd-m m 1", "n/proxy v 1", "n/proxy w 1", "n/proxy-m m 1",
	}
	if diff := cmp.Diff(want, running(inv)); diff != "" {
		t.Error(diff)
	}
	for i, p := range inv.PodTypes {
		held := p.Name == "n/agent-2" || p.Name == "n/etcd-m" || p.Name == "n/proxy-m"
		if p.Held != held || p.Bare != !p.DaemonSet || held != (i >= 2) {
			t.Errorf("%d: %s held %t, bare %t", i, p.Name, p.Held, p.Bare)
		}
	}
	for _, s := range inv.Skipped {
		if !s.Planning {
			t.Errorf("placement goes without %+v", s)
		}
	}
}

// TestBare: nobody makes a pod again that has no controller.
func TestBare(t *testing.T) {
	inv := snapshot(t, asList(worker("a", "", ""), barePod("solo"),
		livePod("web-5d-1", "ReplicaSet", "web-5d", `"pod-template-hash": "5d"`, oneCPU)))
	if !byName(t, inv, "solo").Bare || byName(t, inv, "n/web").Bare {
		t.Error("bare")
	}
}

// TestTaintsOfTrouble: placement sees the taints that come and go, and who
// tolerates them; a plan sees neither.
func TestTaintsOfTrouble(t *testing.T) {
	const pressure = `"taints": [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]`
	const tolerant = `"tolerations": [{"key": "node.kubernetes.io/disk-pressure", "operator": "Exists", ` +
		`"effect": "NoSchedule"}, {"key": "team", "value": "a"}], `
	inv := snapshot(t, asList(worker("a", "", pressure), livePod("db-0", "StatefulSet", "db", "", tolerant+oneCPU),
		livePod("x-0", "StatefulSet", "x", "", oneCPU)))
	if diff := cmp.Diff([]v1alpha1.Taint{{Key: "node.kubernetes.io/disk-pressure", Effect: "NoSchedule"}},
		inv.Nodes[0].Taints); diff != "" {
		t.Error(diff)
	}
	if len(inv.NodeTypes[0].Taints) > 0 {
		t.Errorf("a plan sees %v", inv.NodeTypes[0].Taints)
	}
	team := v1alpha1.Toleration{Key: "team", Operator: "Equal", Value: "a"}
	db := byName(t, inv, "n/db")
	if diff := cmp.Diff([]v1alpha1.Toleration{team}, db.Tolerations); diff != "" {
		t.Error(diff)
	}
	all := []v1alpha1.Toleration{{Key: "node.kubernetes.io/disk-pressure", Operator: "Exists", Effect: "NoSchedule"}, team}
	if diff := cmp.Diff(all, db.Spec.Tolerations); diff != "" {
		t.Error(diff)
	}
	if x := byName(t, inv, "n/x"); x.Spec != nil {
		t.Errorf("%+v", x.Spec)
	}
}

// TestNodesWithoutPods are a cluster to place on.
func TestNodesWithoutPods(t *testing.T) {
	inv := snapshot(t, asList(worker("a", "", ""), worker("b", "", `"unschedulable": true`)))
	if len(inv.Nodes) != 2 || !inv.Nodes[1].Unschedulable || len(inv.Bound) != 0 {
		t.Errorf("nodes %+v", inv.Nodes)
	}
}

// TestMatchLabelKeys: the API server writes the pod's own value into the
// selector, which the pod must still meet.
func TestMatchLabelKeys(t *testing.T) {
	web := func(name, hash, affinity string) string {
		return livePod(name, "ReplicaSet", "web-"+hash, `"app": "web", "pod-template-hash": "`+hash+`"`, affinity+oneCPU)
	}
	merged := func(hash string) string {
		return `"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "matchLabelKeys": ["pod-template-hash"],
		"labelSelector": {"matchExpressions": [{"key": "pod-template-hash", "operator": "In", "values": ["` + hash +
			`"]}]}}]}}, `
	}
	inv := snapshot(t, asList(worker("a", "", ""), web("1", "5d", merged("5d")), web("2", "5d", merged("5d")),
		web("3", "77", merged("77"))))
	got := map[string]int{}
	for _, p := range inv.PodTypes {
		e := p.Affinity.PodAntiAffinity.Required[0].LabelSelector.MatchExpressions[0]
		if e.Values[0] != p.Labels[e.Key] {
			t.Errorf("%v asks for %+v", p.Labels, e)
		}
		got[p.Labels["pod-template-hash"]] += p.Replicas
	}
	if !maps.Equal(got, map[string]int{"5d": 2, "77": 1}) {
		t.Errorf("%v", got)
	}
	// Without such a demand, revisions that run are one type.
	here := `"nodeName": "a", `
	inv = snapshot(t, asList(worker("a", "", ""), web("1", "5d", here), web("2", "77", here)))
	if len(inv.PodTypes) != 1 {
		t.Errorf("%q", lines(inv))
	}
}

// TestWholePod: resources of the pod as a whole and overhead go with the
// containers that they are not part of.
func TestWholePod(t *testing.T) {
	const whole = `"resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "4", "memory": "4Gi"}}, ` +
		`"overhead": {"cpu": "250m", "memory": "120Mi"}, "containers": [{"name": "a"}]`
	p := byName(t, snapshot(t, asList(worker("a", "", ""), livePod("x-0", "StatefulSet", "x", "", whole))), "n/x")
	want := &v1alpha1.PodSpec{
		// The API server makes a request of the limit that no container has one for.
		Requests: map[string]int64{"cpu": 4000, "memory": 4 << 30}, Limits: map[string]int64{"cpu": 4000, "memory": 4 << 30},
		Overhead: map[string]int64{"cpu": 250, "memory": 120 << 20},
	}
	if diff := cmp.Diff(want, p.Spec); diff != "" {
		t.Error(diff)
	}
	if len(p.ContainerSpecs) != 1 || p.ContainerSpecs[0].CPU != nil || p.CPU != 4250 {
		t.Errorf("%+v", p)
	}
}

// TestControlSelector: a plan keeps the pods on control plane nodes by the label
// as the nodes have it, placement by what the pods themselves ask for.
func TestControlSelector(t *testing.T) {
	inv := snapshot(t, asList(
		worker("m", `"node-role.kubernetes.io/control-plane": "true"`,
			`"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]`),
		livePod("dns-0", "StatefulSet", "dns", "",
			`"nodeName": "m", "nodeSelector": {"os": "linux"}, "tolerations": [{"operator": "Exists"}], `+oneCPU)))
	p := byName(t, inv, "n/dns")
	if !maps.Equal(p.NodeSelector, map[string]string{"os": "linux", "node-role.kubernetes.io/control-plane": "true"}) ||
		!maps.Equal(p.Spec.NodeSelector, map[string]string{"os": "linux"}) || len(p.Spec.Tolerations) != 1 {
		t.Errorf("%v, %+v", p.NodeSelector, p.Spec)
	}
}

// TestPortsOfInits: of the init containers the scheduler counts the host ports
// of sidecars only (k8s.io/component-helpers, scheduling/corev1).
func TestPortsOfInits(t *testing.T) {
	inv := manifests(t, `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  initContainers:
  - {ports: [{containerPort: 1, hostPort: 8081}]}
  - {ports: [{containerPort: 2, hostPort: 8082}], restartPolicy: Always}
  - {ports: [{containerPort: 3, hostPort: 8083}]}
  containers: [{ports: [{containerPort: 4, hostPort: 8084}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: q}
spec: {initContainers: [{ports: [{containerPort: 1, hostPort: 8081}]}], containers: [{}]}
`)
	var got []int32
	for _, port := range byName(t, inv, "p").HostPorts {
		got = append(got, port.Port)
	}
	slices.Sort(got)
	if !slices.Equal(got, []int32{8082, 8084}) {
		t.Errorf("ports %v", got)
	}
	if q := byName(t, inv, "q"); q.MaxPerNode != 0 || len(q.HostPorts) > 0 {
		t.Errorf("%+v", q)
	}
}

// TestSkippedByPlans: what placement honours is marked.
func TestSkippedByPlans(t *testing.T) {
	inv := snapshot(t, asList(worker("a", `"topology.kubernetes.io/zone": "z1"`, `"unschedulable": true`),
		worker("b", `"topology.kubernetes.io/zone": "z2"`, ""),
		livePod("x-0", "StatefulSet", "x", "", `"resourceClaims": [{"name": "gpu"}], `+
			`"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}], `+oneCPU)))
	got := map[string]bool{}
	for _, s := range inv.Skipped {
		got[s.What+": "+s.Why] = s.Planning
	}
	want := map[string]bool{
		"cordoned nodes: they are counted as nodes in service":                        true,
		"StatefulSet n/x: not counted: spread constraint by zone":                     true,
		"StatefulSet n/x: not counted: resource claims (dynamic resource allocation)": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNodeTwice: a node is one however often it stands in the input.
func TestNodeTwice(t *testing.T) {
	inv := snapshot(t, asList(worker("a", "", ""), worker("b", "", ""), worker("a", `"x": "y"`, ""),
		livePod("x-0", "StatefulSet", "x", "", `"nodeName": "a", `+oneCPU)))
	if len(inv.Nodes) != 2 || *inv.NodeTypes[0].Count != 2 || inv.Nodes[1].Labels["x"] != "y" {
		t.Errorf("nodes %+v", inv.Nodes)
	}
	if diff := cmp.Diff([]string{"n/x a 1"}, running(inv)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"s.json:1: Node a: it stands again in s.json:3, which is counted instead"},
		skips(inv)); diff != "" {
		t.Error(diff)
	}
}

// TestPriorityClasses are what the API server's admission makes of them.
func TestPriorityClasses(t *testing.T) {
	pod := func(name, spec string) string {
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{}]" + spec + "}\n"
	}
	inv := manifests(t, pod("cluster", ", priorityClassName: system-cluster-critical")+
		pod("node", ", priorityClassName: system-node-critical")+
		pod("own", ", priorityClassName: batch")+pod("given", ", priority: 0")+pod("none", "")+
		pod("gone", ", priorityClassName: gone")+`---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: batch}
value: -5
preemptionPolicy: Never
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 7
globalDefault: true
`)
	for name, want := range map[string]int32{"cluster": 2000000000, "node": 2000001000, "own": -5, "given": 0, "none": 7,
		"gone": 0} {
		p := byName(t, inv, name)
		if p.Priority != want || (p.PreemptionPolicy == "Never") != (name == "own") {
			t.Errorf("%s has %d, %q, want %d", name, p.Priority, p.PreemptionPolicy, want)
		}
	}
	if got := skips(inv); len(got) != 1 || !strings.Contains(got[0], "priority class gone") {
		t.Errorf("skipped %q", got)
	}
}

// TestSplitOfContainers: equal sums don't make equal pods: one container of two
// CPUs has them for itself, two of one have one each.
func TestSplitOfContainers(t *testing.T) {
	split := func(name string, cpus ...string) string {
		var all []string
		for _, c := range cpus {
			all = append(all, `{"resources": {"limits": {"cpu": "`+c+`", "memory": "1Gi"}}}`)
		}
		return livePod(name, "StatefulSet", "x", "", `"containers": [`+strings.Join(all, ",")+`]`)
	}
	inv := snapshot(t, asList(worker("a", "", ""), split("x-0", "1", "3"), split("x-1", "2", "2"), split("x-2", "1", "3")))
	if len(inv.PodTypes) != 2 {
		t.Errorf("%q", lines(inv))
	}
}

// TestFewTypesApart: types are put together only where no affinity tells their
// pods apart.
func TestFewTypesApart(t *testing.T) {
	pod := func(namespace, name, app, affinity string) string {
		return strings.Replace(livePod(name+"-0", "StatefulSet", name, `"app": "`+app+`"`, affinity+oneCPU),
			`"namespace": "n"`, `"namespace": "`+namespace+`"`, 1)
	}
	const awayFromB = `"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ` +
		`[{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "b"}}}]}}, "nodeName": "w", `
	const here = `"nodeName": "w", `
	text := asList(worker("w", "", ""), pod("n", "a", "a", here), pod("n", "b", "b", here),
		pod("n", "c", "c", here), pod("m", "b", "b", here), pod("m", "d", "d", here), pod("n", "x", "x", awayFromB))
	inv, err := ReadSnapshot(strings.NewReader(text), "s.json", Options{MaxPodTypes: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range inv.PodTypes {
		got[p.Name] = fmt.Sprintf("%d %s %v", p.Replicas, p.Namespace, p.Labels)
	}
	want := map[string]string{"m/b": "1 m map[app:b]", "n/b": "1 n map[app:b]", "m/d-and-2-more": "3  map[]",
		"n/x": "1 n map[app:x]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
