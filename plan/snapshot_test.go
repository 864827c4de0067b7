package plan_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/kube/kubetest"
	"plimsoll.dev/source/scenario"
	"plimsoll.dev/unit"
)

const openshift417 = "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.17\"}\n"

// merged plans a scenario with what was found beside it.
func merged(t *testing.T, text string, found *v1alpha1.Inventory) *v1alpha1.Plan {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	doc.Scenario.Workload.Snapshot = "cluster.json"
	assumed := plan.Merge(doc.Scenario, found, doc.Assumptions)
	return check(t, plan.Make(doc.Scenario, assumed, facts.Load()))
}

// A cluster of a thousand nodes goes through the plan: every pod of it finds a
// place on the nodes that it runs on.
func TestSnapshotOfAThousandNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 200 MB")
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(kubetest.Snapshot(w, 1000, 20000)) }()
	found, err := kube.ReadSnapshot(r, "cluster.json", kube.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := merged(t, openshift417, found)
	if g := gauge(t, p, "nodes"); g.Value.Number != 1000 || g.Limit.Number != 2000 {
		t.Errorf("nodes: got %s of %s, want 1,000 of 2,000", g.Value, g.Limit)
	}
	o := p.Options[0]
	if o.Name != plan.TodaysNodes || !o.Fits || o.Base == 0 || o.Base > o.Given {
		t.Errorf("today's nodes: fits %v, %d of %d in use: %s", o.Fits, o.Base, o.Given, o.Why)
	}
	if pods := figure(t, p, "workload.pods").Value.Number; pods < 10000 || pods > 20000 {
		t.Errorf("pods of the workload: got %v, want most of 20,000", pods)
	}
}

// The OpenB trace, converted by tools/openb: its pods did not all run at once, and
// their GPUs are more than its nodes have.
func TestOpenB(t *testing.T) {
	p := example(t, "openb.yaml")
	if o := p.Options[0]; o.Fits || o.Given != 1523 || figure(t, p, "workload.pods").Value.Number != 8152 {
		t.Errorf("fits %v on %d nodes, %s: %s", o.Fits, o.Given, figure(t, p, "workload.pods").Value, o.Why)
	}
}

// Pods that select control plane nodes are no load of the workers, and a
// snapshot's infrastructure nodes carry the pods that select them.
func TestSnapshotRoles(t *testing.T) {
	three, four, two := 3, 4, 2
	infra := map[string]string{"node-role.kubernetes.io/infra": ""}
	found := &v1alpha1.Inventory{
		NodeTypes: []v1alpha1.NodeType{
			{Name: "m", Role: "controlPlane", CPUs: 8, Memory: 32 << 30, Count: &three, MaxPods: 250},
			{Name: "w", Role: "worker", CPUs: 8, Memory: 32 << 30, Count: &four, MaxPods: 250},
			{Name: "i", Role: "infra", CPUs: 8, Memory: 32 << 30, Count: &two, MaxPods: 250, Labels: infra},
		},
		PodTypes: []v1alpha1.PodType{
			{Name: "apiserver", Replicas: 3, CPU: 6000, NodeSelector: map[string]string{"node-role.kubernetes.io/master": ""}},
			{Name: "router", Replicas: 2, CPU: 7000, NodeSelector: infra},
			{Name: "app", Replicas: 4, CPU: 7500},
		},
	}
	p := merged(t, openshift417, found)
	if o := p.Options[0]; !o.Fits || o.Base != 6 || o.Given != 6 {
		t.Errorf("got %d of %d nodes, fits %v: %s", o.Base, o.Given, o.Fits, o.Why)
	}
	if got := figure(t, p, "nodes.all").Value.Number; got != 9 {
		t.Errorf("nodes of the cluster: got %v, want 9", got)
	}
	if !has(p, "workload.pods") || figure(t, p, "workload.pods").Value.Number != 6 {
		t.Errorf("pods of the workload: got %s, want 6", figure(t, p, "workload.pods").Value)
	}
}

// Control plane nodes that take workload (mastersSchedulable: the pods that run there are workload, too) are
// workers beside: 2 and 2 carry four pods of 5 cores, which the two workers alone do not. They count once. What
// static pods request is not for others: 8 cores less 3.5 take no pod of 5.
func TestControlPlaneWithWorkload(t *testing.T) {
	two, master := 2, map[string]string{"node-role.kubernetes.io/master": "", "node-role.kubernetes.io/worker": ""}
	for static, fits := range map[unit.CPU]bool{1000: true, 3500: false} {
		found := &v1alpha1.Inventory{
			NodeTypes: []v1alpha1.NodeType{
				{Name: "m", Role: "controlPlane", CPUs: 8, Memory: 32 << 30, Count: &two, MaxPods: 250, Labels: master},
				{Name: "w", Role: "worker", CPUs: 8, Memory: 32 << 30, Count: &two, MaxPods: 250},
			},
			Nodes: []v1alpha1.Node{{Name: "m0", Type: "m"}, {Name: "m1", Type: "m"}},
			PodTypes: []v1alpha1.PodType{
				{Name: "app", Replicas: 3, CPU: 5000},
				{Name: "operator", Replicas: 1, CPU: 5000, NodeSelector: map[string]string{"node-role.kubernetes.io/master": ""}},
				{Name: "kube-apiserver", Replicas: 2, CPU: static, Held: true},
			},
			Bound: []v1alpha1.Bound{{PodType: 2, Node: 0, Count: 1}, {PodType: 2, Node: 1, Count: 1}},
		}
		p := merged(t, openshift417, found)
		if o := p.Options[0]; o.Fits != fits || o.Given != 4 {
			t.Errorf("static pods of %s: %d nodes, fits %v: %s", static, o.Given, o.Fits, o.Why)
		}
		if got := figure(t, p, "nodes.all").Value.Number; got != 4 {
			t.Errorf("nodes of the cluster: got %v, want 4", got)
		}
		if want := "2 m control plane nodes with workload, 2 w workers for 4 pods"; p.Verdict.Summary != want {
			t.Errorf("got %q, want %q", p.Verdict.Summary, want)
		}
	}
}

// A cluster whose nodes are none of the control plane has it elsewhere (hosted control planes, EKS, AKS, GKE): none
// is planned, unless the scenario states one.
func TestControlPlaneElsewhere(t *testing.T) {
	three := 3
	for policy, want := range map[string]float64{"": 3, "policy: {controlPlaneNodes: 3}\n": 6} {
		p := merged(t, openshift417+policy, &v1alpha1.Inventory{
			NodeTypes: []v1alpha1.NodeType{{Name: "w", Role: "worker", CPUs: 8, Memory: 32 << 30, Count: &three, MaxPods: 250}},
			PodTypes:  []v1alpha1.PodType{{Name: "app", Replicas: 3, CPU: 1000}},
		})
		if got := figure(t, p, "nodes.all").Value.Number; got != want {
			t.Errorf("%q: %v nodes, want %v: %s", policy, got, want, p.Verdict.Summary)
		}
	}
}

// What runs is planned as it runs: infrastructure nodes are not called workers, the routers are
// those in the file, the platform's own pods don't grow, zones and provider are the snapshot's.
func TestSnapshotAsItRuns(t *testing.T) {
	three, six := 3, 6
	infra := map[string]string{"node-role.kubernetes.io/infra": ""}
	found := &v1alpha1.Inventory{Provider: "aws", Zones: 3,
		NodeTypes: []v1alpha1.NodeType{
			{Name: "i", Role: "infra", CPUs: 8, Memory: 32 << 30, Count: &three, MaxPods: 250, Labels: infra},
			{Name: "w", Role: "worker", CPUs: 8, Memory: 32 << 30, Count: &six, MaxPods: 250},
		},
		PodTypes: []v1alpha1.PodType{
			{Name: "openshift-ingress/router-default", Namespace: "openshift-ingress", Replicas: 3, CPU: 100,
				NodeSelector: infra},
			{Name: "openshift-monitoring/prometheus-k8s", Namespace: "openshift-monitoring", Replicas: 2, CPU: 70},
			{Name: "shop/web", Namespace: "shop", Replicas: 10, CPU: 500},
		}}
	p := merged(t, openshift417+"policy: {growth: 20%}\n", found)
	if want := "6 w workers, 3 i infrastructure nodes, "; !strings.HasPrefix(p.Verdict.Summary, want) {
		t.Errorf("got %q, want %q", p.Verdict.Summary, want)
	}
	if got := figure(t, p, "infra.running").Value.Number; got != 3 {
		t.Errorf("%v infrastructure nodes run, want 3", got)
	}
	if got := figure(t, p, "router.total").Value.Number; got != 3 {
		t.Errorf("%v routers, want the 3 that run", got)
	}
	if got := figure(t, p, "workload.pods").Value.Number; got != 3+2+12 {
		t.Errorf("%v pods, want 17: the platform's own don't grow", got)
	}
	if s := p.Scenario; p.Platform.Provider != "aws" || s != nil && s.Policy.Zones != 3 {
		t.Errorf("provider %q", p.Platform.Provider)
	}
	if !slices.ContainsFunc(p.Assumptions, func(a v1alpha1.Assumption) bool {
		return a.Field == "policy.zones" && a.Value == "3"
	}) {
		t.Error("zones are not those of the snapshot")
	}
}

// Job (c): how many nodes of a running cluster are too many is said although a router has no
// other place when its node fails: ten pods of 3 cores take five nodes of 7.5, and one that
// may fail. Other machines carry the same beside the infrastructure nodes as they are, and
// need bear no more: 15.5 cores hold five pods, two machines all, and one may fail.
func TestTodayAndOtherMachines(t *testing.T) {
	three, ten := 3, 10
	infra := map[string]string{"node-role.kubernetes.io/infra": ""}
	found := &v1alpha1.Inventory{
		NodeTypes: []v1alpha1.NodeType{
			{Name: "i", Role: "infra", CPUs: 8, Memory: 32 << 30, Count: &three, MaxPods: 250, Labels: infra,
				Taints: []v1alpha1.Taint{{Key: "infra", Effect: "NoSchedule"}}},
			{Name: "w", Role: "worker", CPUs: 8, Memory: 32 << 30, Count: &ten, MaxPods: 250},
		},
		PodTypes: []v1alpha1.PodType{
			{Name: "router", Replicas: 3, CPU: 100, MaxPerNode: 1, NodeSelector: infra,
				Tolerations: []v1alpha1.Toleration{{Key: "infra", Operator: "Exists"}}},
			{Name: "app", Replicas: 10, CPU: 3000, Memory: 1 << 30},
		}}
	p := merged(t, openshift417, found)
	expectFinding(t, p, v1alpha1.Info, "nodes.tooMany", true)
	i := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.ID == "nodes.tooMany" })
	if got := p.Findings[i].Message; !strings.HasPrefix(got, "4 of 13 nodes could go, 9 would do: ") ||
		!strings.HasSuffix(got, "(but for router, as today)") {
		t.Error(got)
	}
	p = merged(t, openshift417+"hardware: {nodeTypes: [{name: big, cpus: 16, memory: 64Gi}]}\n", found)
	o := p.Options[1]
	if !o.Fits || o.Total != 6 || o.Nodes[0] != (v1alpha1.OptionNodes{Type: "i", Count: 3}) ||
		o.Verified.Status != v1alpha1.Verified {
		t.Errorf("%s: %+v fits %t, %+v: %s", o.Name, o.Nodes, o.Fits, o.Verified, o.Why)
	}
}

// Names from two sources do not clash, and objects add up.
func TestMerge(t *testing.T) {
	doc, err := scenario.Read("test.yaml",
		[]byte(openshift417+"workload: {podTypes: [{name: web}], objects: {services: 3, podsPerNamespace: 9}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Scenario
	plan.Merge(s, &v1alpha1.Inventory{PodTypes: []v1alpha1.PodType{{Name: "web", Namespace: "shop"},
		{Name: "web", Namespace: "shop"}, {Name: "db"}},
		Objects: v1alpha1.Objects{Services: 4, PodsPerNamespace: 7}}, doc.Assumptions)
	var names []string
	for _, t := range s.Workload.PodTypes {
		names = append(names, t.Name)
	}
	if got := strings.Join(names, " "); got != "web web.shop web-2 db" {
		t.Errorf("names: %s", got)
	}
	if o := s.Workload.Objects; o.Services != 7 || o.PodsPerNamespace != 9 {
		t.Errorf("objects: %+v", o)
	}
}
