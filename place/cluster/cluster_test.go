package cluster_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/unit"
)

func build(s *v1alpha1.Scenario, pools ...v1alpha1.PoolDecision) *cluster.Cluster {
	return cluster.Build(cluster.Input{Scenario: s, Pools: pools, Facts: facts.Load()})
}

func scenario(nodes []v1alpha1.NodeType, pods ...v1alpha1.PodType) *v1alpha1.Scenario {
	for i := range pods {
		pods[i].Containers = max(1, pods[i].Containers)
	}
	return &v1alpha1.Scenario{Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4"},
		Hardware: v1alpha1.Hardware{NodeTypes: nodes}, Workload: v1alpha1.Workload{PodTypes: pods}}
}

// TestAllocatable is the node of OCP 6: 8162900Ki of memory, of which 500Mi are
// reserved and 100Mi are the eviction threshold, and half of one of two CPUs.
func TestAllocatable(t *testing.T) {
	evict := 100 * unit.MiB
	s := scenario([]v1alpha1.NodeType{{Name: "Perf Node", Role: "worker", CPUs: 2, Memory: 8162900 * unit.KiB,
		MaxPods: 250, EvictionHard: &evict,
		KubeReserved: &v1alpha1.Reserved{CPU: 500, Memory: 500 * unit.MiB}, Labels: map[string]string{"cpumanager": "true"},
		Devices: map[string]int64{"example.com/nic": 2}}})
	s.Policy.SystemPodsPerNode = 15
	s.Policy.Zones = 3
	c := build(s, v1alpha1.PoolDecision{Type: "Perf Node", Count: 4, HugePages: map[string]int64{"2Mi": 512}})
	n := c.Nodes[3]
	want := scheduler.Resources{CPU: 1500, Memory: 7548500<<10 - 1<<30, EphemeralStorage: n.Allocatable.EphemeralStorage,
		Pods:   235,
		Scalar: map[string]int64{"hugepages-2Mi": 1 << 30, "example.com/nic": 2}}
	if diff := cmp.Diff(want, n.Allocatable); diff != "" {
		t.Error(diff)
	}
	labels := map[string]string{"cpumanager": "true", "kubernetes.io/hostname": "perf-node-4",
		"node-role.kubernetes.io/worker": "",
		"topology.kubernetes.io/zone":    "zone-1", "kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux",
		"kubernetes.io/arch": "amd64", "beta.kubernetes.io/arch": "amd64"}
	if diff := cmp.Diff(labels, n.Labels); diff != "" || n.Name != "perf-node-4" {
		t.Errorf("%s: %s", n.Name, diff)
	}
	if diff := cmp.Diff([]string{"topology.kubernetes.io/zone"}, c.Domains); diff != "" {
		t.Error(diff)
	}
	if names := c.Resources(); !slices.Equal(names, []string{"cpu", "memory", "pods"}) {
		t.Errorf("resources %v: nobody asks for pages and devices", names)
	}
}

// TestKinds counts what a pod asks for as the scheduler does: the larger of the
// containers together and each init container, 100m and 200 MiB for a container
// that requests nothing.
func TestKinds(t *testing.T) {
	cpu := func(n unit.CPU) *unit.CPU { return &n }
	mem := func(n unit.Bytes) *unit.Bytes { return &n }
	s := scenario(nil,
		v1alpha1.PodType{Name: "plain", Replicas: 10, CPU: 250, Memory: unit.GiB},
		v1alpha1.PodType{Name: "nothing", Replicas: 1, Containers: 2},
		v1alpha1.PodType{Name: "init", Replicas: 1,
			InitContainers: []v1alpha1.ContainerSpec{{Name: "i", CPU: cpu(3000), Memory: mem(unit.MiB)}},
			ContainerSpecs: []v1alpha1.ContainerSpec{{Name: "a", CPU: cpu(1000), Memory: mem(unit.GiB)},
				{Name: "b", CPULimit: cpu(500), MemoryLimit: mem(unit.GiB)}}},
		v1alpha1.PodType{Name: "whole", Replicas: 1, CPU: 2000, Memory: unit.GiB, CPULimit: cpu(2000),
			MemoryLimit: mem(unit.GiB)},
		v1alpha1.PodType{Name: "apart", Replicas: 3, CPU: 100, MaxPerNode: 2},
		v1alpha1.PodType{Name: "daemon", DaemonSet: true, CPU: 100},
	)
	s.Policy.Growth = 0.25
	c := build(s)
	for i, want := range []struct {
		cpu, memory, scoredCPU, scoredMemory int64
		qos                                  string
		count                                int
	}{
		{250, 1 << 30, 250, 1 << 30, "Burstable", 13}, // 12.5 rounded up
		{0, 0, 100, 200 << 20, "BestEffort", 2},       // one container has it all, however many there are
		{3000, 2 << 30, 3000, 2 << 30, "Burstable", 2},
		{2000, 1 << 30, 2000, 1 << 30, "Guaranteed", 2},
		{100, 0, 100, 200 << 20, "Burstable", 4},
		{100, 0, 100, 200 << 20, "Burstable", 0},
	} {
		k := c.Kinds[i]
		if k.Pod.Request.CPU != want.cpu || k.Pod.Request.Memory != want.memory || k.Pod.NonZeroCPU != want.scoredCPU ||
			k.Pod.NonZeroMemory != want.scoredMemory || k.QOS != want.qos || k.Count != want.count {
			t.Errorf("%s: %+v, %s, %d pods; want %+v", k.Type.Name, k.Pod, k.QOS, k.Count, want)
		}
	}
}

// TestMaxPerNode keeps a type to two pods per node, and says so in words.
func TestMaxPerNode(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "n", Role: "worker", CPUs: 8, Memory: 8 * unit.GiB, MaxPods: 10}},
		v1alpha1.PodType{Name: "apart", Replicas: 5, CPU: 100, MaxPerNode: 2})
	c := build(s, v1alpha1.PoolDecision{Type: "n", Count: 2})
	k, err := scheduler.New(c.Profile, c.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	class, err := k.Class(c.Kinds[0].Pod)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if n := k.Schedule(class).Node; (n < 0) != (i == 4) {
			t.Errorf("pod %d on node %d", i, n)
		}
	}
	d := k.Explain(class)
	if len(d.Reasons) != 1 || cluster.Reason(d.Reasons[0].Reason) != "node(s) already had the most pods of apart" {
		t.Errorf("%+v", d)
	}
	if got := cluster.Amounts(c.Kinds[0].Pod.Request); len(got) != 2 {
		t.Errorf("%v shows a resource of our own", got)
	}
}

// TestRelease is the Kubernetes of each OpenShift release.
func TestRelease(t *testing.T) {
	for platform, want := range map[[2]string]string{
		{"openshift", "4.3"}: "1.16", {"openshift", "4.4"}: "1.17", {"openshift", "4.17"}: "1.30", {"openshift",
			"4.20.3"}: "1.33", {"openshift", "3.11"}: "1.11", {"openshift", "4.2"}: "1.14", {"kubernetes", "1.36"}: "1.36",
	} {
		s := &v1alpha1.Scenario{Platform: v1alpha1.Platform{Type: platform[0], Release: platform[1]}}
		if got := cluster.Release(s); got != want {
			t.Errorf("%v: %s, want %s", platform, got, want)
		}
	}
}

// TestArrivals has each pod once, in every order.
func TestArrivals(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "n", Role: "worker", CPUs: 8, Memory: 64 * unit.GiB, MaxPods: 100}},
		v1alpha1.PodType{Name: "small", Replicas: 3, CPU: 100}, v1alpha1.PodType{Name: "wide", Replicas: 2, CPU: 4000},
		v1alpha1.PodType{Name: "deep", Replicas: 2, Memory: 16 * unit.GiB})
	c := build(s, v1alpha1.PoolDecision{Type: "n", Count: 1})
	if got := cluster.Arrivals(c, cluster.Runs, 0); !slices.Equal(got, []int32{0, 0, 0, 1, 1, 2, 2}) {
		t.Errorf("runs %v", got)
	}
	if got := cluster.Arrivals(c, cluster.LargestFirst, 0); !slices.Equal(got, []int32{1, 1, 2, 2, 0, 0, 0}) {
		t.Errorf("largest first %v: half of a node, a quarter of a node, a hundredth", got)
	}
	a, b := cluster.Arrivals(c, cluster.Shuffled, 1), cluster.Arrivals(c, cluster.Shuffled, 1)
	if !slices.Equal(a, b) || slices.Equal(a, cluster.Arrivals(c, cluster.Shuffled, 2)) &&
		slices.Equal(a, cluster.Arrivals(c, cluster.Shuffled, 3)) {
		t.Errorf("shuffled %v and %v", a, b)
	}
	if slices.Sort(a); !slices.Equal(a, []int32{0, 0, 0, 1, 1, 2, 2}) {
		t.Errorf("shuffled loses pods: %v", a)
	}
	if n := len(cluster.RunOrders(c, 6)); n != 6 {
		t.Errorf("%d orders of three kinds", n)
	}
	orders := cluster.RunOrders(c, 5)
	if len(orders) != 5 || !slices.Equal(orders[0], []int{0, 1, 2}) {
		t.Errorf("orders %v", orders)
	}
}

// TestOvercommit scales what nodes offer, and counts in full what may not be
// overcommitted.
func TestOvercommit(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "n", Role: "worker", CPUs: 4, Memory: 8 * unit.GiB, MaxPods: 10}},
		v1alpha1.PodType{Name: "free", Replicas: 1, CPU: 1000, Memory: unit.GiB},
		v1alpha1.PodType{Name: "forbidden", Replicas: 1, CPU: 1000, Memory: unit.GiB, Overcommit: "forbidden"})
	s.Policy.Overcommit = v1alpha1.Overcommit{CPU: 1.5, Memory: 2}
	c := build(s, v1alpha1.PoolDecision{Type: "n", Count: 1})
	if r := c.Nodes[0].Allocatable; r.CPU != 6000 || r.Memory != 16<<30 || len(c.Notes) != 1 {
		t.Errorf("%+v, %q", r, c.Notes)
	}
	if a, b := c.Kinds[0].Pod.Request, c.Kinds[1].Pod.Request; a.CPU != 1000 || a.Memory != 1<<30 || b.CPU != 1500 ||
		b.Memory != 2<<30 {
		t.Errorf("%+v and %+v", a, b)
	}
}

// TestOvercommitPinned does not scale machines whose kubelets admit by requests:
// four CPUs less the one that reservedSystemCPUs keeps, whatever else is reserved.
func TestOvercommitPinned(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "n", Role: "worker", CPUs: 4, Memory: 8 * unit.GiB, MaxPods: 10,
		SystemReserved: &v1alpha1.Reserved{CPU: 500},
		Kubelet:        &v1alpha1.Kubelet{CPUManagerPolicy: "static", ReservedSystemCPUs: "0"}}},
		v1alpha1.PodType{Name: "forbidden", Replicas: 1, CPU: 1000, Memory: unit.GiB, Overcommit: "forbidden"})
	s.Policy.Overcommit = v1alpha1.Overcommit{CPU: 1.5, Memory: 2}
	c := build(s, v1alpha1.PoolDecision{Type: "n", Count: 1})
	if n, r := c.Nodes[0].Allocatable, c.Kinds[0].Pod.Request; n.CPU != 3000 || n.Memory != 8<<30 || r.CPU != 1000 ||
		r.Memory != 1<<30 {
		t.Errorf("%+v for %+v", n, r)
	}
}

// TestDomainsInTurn gives three zones to three nodes of three types; types whose
// names come to the same as names of nodes are told apart.
func TestDomainsInTurn(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "Big Node", CPUs: 4}, {Name: "big-node", CPUs: 8}, {Name: "c", CPUs: 16}})
	s.Policy.Zones = 3
	c := build(s, v1alpha1.PoolDecision{Type: "Big Node", Count: 1}, v1alpha1.PoolDecision{Type: "big-node", Count: 1},
		v1alpha1.PoolDecision{Type: "c", Count: 1})
	for i, want := range []string{"big-node-1 zone-1", "big-node-2 zone-2", "c-1 zone-3"} {
		if n := c.Nodes[i]; n.Name+" "+n.Labels["topology.kubernetes.io/zone"] != want {
			t.Errorf("%s %v, want %s", n.Name, n.Labels, want)
		}
	}
}

// TestGrowth: the workload grows, but not pods by themselves and those of the
// platform; pods of the control plane are left out with a note.
func TestGrowth(t *testing.T) {
	s := scenario([]v1alpha1.NodeType{{Name: "n", Role: "worker", CPUs: 4}},
		v1alpha1.PodType{Name: "web", Replicas: 3}, v1alpha1.PodType{Name: "alone", Replicas: 1, Bare: true},
		v1alpha1.PodType{Name: "held", Replicas: 4, Held: true},
		v1alpha1.PodType{Name: "ctl", Replicas: 3,
			NodeSelector: map[string]string{"node-role.kubernetes.io/control-plane": ""}})
	s.Policy.Growth = 1
	c := cluster.Build(cluster.Input{Scenario: s, Pools: []v1alpha1.PoolDecision{{Type: "n", Count: 1}},
		Platform: []v1alpha1.PodType{{Name: "router", Replicas: 2}}, Facts: facts.Load()})
	got := map[string]int{}
	for _, k := range c.Kinds {
		got[k.Type.Name] = k.Count
	}
	if diff := cmp.Diff(map[string]int{"web": 6, "alone": 1, "held": 0, "router": 2}, got); diff != "" {
		t.Error(diff)
	}
	if len(c.Notes) != 1 || !strings.HasSuffix(c.Notes[0], ": ctl") {
		t.Errorf("notes %q", c.Notes)
	}
}

// TestInfra builds infrastructure nodes where pods of the workload select them.
func TestInfra(t *testing.T) {
	three := 3
	s := scenario([]v1alpha1.NodeType{{Name: "i", Role: "infra", Count: &three}},
		v1alpha1.PodType{Name: "b", NodeSelector: map[string]string{"node-role.kubernetes.io/infra": ""}})
	made := &v1alpha1.Plan{Options: []v1alpha1.Option{{Name: "o", Chosen: true}}}
	pools, err := cluster.Pools(s, made, "", false)
	if diff := cmp.Diff([]v1alpha1.PoolDecision{{Role: "infra", Type: "i", Count: 3}}, pools); diff != "" || err != nil {
		t.Error(diff, err)
	}
	s.Workload.PodTypes[0].NodeSelector = nil
	if pools, _ = cluster.Pools(s, made, "", false); len(pools) != 0 {
		t.Errorf("%+v for nobody", pools)
	}
}

// TestSelectedDaemons asks the labels that a snapshot's nodes really have, and node
// affinity: here no node is called worker, and one has a GPU.
func TestSelectedDaemons(t *testing.T) {
	gpu := &v1alpha1.Affinity{NodeAffinity: &v1alpha1.NodeAffinity{
		Required: &v1alpha1.NodeSelector{NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{
			{MatchExpressions: []v1alpha1.Requirement{{Key: "gpu", Operator: "Exists"}}}}}}}
	waiting := v1alpha1.PodType{Name: "waiting", Replicas: 1, Containers: 1}
	s := scenario(nil, v1alpha1.PodType{Name: "agent", DaemonSet: true,
		NodeSelector: map[string]string{"node-role.kubernetes.io/worker": ""}},
		v1alpha1.PodType{Name: "pin", DaemonSet: true, Affinity: gpu}, v1alpha1.PodType{Name: "new", Replicas: 1}, waiting)
	node := func(name string, labels map[string]string) v1alpha1.Node {
		return v1alpha1.Node{Name: name, Type: "n", Labels: labels,
			Allocatable: map[string]int64{"cpu": 4000, "memory": 8 << 30, "pods": 10}}
	}
	c := cluster.Build(cluster.Input{Scenario: s, Facts: facts.Load(),
		Snapshot: &v1alpha1.Inventory{PodTypes: []v1alpha1.PodType{waiting},
			Nodes: []v1alpha1.Node{node("a", nil), node("b", map[string]string{"gpu": "yes"})},
			Queue: []v1alpha1.Queued{{Node: -1}}}})
	if diff := cmp.Diff([]cluster.Bound{{Kind: 1, Node: 1, Count: 1, New: true}}, c.Bound); diff != "" {
		t.Error(diff)
	}
	if got := cluster.Arrivals(c, cluster.Runs, 0); !slices.Equal(got, []int32{3, 2}) {
		t.Errorf("%v: pods that wait already come first", got)
	}
}
