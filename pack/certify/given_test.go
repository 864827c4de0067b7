package certify_test

import (
	"testing"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/pack/packtest"
	"plimsoll.dev/pack/peer"
)

// A node of 20 for 1.00 holds all; patterns that are worth most for their cost
// fill two of 18 for 0.84 each.
func TestOneNodeForAll(t *testing.T) {
	p := pack.Problem{Resources: []string{"cpu"}, Nodes: []pack.NodeType{
		{Name: "a", Capacity: []int64{20}, Cost: 100, Stock: -1}, {Name: "b", Capacity: []int64{18}, Cost: 84, Stock: -1}},
		Items: []pack.Item{{Name: "small", Count: 12, Need: []int64{1}}, {Name: "big", Count: 1, Need: []int64{7}}}}
	s, err := pack.Solve(p, pack.Options{Start: peer.Packings})
	if err != nil || s.Cost != 100 {
		t.Errorf("cost %d, %v; want 100: one node of 20", s.Cost, err)
	}
}

// No rule that the comparison shows buys for less than the search that began
// with it, whatever the constraints.
func TestNoDearerThanTheRules(t *testing.T) {
	for seed := range uint64(400) {
		p := packtest.Tiny(seed)
		p.Spares = 0
		solvedNoDearer(t, p, seed, pack.Options{Start: peer.Packings, Effort: 1})
	}
}

// solvedNoDearer is the solution, which is accepted, and no rule's packing is cheaper.
func solvedNoDearer(t *testing.T, p pack.Problem, seed uint64, o pack.Options) pack.Solution {
	t.Helper()
	s, err := pack.Solve(p, o)
	if err != nil {
		t.Fatal(err)
	}
	if faults := certify.Check(p, s); faults != nil {
		t.Fatalf("seed %d: %v", seed, faults)
	}
	for _, r := range peer.Compare(p) {
		if r.Fits && r.Patterns != nil && r.Cost < s.Cost {
			t.Errorf("seed %d: %d, where %s pays %d", seed, s.Cost, r.Name, r.Cost)
		}
	}
	return s
}

// Packings that don't hold are packed anew.
func TestStartThatDoesNotHold(t *testing.T) {
	for seed := range uint64(100) {
		p := packtest.Tiny(seed)
		wrong := func(q pack.Problem) [][]pack.Pattern {
			all := pack.Pattern{Copies: 5}
			for i, it := range q.Items {
				all.Items = append(all.Items, pack.Stack{Item: i, Count: it.Count})
			}
			beyond := pack.Pattern{Node: len(q.Nodes), Copies: 1, Items: []pack.Stack{{Item: 99, Count: 1}}}
			twice := pack.Pattern{Copies: 1, Items: []pack.Stack{{Count: 1}, {Count: 1}}}
			return [][]pack.Pattern{{all, beyond, twice}, nil}
		}
		s, err := pack.Solve(p, pack.Options{Start: wrong})
		want, failed := pack.Solve(p, pack.Options{})
		if (err == nil) != (failed == nil) || s.Cost > want.Cost {
			t.Fatalf("seed %d: cost %d, %v; without these packings %d, %v", seed, s.Cost, err, want.Cost, failed)
		}
		if faults := certify.Check(p, s); err == nil && faults != nil {
			t.Errorf("seed %d: %v", seed, faults)
		}
	}
}
