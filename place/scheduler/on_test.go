package scheduler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

// three nodes: a with a label, b with a taint, c cordoned and fuller than pods of
// two CPUs can bear.
func threeNodes(t *testing.T, release string, pods ...PodClass) (*Scheduler, []ClassID) {
	t.Helper()
	room := Resources{CPU: 4000, Memory: 8 << 30, Pods: 10}
	s, err := New(Profile{Release: release}, []Node{
		{Name: "a", Labels: map[string]string{"disk": "ssd"}, Allocatable: room},
		{Name: "b", Taints: []v1alpha1.Taint{{Key: "own", Effect: noSchedule}}, Allocatable: room},
		{Name: "c", Unschedulable: true, Allocatable: Resources{CPU: 1000, Memory: 8 << 30, Pods: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	var ids []ClassID
	for _, p := range pods {
		id, err := s.Class(p)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return s, ids
}

// TestOneNode asks for pods that may run on one node only.
func TestOneNode(t *testing.T) {
	everywhere := []v1alpha1.Toleration{{Operator: "Exists"}}
	s, ids := threeNodes(t, "1.36", PodClass{Name: "plain", Request: Resources{CPU: 2000}},
		PodClass{Name: "ssd", NodeSelector: map[string]string{"disk": "ssd"}, Tolerations: everywhere},
		PodClass{Name: "large", Request: Resources{CPU: 2000}, Tolerations: everywhere})
	for i, want := range [][]bool{{true, false, true}, {true, false, false}, {true, true, true}} {
		for node, allowed := range want {
			if s.Allowed(ids[i], node) != allowed {
				t.Errorf("class %d on node %d: %v", i, node, !allowed)
			}
		}
	}
	if slices.Equal(s.Opinions(0), s.Opinions(1)) || !slices.Equal(s.Opinions(1), s.Clone().Opinions(1)) {
		t.Errorf("opinions %v and %v", s.Opinions(0), s.Opinions(1))
	}
	for node, want := range []bool{true, true, false} {
		if s.ScheduleOn(ids[2], node) != want {
			t.Errorf("large on node %d: %v", node, !want)
		}
	}
	d := s.ExplainOn(ids[2], 2)
	if len(d.Reasons) != 1 || d.Reasons[0] != (Reason{"Insufficient cpu", 1}) ||
		d.Message != "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]." {
		t.Errorf("%+v", d)
	}
	if s.Start() != 0 {
		t.Errorf("the next search starts at %d", s.Start())
	}
}

// TestFullNode: a node that is called full takes no pods, whatever they tolerate.
func TestFullNode(t *testing.T) {
	s, ids := threeNodes(t, "1.36", PodClass{Name: "p", Request: Resources{CPU: 2000},
		Tolerations: []v1alpha1.Toleration{{Operator: "Exists"}}})
	s.SetFull(0, true)
	for i, want := range []int{1, 1, -1} {
		if got := s.Schedule(ids[0]).Node; got != want {
			t.Errorf("pod %d on %d, want %d", i, got, want)
		}
	}
	s.SetFull(0, false)
	if got := s.Schedule(ids[0]).Node; got != 0 {
		t.Errorf("on %d, want 0 again", got)
	}
}

// TestTies: two empty nodes are alike until one runs a pod.
func TestTies(t *testing.T) {
	s, ids := threeNodes(t, "1.34", PodClass{Name: "p", Request: Resources{CPU: 2000},
		Tolerations: []v1alpha1.Toleration{{Key: "own", Operator: "Exists"}}})
	if got := slices.Collect(s.Ties(ids[0], 0)); !slices.Equal(got, []int{0, 1}) || !s.Random() {
		t.Errorf("ties %v", got)
	}
	s.Bind(ids[0], 0)
	if got := slices.Collect(s.Ties(ids[0], 1)); !slices.Equal(got, []int{1}) || s.Start() != 0 {
		t.Errorf("ties %v", got)
	}
}

// TestTiesByCells: the lots are drawn among the same nodes, cell by cell and node by node.
func TestTiesByCells(t *testing.T) {
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		_, nodes := drawRuns(t)
		s, err := New(Profile{Release: "1.34", PercentageOfNodesToScore: pick(t, "percent", 0, 34, 100)}, nodes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			if _, err := s.Class(drawRunClass(t, i)); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 2*len(nodes)).Draw(t, "pods") {
			s.Schedule(ClassID(rapid.IntRange(0, 1).Draw(t, "class")))
		}
		start := rapid.IntRange(0, len(nodes)-1).Draw(t, "start")
		for id, c := range s.classes {
			got := slices.Collect(s.Ties(ClassID(id), start))
			s.start, start = start, s.start
			var want []int
			s.tiesByNode(c, func(node int) bool { want = append(want, node); return true })
			if s.start, start = start, s.start; !slices.Equal(got, want) {
				t.Fatalf("class %d from %d: %v, node by node %v", id, start, got, want)
			}
			if several += len(got); len(got) == 1 {
				several--
			}
		}
	})
	if several == 0 {
		t.Error("there were never several")
	}
}
