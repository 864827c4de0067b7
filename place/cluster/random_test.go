package cluster_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/unit"
)

// drawn is a scenario of a few node types and pod types, and the nodes to build.
func drawn(t *rapid.T) (*v1alpha1.Scenario, []v1alpha1.PoolDecision) {
	var nodes []v1alpha1.NodeType
	var pools []v1alpha1.PoolDecision
	for i := range rapid.IntRange(1, 3).Draw(t, "node types") {
		n := nodeType(t, fmt.Sprintf("n%d", i))
		nodes = append(nodes, n)
		pools = append(pools, v1alpha1.PoolDecision{Type: n.Name, Count: rapid.IntRange(0, 5).Draw(t, "count")})
	}
	var pods []v1alpha1.PodType
	for i := range rapid.IntRange(1, 5).Draw(t, "pod types") {
		p := v1alpha1.PodType{Name: fmt.Sprintf("p%d", i), Replicas: rapid.IntRange(0, 20).Draw(t, "replicas"),
			CPU:    unit.CPU(rapid.IntRange(1, 4000).Draw(t, "cpu")),
			Memory: unit.Bytes(rapid.IntRange(1, 4096).Draw(t, "memory")) * unit.MiB, DaemonSet: rapid.Bool().Draw(t, "daemon")}
		if rapid.Bool().Draw(t, "selects") {
			p.NodeSelector = map[string]string{"disk": "ssd"}
		}
		if rapid.Bool().Draw(t, "tolerates") {
			p.Tolerations = []v1alpha1.Toleration{{Key: "own", Operator: "Exists"}}
		}
		pods = append(pods, p)
	}
	s := scenario(nodes, pods...)
	s.Policy.Growth = unit.Factor(rapid.SampledFrom([]float64{0, 0.25, 0.3, 1}).Draw(t, "growth"))
	s.Policy.Zones = rapid.IntRange(1, 3).Draw(t, "zones")
	s.Policy.SystemPodsPerNode = rapid.IntRange(0, 15).Draw(t, "system pods")
	return s, pools
}

// nodeType has a kubelet with a static policy, so that its machine is built.
func nodeType(t *rapid.T, name string) v1alpha1.NodeType {
	evict := unit.Bytes(rapid.IntRange(0, 500).Draw(t, "eviction")) * unit.MiB
	n := v1alpha1.NodeType{Name: name, Role: "worker", CPUs: 16, Topology: "2 sockets x 4 cores x 2 threads",
		MaxPods: rapid.IntRange(20, 250).Draw(t, "max pods"),
		Memory:  unit.Bytes(rapid.IntRange(16, 64).Draw(t, "memory")) * unit.GiB, EvictionHard: &evict,
		SystemReserved: &v1alpha1.Reserved{CPU: unit.CPU(rapid.IntRange(1, 3000).Draw(t, "reserved")),
			Memory: unit.Bytes(rapid.IntRange(0, 2048).Draw(t, "reserved memory")) * unit.MiB},
		KubeReserved: &v1alpha1.Reserved{CPU: unit.CPU(rapid.IntRange(0, 1000).Draw(t, "kube reserved"))},
		HugePages:    map[string]unit.Bytes{"2Mi": unit.Bytes(rapid.IntRange(0, 8).Draw(t, "pages")) * 64 * unit.MiB},
		Devices:      map[string]int64{"example.com/nic": int64(rapid.IntRange(0, 4).Draw(t, "devices"))},
		Domains:      map[string]int{"rack": rapid.IntRange(1, 4).Draw(t, "racks")},
		Kubelet:      &v1alpha1.Kubelet{CPUManagerPolicy: "static"}}
	if rapid.Bool().Draw(t, "labelled") {
		n.Labels = map[string]string{"disk": "ssd"}
	}
	if rapid.Bool().Draw(t, "tainted") {
		n.Taints = []v1alpha1.Taint{{Key: "own", Effect: "NoSchedule"}}
	}
	return n
}

// TestRandomClusters builds random clusters, and counts what they consist of.
func TestRandomClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, pools := drawn(t)
		c := build(s, pools...)
		if diff := cmp.Diff(c, build(s, pools...)); diff != "" {
			t.Fatalf("not the same twice: %s", diff)
		}
		at := 0
		for i, p := range pools {
			for k := range p.Count {
				alike(t, s, s.Hardware.NodeTypes[i], c, at, k)
				at++
			}
		}
		if at != len(c.Nodes) || at != len(c.Of) {
			t.Fatalf("%d nodes, want %d", len(c.Nodes), at)
		}
		kinds(t, s, c)
		orders(t, c)
	})
}

// alike checks a node against its type: its place, which the nodes of all types
// take in turn, and that the scheduler and its
// kubelet have the same view of what it offers.
func alike(t *rapid.T, s *v1alpha1.Scenario, want v1alpha1.NodeType, c *cluster.Cluster, at, k int) {
	n, of := c.Nodes[at], c.Types[c.Of[at]]
	if n.Name != fmt.Sprintf("%s-%d", want.Name, k+1) || of.Name != want.Name ||
		n.Labels["kubernetes.io/hostname"] != n.Name {
		t.Fatalf("node %d is %s of %s: %v", at, n.Name, of.Name, n.Labels)
	}
	if rack := fmt.Sprintf("rack-%d", at%want.Domains["rack"]+1); n.Labels["rack"] != rack {
		t.Fatalf("%s in %s, want %s", n.Name, n.Labels["rack"], rack)
	}
	zone := ""
	if s.Policy.Zones > 1 {
		zone = fmt.Sprintf("zone-%d", at%s.Policy.Zones+1)
	}
	if n.Labels["topology.kubernetes.io/zone"] != zone {
		t.Fatalf("%s in %v, want %q", n.Name, n.Labels, zone)
	}
	node, err := kubelet.New(of.Machine, of.Kubelet)
	if err != nil {
		t.Fatal(err)
	}
	offers := node.Allocatable()
	offers["pods"] -= int64(s.Policy.SystemPodsPerNode) // which take places beside the workload
	has := cluster.Amounts(n.Allocatable)
	for _, list := range []map[string]int64{offers, has} {
		maps.DeleteFunc(list, func(_ string, amount int64) bool { return amount == 0 })
	}
	if diff := cmp.Diff(offers, has); diff != "" {
		t.Fatalf("%s: kubelet and scheduler differ: %s", n.Name, diff)
	}
}

// kinds checks the numbers of pods, and the nodes of DaemonSets.
func kinds(t *rapid.T, s *v1alpha1.Scenario, c *cluster.Cluster) {
	bound := map[string]int{}
	for _, b := range c.Bound {
		bound[fmt.Sprint(b.Kind, " ", b.Node)] += b.Count
	}
	for i, k := range c.Kinds {
		p := s.Workload.PodTypes[i]
		percent := 100 + int(float64(s.Policy.Growth)*100+0.5)
		if want := (p.Replicas*percent + 99) / 100; !p.DaemonSet && k.Count != want {
			t.Fatalf("%d of %s, want %d", k.Count, p.Name, want)
		}
		for at, n := range c.Nodes {
			runs := p.DaemonSet && (p.NodeSelector == nil || n.Labels["disk"] == "ssd") &&
				(len(n.Taints) == 0 || len(p.Tolerations) > 0)
			if got := bound[fmt.Sprint(i, " ", at)]; (got == 1) != runs || got > 1 {
				t.Fatalf("%d pods of %s on %s", got, p.Name, n.Name)
			}
		}
		if k.Pod.Request.CPU != int64(p.CPU) || k.Pod.Request.Memory != int64(p.Memory) {
			t.Fatalf("%s asks for %+v", p.Name, k.Pod.Request)
		}
	}
	for _, name := range c.Resources() {
		if strings.Contains(name, "per-node") {
			t.Fatalf("%s is nobody's resource", name)
		}
	}
}

// orders checks that each pod arrives once, whatever the order.
func orders(t *rapid.T, c *cluster.Cluster) {
	runs := cluster.Arrivals(c, cluster.Runs, 0)
	if len(runs) != c.Wanted() || !slices.IsSorted(runs) {
		t.Fatalf("runs %v", runs)
	}
	seed := rapid.Uint64().Draw(t, "seed")
	for _, order := range []string{cluster.Shuffled, cluster.LargestFirst} {
		list := cluster.Arrivals(c, order, seed)
		if !slices.Equal(list, cluster.Arrivals(c, order, seed)) {
			t.Fatalf("%s differs with one seed", order)
		}
		if slices.Sort(list); !slices.Equal(list, runs) {
			t.Fatalf("%s has %v, runs %v", order, list, runs)
		}
	}
	for _, list := range cluster.RunOrders(c, 6) {
		pods := cluster.InRuns(c, list)
		if slices.Sort(pods); !slices.Equal(pods, runs) {
			t.Fatalf("an order of runs has %v, want %v", pods, runs)
		}
	}
}
