package hint_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/kubelet/hint"
)

// offer is one hint; lists of them are what providers say.
type offer struct {
	mask      hint.Mask
	preferred bool
}

// opinion is nil for no opinion, empty for nothing possible.
type opinion []offer

// product is the topology manager's own way: every combination of one hint per
// list is weighed (pkg/kubelet/cm/topologymanager/policy.go).
func product(lists []opinion, r hint.Rules) hint.Result {
	var all [][]offer
	for _, l := range lists {
		switch {
		case l == nil:
			l = opinion{{0, true}} // mask 0 stands for "any"
		case len(l) == 0:
			l = opinion{{0, false}}
		}
		if r.Policy == hint.SingleNUMANode {
			kept := opinion{}
			for _, o := range l {
				if o.preferred && bits.OnesCount64(o.mask) <= 1 {
					kept = append(kept, o)
				}
			}
			l = kept
		}
		all = append(all, l)
	}
	need := 0
	for _, l := range all {
		least := 0
		for _, o := range l {
			if n := bits.OnesCount64(o.mask); n > 0 && (least == 0 || n < least) {
				least = n
			}
		}
		need = max(need, least)
	}
	best, found := offer{r.Nodes, false}, false
	var walk func(i int, mask, same hint.Mask, preferred bool)
	walk = func(i int, mask, same hint.Mask, preferred bool) {
		if i == len(all) {
			if mask != 0 && (!found || better(offer{mask, preferred}, best, need, r)) {
				best, found = offer{mask, preferred}, true
			}
			return
		}
		for _, o := range all[i] {
			m, s, p := mask, same, preferred && o.preferred
			if o.mask != 0 {
				m &= o.mask
				if s == 0 {
					s = o.mask
				}
				p = p && s == o.mask
			}
			walk(i+1, m, s, p)
		}
	}
	walk(0, r.Nodes, 0, true)
	if r.Policy == hint.SingleNUMANode && best.mask == r.Nodes {
		best.mask = 0
	}
	return hint.Result{Affinity: best.mask, Preferred: best.preferred,
		Admit: best.preferred || r.Policy == hint.BestEffort}
}

// better follows the cases of HintMerger.compare.
func better(a, best offer, need int, r hint.Rules) bool {
	if a.preferred != best.preferred {
		return a.preferred
	}
	na, nb := bits.OnesCount64(a.mask), bits.OnesCount64(best.mask)
	switch {
	case a.preferred, nb > need, na == need && nb == need, na == nb:
		return fitter(a.mask, best.mask, r)
	case nb == need, na > need:
		return false
	}
	return na > nb
}

func fitter(a, b hint.Mask, r hint.Rules) bool {
	na, nb := bits.OnesCount64(a), bits.OnesCount64(b)
	if na != nb {
		return na < nb
	}
	if r.Distances != nil && r.Policy != hint.SingleNUMANode {
		if ma, mb := mean(a, r), mean(b, r); ma != mb {
			return ma < mb
		}
	}
	return a < b
}

func mean(mask hint.Mask, r hint.Rules) float64 {
	sum, count := 0.0, 0.0
	for i := range r.Distances {
		for j := range r.Distances {
			if mask>>i&1 == 1 && mask>>j&1 == 1 {
				sum += float64(r.Distances[i][j])
				count++
			}
		}
	}
	return sum / count
}

// drawLists makes lists over a part of the machine's nodes.
func drawLists(t *rapid.T, nodes hint.Mask) []opinion {
	var masks []hint.Mask
	for m := nodes; m != 0; m = (m - 1) & nodes {
		masks = append(masks, m)
	}
	lists := make([]opinion, rapid.IntRange(1, 4).Draw(t, "lists"))
	for i := range lists {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		if kind == 0 {
			continue
		}
		lists[i] = opinion{}
		if kind == 1 {
			continue
		}
		least := rapid.IntRange(0, 2).Draw(t, "least") // as providers do: those of the least size
		for _, m := range masks {
			if rapid.Bool().Draw(t, "listed") {
				preferred := bits.OnesCount64(m) == least
				if least == 0 {
					preferred = rapid.Bool().Draw(t, "preferred")
				}
				lists[i] = append(lists[i], offer{m, preferred})
			}
		}
	}
	return lists
}

func drawRules(t *rapid.T, n int) hint.Rules {
	r := hint.Rules{Policy: hint.Policy(rapid.IntRange(1, 3).Draw(t, "policy")), Nodes: 1<<n - 1}
	if rapid.Bool().Draw(t, "closest") {
		r.Distances = make([][]int, n)
		for i := range r.Distances {
			r.Distances[i] = make([]int, n)
			for j := range n {
				r.Distances[i][j] = rapid.SampledFrom([]int{10, 11, 12, 20, 21, 31}).Draw(t, "distance")
			}
		}
	}
	return r
}

func merge(m *hint.Merger, lists []opinion, nodes hint.Mask, r hint.Rules) hint.Result {
	m.Reset(nodes)
	for _, l := range lists {
		if l == nil {
			continue
		}
		list := m.List()
		for _, o := range l {
			list.Add(o.mask, o.preferred)
		}
	}
	return m.Merge(r)
}

// TestMergeIsTheProduct compares with the kubelet's own way, on machines of up
// to four nodes and four resources.
func TestMergeIsTheProduct(t *testing.T) {
	var m hint.Merger
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "nodes")
		r := drawRules(t, n)
		for range 1000 {
			nodes := rapid.Uint64Range(1, r.Nodes).Draw(t, "named") // as devices, which stand on some nodes
			lists := drawLists(t, nodes)
			if got, want := merge(&m, lists, nodes, r), product(lists, r); got != want {
				t.Fatalf("%+v of %v: got %+v, the kubelet says %+v", r, lists, got, want)
			}
		}
	})
}

func TestMergeIsTheProductOnSixNodes(t *testing.T) {
	var m hint.Merger
	rapid.Check(t, func(t *rapid.T) {
		r := drawRules(t, 6)
		lists := drawLists(t, r.Nodes)
		lists = lists[:min(3, len(lists))]
		if got, want := merge(&m, lists, r.Nodes, r), product(lists, r); got != want {
			t.Fatalf("%+v of %v: got %+v, the kubelet says %+v", r, lists, got, want)
		}
	})
}

// Eight nodes are more than a word has bits for; two lists of a few sets are
// still quickly multiplied out.
func TestMergeIsTheProductOnEightNodes(t *testing.T) {
	var m hint.Merger
	rapid.Check(t, func(t *rapid.T) {
		r := drawRules(t, 8)
		var lists []opinion
		for range rapid.IntRange(1, 3).Draw(t, "lists") {
			l := opinion{}
			for _, mask := range rapid.SliceOfNDistinct(rapid.Uint64Range(1, r.Nodes), 1, 30, rapid.ID[uint64]).Draw(t,
				"masks") {
				l = append(l, offer{mask, rapid.Bool().Draw(t, "preferred")})
			}
			lists = append(lists, l)
		}
		if got, want := merge(&m, lists, r.Nodes, r), product(lists, r); got != want {
			t.Fatalf("%+v of %v: got %+v, the kubelet says %+v", r, lists, got, want)
		}
	})
}

// Kinds of nothing (notes 1.3): no opinion is any node, preferred; an empty list
// is any node, not preferred.
func TestKindsOfNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		list   opinion
		policy hint.Policy
		want   hint.Result
	}{
		{"no opinion, restricted", nil, hint.Restricted, hint.Result{Affinity: 0b11, Preferred: true, Admit: true}},
		{"no opinion, single", nil, hint.SingleNUMANode, hint.Result{Preferred: true, Admit: true}},
		{"empty list, restricted", opinion{}, hint.Restricted, hint.Result{Affinity: 0b11}},
		{"empty list, best-effort", opinion{}, hint.BestEffort, hint.Result{Affinity: 0b11, Admit: true}},
		{"empty list, single", opinion{}, hint.SingleNUMANode, hint.Result{}},
	} {
		var m hint.Merger
		if got := merge(&m, []opinion{c.list}, 0b11, hint.Rules{Policy: c.policy, Nodes: 0b11}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
	var m hint.Merger
	if got := merge(&m, nil, 0b11, hint.Rules{Nodes: 0b11}); got != (hint.Result{Admit: true}) {
		t.Errorf("policy none: got %+v, want no affinity and admitted", got)
	}
}

func TestCombinations(t *testing.T) {
	var m hint.Merger
	m.Reset(0xff)
	for range 4 {
		l := m.List()
		for mask := hint.Mask(1); mask < 256; mask++ {
			l.Add(mask, mask&(mask-1) == 0)
		}
	}
	if got, want := m.Combinations(), uint64(255*255*255*255); got != want {
		t.Errorf("four lists of 255: got %d, want %d", got, want)
	}
}

// BenchmarkMerge sets the merge of four resources on four nodes against the
// product; on eight nodes the product has 4 thousand million combinations.
func BenchmarkMerge(b *testing.B) {
	full := func(n int) (lists []opinion) {
		for size := 1; size <= 4; size++ {
			l := opinion{}
			for mask := hint.Mask(1); mask < 1<<n; mask++ {
				l = append(l, offer{mask, bits.OnesCount64(mask) == size})
			}
			lists = append(lists, l)
		}
		return lists
	}
	var m hint.Merger
	for _, n := range []int{2, 4, 8} {
		r := hint.Rules{Policy: hint.Restricted, Nodes: 1<<n - 1}
		lists := full(n)
		b.Run("merge/"+string(rune('0'+n)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				merge(&m, lists, r.Nodes, r)
			}
		})
		if n <= 4 {
			b.Run("product/"+string(rune('0'+n)), func(b *testing.B) {
				for b.Loop() {
					product(lists, r)
				}
			})
		}
	}
}
