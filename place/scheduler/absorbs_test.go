package scheduler

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

// TestAbsorbs: pods that are said to find a place do, in any order; of pods with much
// room it is said.
func TestAbsorbs(t *testing.T) {
	certain := 0
	rapid.Check(t, func(t *rapid.T) {
		var nodes []Node
		for i := range rapid.IntRange(1, 20).Draw(t, "nodes") {
			nodes = append(nodes, drawNode(t, i))
		}
		s, err := New(Profile{}, nodes)
		if err != nil {
			t.Fatal(err)
		}
		classes := rapid.IntRange(1, 4).Draw(t, "classes")
		for i := range classes {
			c := drawClass(t, i)
			switch rapid.IntRange(0, 6).Draw(t, "constraints") {
			case 0, 1:
				c.TopologySpreadConstraints, c.Affinity, c.HostPorts, c.NodeName = nil, nil, nil, ""
			case 2:
				c.Affinity, c.HostPorts, c.NodeName = nil, nil, ""
			case 3:
				c.TopologySpreadConstraints, c.NodeName = nil, ""
			case 4: // the lost node counts as long as its taint is tolerated
				c.Affinity, c.HostPorts, c.NodeName = nil, nil, ""
				c.Tolerations = []v1alpha1.Toleration{{Operator: "Exists"}}
				c.TopologySpreadConstraints = []v1alpha1.TopologySpreadConstraint{drawSpread(t)}
				c.TopologySpreadConstraints[0].NodeTaintsPolicy = honor
			}
			if _, err := s.Class(c); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 10).Draw(t, "running") {
			s.Schedule(ClassID(rapid.IntRange(0, classes-1).Draw(t, "class")))
		}
		var pods []ClassCount
		var order []ClassID
		for id := range classes {
			if n := rapid.IntRange(0, 3).Draw(t, "pods"); n > 0 {
				pods = append(pods, ClassCount{ClassID(id), n})
				for range n {
					order = append(order, ClassID(id))
				}
			}
		}
		lost := rapid.IntRange(0, len(nodes)-1).Draw(t, "lost")
		if !s.Absorbs(pods, []int{lost}) {
			return
		}
		certain++
		s.SetUnschedulable(lost, true)
		s.SetFull(lost, true)
		s.UnbindAll(lost, func(ClassID) bool { return true })
		for _, id := range rapid.Permutation(order).Draw(t, "order") {
			if s.Schedule(id).Node < 0 {
				t.Fatalf("no place for a pod of %s: %s", s.classes[id].spec.Name, s.Explain(id).Message)
			}
		}
	})
	if certain == 0 {
		t.Error("nothing was ever certain")
	}
}

// TestAbsorbsWhatTolerates: a pod that tolerates every taint goes on counting a node that is lost, also with
// nodeTaintsPolicy Honor. Of three pods on three nodes, one is lost with its node: kube-scheduler 1.36.3 says
// "2 node(s) didn't match pod topology spread constraints" of the others, and takes one of them without the
// toleration.
func TestAbsorbsWhatTolerates(t *testing.T) {
	var nodes []Node
	for _, name := range []string{"a", "b", "c"} {
		nodes = append(nodes, Node{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name},
			Allocatable: Resources{CPU: 8000, Memory: 8 << 30, Pods: 10}})
	}
	for tolerates, certain := range map[bool]bool{true: false, false: true} {
		s, err := New(Profile{}, nodes)
		if err != nil {
			t.Fatal(err)
		}
		labels := map[string]string{"app": "x"}
		c := PodClass{Name: "x", Labels: labels, Request: Resources{CPU: 100, Memory: 1 << 20},
			TopologySpreadConstraints: []v1alpha1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "kubernetes.io/hostname",
				WhenUnsatisfiable: "DoNotSchedule", NodeTaintsPolicy: "Honor",
				LabelSelector: &v1alpha1.LabelSelector{MatchLabels: labels}}}}
		if tolerates {
			c.Tolerations = []v1alpha1.Toleration{{Operator: "Exists"}}
		}
		id, err := s.Class(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s.Schedule(id)
		}
		if got := s.Absorbs([]ClassCount{{id, 1}}, []int{0}); got != certain {
			t.Errorf("tolerates everything %t: certain to find a place %t", tolerates, got)
		}
	}
}

// TestAbsorbsWhatBringsAntiAffinity: pods that have kept apart from nobody, on a node without the label, do
// where they go. Of node "bare" kube-scheduler 1.36.3 places x in the zone first, and of y it says "2 node(s)
// didn't satisfy existing pods anti-affinity rules".
func TestAbsorbsWhatBringsAntiAffinity(t *testing.T) {
	room := Resources{CPU: 8000, Memory: 8 << 30, Pods: 10}
	zone := map[string]string{ZoneLabel: "z"}
	s, err := New(Profile{}, []Node{{Name: "bare", Allocatable: room}, {Name: "a", Labels: zone, Allocatable: room},
		{Name: "b", Labels: zone, Allocatable: room}})
	if err != nil {
		t.Fatal(err)
	}
	size := Resources{CPU: 100, Memory: 1 << 20}
	apart := v1alpha1.PodAffinityTerm{TopologyKey: ZoneLabel,
		LabelSelector: &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": "y"}}}
	x, err := s.Class(PodClass{Name: "x", Request: size, Affinity: &v1alpha1.Affinity{
		PodAntiAffinity: &v1alpha1.PodAffinity{Required: []v1alpha1.PodAffinityTerm{apart}}}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := s.Class(PodClass{Name: "y", Request: size, Labels: map[string]string{"app": "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Absorbs([]ClassCount{{x, 1}, {y, 1}}, []int{0}) {
		t.Error("x and y are taken to find places in the one zone")
	}
	if !s.Absorbs([]ClassCount{{y, 2}}, []int{0}) {
		t.Error("y alone finds a place")
	}
}
