package packtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The hand-made cases and the naive optimum check each other.
func TestOptimumOfSmallCases(t *testing.T) {
	for _, c := range Small() {
		t.Run(c.Name, func(t *testing.T) {
			cost, ok := Optimum(c.Problem)
			if !ok || cost != c.Cost {
				t.Errorf("got %d, %v; want %d: %s", cost, ok, c.Cost, c.Why)
			}
		})
	}
}

func TestOptimumSaysWhenNothingHolds(t *testing.T) {
	p := Small()[1].Problem
	p.Items[0].Need[0] = 11
	if cost, ok := Optimum(p); ok {
		t.Errorf("an item larger than the node: got a cost of %d", cost)
	}
	p = Small()[1].Problem
	p.Nodes[0].Stock = 1
	if cost, ok := Optimum(p); ok {
		t.Errorf("two nodes are needed, one is in stock: got a cost of %d", cost)
	}
}

// The document's totals: 550 cores and 450 GB.
func TestOCP94Totals(t *testing.T) {
	p := OCP94(4, 16, 0, 0)
	var total [3]int64
	for _, i := range p.Items {
		for d := range total {
			total[d] += i.Count * i.Need[d]
		}
	}
	if want := [3]int64{550_000, 450_000, 500}; total != want {
		t.Errorf("totals: got %v, want %v", total, want)
	}
}

func TestRandomIsRepeatable(t *testing.T) {
	for _, s := range Shapes() {
		a, b, other := Random(s, 7), Random(s, 7), Random(s, 8)
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s: the same seed gave another problem:\n%s", s, d)
		}
		if cmp.Equal(a, other) {
			t.Errorf("%s: two seeds gave the same problem", s)
		}
	}
}

func TestRandomIsAsSaid(t *testing.T) {
	for _, s := range Shapes() {
		p := Random(s, 1)
		if len(p.Items) != s.Items || len(p.Nodes) != s.Kinds || len(p.Resources) != s.Dims {
			t.Errorf("%s: %d items, %d kinds, %d dimensions", s, len(p.Items), len(p.Nodes), len(p.Resources))
		}
		pods := int64(0)
		for i, item := range p.Items {
			pods += item.Count
			held := false
			for k := range p.Nodes {
				on := make([]int64, len(p.Items))
				on[i] = 1
				held = held || Fits(p, k, on)
			}
			if !held {
				t.Errorf("%s: no node can hold %v", s, item)
			}
		}
		if pods < 999_000 || pods > 1_000_100 {
			t.Errorf("%s: %d pods", s, pods)
		}
	}
}

// The tiny problems have each of the constraints now and then, and are tiny.
func TestTinyHasAllSorts(t *testing.T) {
	var stock, caps, on, conflicts, spares, solvable int
	for seed := range uint64(300) {
		p := Tiny(seed)
		count := int64(0)
		for _, i := range p.Items {
			count += i.Count
			caps += int(min(i.MaxPerNode, 1))
			on += min(len(i.On), 1)
		}
		for _, n := range p.Nodes {
			if n.Stock >= 0 {
				stock++
			}
		}
		conflicts += len(p.Conflicts)
		spares += min(p.Spares, 1)
		if count > 7 {
			t.Errorf("seed %d: %d items", seed, count)
		}
		if _, ok := Optimum(p); ok {
			solvable++
		}
	}
	t.Logf("of 300: %d solvable, %d with spares; %d stocks, %d caps, %d on, %d conflicts", solvable, spares, stock, caps,
		on, conflicts)
	for name, n := range map[string]int{"stock": stock, "caps": caps, "on": on, "conflicts": conflicts, "spares": spares,
		"solvable": solvable} {
		if n < 50 {
			t.Errorf("%s: only %d times", name, n)
		}
	}
}
