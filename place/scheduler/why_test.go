package scheduler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// small is a cluster of equal nodes of 4 cores, 8 GiB and 10 pods.
func small(t *testing.T, p Profile, nodes int, change func(i int, n *Node)) *Scheduler {
	t.Helper()
	var list []Node
	for i := range nodes {
		list = append(list, Node{Name: string(rune('a' + i)), Labels: map[string]string{},
			Allocatable: Resources{CPU: 4000, Memory: 8 << 30, Pods: 10}})
		if change != nil {
			change(i, &list[i])
		}
	}
	s, err := New(p, list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Scheduler) must(t *testing.T, c PodClass) ClassID {
	t.Helper()
	c.NonZeroCPU, c.NonZeroMemory = max(c.Request.CPU, 100), max(c.Request.Memory, 200<<20)
	id, err := s.Class(c)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func request(cores, gib int64) Resources { return Resources{CPU: 1000 * cores, Memory: gib << 30} }

// TestMessage counts the first filter that refuses each node, but every resource
// that is short.
func TestMessage(t *testing.T) {
	change := func(i int, n *Node) {
		switch i {
		case 0:
			n.Unschedulable = true // and the taint too: cordoned nodes come first
			n.Taints = []v1alpha1.Taint{unschedulableTaint}
		case 1, 2:
			n.Taints = []v1alpha1.Taint{{Key: "dedicated", Value: "db", Effect: noExecute}}
		case 3:
			n.Allocatable.Memory = 1 << 30
		}
	}
	for release, want := range map[string]string{
		"1.36": "0/5 nodes are available: 1 Insufficient memory, 1 node(s) were unschedulable, 2 Insufficient cpu, " +
			"2 node(s) had untolerated taint(s).",
		"1.33": "0/5 nodes are available: 1 Insufficient memory, 1 node(s) were unschedulable, 2 Insufficient cpu, " +
			"2 node(s) had untolerated taint {dedicated: db}.",
	} {
		s := small(t, Profile{Release: release}, 5, change)
		id := s.must(t, PodClass{Request: request(5, 2)})
		if d := s.Schedule(id); d.Node != -1 {
			t.Errorf("the pod is on node %d", d.Node)
		}
		if got := s.Explain(id).Message; got != want {
			t.Errorf("release %s says\n%s\nnot\n%s", release, got, want)
		}
	}
}

// TestNearest: node c lacks half a core of one, and nothing else; b less memory in
// share, but is cordoned too; a lacks more.
func TestNearest(t *testing.T) {
	s := small(t, Profile{}, 3, func(i int, n *Node) {
		n.Allocatable.CPU = []int64{100, 4000, 500}[i]
		n.Allocatable.Memory = []int64{8 << 30, 1<<30 - 1, 8 << 30}[i]
		n.Unschedulable = i == 1
	})
	d := s.Explain(s.must(t, PodClass{Request: request(1, 1)}))
	want := &NearMiss{Node: 2, Reasons: []string{"Insufficient cpu"}, Lacks: []Lack{{cpu, 500}}}
	if diff := cmp.Diff(want, d.Nearest); diff != "" {
		t.Errorf("nearest node (-want +got):\n%s", diff)
	}
	if d := s.Explain(s.must(t, PodClass{Request: Resources{CPU: 400}})); d.Fits != 1 || d.Message != "" ||
		d.Nearest != nil {
		t.Errorf("a pod that fits on one node: %+v", d)
	}
}

// TestPreempt: a is freed by two pods of priority 1, b by one of priority 2, c by
// one of priority 1, the cheapest; d is cordoned.
func TestPreempt(t *testing.T) {
	s := small(t, Profile{}, 4, func(i int, n *Node) { n.Unschedulable = i == 3 })
	half, whole := s.must(t, PodClass{Name: "half", Priority: 1, Request: request(2, 1)}),
		s.must(t, PodClass{Name: "whole", Priority: 1, Request: request(4, 1)})
	better := s.must(t, PodClass{Name: "better", Priority: 2, Request: request(4, 1)})
	s.Bind(half, 0)
	s.Bind(half, 0)
	s.Bind(better, 1)
	s.Bind(whole, 2)
	v := s.Preempt(s.must(t, PodClass{Priority: 5, Request: request(4, 4)}))
	if diff := cmp.Diff(Preemption{Node: 2, Victims: []ClassCount{{whole, 1}}}, v); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
	// On a the younger half would be enough; but whole is younger still.
	v = s.Preempt(s.must(t, PodClass{Priority: 2, Request: request(2, 1)}))
	if diff := cmp.Diff(Preemption{Node: 2, Victims: []ClassCount{{whole, 1}}}, v); diff != "" {
		t.Errorf("the youngest goes (-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		class PodClass
		want  string
	}{
		{PodClass{Priority: 1, Request: request(4, 4)}, "preemption: 0/4 nodes are available: " +
			"1 Preemption is not helpful for scheduling, 3 No preemption victims found for incoming pod."},
		{PodClass{Priority: 5, Request: request(5, 1)},
			"preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling."},
		{PodClass{Priority: 5, Request: request(4, 4), PreemptionPolicy: preemptNever},
			"preemption: not eligible due to preemptionPolicy=Never."},
	} {
		if v := s.Preempt(s.must(t, test.class)); v.Node != -1 || v.Message != test.want {
			t.Errorf("on node %d: %s\nnot\n%s", v.Node, v.Message, test.want)
		}
	}
}

// TestRoom: 4 cores hold 8 halves each, but 8 GiB only 2 pods of 3 GiB; one node
// runs 7 GiB already.
func TestRoom(t *testing.T) {
	s := small(t, Profile{}, 3, nil)
	s.Bind(s.must(t, PodClass{Request: request(0, 7)}), 1)
	pod := PodClass{Labels: map[string]string{"app": "x"}, Request: Resources{CPU: 500, Memory: 3 << 30}}
	if got, all := s.Room(s.must(t, pod), 100); !all || got != 4 {
		t.Errorf("there is room for %d pods, not 4", got)
	}
	pod.HostPorts = []v1alpha1.HostPort{{Port: 80}}
	if got, all := s.Room(s.must(t, pod), 100); !all || got != 2 {
		t.Errorf("there is room for %d pods with a host port, not 2", got)
	}
}

// TestWhatIf: what happens to a clone does not happen to its origin, and a lost
// node takes its pods along.
func TestWhatIf(t *testing.T) {
	s := small(t, Profile{}, 2, nil)
	id := s.must(t, PodClass{Request: request(2, 1)})
	for range 4 {
		s.Schedule(id)
	}
	lost := s.Clone()
	lost.RemoveNodes(1)
	if got := lost.Explain(id).Message; got != "0/1 nodes are available: 1 Insufficient cpu." {
		t.Errorf("with one node: %s", got)
	}
	if err := lost.AddNodes(Node{Name: "c", Allocatable: request(2, 8)},
		Node{Name: "d", Allocatable: Resources{CPU: 4000, Memory: 8 << 30, Pods: 10}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{3, 3, -1} { // c admits no pods
		if got := lost.Schedule(id).Node; got != want {
			t.Errorf("a pod is on node %d, not %d", got, want)
		}
	}
	if err := lost.AddNodes(Node{Name: "d"}); err == nil {
		t.Error("a node of the same name was added")
	}
	if got := s.Explain(id).Message; got != "0/2 nodes are available: 2 Insufficient cpu." {
		t.Errorf("the origin: %s", got)
	}
	if err := s.Unbind(id, 0); err != nil {
		t.Fatal(err)
	}
	s.SetUnschedulable(0, true)
	if got := s.Explain(id).Message; got != "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable." {
		t.Errorf("with one cordoned: %s", got)
	}
	s.SetUnschedulable(0, false)
	if got := s.Schedule(id).Node; got != 0 {
		t.Errorf("the pod is on node %d, not 0", got)
	}
}
