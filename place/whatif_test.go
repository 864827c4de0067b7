package place_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

const head = `
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
`

// made places a scenario's pods on the nodes of its option, with so many failures.
func made(t *testing.T, text string, failures int) *v1alpha1.Placement {
	t.Helper()
	return placedWith(t, text, func(*scenario.Document) place.Options {
		return place.Options{Failures: failures, MaxUnavailable: "1"}
	})
}

// placedWith places a scenario's pods on the nodes of its option, in the scenario's order.
func placedWith(t *testing.T, text string, options func(*scenario.Document) place.Options) *v1alpha1.Placement {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Scenario
	m := plan.Make(s, doc.Assumptions, facts.Load())
	pools, err := cluster.Pools(s, m, "", false)
	if err != nil {
		t.Fatal(err)
	}
	opt := options(doc)
	opt.Order, opt.Seed = s.Scheduling.Order, uint64(s.Scheduling.Seed)
	c := cluster.Build(cluster.Input{Scenario: s, Pools: pools, Assumptions: doc.Assumptions, Facts: facts.Load()})
	p, err := place.Make(c, s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestManyFailures has 140 small nodes in 70 racks and three with four GPUs each,
// of which 8 are asked for. Of the 143 * 142 / 2 pairs far more than 2,000 differ.
// Without two of the three GPU nodes 4 GPUs are left: the worst pair is among the
// few whose pods have few other places, so it is tried.
func TestManyFailures(t *testing.T) {
	p := made(t, `
hardware:
  nodeTypes:
    - {name: w, cpus: 8, memory: 32Gi, domains: {example.com/rack: 70}}
    - {name: gpu, cpus: 8, memory: 32Gi, devices: {nvidia.com/gpu: 4}, labels: {example.com/rack: g}}
  options: [{name: m, nodes: [{type: w, count: 140}, {type: gpu, count: 3}]}]
workload:
  podTypes:
    - {name: small, replicas: 140, cpu: 1, memory: 1Gi}
    - {name: g, replicas: 8, cpu: 1, memory: 1Gi, devices: {nvidia.com/gpu: 1}}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 2)
	l := p.Losses[0]
	if l.Tried != 2000 || l.Of <= 2000 || l.Survived >= int64(l.Tried) {
		t.Errorf("%+v", l)
	}
	if diff := cmp.Diff([]v1alpha1.PodsCount{{PodType: 1, Count: 4}}, l.Homeless); diff != "" {
		t.Error(diff)
	}
}

// TestTooManyFailures: three nodes cannot fail together of three, zones still do.
func TestTooManyFailures(t *testing.T) {
	p := made(t, `
hardware:
  nodeTypes: [{name: w, cpus: 4, memory: 16Gi, count: 3, domains: {zone: 2}}]
workload: {podTypes: [{name: a, replicas: 3, cpu: 1, memory: 1Gi}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 3)
	if len(p.Losses) != 1 || p.Losses[0].What != "any zone" || p.Losses[0].Tried != 2 {
		t.Errorf("%+v, want each of two zones", p.Losses)
	}
	if len(p.Findings) == 0 || p.Findings[len(p.Findings)-1].ID != "place.failures" {
		t.Errorf("findings %+v", p.Findings)
	}
}

// What the policy states is judged also where all nodes may fail, and where pods may
// come in another order than the scenario's.
func TestStatedPolicyIsJudged(t *testing.T) {
	for text, want := range map[string]string{
		"hardware: {nodeTypes: [{name: m, cpus: 8, memory: 64Gi, count: 2}]}\n" +
			"workload: {podTypes: [{name: a, replicas: 2, cpu: 1, memory: 1Gi}]}\n" +
			"policy: {spareNodes: 2}\n": "place.loss[any 2 nodes]",
		"hardware: {nodeTypes: [{name: m, cpus: 8, memory: 64Gi, count: 3}]}\n" +
			"workload: {podTypes: [{name: b, replicas: 2, cpu: 4, memory: 1Gi}, " +
			"{name: a, replicas: 16, cpu: 1, memory: 1Gi}]}\n" +
			"policy: {spareNodes: 0, arrival: any}\n": "place.arrival",
	} {
		p := placedWith(t, text, func(doc *scenario.Document) place.Options {
			stated := place.Stated(doc.Scenario, doc.Assumptions)
			return place.Options{Failures: stated.Failures, Stated: stated}
		})
		judged := slices.ContainsFunc(p.Findings, func(f v1alpha1.Finding) bool {
			return f.ID == want && f.Severity == v1alpha1.Error
		})
		if !judged || p.Verdict.Fits {
			t.Errorf("fits is %v, findings %+v; want an error %s", p.Verdict.Fits, p.Findings, want)
		}
	}
}

// TestLostNodesCount: a node that failed stays in the API, so a hard spread that does not
// heed taints counts it with no pods, and lets no second pod onto another
// (kubernetes.io, Pod Topology Spread Constraints, nodeTaintsPolicy).
func TestLostNodesCount(t *testing.T) {
	for taints, pending := range map[string]int{"Ignore": 1, "Honor": 0} {
		p := made(t, `
hardware: {nodeTypes: [{name: n, cpus: 4, memory: 16Gi, count: 4}]}
workload:
  podTypes:
    - name: a
      replicas: 4
      cpu: 1
      memory: 1Gi
      labels: {app: a}
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}, nodeTaintsPolicy: `+
			taints+`}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 1)
		homeless := 0
		for _, h := range p.Losses[0].Homeless {
			homeless += h.Count
		}
		if homeless != pending {
			t.Errorf("%s: %d pods are pending; want %d", taints, homeless, pending)
		}
	}
}

// TestDrainTolerant has pods that tolerate everything, one to a node: a node that
// is drained cannot keep them.
func TestDrainTolerant(t *testing.T) {
	p := made(t, `
hardware: {nodeTypes: [{name: n, cpus: 4, memory: 16Gi, count: 2, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}]}
workload: {podTypes: [{name: a, replicas: 2, cpu: 3, memory: 1Gi, tolerations: [{operator: Exists}]}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 1)
	if d := p.Drains[0]; d.MostUnavailable != 0 || d.Worst == "" {
		t.Errorf("%+v: each pod needs a node of its own", d)
	}
}

// TestRunawayMoves: the scheduler packs, and the kubelet of p (7 cores to a socket,
// one reserved) gives two pods 4 CPUs each of one NUMA node, never a third one.
// Without p two pods run on u; drained likewise.
func TestRunawayMoves(t *testing.T) {
	p := made(t, `
hardware:
  nodeTypes:
    - {name: p, topology: 2 sockets x 7 cores, memory: 64Gi, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0, kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}
    - {name: u, cpus: 32, memory: 64Gi, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}
  options: [{name: both, nodes: [{type: p, count: 1}, {type: u, count: 1}]}]
workload:
  podTypes: # with a constraint of their own, of nodes that have no such label: nothing spreads them
    - {name: a, replicas: 3, cpu: 4, memory: 1Gi, cpuLimit: 4, memoryLimit: 1Gi, topologySpreadConstraints: [{maxSkew: 1, topologyKey: none, whenUnsatisfiable: ScheduleAnyway}]}
scheduling: {scoringStrategy: MostAllocated}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 1)
	if o := p.PodTypes[0]; o.Placed != 2 || !o.Runaway {
		t.Fatalf("%+v", o)
	}
	if l := p.Losses[0]; l.Survived != 2 || l.Tried != 2 {
		t.Errorf("%+v, want both survived", l)
	}
	if d := p.Drains[0]; d.Worst != "" || d.MostUnavailable != 1 {
		t.Errorf("%+v, want 1 at a time to work", d)
	}
}

const pinnedPair = `
hardware:
  nodeTypes:
    - {name: split, memory: 64Gi, topology: 2 sockets x 6 cores, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0, kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}
    - {name: whole, memory: 64Gi, topology: 1 socket x 12 cores, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0, kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}
  options: [{name: both, nodes: [{type: split, count: %d}, {type: whole, count: 1}]}]
workload: {podTypes: [{name: wide, replicas: 1, cpu: 8, memory: 1Gi, cpuLimit: 8, memoryLimit: 1Gi%s}%s]}
scheduling: {seed: %d, release: "%s"}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`

// TestDrawnRefusals: up to 1.34 lots are drawn among equal nodes. Eleven refuse, the
// twelfth does not; sooner or later the lot falls on it.
func TestDrawnRefusals(t *testing.T) {
	for seed := range 20 {
		if o := made(t, fmt.Sprintf(pinnedPair, 11, "", "", seed, "1.34"), 0).PodTypes[0]; o.Runaway || o.Placed != 1 {
			t.Errorf("seed %d: %+v", seed, o)
		}
	}
}

// TestNoLongerRefused: without lots the first of two equal nodes takes the pod and
// refuses it, for ever, until another pod comes to that node: then the other node
// is the emptier one.
func TestNoLongerRefused(t *testing.T) {
	p := made(t, fmt.Sprintf(pinnedPair, 1, "", ", {name: small, replicas: 1, cpu: 100m, memory: 1Gi}", 0, "1.36"), 0)
	o := p.PodTypes[0]
	if o.Runaway || o.Placed != 1 || o.Refused < 2 {
		t.Errorf("%+v, want it to run at last", o)
	}
	want := []v1alpha1.Assignment{{PodType: 1, Node: "split-1", Count: 1}, {PodType: 0, Node: "whole-1", Count: 1}}
	if diff := cmp.Diff(want, p.Assignments); diff != "" {
		t.Error(diff)
	}
}

// TestAwareTolerant: pods that tolerate everything are not kept off the node by
// cordoning it, yet a NUMA-aware scheduler passes over it.
func TestAwareTolerant(t *testing.T) {
	p := made(t, fmt.Sprintf(pinnedPair, 1, ", tolerations: [{operator: Exists}]", "", 0, "1.36"), 0)
	if o := p.PodTypes[0]; !o.Runaway || o.NUMAAware == nil || *o.NUMAAware != 1 {
		t.Errorf("%+v, want 1 with a NUMA-aware scheduler", o)
	}
}

// TestDaemons: pods of DaemonSets must fit, too: 8 CPUs on nodes with 4, and 6 CPUs
// of one NUMA node on machines with 4 in each.
func TestDaemons(t *testing.T) {
	for _, c := range []struct{ node, pod, reason string }{
		{"cpus: 4", "cpu: 8, memory: 1Gi", "Insufficient cpu"},
		{"topology: 2 sockets x 4 cores, kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}",
			"cpu: 6, memory: 1Gi, cpuLimit: 6, memoryLimit: 1Gi", ""},
	} {
		p := made(t, `
hardware: {nodeTypes: [{name: n, `+c.node+
			`, memory: 16Gi, count: 2, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0}]}
workload: {podTypes: [{name: d, daemonSet: true, `+c.pod+`}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 0)
		o := p.PodTypes[0]
		if o.Wanted != 2 || o.Placed != 0 || o.Pending != 2 || p.Verdict.Fits || o.Runaway != (c.reason == "") {
			t.Errorf("%s: %+v", c.pod, o)
		}
		if c.reason != "" && (len(o.Reasons) != 1 || o.Reasons[0].Reason != c.reason ||
			o.Message != "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].") {
			t.Errorf("%+v", o)
		}
	}
}

// TestMostPerNode says in words what no resource of Kubernetes says, and that the
// nodes are full.
func TestMostPerNode(t *testing.T) {
	p := made(t, `
hardware: {nodeTypes: [{name: n, cpus: 4, memory: 16Gi, count: 2}]}
workload: {podTypes: [{name: a, replicas: 5, cpu: 100m, memory: 1Gi, ephemeralStorage: 1Gi, maxPerNode: 2}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 0)
	o := p.PodTypes[0]
	if o.Placed != 4 || o.Message != "0/2 nodes are available: 2 node(s) already had the most pods of a." ||
		o.Nearest != "n-1: node(s) already had the most pods of a" {
		t.Errorf("%+v", o)
	}
	if !p.Nodes[0].Full {
		t.Errorf("%+v is not full", p.Nodes[0])
	}
}

// alikeSnapshot are three nodes of one type in two slots, of which two run a pod
// that keeps its like out of its slot.
func alikeSnapshot(t *testing.T) (*cluster.Cluster, *v1alpha1.Scenario) {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(head+`
hardware: {nodeTypes: [{name: n, cpus: 4, memory: 16Gi}]}
workload: {podTypes: [{name: a, replicas: 2, cpu: 3, memory: 1Gi, labels: {app: s}, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: s}}, topologyKey: slot}]}}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Scenario
	node := func(name, slot string) v1alpha1.Node {
		return v1alpha1.Node{Name: name, Type: "n", Labels: map[string]string{"kubernetes.io/hostname": name, "slot": slot},
			Allocatable: map[string]int64{"cpu": 4000, "memory": 16 << 30, "pods": 10}}
	}
	snap := &v1alpha1.Inventory{PodTypes: s.Workload.PodTypes,
		Nodes: []v1alpha1.Node{node("b", "2"), node("a", "1"), node("c", "2")},
		Bound: []v1alpha1.Bound{{PodType: 0, Node: 0, Count: 1}, {PodType: 0, Node: 1, Count: 1}}}
	return cluster.Build(cluster.Input{Scenario: s, Snapshot: snap, Facts: facts.Load()}), s
}

// TestUnlikeNodes: without b its pod goes to c, in the same slot. Without a its pod
// finds only c, whose slot has b's. So the two are no equal nodes, though both run
// one pod of a type; and a cordoned node is no equal of one in service.
func TestUnlikeNodes(t *testing.T) {
	c, s := alikeSnapshot(t)
	p, err := place.Make(c, s, place.Options{Failures: 1})
	if err != nil {
		t.Fatal(err)
	}
	if l := p.Losses[0]; l.Tried != 3 || l.Survived != 2 || l.Worst != "a" {
		t.Errorf("%+v", l)
	}
	if len(p.Nodes) != 2 || p.Nodes[0].Count != 2 {
		t.Errorf("%+v, want those with a pod in one row", p.Nodes)
	}
	c.Nodes[0].Unschedulable = true
	if p, err = place.Make(c, s, place.Options{}); err != nil || len(p.Nodes) != 3 || !p.Nodes[0].Unschedulable {
		t.Errorf("%+v, %v, want the cordoned one in a row of its own", p.Nodes, err)
	}
}

// TestPodsByThemselves are not made again elsewhere, and so are not missing.
func TestPodsByThemselves(t *testing.T) {
	c, s := alikeSnapshot(t)
	for i := range c.Kinds {
		c.Kinds[i].Type.Bare = true
	}
	p, err := place.Make(c, s, place.Options{Failures: 1, MaxUnavailable: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if l := p.Losses[0]; l.Survived != int64(l.Tried) || p.Drains[0].Worst != "" {
		t.Errorf("%+v, %+v", l, p.Drains[0])
	}
}

// TestManyRefusable counts room only so far where a kubelet admits each pod, and
// says so: 600 machines with 11 CPUs each to give.
func TestManyRefusable(t *testing.T) {
	p := made(t, `
hardware:
  nodeTypes: [{name: n, memory: 64Gi, topology: 1 socket x 12 cores, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0, kubelet: {cpuManagerPolicy: static}}]
  options: [{name: o, nodes: [{type: n, count: 600}]}]
workload: {podTypes: [{name: own, replicas: 1, cpu: 1, memory: 1Gi, cpuLimit: 1, memoryLimit: 1Gi}, {name: shared, replicas: 1, cpu: 1, memory: 1Gi}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, 0)
	if o := p.PodTypes[0]; o.More != 5000 || !o.AtLeast {
		t.Errorf("%+v", o)
	}
	if o := p.PodTypes[1]; o.More != 6598 || o.AtLeast {
		t.Errorf("%+v, want room for 6600 less the two that run", o)
	}
}

// TestSearchEnds: how many nodes may be drained at a time is searched for while few
// pods move, and then the answer says how many are known to do.
func TestSearchEnds(t *testing.T) {
	for pods, want := range map[int]v1alpha1.Drain{3_000: {MostUnavailable: 9},
		150_000: {MostUnavailable: 6, AtLeast: true}, 310_000: {MostUnavailable: -1}} {
		p := made(t, fmt.Sprintf(`
hardware:
  nodeTypes:
    - {name: n, cpus: 1000, memory: 4Ti, count: 12, maxPods: 100000, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0}
workload: {podTypes: [{name: a, replicas: %d, cpu: %dm, memory: 1Mi}]}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, pods, 2_700_000/pods), 0)
		if d := p.Drains[0]; d.MostUnavailable != want.MostUnavailable || d.AtLeast != want.AtLeast {
			t.Errorf("%d pods: %+v", pods, d)
		}
	}
}

// TestZonesOfOneNode has one node in each of three zones. Each offers less than 8 of its 8
// CPUs, so without any one of them fewer than 16 CPUs are left for 18 pods of one: the
// policy, which states that a zone may fail, is broken, with or without the what-ifs.
func TestZonesOfOneNode(t *testing.T) {
	for failures := range 2 {
		p := placedWith(t, `
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, count: 3}]}
workload: {podTypes: [{name: web, replicas: 18, cpu: 1, memory: 1Gi}]}
policy: {zones: 3, surviveZoneLoss: true}
`, func(d *scenario.Document) place.Options {
			return place.Options{Failures: failures, Stated: place.Stated(d.Scenario, d.Assumptions)}
		})
		if p.Verdict.Problem != "the workload does not survive the loss of any zone, which the policy asks for" {
			t.Errorf("%d failures: %+v", failures, p.Verdict)
		}
	}
}

// TestStatedFailures states that two nodes may fail, which is judged whatever is tried beside it.
func TestStatedFailures(t *testing.T) {
	for failures := range 3 {
		p := placedWith(t, `
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, count: 3}]}
workload: {podTypes: [{name: web, replicas: 10, cpu: 1, memory: 1Gi}]}
policy: {spareNodes: 2}
`, func(d *scenario.Document) place.Options {
			return place.Options{Failures: failures, Stated: place.Stated(d.Scenario, d.Assumptions)}
		})
		if p.Verdict.Problem != "the workload does not survive the loss of any 2 nodes, which the policy asks for" {
			t.Errorf("%d failures: %+v", failures, p.Verdict)
		}
	}
}
