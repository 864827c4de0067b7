package peer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/pack"
	"plimsoll.dev/pack/packtest"
)

// node and item are short for tables.
func node(cost int64, capacity ...int64) pack.NodeType {
	return pack.NodeType{Name: fmt.Sprint(capacity), Capacity: capacity, Cost: cost, Stock: -1}
}

func item(count int64, need ...int64) pack.Item {
	return pack.Item{Name: fmt.Sprint(need), Count: count, Need: need}
}

func check(t *testing.T, got Result, nodes []int64, cost int64) {
	t.Helper()
	if d := cmp.Diff(nodes, got.Nodes); d != "" || got.Cost != cost {
		t.Errorf("%s: got %v for %d, want %v for %d", got.Name, got.Nodes, got.Cost, nodes, cost)
	}
}

// On the first kind 6, 6, 4 and 4 lie as 6+4 and 6+4, on the second as 6+6 and 4+4.
func TestFFDTakesTheCheapestKind(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(5, 10), node(7, 14)}, Items: []pack.Item{item(2, 4), item(2, 6)}}
	check(t, FFD(p), []int64{2, 0}, 10)
	p.Nodes[1].Cost = 4
	check(t, FFD(p), []int64{0, 2}, 8)
	p.Nodes[1].Stock = 1
	check(t, FFD(p), []int64{2, 0}, 10)
	p.Nodes[0].Stock = 0
	got := FFD(p)
	check(t, got, []int64{0, 1}, 4)
	if d := cmp.Diff([]int64{2, 0}, got.Left); d != "" || got.Fits {
		t.Errorf("the only node holds 6+6: fits %v, left (-want +got):\n%s", got.Fits, d)
	}
}

// Nodes with 3.5 cores hold three pods of 1 core, or one of 2 and one of 1, and
// half a core for apache: 100 with postgresql, 67 for the other 200 of 1 core.
// Karpenter opens 100 claims for postgresql and evens out 100 node.js over them;
// 34 for 100 node.js, the last of which takes two jboss; and 33 for 98 of those.
// The totals say 550/3.5 = 157.1.
func TestOCP94(t *testing.T) {
	p := packtest.OCP94(4, 16, 500, 4000)
	for _, r := range Compare(p) {
		want := int64(167)
		if r.Name == Sizer(p).Name {
			want = 158
		}
		check(t, r, []int64{want}, want)
		if placed := want == 167; r.Fits != placed {
			t.Errorf("%s: fits is %v", r.Name, r.Fits)
		}
	}
	for _, c := range [][3]int64{{4, 16, 138}, {8, 32, 69}, {16, 64, 35}} {
		p := packtest.OCP94(c[0], c[1], 0, 0)
		check(t, Sizer(p), []int64{c[2]}, c[2])
		check(t, FFD(p), []int64{c[2]}, c[2])
	}
}

func TestSizerPassesOverKinds(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(1, 10, 0), node(9, 10, 10), node(2, 10, 5)},
		Items: []pack.Item{item(3, 5, 5)}}
	check(t, Sizer(p), []int64{0, 0, 3}, 6) // the first has none of the second dimension
	p.Nodes[2].Stock = 2
	check(t, Sizer(p), []int64{0, 2, 0}, 18)
	p.Nodes[1].Stock = 1
	got := Sizer(p)
	check(t, got, []int64{0, 0, 0}, 0)
	if got.Fits || got.Note == "" {
		t.Errorf("no kind has enough: got %+v", got)
	}
}

// A claim keeps all kinds that still fit, so eight pods end up on one large
// node, whatever it costs; the ninth gets the cheapest.
func TestKarpenterGrowsClaims(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(1, 4, 4), node(3, 8, 8), node(100, 16, 16)},
		Items: []pack.Item{item(9, 2, 1)}}
	check(t, Karpenter(p), []int64{1, 0, 1}, 101)
	p.Items[0].On = []bool{true, true, false}
	check(t, Karpenter(p), []int64{1, 2, 0}, 7) // 4 + 4 + 1
	p.Items[0].MaxPerNode = 3
	check(t, Karpenter(p), []int64{0, 3, 0}, 9) // three of 2 need 6
}

// Three pods that stay alone: the cheap kind for one, the other for the rest.
func TestKarpenterRunsOutOfStock(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(1, 10), node(5, 20)}, Items: []pack.Item{item(3, 8)}}
	p.Items[0].MaxPerNode = 1
	p.Nodes[0].Stock = 1
	check(t, Karpenter(p), []int64{1, 2}, 11)
	p.Nodes[1].Stock = 1
	got := Karpenter(p)
	check(t, got, []int64{1, 1}, 6)
	if d := cmp.Diff([]int64{1}, got.Left); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
}

// The first kind wastes half its memory, the second nothing, but it costs more.
func TestExpandersDiffer(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(1, 4, 8), node(10, 8, 8)}, Items: []pack.Item{item(4, 2, 2)}}
	check(t, ClusterAutoscaler(p, LeastWaste), []int64{0, 1}, 10)
	check(t, ClusterAutoscaler(p, Price), []int64{2, 0}, 2)
	check(t, ClusterAutoscaler(p, MostPods), []int64{2, 0}, 2)
	p.Nodes = append(p.Nodes, node(3, 8, 16)) // among three that take all pods, the one of middle cost
	check(t, ClusterAutoscaler(p, MostPods), []int64{0, 0, 1}, 3)
}

// Most pods fit on the node with a device; by price, nobody gets it who needs none.
func TestExpandersAndDevices(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(2, 4, 4, 0), node(3, 8, 8, 1)},
		Items: []pack.Item{item(2, 2, 2, 0), item(1, 1, 1, 1)}}
	check(t, ClusterAutoscaler(p, MostPods), []int64{0, 1}, 3)
	check(t, ClusterAutoscaler(p, Price), []int64{1, 1}, 5)
}

// The first round's group runs out of stock, the second takes the rest.
func TestAutoscalerRounds(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{node(1, 4, 4), node(9, 8, 8)},
		Items: []pack.Item{item(6, 2, 2), item(1, 8, 1)}}
	p.Nodes[0].Stock = 1
	check(t, ClusterAutoscaler(p, Price), []int64{1, 2}, 19) // 2+2; 8; 2+2+2+2
	p.Nodes[1].Stock = 1
	got := ClusterAutoscaler(p, Price)
	check(t, got, []int64{1, 1}, 10)
	if d := cmp.Diff([]int64{4, 0}, got.Left); d != "" || got.Fits {
		t.Errorf("left (-want +got):\n%s", d)
	}
}

func TestNotesSayWhatIsLeftOut(t *testing.T) {
	p := packtest.OCP94(4, 16, 0, 0)
	if got := FFD(p).Note; got != "" {
		t.Errorf("nothing is left out: got %q", got)
	}
	p.Spares = 1
	for _, r := range Compare(p) {
		if r.Note == "" {
			t.Errorf("%s: says nothing of the spares", r.Name)
		}
	}
}

// drawn is a small problem with many pods of few kinds, and few of many.
func drawn(t *rapid.T) pack.Problem {
	if rapid.Bool().Draw(t, "tiny") {
		return packtest.Tiny(rapid.Uint64().Draw(t, "seed"))
	}
	dims := rapid.IntRange(1, 3).Draw(t, "dims")
	amounts := func(low, high int64) []int64 {
		out := make([]int64, dims)
		for d := range out {
			out[d] = rapid.Int64Range(low, high).Draw(t, "amount")
		}
		return out
	}
	var p pack.Problem
	for range rapid.IntRange(1, 4).Draw(t, "kinds") {
		n := node(rapid.Int64Range(1, 20).Draw(t, "cost"), amounts(0, 40)...)
		n.Stock = rapid.SampledFrom([]int64{-1, -1, 0, 2, 5}).Draw(t, "stock")
		p.Nodes = append(p.Nodes, n)
	}
	for range rapid.IntRange(1, 6).Draw(t, "items") {
		i := item(rapid.Int64Range(0, 30).Draw(t, "count"), amounts(0, 9)...)
		i.MaxPerNode = rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "cap")
		if rapid.IntRange(0, 4).Draw(t, "picky") == 0 {
			for range p.Nodes {
				i.On = append(i.On, rapid.Bool().Draw(t, "on"))
			}
		}
		p.Items = append(p.Items, i)
	}
	for a := range p.Items {
		for b := range a {
			if rapid.IntRange(0, 9).Draw(t, "conflict") == 0 {
				p.Conflicts = append(p.Conflicts, [2]int{a, b})
			}
		}
	}
	return p
}

// Counting groups of equal nodes gives what pod by pod gives.
func TestFirstFitEqualsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		order := rapid.Permutation(seq(len(p.Items))).Draw(t, "order")
		for k, n := range p.Nodes {
			_, nodes, left := newRules(p).firstFit(order, counts(p), k, n.Stock)
			wantNodes, wantLeft, _ := naiveFirstFit(p, order, counts(p), k, n.Stock, nil)
			if nodes != wantNodes || !slices.Equal(left, wantLeft) {
				t.Fatalf("kind %d: got %d nodes, left %v; one by one %d, %v", k, nodes, left, wantNodes, wantLeft)
			}
		}
	})
}

func TestKarpenterEqualsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		got := Karpenter(p)
		nodes, left := naiveKarpenter(p)
		same(t, got, nodes, left)
	})
}

func TestAutoscalerEqualsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		for _, e := range []Expander{LeastWaste, MostPods} {
			got := ClusterAutoscaler(p, e)
			nodes, left := naiveAutoscaler(p, e)
			same(t, got, nodes, left)
		}
	})
}

func same(t *rapid.T, got Result, nodes, left []int64) {
	if got.Left == nil {
		got.Left = make([]int64, len(left))
	}
	if !slices.Equal(got.Nodes, nodes) || !slices.Equal(got.Left, left) {
		t.Fatalf("%s: got %v, left %v; one by one %v, %v", got.Name, got.Nodes, got.Left, nodes, left)
	}
}

// Where a peer says that all fits, it costs no less than the optimum.
func TestNoPeerBeatsTheOptimum(t *testing.T) {
	fit := 0
	for seed := range uint64(1000) {
		p := packtest.Tiny(seed)
		p.Spares = 0
		cost, ok := packtest.Optimum(p)
		for _, r := range Compare(p) {
			if !r.Fits {
				continue
			}
			if fit++; !ok || r.Cost < cost {
				t.Errorf("seed %d: %s holds everything for %d, where the optimum is %d, %v", seed, r.Name, r.Cost, cost, ok)
			}
		}
	}
	if fit < 1000 {
		t.Errorf("only %d fit: the test says little", fit)
	}
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// A million pods of 50 kinds; the peer in the run is first fit, the simplest.
func BenchmarkMillionPods(b *testing.B) {
	p := packtest.Random(packtest.Shape{Items: 50, Dims: 4, Kinds: 8, Pods: 1_000_000}, 1)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"FFD", func() { FFD(p) }},
		{"Karpenter", func() { Karpenter(p) }},
		{"ClusterAutoscaler", func() { ClusterAutoscaler(p, LeastWaste) }},
		{"Sizer", func() { Sizer(p) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
		})
	}
}
