package certify

import (
	"os"
	"strings"
	"testing"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/packtest"
)

// ocp94 is a packing of the OCP 9.4 table on the document's 4-core nodes, with
// its proof: a core is worth a quarter of a node. 550 cores over 4 are 137.5.
func ocp94() (pack.Problem, pack.Solution) {
	p := packtest.OCP94(4, 16, 0, 0)
	const apache, node, postgresql, jboss = 0, 1, 2, 3
	s := pack.Solution{
		Patterns: []pack.Pattern{
			{Items: []pack.Stack{{Item: postgresql, Count: 2}}, Copies: 50},
			{Items: []pack.Stack{{Item: node, Count: 4}}, Copies: 50},
			{Items: []pack.Stack{{Item: jboss, Count: 4}}, Copies: 25},
			{Items: []pack.Stack{{Item: apache, Count: 8}}, Copies: 13}, // 104 places for 100
		},
		Nodes: []int64{138}, Cost: 138, Optimal: true,
		Bound: pack.Bound{Cost: 138, Nodes: 138, Method: "linear"},
		Certificate: pack.Certificate{Scale: 4000, Prices: []int64{500, 1000, 2000, 1000}, Bound: 138,
			Proofs: []pack.Proof{{Weights: []int64{1, 0, 0}, Unit: 1}}},
	}
	return p, s
}

func TestProvenByHand(t *testing.T) {
	p, s := ocp94()
	if faults := Check(p, s); faults != nil {
		t.Errorf("a packing that is optimal by the document's own totals: %q", faults)
	}
}

// With 500 millicores and 25 % of the memory reserved, 3.5 cores are left: three
// of the items with 1 core, or one with 2 and one with 1, and half a core for
// apache at most. So (300 + 2 x 100)/3 = 166.7 nodes are needed, though the
// totals divided say 158.
func TestProvenByCuts(t *testing.T) {
	p := packtest.OCP94(4, 16, 500, 4000)
	const apache, node, postgresql, jboss = 0, 1, 2, 3
	prices := []int64{0, 1, 2, 1}
	s := pack.Solution{
		Patterns: []pack.Pattern{
			{Items: []pack.Stack{{Item: postgresql, Count: 1}, {Item: node, Count: 1}, {Item: apache, Count: 1}}, Copies: 100},
			{Items: []pack.Stack{{Item: node, Count: 3}}, Copies: 33},
			{Items: []pack.Stack{{Item: node, Count: 1}, {Item: jboss, Count: 2}}, Copies: 1},
			{Items: []pack.Stack{{Item: jboss, Count: 3}}, Copies: 33},
		},
		Nodes: []int64{167}, Cost: 167, Optimal: true,
		Bound:       pack.Bound{Cost: 167, Nodes: 167, Method: "patterns"},
		Certificate: certificate(p, make([]int64, 4), 3, prices, 1),
	}
	if faults := Check(p, s); faults != nil {
		t.Errorf("got %q", faults)
	}
	for i := range prices {
		prices[i]++
		if Check(p, s) == nil {
			t.Errorf("the price of %s raised by one unit is accepted", p.Items[i].Name)
		}
		prices[i]--
	}
}

// One cheap node in stock, the others three times as dear: the fourth item of
// half a node makes 1 + 3. What one more cheap node would save is 2.
func TestStockHasAPrice(t *testing.T) {
	c := packtest.Small()[5]
	s := pack.Solution{
		Patterns: []pack.Pattern{
			{Node: 0, Items: []pack.Stack{{Item: 0, Count: 2}}, Copies: 1},
			{Node: 1, Items: []pack.Stack{{Item: 0, Count: 2}}, Copies: 1},
		},
		Nodes: []int64{1, 1}, Cost: 4, Optimal: true, Bound: pack.Bound{Cost: 4, Nodes: 2},
		Certificate: pack.Certificate{Scale: 2, Prices: []int64{3}, Stock: []int64{4, 0}, Bound: 4,
			Proofs: []pack.Proof{{Weights: []int64{0}, Unit: 1}, {Weights: []int64{0}, Unit: 1}}},
	}
	if faults := Check(c.Problem, s); faults != nil {
		t.Errorf("got %q", faults)
	}
	for name, change := range map[string]func(){
		"a price raised":          func() { s.Certificate.Prices[0]++ },
		"the stock's price less":  func() { s.Certificate.Stock[0]-- },
		"the stock's price more":  func() { s.Certificate.Stock[0] += 20 }, // by 2, still no numbers of nodes for 3 do
		"more than there is":      func() { s.Nodes = []int64{2, 0}; s.Cost = 2; s.Patterns[1].Node = 0 },
		"the stock's price twice": func() { s.Certificate.Stock = []int64{4, 4} },
	} {
		before := s
		before.Certificate.Prices, before.Certificate.Stock = []int64{3}, []int64{4, 0}
		before.Patterns = append([]pack.Pattern{}, s.Patterns...)
		if change(); Check(c.Problem, s) == nil {
			t.Errorf("%s: is accepted", name)
		}
		s = before
	}
}

// What the stock leaves over is the solver's choice, but no node may be unused.
func TestLeftOver(t *testing.T) {
	c := packtest.Small()[5]
	c.Problem.Nodes[1].Stock = 0
	s := pack.Solution{
		Patterns: []pack.Pattern{{Node: 0, Items: []pack.Stack{{Item: 0, Count: 2}}, Copies: 1}},
		Nodes:    []int64{1, 0}, Cost: 1, Left: []int64{2}, Optimal: true, Bound: pack.Bound{Cost: 1, Nodes: 1},
		Certificate: pack.Certificate{Scale: 2, Prices: []int64{1}, Bound: 1,
			Proofs: []pack.Proof{{Weights: []int64{0}, Unit: 1}, {Weights: []int64{0}, Unit: 1}}},
	}
	if faults := Check(c.Problem, s); faults != nil {
		t.Errorf("got %q", faults)
	}
	c.Problem.Nodes[1].Stock = 1
	if Check(c.Problem, s) == nil {
		t.Error("items left over though a node is there are accepted")
	}
}

// Items of half a node in zones: where one of three may be lost, each holds half
// of them on whole nodes, so all together cost at least 3/2 of what the items cost.
func TestZones(t *testing.T) {
	problem := func(items int64, zones int, survive bool) pack.Problem {
		return pack.Problem{Nodes: []pack.NodeType{{Capacity: []int64{10}, Cost: 3, Stock: -1}},
			Items: []pack.Item{{Count: items, Need: []int64{5}}}, Zones: zones, SurviveZoneLoss: survive}
	}
	solution := func(nodes, bound int64) pack.Solution {
		return pack.Solution{
			Patterns: []pack.Pattern{{Items: []pack.Stack{{Item: 0, Count: 2}}, Copies: nodes}},
			Nodes:    []int64{nodes}, Cost: 3 * nodes, Optimal: 3*nodes == bound,
			Bound: pack.Bound{Cost: bound, Nodes: bound / 3, GapCost: 3*nodes - bound, GapNodes: nodes - bound/3,
				Gap: float64(3*nodes-bound) / float64(3*nodes)},
			Certificate: pack.Certificate{Scale: 2, Prices: []int64{3}, Bound: bound,
				Proofs: []pack.Proof{{Weights: []int64{0}, Unit: 1}}},
		}
	}
	for _, c := range []struct {
		name string
		p    pack.Problem
		s    pack.Solution
		want string
	}{
		{"two zones", problem(4, 2, false), solution(2, 6), ""},
		{"two zones, one may be lost", problem(4, 2, true), solution(4, 12), ""},
		{"three zones, one may be lost", problem(4, 3, true), solution(3, 9), ""},
		{"a node and a half for each zone", problem(6, 3, true), solution(6, 18), ""},
		{"an odd item", problem(5, 2, false), solution(4, 9), ""},
		{"an odd item without room", problem(5, 2, false), solution(2, 9), "there is room for 4, where it takes 6"},
		{"no room when one is lost", problem(4, 2, true), solution(2, 12), "there is room for 4, where it takes 8"},
		{"uneven zones", problem(4, 3, true), solution(4, 9), "4 copies in 3 zones"},
		{"too high", problem(4, 3, true), solution(6, 12), "certificate.bound: 12, where the prices prove 9"},
	} {
		if got := strings.Join(Check(c.p, c.s), "\n"); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Three items of half a node, one of each kind, take two nodes, wherever they are: with one in each
// of three zones any two of them do, and a bound of one and a half nodes in two zones says so.
func TestZonesTogether(t *testing.T) {
	problem := func() pack.Problem {
		one := pack.Item{Count: 1, Need: []int64{5}}
		return pack.Problem{Nodes: []pack.NodeType{{Capacity: []int64{10}, Cost: 3, Stock: 3}},
			Items: []pack.Item{one, one, one}, Zones: 3, SurviveZoneLoss: true}
	}
	solution := func() pack.Solution {
		return pack.Solution{Together: true, Nodes: []int64{3}, Cost: 9, Optimal: true, Bound: pack.Bound{Cost: 9, Nodes: 3},
			Patterns: []pack.Pattern{{Items: []pack.Stack{{Item: 0, Count: 1}, {Item: 1, Count: 1}}, Copies: 1},
				{Items: []pack.Stack{{Item: 2, Count: 1}}, Copies: 1}},
			Certificate: pack.Certificate{Scale: 2, Prices: []int64{3, 3, 3}, Bound: 9,
				Proofs: []pack.Proof{{Weights: []int64{3}, Unit: 5}}}}
	}
	for _, c := range []tampering{
		{"as it is", func(_ *pack.Problem, _ *pack.Solution) {}, ""},
		{"a node that may fail", func(p *pack.Problem, s *pack.Solution) {
			p.Spares = 1 // the lost zone's stands in for it
			s.Certificate.Spares = []pack.SpareProof{{Dearest: 3, Certificate: s.Certificate, Bound: 9}}
			s.Certificate.Spares[0].Certificate.Bound = 6
		}, ""},
		{"two nodes that may fail", func(p *pack.Problem, _ *pack.Solution) { p.Spares = 2 },
			"patterns[0]: 1 nodes can take the place of its node, not 2"},
		{"not together", func(_ *pack.Problem, s *pack.Solution) { s.Together = false }, "1 copies in 3 zones"},
		{"not together, with copies for all zones", func(_ *pack.Problem, s *pack.Solution) {
			s.Together, s.Patterns = false, s.Patterns[:1]
			s.Patterns[0].Copies = 3
		}, "items[2] \"\": there is room for 0, where it takes 3"},
		{"no zone may be lost", func(p *pack.Problem, _ *pack.Solution) { p.SurviveZoneLoss = false },
			"together: is said where no zone may be lost"},
		{"no zones", func(p *pack.Problem, _ *pack.Solution) { p.SurviveZoneLoss, p.Zones = false, 0 },
			"together: is said where no zone may be lost"},
		{"without the zone that may be lost", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[0], s.Cost = 2, 6 },
			"nodes[0]: 2 of kind \"\", where patterns and spares have 3"},
		{"with a node that nobody fills", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[0], s.Cost = 4, 12 },
			"nodes[0]: 4 of kind \"\", where patterns and spares have 3"},
		{"with an uneven spare", func(_ *pack.Problem, s *pack.Solution) { s.Spares = []int64{1} },
			"nodes[0]: 3 of kind \"\", where patterns and spares have 4"},
		{"a third node of three zones", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[1].Copies = 2 },
			"nodes[0]: 3 of kind \"\", where patterns and spares have 6"},
		{"an item without place", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Items = s.Patterns[0].Items[:1] },
			"items[1] \"\": there is room for 0, where it takes 1"},
		{"less in stock", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[0].Stock = 2 }, "where the stock is 2"},
		{"too high", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Bound = 12 },
			"certificate.bound: 12, where the prices prove 9"},
	} {
		p, s := problem(), solution()
		c.change(&p, &s)
		if got := strings.Join(Check(p, s), "\n"); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A spare of the small kind or of the large one: two cases, and the least counts.
func TestLeastCaseOfSpares(t *testing.T) {
	p := packtest.Small()[12].Problem
	flat := pack.Proof{Weights: []int64{0}, Unit: 1}
	ce := pack.Certificate{Scale: 1, Prices: []int64{3}, Bound: 3, Proofs: []pack.Proof{flat, flat}}
	s := pack.Solution{
		Patterns: []pack.Pattern{{Node: 1, Items: []pack.Stack{{Item: 0, Count: 1}}, Copies: 1}},
		Nodes:    []int64{0, 2}, Spares: []int64{0, 1}, Cost: 6, Optimal: true, Bound: pack.Bound{Cost: 6, Nodes: 2},
		Certificate: ce,
	}
	s.Certificate.Spares = []pack.SpareProof{{Dearest: 3, Certificate: ce, Bound: 6},
		{Dearest: 5, Certificate: ce, Bound: 8}}
	if faults := Check(p, s); faults != nil {
		t.Errorf("got %q", faults)
	}
	s.Patterns[0].Node, s.Nodes, s.Spares, s.Cost = 0, []int64{1, 1}, []int64{0, 1}, 8
	s.Bound, s.Optimal = pack.Bound{Cost: 8, Nodes: 2}, true
	if got := strings.Join(Check(p, s), "\n"); !strings.Contains(got, "bound.cost: 8, where 6 is proven") {
		t.Errorf("the dearer case's bound: got %q", got)
	}
}

// The certificate's checker is as short as is promised.
func TestUnderAHundredLines(t *testing.T) {
	for _, name := range []string{"certificate.go", "box.go", "counts.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		if lines >= 100 {
			t.Errorf("%s has %d lines of code; less than 100 are promised", name, lines)
		}
	}
}
