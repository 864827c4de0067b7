package certify_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/certify"
	"plimsoll.dev/pack/packtest"
	"plimsoll.dev/pack/peer"
)

// Of small clouds nearly all are proven, and no rule buys any for less.
func TestSmallCloudsAreProven(t *testing.T) {
	const clouds = 60
	proven := 0
	for seed := range uint64(clouds) {
		p := packtest.Cloud(seed)
		s := solvedNoDearer(t, p, seed, pack.Options{Start: peer.Packings})
		if s.Optimal {
			proven++
		} else {
			t.Logf("seed %d: cost %d, bound %d, %v nodes of %d types, effort %d", seed, s.Cost, s.Bound.Cost, s.Nodes,
				len(p.Items), s.Effort)
		}
	}
	if proven*100 < clouds*95 {
		t.Errorf("%d of %d are proven, not 95 %%", proven, clouds)
	}
}

// Each inequality of the counts is needed, and they prove no more than they say.
func TestCountsAreNeeded(t *testing.T) {
	seen := 0
	for seed := range uint64(40) {
		p := packtest.Cloud(seed)
		s, err := pack.Solve(p, pack.Options{Start: peer.Packings})
		if err != nil {
			t.Fatal(err)
		}
		counts := s.Certificate.Counts
		for j := range counts {
			seen++
			s.Certificate.Counts = slices.Delete(slices.Clone(counts), j, j+1)
			if certify.Check(p, s) == nil {
				t.Errorf("seed %d: without counts[%d] it is accepted, too", seed, j)
			}
			s.Certificate.Counts = slices.Clone(counts)
			s.Certificate.Counts[j].Prices = slices.Clone(counts[j].Prices)
			for i := range s.Certificate.Counts[j].Prices {
				s.Certificate.Counts[j].Prices[i] *= 2
			}
			if certify.Check(p, s) == nil {
				t.Errorf("seed %d: with the prices of counts[%d] doubled it is accepted", seed, j)
			}
		}
		s.Certificate.Counts = counts
		if s.Certificate.Bound++; certify.Check(p, s) == nil {
			t.Errorf("seed %d: a higher bound is accepted", seed)
		}
	}
	if seen < 20 {
		t.Errorf("only %d inequalities", seen)
	}
}

// No bound of zones, any of which may be lost, is above the optimum that trying everything
// finds, and what is proven is the optimum.
func TestZonesAgainstOptimum(t *testing.T) {
	solved, all := 0, 0
	for seed := range uint64(400) {
		p := packtest.Tiny(seed)
		p.Zones, p.SurviveZoneLoss, p.Spares = 2+int(seed%3), true, 0
		if s, ok := againstOptimum(t, seed, p, pack.Options{}); ok {
			if all++; s.Optimal {
				solved++
			} else if optimum, _ := packtest.Optimum(p); s.Cost > optimum {
				t.Errorf("seed %d: cost %d, where the optimum is %d", seed, s.Cost, optimum)
			}
		}
	}
	if t.Logf("%d of %d are proven", solved, all); solved*100 < all*98 {
		t.Errorf("%d of %d tiny problems with zones are proven, not 98 %%", solved, all)
	}
}

// againstOptimum holds the cost and the bound of a tiny problem against the optimum that trying
// everything finds; ok is false where it has no answer without leaving something over.
func againstOptimum(t *testing.T, seed uint64, p pack.Problem, o pack.Options) (s pack.Solution, ok bool) {
	t.Helper()
	s, err := pack.Solve(p, o)
	if err != nil || slices.ContainsFunc(s.Left, func(n int64) bool { return n > 0 }) {
		return s, false
	}
	if faults := certify.Check(p, s); faults != nil {
		t.Fatalf("seed %d: %v", seed, faults)
	}
	optimum, there := packtest.Optimum(p)
	if !there || s.Bound.Cost > optimum || s.Cost < optimum || s.Optimal && s.Cost > optimum {
		t.Errorf("seed %d: cost %d, bound %d, where the optimum is %d, %v", seed, s.Cost, s.Bound.Cost, optimum, there)
	}
	return s, true
}

// What has an answer with spares gets one, also where the stock of some kind has none to
// spare; but for the few whose nodes would have to be filled anew after each failure, where
// spares take the place of nodes as they are.
func TestSparesAreFound(t *testing.T) {
	seen, none := 0, 0
	for seed := range uint64(600) {
		p := packtest.Tiny(seed)
		p.Spares = 1 + int(seed%2)
		p.Nodes[0].Stock = int64(seed % 3)
		_, ok := packtest.Optimum(p)
		if !ok {
			continue
		}
		seen++
		s, err := pack.Solve(p, pack.Options{})
		if err != nil || slices.ContainsFunc(s.Left, func(n int64) bool { return n > 0 }) {
			t.Logf("seed %d: %v, left over %v", seed, err, s.Left)
			none++
		}
	}
	if seen < 100 || none*100 > seen {
		t.Errorf("%d of %d that have an answer get none", none, seen)
	}
}

// Where a zone has none of what is in stock, or a spare, the certificate is one all the same.
func TestStockBelowTheZones(t *testing.T) {
	seen := 0
	for seed := range uint64(600) {
		p := packtest.Tiny(seed)
		p.Zones, p.SurviveZoneLoss, p.Spares = 2+int(seed%3), seed%2 == 0, 1+int(seed%2)
		p.Nodes[0].Stock = int64(seed % 4)
		s, err := pack.Solve(p, pack.Options{})
		if err != nil {
			continue
		}
		seen++
		if faults := certify.Check(p, s); faults != nil {
			t.Errorf("seed %d: %v", seed, faults)
		}
	}
	if seen < 100 {
		t.Errorf("only %d have an answer", seen)
	}
}

// Two zones of 22.5 nodes are 12 nodes each, so three have 36, of which the 9 that the
// zones can share of ten are cheap.
func TestZonesAreCounted(t *testing.T) {
	p := pack.Problem{Nodes: []pack.NodeType{{Capacity: []int64{16, 64}, Cost: 300, Stock: 10},
		{Capacity: []int64{16, 64}, Cost: 768, Stock: -1}},
		Items:     []pack.Item{{Count: 120, Need: []int64{2, 6}}, {Count: 40, Need: []int64{3, 12}}},
		Resources: []string{"cpu", "memory"}, Zones: 3, SurviveZoneLoss: true}
	for _, p.Spares = range []int{0, 1} {
		s, err := pack.Solve(p, pack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if faults := certify.Check(p, s); faults != nil || s.Cost != 9*300+27*768 || !s.Optimal {
			t.Errorf("%d spares: cost %d, bound %d, %v", p.Spares, s.Cost, s.Bound.Cost, faults)
		}
	}
}

// No bound is above the optimum that trying everything finds, and what is proven is the optimum.
func TestCountsAgainstOptimum(t *testing.T) {
	solved, all := 0, 0
	for seed := range uint64(400) {
		p := packtest.Tiny(seed)
		if s, ok := againstOptimum(t, seed, p, pack.Options{Start: peer.Packings}); ok {
			if all++; s.Optimal || p.Spares > 0 {
				solved++
			}
		}
	}
	if solved*100 < all*98 {
		t.Errorf("%d of %d tiny problems are proven, not 98 %%", solved, all)
	}
}

// Costs near 2^53, and a kind in stock of which no zone has a node, so that an item is worth any amount in some case of
// the spares: the certificate is one all the same.
func TestHugeCostsAreCertified(t *testing.T) {
	p := pack.Problem{Resources: []string{"a", "b", "c"}, Spares: 3, Zones: 2, SurviveZoneLoss: true,
		Nodes: []pack.NodeType{{Capacity: []int64{8, 6, 4}, Cost: 5 << 49, Stock: 7},
			{Capacity: []int64{3, 5, 11}, Cost: 3 << 49, Stock: -1}, {Capacity: []int64{7, 8, 6}, Cost: 1 << 49, Stock: 1},
			{Capacity: []int64{8, 6, 4}, Cost: 5 << 49, Stock: 7}},
		Items: []pack.Item{{Count: 3, Need: []int64{0, 6, 6}}, {Count: 1, Need: []int64{1, 0, 0}},
			{Count: 1, Need: []int64{5, 2, 4}}}}
	s, err := pack.Solve(p, pack.Options{Effort: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	if faults := certify.Check(p, s); faults != nil {
		t.Error(faults)
	}
}

// Of hundreds of kinds, each with a cost of its own, the case of all has effort enough, and where there is none left
// no other rules are asked for packings: with those that were, it took some fifty seconds, and not one.
func TestSparesOfManyKindsKeepTheEffort(t *testing.T) {
	p := packtest.Random(packtest.Shape{Items: 10, Dims: 2, Kinds: 8, Pods: 60, Large: true}, 11)
	p.Zones, p.SurviveZoneLoss, p.Spares = 3, true, 1
	r := rand.New(rand.NewPCG(3, 5))
	for len(p.Nodes) < 400 {
		k := p.Nodes[r.IntN(8)]
		k.Cost += r.Int64N(k.Cost/4 + 1)
		k.Capacity = slices.Clone(k.Capacity)
		for d := range k.Capacity {
			k.Capacity[d] += r.Int64N(k.Capacity[d]/8 + 1)
		}
		p.Nodes = append(p.Nodes, k)
	}
	for k := range p.Nodes {
		if r.IntN(2) == 0 {
			p.Nodes[k].Stock = r.Int64N(40)
		}
	}
	searches := 0
	s, err := pack.Solve(p, pack.Options{Start: func(pack.Problem) [][]pack.Pattern { searches++; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if most := len(p.Nodes) / 4; searches > most || s.Bound.Gap > 0.2 {
		t.Errorf("%d times other rules are asked, more than %d, or the gap is large: %g", searches, most, s.Bound.Gap)
	}
}
