package scheduler

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// TestTaintsBySet: nodes with the same taints, each with a list of its own, are judged
// together, and those with others, or in another order, by themselves.
func TestTaintsBySet(t *testing.T) {
	a := v1alpha1.Taint{Key: "a", Value: "x", Effect: noSchedule}
	b := v1alpha1.Taint{Key: "b", Effect: preferNoSchedule}
	var nodes []Node
	for _, set := range [][]v1alpha1.Taint{{a, b}, nil, {a, b}, {b, a}, {b}, {unschedulableTaint, a}} {
		nodes = append(nodes, Node{Taints: slices.Clone(set)})
	}
	sets := newTaints(nodes)
	if want := []int32{0, 1, 0, 2, 3, 4}; !slices.Equal(sets.of, want) || len(sets.sets) != 5 {
		t.Errorf("%v of %d sets, want %v of 5", sets.of, len(sets.sets), want)
	}
	want := []onTaints{{true, a, true, 1}, {}, {true, a, true, 1}, {dislikes: 1}, {true, unschedulableTaint, true, 0}}
	if got := sets.judge(&PodClass{}); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	tolerant := PodClass{Tolerations: []v1alpha1.Toleration{{Key: "a", Operator: "Exists"}}}
	want = []onTaints{{dislikes: 1}, {}, {dislikes: 1}, {dislikes: 1}, {refused: true, by: unschedulableTaint}}
	if got := sets.judge(&tolerant); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}
