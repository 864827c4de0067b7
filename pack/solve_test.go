package pack

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// drawProblem draws a tiny problem of few unit items.
func drawProblem(t *rapid.T) Problem {
	dims := rapid.IntRange(1, 3).Draw(t, "dims")
	kinds := rapid.IntRange(1, 3).Draw(t, "kinds")
	p := Problem{Resources: make([]string, dims)}
	amounts := func(label string, most int64) []int64 {
		return rapid.SliceOfN(rapid.Int64Range(0, most), dims, dims).Draw(t, label)
	}
	for range kinds {
		n := NodeType{Capacity: amounts("capacity", 20), Cost: rapid.Int64Range(1, 9).Draw(t, "cost"), Stock: -1}
		if rapid.IntRange(0, 3).Draw(t, "limited") == 0 {
			n.Stock = rapid.Int64Range(0, 3).Draw(t, "stock")
		}
		p.Nodes = append(p.Nodes, n)
	}
	total := int64(0)
	for range rapid.IntRange(1, 4).Draw(t, "items") {
		it := Item{Need: amounts("need", 12), Count: rapid.Int64Range(0, 3).Draw(t, "count")}
		if it.Count = min(it.Count, 6-total); it.Count < 0 {
			it.Count = 0
		}
		total += it.Count
		if rapid.IntRange(0, 3).Draw(t, "capped") == 0 {
			it.MaxPerNode = rapid.Int64Range(1, 2).Draw(t, "maxPerNode")
		}
		if rapid.IntRange(0, 3).Draw(t, "masked") == 0 {
			it.On = rapid.SliceOfN(rapid.Bool(), kinds, kinds).Draw(t, "on")
		}
		p.Items = append(p.Items, it)
	}
	for range rapid.IntRange(0, 2).Draw(t, "conflicts") {
		a, b := rapid.IntRange(0, len(p.Items)-1).Draw(t, "a"), rapid.IntRange(0, len(p.Items)-1).Draw(t, "b")
		if a != b {
			p.Conflicts = append(p.Conflicts, [2]int{a, b})
		}
	}
	return p
}

// unlimited takes the stocks away.
func unlimited(p Problem) Problem {
	for k := range p.Nodes {
		p.Nodes[k].Stock = -1
	}
	return p
}

func mustSolve(t rapid.TB, p Problem, o Options) Solution {
	t.Helper()
	s, err := Solve(p, o)
	if err != nil {
		text, _ := json.Marshal(p)
		t.Fatalf("%s: %v", text, err)
	}
	if err := verifyAll(&p, &s); err != nil {
		text, _ := json.Marshal(p)
		proof, _ := json.Marshal(s.Certificate)
		t.Fatalf("%s\n%s\ncertificate: %v", text, proof, err)
	}
	return s
}

func TestSolveAgainstBruteForce(t *testing.T) {
	near, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		effort := rapid.SampledFrom([]int64{1, 50, 20_000}).Draw(t, "effort")
		s := mustSolve(t, p, Options{Effort: effort})
		demand := make([]int64, len(p.Items))
		for i, it := range p.Items {
			demand[i] = it.Count - s.leftOf(i)
		}
		optimum, _ := bruteForce(&p, demand)
		if optimum < 0 {
			t.Fatalf("left %v, but that can't be packed", s.Left)
		}
		if s.Bound.Cost > optimum || s.Cost < optimum {
			t.Fatalf("bound %d, optimum %d, cost %d", s.Bound.Cost, optimum, s.Cost)
		}
		if s.Optimal != (s.Bound.Cost == s.Cost) {
			t.Fatalf("optimal %v, bound %d, cost %d", s.Optimal, s.Bound.Cost, s.Cost)
		}
		all++
		if s.Cost == optimum {
			near++
		} else if effort == 20_000 {
			t.Fatalf("cost %d, optimum %d, with all of the effort that it takes", s.Cost, optimum)
		}
	})
	if near*100 < all*95 {
		t.Errorf("only %d of %d tiny problems were solved to the optimum", near, all)
	}
}

// bruteForce is the least cost of a packing, or -1, by trying for each item in
// turn every node that is open and every kind that might be opened.
func bruteForce(p *Problem, demand []int64) (cost, nodes int64) {
	b := brute{p: p, best: -1, stock: make([]int64, len(p.Nodes))}
	for k, n := range p.Nodes {
		b.stock[k] = n.Stock
	}
	for i, n := range demand {
		for range n {
			b.items = append(b.items, i)
		}
	}
	b.try(0, 0)
	return b.best, b.nodes
}

type brute struct {
	p     *Problem
	items []int
	open  []Pattern
	stock []int64
	best  int64
	nodes int64
}

func (b *brute) try(j int, cost int64) {
	if b.best >= 0 && cost >= b.best {
		return
	}
	if j == len(b.items) {
		b.best, b.nodes = cost, int64(len(b.open))
		return
	}
	for o := range b.open {
		if b.put(&b.open[o], b.items[j]) {
			b.try(j+1, cost)
		}
		b.take(&b.open[o], b.items[j])
	}
	for k, n := range b.p.Nodes {
		if b.stock[k] == 0 {
			continue
		}
		b.stock[k]--
		b.open = append(b.open, Pattern{Node: k})
		if b.put(&b.open[len(b.open)-1], b.items[j]) {
			b.try(j+1, cost+n.Cost)
		}
		b.open = b.open[:len(b.open)-1]
		b.stock[k]++
	}
}

// put adds an item to a node, and says whether it may be there.
func (b *brute) put(t *Pattern, item int) bool {
	for s := range t.Items {
		if t.Items[s].Item == item {
			t.Items[s].Count++
			return b.p.misfit(t.Node, t.Items) == ""
		}
	}
	t.Items = append(t.Items, Stack{item, 1})
	return b.p.misfit(t.Node, t.Items) == ""
}

func (b *brute) take(t *Pattern, item int) {
	for s := range t.Items {
		if t.Items[s].Item == item {
			if t.Items[s].Count--; t.Items[s].Count == 0 {
				t.Items = append(t.Items[:s], t.Items[s+1:]...)
			}
			return
		}
	}
}
