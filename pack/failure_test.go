package pack

import (
	"testing"

	"pgregory.net/rapid"
)

// nodesOf lists the nodes of a solution by kind.
func nodesOf(s *Solution) []int {
	var out []int
	for k, n := range s.Nodes {
		for range n {
			out = append(out, k)
		}
	}
	return out
}

// repack says whether the items fit on given nodes, by trying every node for each item in turn.
func repack(p *Problem, kinds []int, demand []int64) bool {
	b := brute{p: p}
	for _, k := range kinds {
		b.open = append(b.open, Pattern{Node: k})
	}
	for i, n := range demand {
		for range n {
			b.items = append(b.items, i)
		}
	}
	return b.place(0)
}

func (b *brute) place(j int) bool {
	if j == len(b.items) {
		return true
	}
	for o := range b.open {
		ok := b.put(&b.open[o], b.items[j]) && b.place(j+1)
		b.take(&b.open[o], b.items[j])
		if ok {
			return true
		}
	}
	return false
}

// eachLoss calls f with what remains when any n of the nodes fail.
func eachLoss(nodes []int, n int, f func(rest []int)) {
	if n == 0 {
		f(nodes)
		return
	}
	for i := range nodes {
		if i > 0 && nodes[i] == nodes[i-1] {
			continue
		}
		rest := append(append([]int(nil), nodes[:i]...), nodes[i+1:]...)
		eachLoss(rest, n-1, f)
	}
}

func demandOf(p *Problem, s *Solution) []int64 {
	out := make([]int64, len(p.Items))
	for i, it := range p.Items {
		out[i] = it.Count - s.leftOf(i)
	}
	return out
}

func TestSparesBearEveryFailure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Spares = rapid.IntRange(1, 2).Draw(t, "spares")
		s, err := Solve(p, Options{Effort: 20_000})
		if err != nil {
			return // no spares in stock; TestErrors has the case
		}
		if err := verifyAll(&p, &s); err != nil {
			t.Fatal(err)
		}
		demand := demandOf(&p, &s)
		eachLoss(nodesOf(&s), min(p.Spares, len(nodesOf(&s))), func(rest []int) {
			if !repack(&p, rest, demand) {
				t.Fatalf("nodes %v: what remains, %v, can't hold %v", s.Nodes, rest, demand)
			}
		})
		if least := leastWithSpares(&p, demand, s.Cost); least < s.Bound.Cost {
			t.Fatalf("bound %d, but a mix for %d bears every failure", s.Bound.Cost, least)
		}
	})
}

// leastWithSpares is the least cost, up to most, of nodes of which any p.Spares
// may fail, by trying all mixes.
func leastWithSpares(p *Problem, demand []int64, most int64) int64 {
	mix := make([]int64, len(p.Nodes))
	best := most
	var next func(k int, cost int64)
	next = func(k int, cost int64) {
		if cost >= best {
			return
		}
		if k == len(mix) {
			ok := true
			nodes := nodesOf(&Solution{Nodes: mix})
			eachLoss(nodes, min(p.Spares, len(nodes)), func(rest []int) { ok = ok && repack(p, rest, demand) })
			if ok {
				best = cost
			}
			return
		}
		for n := int64(0); p.Nodes[k].Stock < 0 && cost+n*p.Nodes[k].Cost < best || n <= p.Nodes[k].Stock; n++ {
			mix[k] = n
			next(k+1, cost+n*p.Nodes[k].Cost)
		}
		mix[k] = 0
	}
	next(0, 0)
	return best
}

func TestZonesBearTheLossOfOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := unlimited(drawProblem(t))
		p.Zones = rapid.IntRange(2, 3).Draw(t, "zones")
		p.SurviveZoneLoss = rapid.Bool().Draw(t, "survive")
		p.Spares = rapid.IntRange(0, 1).Draw(t, "spares")
		s := mustSolve(t, p, Options{Effort: 20_000})
		demand := demandOf(&p, &s)
		var rest []int
		for k, n := range s.Nodes {
			if len(s.Spares) > 0 {
				n -= s.Spares[k]
			}
			if n%int64(p.Zones) != 0 {
				t.Fatalf("nodes %v are not even over %d zones", s.Nodes, p.Zones)
			}
			for range n / int64(p.Zones) * int64(p.Zones-1) {
				rest = append(rest, k)
			}
		}
		if p.SurviveZoneLoss && !repack(&p, rest, demand) {
			t.Fatalf("the zones that remain, %v, can't hold %v", rest, demand)
		}
		eachLoss(nodesOf(&s), min(p.Spares, len(nodesOf(&s))), func(rest []int) {
			if !repack(&p, rest, demand) {
				t.Fatalf("nodes %v: what remains of any %d, %v, can't hold %v", s.Nodes, p.Spares, rest, demand)
			}
		})
	})
}

// Of many services with fewer pods than zones remain, what is left of any loss holds all once: each
// needs no room in every zone. 60 pods, five on a node, take 12 nodes, and three zones of 6 have 12
// without one; 12 pods, two on a node, are on 6 of three zones of 3.
func TestZonesHoldSmallServicesOnce(t *testing.T) {
	for _, c := range []struct{ services, each, zones, want int64 }{
		{60, 5, 3, 18}, {12, 2, 3, 9}, {60, 5, 5, 15}, {7, 1, 4, 12}, {1, 1, 3, 3},
	} {
		p := Problem{Resources: []string{"cpu"}, Zones: int(c.zones), SurviveZoneLoss: true,
			Nodes: []NodeType{{Name: "k", Capacity: []int64{c.each}, Cost: 1, Stock: -1}}}
		for range c.services {
			p.Items = append(p.Items, Item{Count: 1, Need: []int64{1}})
		}
		s := mustSolve(t, p, Options{Effort: 20_000})
		if s.Cost != c.want || !s.Optimal {
			t.Errorf("%d services, %d on a node, %d zones: %d nodes, optimal %v, want %d, proven", c.services, c.each,
				c.zones, s.Cost, s.Optimal, c.want)
		}
	}
}

// A pod on one of four nodes, one in each zone, bears the loss of any three.
func TestIdleZonesStandInForSpares(t *testing.T) {
	p := Problem{Resources: []string{"cpu"}, Zones: 4, SurviveZoneLoss: true, Spares: 3,
		Nodes: []NodeType{{Name: "k", Capacity: []int64{1}, Cost: 1, Stock: -1}},
		Items: []Item{{Count: 1, Need: []int64{1}}}}
	if s := mustSolve(t, p, Options{Effort: 20_000}); s.Cost != 4 || !s.Optimal {
		t.Errorf("%d nodes, optimal %v, want 4, proven", s.Cost, s.Optimal)
	}
}

// Three nodes, one in each zone, hold what excludes each other only in two zones together: no zone holds all of it.
func TestZonesTogetherLeaveNothingOver(t *testing.T) {
	p := Problem{Resources: []string{"cpu", "memory"}, Zones: 3, SurviveZoneLoss: true, Conflicts: [][2]int{{1, 2}},
		Nodes: []NodeType{{Name: "k", Capacity: []int64{5, 7}, Cost: 5, Stock: 3}},
		Items: []Item{{Count: 1, Need: []int64{4, 6}}, {Count: 1, Need: []int64{4, 3}}, {Count: 1, Need: []int64{0, 0}}}}
	if s := mustSolve(t, p, Options{Effort: 20_000}); s.Left != nil || s.Cost != 15 || !s.Optimal {
		t.Errorf("%v left over, cost %d, optimal %v, want all on the three nodes for 15", s.Left, s.Cost, s.Optimal)
	}
}

// Where each zone can have its share at no cost, it has: a zone's pods find room then in the
// others beside those that run.
func TestZonesKeepTheirSharesForNothing(t *testing.T) {
	p := Problem{Resources: []string{"cpu"}, Zones: 3, SurviveZoneLoss: true,
		Nodes: []NodeType{{Name: "k", Capacity: []int64{2}, Cost: 1, Stock: -1}},
		Items: []Item{{Count: 4, Need: []int64{1}}, {Count: 2, Need: []int64{1}}}}
	if s := mustSolve(t, p, Options{Effort: 20_000}); s.Together || s.Cost != 6 {
		t.Errorf("together %v, %d nodes, want 6: each zone with room for 2 and 1", s.Together, s.Cost)
	}
}

// The loss of a zone and that of spare nodes are two events: the larger reserve counts, not the sum.
func TestZoneStandsInForSpares(t *testing.T) {
	for spares, want := range map[int]int64{0: 6, 1: 6, 2: 6, 3: 7} { // 4 must remain: of 3 zones of 2, and of spares + 4
		p := Problem{Resources: []string{"cpu"}, Zones: 3, SurviveZoneLoss: true, Spares: spares,
			Nodes: []NodeType{{Name: "small", Capacity: []int64{1}, Cost: 1, Stock: -1}},
			Items: []Item{{Name: "web", Count: 4, Need: []int64{1}}}}
		s := mustSolve(t, p, Options{Effort: 20_000})
		if s.Cost != want || !s.Optimal {
			t.Errorf("%d spares: %d nodes, optimal %v, want %d, proven", spares, s.Cost, s.Optimal, want)
		}
	}
}

// Of a cheap kind in stock one is kept as the spare of the others, where a packing on all of
// them would need a dear one; and nodes are filled so that one spare can take the place of any.
func TestSparesAreThoughtOfBefore(t *testing.T) {
	kind := func(cost, stock int64, capacity ...int64) NodeType {
		return NodeType{Capacity: capacity, Cost: cost, Stock: stock}
	}
	item := func(count int64, on []bool, need ...int64) Item { return Item{Count: count, Need: need, On: on} }
	for _, c := range []struct {
		p    Problem
		most int64
	}{
		{Problem{Resources: []string{"a"}, Spares: 1,
			Nodes: []NodeType{kind(1, 3, 12), kind(5, 3, 3), kind(8, -1, 13)},
			Items: []Item{item(3, nil, 2), item(5, nil, 4)}}, 8}, // 4+4+4, 4+4+2+2 and 2 on 1+1+5, and a spare for 1
		{Problem{Resources: []string{"a", "b", "c"}, Spares: 2, // there was said to be none
			Nodes: []NodeType{kind(5, -1, 7, 11, 11), kind(2, 4, 14, 8, 6), kind(12, -1, 7, 9, 11), kind(1, 1, 11, 12, 13)},
			Items: []Item{item(2, nil, 3, 0, 5), item(2, []bool{false, true, false, true}, 3, 4, 0), item(1, nil, 1, 2, 7),
				item(4, nil, 3, 2, 3)}}, 22},
		{Problem{Resources: []string{"a", "b"}, Spares: 1, // the first and the last on a node for 7, whose spare can stand
			// in for the four for 5, too; with the first on one of these there is a spare of each
			Nodes: []NodeType{kind(7, -1, 8, 7), kind(5, -1, 3, 11)},
			Items: []Item{item(1, nil, 1, 5), item(4, nil, 0, 6), item(1, nil, 5, 2)}}, 34},
	} {
		if s := mustSolve(t, c.p, Options{}); s.Cost > c.most {
			t.Errorf("nodes %v cost %d, want %d", s.Nodes, s.Cost, c.most)
		}
	}
}
