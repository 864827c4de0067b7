package fit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// ocp94 is the pod table of OCP 9.4: millicores, megabytes, pods.
func ocp94() []Item {
	need := func(cpu, mem float64) Vec { return Vec{int64(cpu * 1000), int64(mem), 1} }
	return []Item{
		{Name: "apache", Count: 100, Need: need(0.5, 500)},
		{Name: "node.js", Count: 200, Need: need(1, 1000)},
		{Name: "postgresql", Count: 100, Need: need(2, 1000)},
		{Name: "jboss-eap", Count: 100, Need: need(1, 1000)},
	}
}

// The document's three node options hold its pods only at 1.375 times their CPU.
func TestDocumentsNodeOptions(t *testing.T) {
	for _, c := range []struct {
		cpus, memory   int64
		bare, reserved int
		at1375         int
	}{{4, 16, 138, 167, 100}, {8, 32, 69, 74, 50}, {16, 64, 35, 36, 25}} {
		t.Run(fmt.Sprintf("%d CPUs", c.cpus), func(t *testing.T) {
			nodes := func(factor float64, reserve int64) int {
				cpu := int64(float64(c.cpus*1000-reserve) * factor)
				p := Best(ocp94(), []Bin{{Cap: Vec{cpu, c.memory * 1000, 250}, Count: Unlimited}})
				if len(p.Left) > 0 {
					t.Fatalf("left: %v", p.Left)
				}
				return p.Nodes
			}
			if got := [3]int{nodes(1, 0), nodes(1, 500), nodes(1.375, 0)}; got != [3]int{c.bare, c.reserved, c.at1375} {
				t.Errorf("nodes without reserve, with 500m reserve, at factor 1.375: got %v, want %v", got,
					[3]int{c.bare, c.reserved, c.at1375})
			}
		})
	}
}

func TestWhatFindsNoPlace(t *testing.T) {
	bins := []Bin{{Cap: Vec{4, 100}, Count: 2}, {Cap: Vec{8, 50}, Count: 1}}
	items := []Item{
		{Name: "too much memory", Count: 1, Need: Vec{1, 101}},
		{Name: "nowhere allowed", Count: 3, Need: Vec{1, 1}, On: []bool{false, false}},
		{Name: "one a node", Count: 5, Need: Vec{1, 1}, MaxPerNode: 1},
	}
	got := Pack(items, bins, []int{0, 1, 2})
	want := []Left{{Item: 0, Count: 1, Resource: 1}, {Item: 1, Count: 3, Resource: -2}, {Item: 2, Count: 2, Resource: -1}}
	if d := cmp.Diff(want, got.Left); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
	if got.Nodes != 3 {
		t.Errorf("nodes: got %d, want 3", got.Nodes)
	}
}

func TestFloorNamesTheResource(t *testing.T) {
	n, by := FloorBy(ocp94(), []Bin{{Cap: Vec{4000, 16000, 250}, Count: Unlimited}})
	if n != 138 || by != 0 {
		t.Errorf("got %d by %d, want 138 by resource 0 (550 cores over 4)", n, by)
	}
	n, by = FloorBy([]Item{{Count: 7, Need: Vec{1}, MaxPerNode: 2}}, []Bin{{Cap: Vec{100}, Count: Unlimited}})
	if n != 4 || by != -1 {
		t.Errorf("got %d by %d, want 4 by MaxPerNode", n, by)
	}
}

// naive is first fit one pod at a time on a plain list of nodes.
func naive(items []Item, bins []Bin, order []int) (used []Vec, left map[int]int) {
	type node struct {
		bin   int
		free  Vec
		holds map[int]int
	}
	var nodes []*node
	unused := make([]int, len(bins))
	for b := range bins {
		unused[b] = bins[b].Count
	}
	left = map[int]int{}
	fits := func(n *node, i int) bool {
		it := items[i]
		if it.On != nil && !it.On[n.bin] || it.MaxPerNode > 0 && n.holds[i] >= it.MaxPerNode {
			return false
		}
		for d, need := range it.Need {
			if need > n.free[d] {
				return false
			}
		}
		return true
	}
	put := func(n *node, i int) {
		n.holds[i]++
		for d, need := range items[i].Need {
			n.free[d] -= need
		}
	}
	for _, i := range order {
	pods:
		for range items[i].Count {
			for _, n := range nodes {
				if fits(n, i) {
					put(n, i)
					continue pods
				}
			}
			for b := range bins {
				n := &node{bin: b, free: append(Vec{}, bins[b].Cap...), holds: map[int]int{}}
				if unused[b] != 0 && fits(n, i) {
					unused[b]--
					nodes = append(nodes, n)
					put(n, i)
					continue pods
				}
			}
			left[i]++
		}
	}
	for _, n := range nodes {
		used = append(used, n.free)
	}
	return used, left
}

// Packing by counting leaves the very same room on the very same nodes as
// placing pod by pod.
func TestCountingEqualsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(1, 3).Draw(t, "dims")
		vec := func(lo, hi int64, name string) Vec {
			v := make(Vec, dims)
			for d := range v {
				v[d] = rapid.Int64Range(lo, hi).Draw(t, name)
			}
			return v
		}
		bins := make([]Bin, rapid.IntRange(1, 3).Draw(t, "bins"))
		for b := range bins {
			bins[b] = Bin{Cap: vec(0, 20, "cap"), Count: rapid.IntRange(0, 6).Draw(t, "count")}
		}
		if rapid.Bool().Draw(t, "unlimited") {
			bins[len(bins)-1].Count = Unlimited
		}
		items := make([]Item, rapid.IntRange(1, 6).Draw(t, "items"))
		order := make([]int, len(items))
		for i := range items {
			order[i] = i
			items[i] = Item{Count: rapid.IntRange(0, 15).Draw(t, "n"), Need: vec(0, 8, "need"),
				MaxPerNode: rapid.IntRange(0, 3).Draw(t, "most")}
			// Something must bound the pods of a node, or one node takes all.
			items[i].Need[0] = max(1, items[i].Need[0])
			if rapid.Bool().Draw(t, "picky") {
				items[i].On = make([]bool, len(bins))
				for b := range bins {
					items[i].On[b] = rapid.Bool().Draw(t, "on")
				}
			}
		}
		compareWithNaive(t, items, bins, order)
	})
}

// So it does with more different nodes than one stretch holds.
func TestManyTypesEqualOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		bins := []Bin{{Cap: Vec{400, 200}, Count: 5 * longest}, {Cap: Vec{300, 900}, Count: Unlimited}}
		items := make([]Item, 4*longest)
		order := make([]int, len(items))
		for i := range items {
			order[i] = i
			items[i] = Item{Count: r.IntN(9), Need: Vec{1 + r.Int64N(200), r.Int64N(200)}, MaxPerNode: r.IntN(3)}
			if r.IntN(5) == 0 {
				items[i].On = []bool{r.IntN(2) == 0, true}
			}
		}
		compareWithNaive(t, items, bins, order)
	})
}

func compareWithNaive(t *rapid.T, items []Item, bins []Bin, order []int) {
	got := Pack(items, bins, order)
	wantFree, wantLeft := naive(items, bins, order)
	var gotFree []Vec
	for _, g := range got.Groups {
		for range g.Nodes {
			gotFree = append(gotFree, g.Free)
		}
	}
	if d := cmp.Diff(wantFree, gotFree); d != "" {
		t.Fatalf("free room per node (-one by one +counted):\n%s", d)
	}
	gotLeft := map[int]int{}
	for _, l := range got.Left {
		gotLeft[l.Item] += l.Count
	}
	if d := cmp.Diff(wantLeft, gotLeft); d != "" {
		t.Fatalf("left (-one by one +counted):\n%s", d)
	}
	if len(got.Left) == 0 && len(bins) == 1 && got.Nodes < Floor(items, bins) {
		t.Fatalf("%d nodes are below the floor %d", got.Nodes, Floor(items, bins))
	}
	checkContents(t, items, bins, got)
}

// checkContents recounts every node from what it holds.
func checkContents(t *rapid.T, items []Item, bins []Bin, p Packing) {
	for _, g := range p.Groups {
		free := append(Vec{}, bins[g.Bin].Cap...)
		for h := g.Holds; h != nil; h = h.Next {
			for d, need := range items[h.Item].Need {
				free[d] -= need * int64(h.Each)
			}
		}
		if d := cmp.Diff(free, g.Free); d != "" {
			t.Fatalf("contents and free room disagree:\n%s", d)
		}
	}
}
