package place_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// placed places a scenario, with all what-ifs.
func placed(t *testing.T, text string, option string) *v1alpha1.Placement {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := doc.Scenario
	made := plan.Make(s, doc.Assumptions, facts.Load())
	pools, err := cluster.Pools(s, made, option, false)
	if err != nil {
		t.Fatal(err)
	}
	c := cluster.Build(cluster.Input{Scenario: s, Pools: pools, Platform: made.Decisions.WorkerPods,
		Assumptions: doc.Assumptions, Facts: facts.Load()})
	p, err := place.Make(c, s, place.Options{Order: s.Scheduling.Order, Seed: uint64(s.Scheduling.Seed), Failures: 1,
		MaxUnavailable: s.Policy.MaxUnavailable})
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, p)
	return p
}

func example(t *testing.T, name string) *v1alpha1.Placement {
	t.Helper()
	text, err := os.ReadFile("../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return placed(t, string(text), "")
}

// consistent checks that the parts of a placement agree with one another.
func consistent(t *testing.T, p *v1alpha1.Placement) {
	t.Helper()
	on := make([]int, len(p.PodTypes))
	requested := map[string]int64{}
	for _, n := range p.Nodes {
		for _, x := range n.Pods {
			on[x.PodType] += x.Count * n.Count
		}
		for _, r := range n.Resources {
			requested[r.Resource] += r.Requested * int64(n.Count)
			if r.Requested > r.Allocatable {
				t.Errorf("%s: %d of %s requested, %d allocatable", n.Name, r.Requested, r.Resource, r.Allocatable)
			}
		}
	}
	for i, o := range p.PodTypes {
		if on[i] != o.Placed || o.Placed+o.Pending != o.Wanted {
			t.Errorf("%s: %d on nodes, %d placed, %d pending, %d wanted", o.Name, on[i], o.Placed, o.Pending, o.Wanted)
		}
	}
	for _, r := range p.Resources {
		if requested[r.Resource] != r.Requested || r.Requested+r.Stranded > r.Allocatable {
			t.Errorf("%s: %d on nodes, %+v", r.Resource, requested[r.Resource], r)
		}
	}
}

// TestChapterSix is the example of OCP 6: two CPUs, half a CPU reserved, so CPU
// 0 is reserved; the first pod gets CPU 1 and the second stays Pending.
func TestChapterSix(t *testing.T) {
	p := example(t, "cpu-manager.yaml")
	n := p.Nodes[0]
	if r := n.Resources[0]; r.Resource != "cpu" || r.Allocatable != 1500 {
		t.Errorf("%+v, want 1500m allocatable", r)
	}
	if r := n.Resources[1]; r.Resource != "memory" || r.Allocatable != 7548500<<10 {
		t.Errorf("%+v, want 7548500Ki allocatable", r)
	}
	if len(p.Machines) != 1 || len(p.Machines[0].Owners) != 1 {
		t.Fatalf("machines %+v", p.Machines)
	}
	if o := p.Machines[0].Owners[0]; o.CPUs.String() != "1" || o.QOSClass != "Guaranteed" {
		t.Errorf("%s owns CPUs %s, want 1", o.Pod, o.CPUs)
	}
	cores := p.Machines[0].NUMANodes[0].Cores
	if cores[0].Threads[0].Use != "reserved" || cores[1].Threads[0].Use != "exclusive" {
		t.Errorf("cores %+v", cores)
	}
	second := p.PodTypes[1]
	if second.Placed != 1 || second.Pending != 1 || second.Message != "0/1 nodes are available: 1 Insufficient cpu." {
		t.Errorf("%+v", second)
	}
	if p.Verdict.Fits {
		t.Error("it fits")
	}
}

// TestChapterSeven is what the four policies of OCP 7 do with the same pods: a
// device on NUMA node 0 of two with four cores each, CPU 0 reserved.
func TestChapterSeven(t *testing.T) {
	p := example(t, "topology-manager.yaml")
	want := map[string]bool{
		"aligned-none": true, "aligned-best-effort": true, "aligned-restricted": true, "aligned-single-numa-node": true,
		"wide-none": true, "wide-best-effort": true, "wide-restricted": true, "wide-single-numa-node": false,
		"split-none": true, "split-best-effort": true, "split-restricted": false, "split-single-numa-node": false,
	}
	got := map[string]bool{}
	for _, o := range p.PodTypes {
		got[o.Name] = o.Placed == 1
		if !want[o.Name] && (!o.Runaway || o.Refused == 0 || o.NUMAAware == nil || *o.NUMAAware != 0) {
			t.Errorf("%s: %+v, want a runaway that no scheduler could help", o.Name, o)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(p.Admissions) != 3 {
		t.Fatalf("%d admissions explained, want those of three kinds", len(p.Admissions))
	}
	for _, a := range p.Admissions {
		if a.Reason != "TopologyAffinityError" || len(a.Steps) == 0 || len(a.Remedies) == 0 {
			t.Errorf("%+v", a)
		}
	}
}

// TestRunaway has two nodes: the scheduler prefers the one that is emptier, whose
// kubelet refuses the pod; a NUMA-aware scheduler takes the other one.
func TestRunaway(t *testing.T) {
	p := placed(t, `
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: split, memory: 256Gi, topology: 2 sockets x 6 cores, count: 1, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0,
       kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}
    - {name: whole, memory: 64Gi, topology: 1 socket x 10 cores, count: 1, systemReserved: {cpu: 1, memory: 0}, evictionHard: 0,
       kubelet: {cpuManagerPolicy: static, topologyManagerPolicy: single-numa-node}}
  options:
    - {name: both, nodes: [{type: split, count: 1}, {type: whole, count: 1}]}
workload:
  podTypes:
    - {name: wide, replicas: 1, cpu: 8, memory: 1Gi, cpuLimit: 8, memoryLimit: 1Gi}
policy: {spareNodes: 0, systemPodsPerNode: 0}
`, "")
	o := p.PodTypes[0]
	if !o.Runaway || o.Placed != 0 || o.Refused < 2 || o.NUMAAware == nil || *o.NUMAAware != 1 {
		t.Errorf("%+v, want a runaway that a NUMA-aware scheduler places", o)
	}
}

const three = `
apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: node, cpus: 4, memory: 16Gi, count: %d, systemReserved: {cpu: 0, memory: 0}, evictionHard: 0, domains: {rack: %d}}
workload:
  podTypes:
    - {name: a, replicas: %d, cpu: 2, memory: 1Gi}
policy: {spareNodes: 0, systemPodsPerNode: 0, maxUnavailable: "1"}
`

// TestLosses counts on the fingers: pods of two CPUs on nodes of four.
func TestLosses(t *testing.T) {
	for _, c := range []struct {
		nodes, racks, pods  int
		more                int
		survives, rackGoes  bool
		mostUnavailable     int
		homelessAfterDomain int
	}{
		{3, 3, 4, 2, true, true, 1, 0},   // 6 places; without one node 4
		{3, 3, 5, 1, false, false, 0, 1}, // without one node one pod too many
		{4, 2, 4, 4, true, true, 2, 0},   // a rack is half of the nodes
		{4, 2, 5, 3, true, false, 1, 1},
	} {
		p := placed(t, fmt.Sprintf(three, c.nodes, c.racks, c.pods), "")
		name := fmt.Sprintf("%d pods on %d nodes in %d racks", c.pods, c.nodes, c.racks)
		if o := p.PodTypes[0]; o.Placed != c.pods || o.More != c.more || o.MoreMixed != c.more {
			t.Errorf("%s: %+v, want room for %d more", name, o, c.more)
		}
		if l := p.Losses[0]; (l.Survived == int64(l.Tried)) != c.survives || l.Tried == 0 {
			t.Errorf("%s: %+v", name, l)
		}
		if d := p.Drains[0]; d.MostUnavailable != c.mostUnavailable || d.Batches != c.nodes {
			t.Errorf("%s: %+v, want %d at a time", name, d, c.mostUnavailable)
		}
		if c.racks == c.nodes {
			continue // a rack is a node
		}
		l := p.Losses[1]
		if l.What != "any rack" || l.Tried != c.racks || (l.Survived == int64(l.Tried)) != c.rackGoes {
			t.Errorf("%s: %+v", name, l)
		}
		homeless := 0
		for _, h := range l.Homeless {
			homeless += h.Count
		}
		if homeless != c.homelessAfterDomain {
			t.Errorf("%s: %d without a place, want %d", name, homeless, c.homelessAfterDomain)
		}
	}
}

// TestTogether lets types of two pods and one grow in proportion: with much room to ten
// times their numbers, and no further than to the pod of a third that has none.
func TestTogether(t *testing.T) {
	two := strings.Replace(fmt.Sprintf(three, 4, 4, 2), "cpu: 2,", "cpu: 100m,", 1)
	two = strings.Replace(two, "policy:", "    - {name: b, replicas: 1, cpu: 100m, memory: 1Gi}\npolicy:", 1)
	third := strings.Replace(two, "policy:", "    - {name: c, replicas: 1, cpu: 5, memory: 1Gi}\npolicy:", 1)
	for text, want := range map[string][]int{two: {20, 10}, third: {1, 1, 0}} {
		for i, o := range placed(t, text, "").PodTypes {
			if o.MoreMixed != want[i] {
				t.Errorf("%s of %d types: %d more with the others, want %d", o.Name, len(want), o.MoreMixed, want[i])
			}
		}
	}
}

// TestStranded fills nodes with CPU; their memory is stranded, and CPU is what is
// missing.
func TestStranded(t *testing.T) {
	p := placed(t, fmt.Sprintf(three, 2, 1, 4), "")
	for _, r := range p.Resources {
		want := map[string]int64{"cpu": 0, "memory": 28 << 30, "pods": 2*110 - 4}[r.Resource]
		if r.Stranded != want || want > 0 && r.By != "cpu" {
			t.Errorf("%+v, want %d stranded for want of cpu", r, want)
		}
	}
	if !p.Nodes[0].Full || len(p.Nodes) != 1 || p.Nodes[0].Count != 2 {
		t.Errorf("nodes %+v, want two equal full ones", p.Nodes)
	}
}

// TestOpenB places the whole trace. Its GPUs are more than the nodes have, so
// nothing else may keep a pod out.
func TestOpenB(t *testing.T) {
	p := example(t, "openb.yaml")
	wanted, pending := 0, 0
	for _, o := range p.PodTypes {
		wanted, pending = wanted+o.Wanted, pending+o.Pending
		if o.Pending > 0 && (!strings.Contains(o.Message, "Insufficient nvidia.com/gpu-milli") || o.Nearest == "") {
			t.Errorf("%s: %s", o.Name, o.Message)
		}
	}
	if wanted != 8152 || pending == 0 || p.Verdict.Fits {
		t.Errorf("%d wanted, %d pending", wanted, pending)
	}
}
