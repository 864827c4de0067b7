package pack

import (
	"fmt"
	"testing"
)

// manyTypes is a problem of so many different items, a few of each.
func manyTypes(types, kinds, spares int) Problem {
	p := Problem{Resources: []string{"cpu", "memory"}, Spares: spares}
	r := random(7)
	draw := func(n uint64) int64 { return int64(r.next() % n) }
	for k := range kinds {
		c := int64(8 + 8*k)
		m := c * (2 + draw(6))
		p.Nodes = append(p.Nodes, NodeType{Name: fmt.Sprint(k), Capacity: []int64{1000 * c, 1024 * m},
			Cost: 30*c + 5*m, Stock: -1})
	}
	for i := range types {
		p.Items = append(p.Items, Item{Name: fmt.Sprint(i), Count: 1 + draw(5),
			Need: []int64{50 * (1 + draw(60)), 64 * (1 + draw(100))}})
	}
	return p
}

// With many different items the effort is kept, about: rules that go through all
// of them for each node end the packing in the plainest way when it is spent.
func TestManyItemsKeepTheEffort(t *testing.T) {
	const effort = 20_000
	for _, types := range []int{400, 1000, 2000} {
		p := manyTypes(types, 4, 1)
		s := mustSolve(t, p, Options{Effort: effort})
		if s.Effort > 5*effort {
			t.Errorf("%d types: an effort of %d, where %d was asked for", types, s.Effort, effort)
		}
		if s.Bound.Gap > 0.5 {
			t.Errorf("%d types: a gap of %.0f %%", types, 100*s.Bound.Gap)
		}
	}
}

// Each doubling of the effort adds a search, and keeps what those before found.
func TestMoreEffortFindsWhatLessDoes(t *testing.T) {
	p := manyTypes(60, 2, 0)
	last := mustSolve(t, p, Options{})
	for _, effort := range []int64{2*DefaultEffort - 1, 2 * DefaultEffort, 3 * DefaultEffort, 4 * DefaultEffort} {
		s := mustSolve(t, p, Options{Effort: effort})
		if s.Cost > last.Cost || s.Bound.Cost < last.Bound.Cost || s.Effort < last.Effort {
			t.Errorf("effort %d: cost %d, bound %d, spent %d; %d, %d and %d with less", effort, s.Cost, s.Bound.Cost, s.Effort,
				last.Cost, last.Bound.Cost, last.Effort)
		}
		last = s
	}
}

// The prices of dimensions are claimed before the master of many items takes the effort.
func TestManyItemsHaveABound(t *testing.T) {
	for _, types := range []int{150, 400} {
		s := mustSolve(t, manyTypes(types, 6, 0), Options{})
		t.Logf("%d types: cost %d, bound %d by %s", types, s.Cost, s.Bound.Cost, s.Bound.Method)
		if s.Bound.Gap > 0.04 || s.Bound.Method == methodVolume {
			t.Errorf("%d types: a gap of %.1f %% by %s", types, 100*s.Bound.Gap, s.Bound.Method)
		}
	}
}

// What is on the worst nodes is packed anew where there are too many items for columns.
func TestManyItemsAreRepaired(t *testing.T) {
	s := mustSolve(t, manyTypes(500, 10, 0), Options{})
	if s.Bound.Gap > 0.02 {
		t.Errorf("cost %d, bound %d: a gap of %.1f %%", s.Cost, s.Bound.Cost, 100*s.Bound.Gap)
	}
}
