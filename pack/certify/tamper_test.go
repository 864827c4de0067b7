package certify

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/pack"
)

// mix is two kinds of node, one item too large for the small one, conflicts,
// stock and a spare, with what proves it: every rule has something to refuse.
//
//	large: 10, costs 6, stock 3      small: 4, costs 3
//	items 0: 2 of 6, large only      1: 4 of 2, excludes item 2      2: 2 of 2, one a node
//
// Packing: two large nodes with items 0 and one 1 each, wait for no one: item 1
// on a small node by two, item 2 on two small nodes; one large spare.
// Prices in a sixth: item 0 is worth 6, a large node alone; the others nothing.
func mix() (pack.Problem, pack.Solution) {
	p := pack.Problem{
		Resources: []string{"size"},
		Nodes: []pack.NodeType{{Name: "large", Capacity: []int64{10}, Cost: 6, Stock: 3},
			{Name: "small", Capacity: []int64{4}, Cost: 3, Stock: -1}},
		Items: []pack.Item{
			{Name: "big", Count: 2, Need: []int64{6}, On: []bool{true, false}},
			{Name: "little", Count: 4, Need: []int64{2}},
			{Name: "alone", Count: 2, Need: []int64{2}, MaxPerNode: 1},
		},
		Conflicts: [][2]int{{1, 2}},
		Spares:    1,
	}
	// A large node holds one of item 0, with two of 1 or one of 2; a small node two of 1 or one of 2.
	// In units of 1/2: item 0 is worth 6, item 1 is worth 3, item 2 is worth 6: large 12 = 2 x 6, small 6 = 2 x 3.
	prices := []int64{6, 3, 6}
	small := certificate(p, make([]int64, 3), 2, []int64{0, 3, 6}, 3)
	s := pack.Solution{
		Patterns: []pack.Pattern{
			{Node: 0, Items: []pack.Stack{{Item: 0, Count: 1}, {Item: 1, Count: 2}}, Copies: 2},
			{Node: 1, Items: []pack.Stack{{Item: 2, Count: 1}}, Copies: 2},
		},
		Nodes: []int64{3, 2}, Spares: []int64{1, 0}, Cost: 24,
		Bound: pack.Bound{Cost: 24, Nodes: 4, GapNodes: 1}, Optimal: true,
		Certificate: certificate(p, make([]int64, 3), 2, prices, 6),
	}
	small.Bound = 12
	s.Certificate.Spares = []pack.SpareProof{{Dearest: 6, Certificate: s.Certificate, Bound: 24}}
	return p, s
}

func TestMixIsProven(t *testing.T) {
	p, s := mix()
	if faults := Check(p, s); faults != nil {
		t.Errorf("got %q", faults)
	}
	if s.Certificate.Bound != 18 {
		t.Errorf("bound without the spare: got %d, want 18: (2x6 + 4x3 + 2x6)/2", s.Certificate.Bound)
	}
}

// tampering is a change, and what the checker must say of it.
type tampering struct {
	name   string
	change func(p *pack.Problem, s *pack.Solution)
	want   string
}

// leaf is the first box of a proof.
func leaf(p *pack.Proof) *pack.Proof {
	for p.Below != nil {
		p = p.Below
	}
	return p
}

var tamperings = []tampering{
	{"a price raised", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices[0]++ }, "may be worth"},
	{"another price raised", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices[1]++ }, "may be worth"},
	{"the last price raised", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices[2]++ }, "may be worth"},
	{"a price lowered", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices[0] -= 3 },
		"certificate.bound: 18, where the prices prove 15"},
	{"a price below nothing", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices[1] = -1 }, "negative"},
	{"a price left out", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Prices = s.Certificate.Prices[:2] },
		"missing"},
	{"the scale halved", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Scale = 1 }, "may be worth"},
	{"the scale doubled", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Scale = 4 }, "certificate.bound: 18"},
	{"no scale", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Scale = 0 }, "missing"},
	{"a negative scale", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Scale = -2 }, "negative"},
	{"the certificate's bound raised", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Bound = 21 },
		"certificate.bound: 21, where the prices prove 18"},
	{"the bound raised", func(_ *pack.Problem, s *pack.Solution) { s.Bound.Cost++; s.Bound.GapCost-- },
		"bound.cost: 25, where 24 is proven"},
	{"the bound of nodes raised", func(_ *pack.Problem, s *pack.Solution) { s.Bound.Nodes++; s.Bound.GapNodes-- },
		"bound.nodes: 5, where 4 is proven"},
	{"a negative bound", func(_ *pack.Problem, s *pack.Solution) { s.Bound.Cost = math.MinInt64 },
		"bound.cost and bound.nodes"},
	{"the gap made small", func(_ *pack.Problem, s *pack.Solution) { s.Bound.GapNodes = 0 }, "the gaps are not"},
	{"the share made small", func(_ *pack.Problem, s *pack.Solution) { s.Bound.Gap = -0.1 }, "the gaps are not"},
	{"a share that is none", func(_ *pack.Problem, s *pack.Solution) { s.Bound.Gap = math.NaN() }, "the gaps are not"},
	{"the case's bound raised", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Spares[0].Bound++ },
		"spares[0].bound: 25, where 24 is proven"},
	{"the case left out", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Spares = nil },
		"no case of spares that cost 6"},
	{"the case of another cost", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Spares[0].Dearest = 7 },
		"no case of spares that cost 6"},
	{"the proof of a case cut", func(_ *pack.Problem,
		s *pack.Solution) {
		s.Certificate.Spares[0].Certificate.Proofs = nil
	}, "missing"},
	{"a proof left out", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs = s.Certificate.Proofs[:1] },
		"missing"},
	{"a side of a cut left out", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].Above = nil },
		"is cut short"},
	{"the other side left out", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].Below = nil },
		"is cut short"},
	{"a proof emptied", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[1] = pack.Proof{} },
		"has no weights"},
	{"cuts moved below", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].At = -100 }, "may be worth"},
	{"a cut at the end of numbers", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].At = math.MaxInt64 },
		"may be worth"},
	{"an item that isn't", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].Item = 3 }, "cuts item 3"},
	{"a negative item", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].Item = -1 }, "cuts item -1"},
	{"cut and box in one", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Proofs[0].Weights = []int64{1} },
		"cuts item"},
	{"no unit", func(_ *pack.Problem, s *pack.Solution) { leaf(&s.Certificate.Proofs[0]).Unit = 0 }, "has no weights"},
	{"a negative unit", func(_ *pack.Problem, s *pack.Solution) { leaf(&s.Certificate.Proofs[0]).Unit = -1 },
		"has no weights"},
	{"a negative weight", func(_ *pack.Problem, s *pack.Solution) { leaf(&s.Certificate.Proofs[0]).Weights[0] = -1 },
		"has no weights"},
	{"a weight too many", func(_ *pack.Problem, s *pack.Solution) {
		l := leaf(&s.Certificate.Proofs[0])
		l.Weights = append(l.Weights, 0)
	}, "has no weights"},
	{"a giant weight", func(_ *pack.Problem, s *pack.Solution) {
		leaf(&s.Certificate.Proofs[0]).Weights[0] = math.MaxInt64
	}, "has no weights"},
	{"a stock price without stock", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Stock = []int64{0, 5} },
		"stock[1]: is a price"},
	{"a stock price for nothing", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Stock = []int64{5, 0} },
		"certificate.bound: 18, where the prices prove 12"},
	{"a negative stock price", func(_ *pack.Problem, s *pack.Solution) { s.Certificate.Stock = []int64{-5, 0} },
		"negative"},
	{"a price of what is not wanted", func(p *pack.Problem, s *pack.Solution) {
		p.Items = append(p.Items, pack.Item{Name: "none", Need: []int64{1}})
		s.Certificate.Prices = append(s.Certificate.Prices, 1)
	}, "certificate.prices[3]: is a price of what nobody wants"},
	{"rounded for one kind of two", func(_ *pack.Problem,
		s *pack.Solution) {
		s.Certificate.Rounded = make([][]pack.Rounding, 1)
	}, "rounded or proofs are missing"},
	{"rounded by nothing", func(_ *pack.Problem, s *pack.Solution) {
		s.Certificate.Rounded = [][]pack.Rounding{{{Of: []int64{1}}}, nil}
	}, "certificate.rounded[0]"},
	{"rounded by less than nothing", func(_ *pack.Problem, s *pack.Solution) {
		s.Certificate.Rounded = [][]pack.Rounding{nil, {{Of: []int64{1}, Divisor: -3}}}
	}, "certificate.rounded[1]"},
	{"rounded with a negative factor", func(_ *pack.Problem, s *pack.Solution) {
		s.Certificate.Rounded = [][]pack.Rounding{nil, {{Of: []int64{-1}, Divisor: 3}}}
	}, "certificate.rounded[1]"},
	{"rounded over too few dimensions", func(_ *pack.Problem, s *pack.Solution) {
		s.Certificate.Rounded = [][]pack.Rounding{nil, {{Divisor: 3}}}
	}, "certificate.rounded[1]"},
	{"rounded beyond all numbers", func(p *pack.Problem, s *pack.Solution) {
		p.Nodes[1].Capacity[0] = 1 << 53
		s.Certificate.Rounded = [][]pack.Rounding{nil, {{Of: []int64{1 << 53}, Divisor: 3}}}
	}, "certificate.rounded[1]"},
	{"rounded without a weight", func(_ *pack.Problem, s *pack.Solution) {
		s.Certificate.Rounded = [][]pack.Rounding{nil, {{Of: []int64{1}, Divisor: 3}}}
	}, "has no weights"},
	{"a node taken away", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[1]-- },
		"nodes[1]: 1 of kind \"small\", where patterns and spares have 2"},
	{"a node that nobody fills", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[1]++; s.Cost += 3 },
		"nodes[1]: 3 of kind \"small\", where patterns and spares have 2"},
	{"a node taken away, and its cost", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[1]--; s.Cost -= 3 }, "nodes[1]"},
	{"a copy taken away", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[1].Copies-- },
		"there is room for 1, where it takes 2"},
	{"a copy, a node and its cost taken away", func(_ *pack.Problem, s *pack.Solution) {
		s.Patterns[1].Copies--
		s.Nodes[1]--
		s.Cost -= 3
	}, "items[2] \"alone\": there is room for 1"},
	{"a negative copy", func(_ *pack.Problem, s *pack.Solution) {
		s.Patterns = append(s.Patterns, pack.Pattern{Node: 1, Copies: -1})
		s.Nodes[1]--
		s.Cost -= 3
	}, "patterns[2]: -1 copies"},
	{"copies that wrap", func(_ *pack.Problem, s *pack.Solution) {
		for range 4 {
			s.Patterns = append(s.Patterns, pack.Pattern{Node: 1, Items: s.Patterns[1].Items, Copies: 1 << 62})
		}
	}, "nodes[1]"},
	{"the spare taken away", func(_ *pack.Problem, s *pack.Solution) { s.Nodes[0]--; s.Spares[0]--; s.Cost -= 6 },
		"patterns[0]: 0 nodes can take the place of its node, not 1"},
	{"the spare made small", func(_ *pack.Problem, s *pack.Solution) {
		s.Nodes, s.Spares = []int64{2, 3}, []int64{0, 1}
		s.Cost = 21
	}, "patterns[0]: 0 nodes"},
	{"a negative spare", func(_ *pack.Problem, s *pack.Solution) { s.Spares[1] = -1; s.Nodes[1]-- },
		"spares: is not a count"},
	{"a cost made small", func(_ *pack.Problem, s *pack.Solution) { s.Cost-- }, "cost: 23, where the nodes cost 24"},
	{"a node kind that isn't", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Node = 2 },
		"there is no node kind 2"},
	{"a negative node kind", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Node = -1 },
		"there is no node kind -1"},
	{"an item on a pattern that isn't", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Items[0].Item = 3 },
		"item 3"},
	{"a stack twice", func(_ *pack.Problem, s *pack.Solution) {
		s.Patterns[1].Items = []pack.Stack{{Item: 2, Count: 1}, {Item: 2, Count: 1}}
	}, "twice"},
	{"a negative stack", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Items[1].Count = -2 }, "can't hold -2"},
	{"over the capacity", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[0].Items[1].Count = 3 },
		"has 10 of dimension 0, not 12"},
	{"over the capacity by one", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[0].Capacity[0] = 9 },
		"has 9 of dimension 0, not 10"},
	{"over the cap", func(_ *pack.Problem, s *pack.Solution) { s.Patterns[1].Items[0].Count = 2 },
		"can't hold 2 of item 2"},
	{"where it may not be", func(_ *pack.Problem, s *pack.Solution) {
		s.Patterns[1].Items[0] = pack.Stack{Item: 0, Count: 1}
	}, "can't hold 1 of item 0"},
	{"together though they exclude each other", func(_ *pack.Problem, s *pack.Solution) {
		s.Patterns[1].Items = []pack.Stack{{Item: 1, Count: 1}, {Item: 2, Count: 1}}
	}, "items 1 and 2 exclude each other"},
	{"left over without need", func(_ *pack.Problem, s *pack.Solution) { s.Left = []int64{0, 0, 1} },
		"left[2]: \"alone\" is left over"},
	{"more left over than there is", func(_ *pack.Problem, s *pack.Solution) { s.Left = []int64{0, 5, 0} },
		"left[1] \"little\": more than there are"},
	{"less than nothing left over", func(_ *pack.Problem, s *pack.Solution) { s.Left = []int64{0, -1, 0} },
		"left: is not a count"},
	{"more than the stock", func(p *pack.Problem, s *pack.Solution) { p.Nodes[0].Stock = 2 },
		"nodes[0]: 3 of kind \"large\", where the stock is 2"},
	{"optimal is claimed", func(_ *pack.Problem, s *pack.Solution) {
		s.Bound.Cost, s.Bound.GapCost, s.Bound.Gap = 23, 1, 1.0/24
	}, "optimal: is said of a packing that costs 1 more"},
}

func TestTampered(t *testing.T) {
	for _, c := range tamperings {
		t.Run(c.name, func(t *testing.T) {
			p, s := mix()
			c.change(&p, &s)
			if got := strings.Join(Check(p, s), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}

// A problem that is none is refused before anything is counted.
func TestNoProblem(t *testing.T) {
	for _, c := range []tampering{
		{"free nodes", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[1].Cost = 0 }, "cost is 0"},
		{"negative stock", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[1].Stock = -2 }, "stock is -2"},
		{"negative capacity", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[1].Capacity[0] = -1 },
			"nodes[1] \"small\": capacity"},
		{"giant capacity", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[1].Capacity[0] = 1<<53 + 1 },
			"nodes[1] \"small\": capacity"},
		{"another dimension", func(p *pack.Problem, _ *pack.Solution) { p.Nodes[1].Capacity = []int64{1, 1} },
			"nodes[1] \"small\": capacity"},
		{"negative need", func(p *pack.Problem, _ *pack.Solution) { p.Items[1].Need[0] = -1 }, "items[1] \"little\": need"},
		{"no need", func(p *pack.Problem, _ *pack.Solution) { p.Items[1].Need = nil }, "items[1] \"little\": need"},
		{"negative count", func(p *pack.Problem, _ *pack.Solution) { p.Items[1].Count = -1 }, "items[1] \"little\": count"},
		{"negative cap", func(p *pack.Problem, _ *pack.Solution) { p.Items[1].MaxPerNode = -1 },
			"items[1] \"little\": count"},
		{"on one kind of two", func(p *pack.Problem, _ *pack.Solution) { p.Items[0].On = []bool{true} },
			"items[0] \"big\": on"},
		{"conflict with itself", func(p *pack.Problem, _ *pack.Solution) { p.Conflicts[0] = [2]int{1, 1} }, "conflicts[0]"},
		{"conflict with nobody", func(p *pack.Problem, _ *pack.Solution) { p.Conflicts[0] = [2]int{-1, 1} }, "conflicts[0]"},
		{"negative spares", func(p *pack.Problem, _ *pack.Solution) { p.Spares = -1 }, "problem.spares: -1"},
		{"one zone", func(p *pack.Problem, _ *pack.Solution) { p.Zones = 1 }, "problem.zones: 1"},
		{"loss of no zone", func(p *pack.Problem, _ *pack.Solution) { p.SurviveZoneLoss = true }, "problem.zones: 0"},
		{"no nodes", func(p *pack.Problem, _ *pack.Solution) { p.Nodes = nil }, "problem.nodes: 0 kinds"},
		{"too large", func(p *pack.Problem, _ *pack.Solution) {
			p.Nodes, p.Items = make([]pack.NodeType, maxKinds), make([]pack.Item, 1<<20)
		}, "too many to check"},
		{"too many kinds", func(p *pack.Problem, _ *pack.Solution) { p.Nodes = make([]pack.NodeType, maxKinds+1) },
			"4097 kinds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, s := mix()
			c.change(&p, &s)
			if got := strings.Join(Check(p, s), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q in it", got, c.want)
			}
		})
	}
}

// A proof that has itself below it, or goes down for ever, ends.
func TestEndlessProofs(t *testing.T) {
	p, s := mix()
	proof := &s.Certificate.Proofs[0]
	proof.Below, proof.Above = proof, proof
	if got := strings.Join(Check(p, s), "\n"); !strings.Contains(got, "too long") {
		t.Errorf("a proof below itself: got %q", got)
	}
	p, s = mix()
	for range 2_000_000 {
		s.Certificate.Proofs[0] = pack.Proof{Below: new(s.Certificate.Proofs[0]),
			Above: &pack.Proof{Weights: []int64{0}, Unit: 1}}
	}
	if got := strings.Join(Check(p, s), "\n"); !strings.Contains(got, "too long") {
		t.Errorf("a deep proof: got %q", got)
	}
}

// What would take hours to check is refused soon: many proofs of many items in no dimension, many sets of prices,
// and many patterns with a spare of each of many kinds.
func TestLongChecksEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	const most = time.Minute // some ten seconds on a slow machine
	many := func(kinds, items, dims int) (p pack.Problem, s pack.Solution) {
		for range kinds {
			p.Nodes = append(p.Nodes, pack.NodeType{Capacity: make([]int64, dims), Cost: 1, Stock: -1})
		}
		for range items {
			p.Items = append(p.Items, pack.Item{Count: 1, Need: make([]int64, dims)})
		}
		s.Nodes = make([]int64, kinds)
		s.Certificate = pack.Certificate{Scale: 1, Prices: make([]int64, items), Bound: 1, Proofs: make([]pack.Proof, kinds)}
		return p, s
	}
	boxes := func() (pack.Problem, pack.Solution) {
		p, s := many(1, 1<<20, 0)
		box := pack.Proof{Weights: []int64{}, Unit: 1}
		for i := range 10 {
			box = pack.Proof{Item: i, Below: new(box), Above: new(box)}
		}
		s.Certificate.Proofs[0] = box
		return p, s
	}
	prices := func() (pack.Problem, pack.Solution) {
		p, s := many(600, 1<<18, 0)
		s.Certificate.Counts = make([]pack.Certificate, 50)
		for i := range s.Certificate.Counts {
			s.Certificate.Counts[i] = s.Certificate
			s.Certificate.Counts[i].Counts = nil
		}
		return p, s
	}
	spares := func() (pack.Problem, pack.Solution) {
		p, s := many(4000, 1, 800)
		p.Spares = 1
		p.Items[0].Need[0] = 1
		p.Nodes[0].Capacity[0] = 1
		s.Spares = slices.Repeat([]int64{1}, 4000)
		s.Patterns = slices.Repeat([]pack.Pattern{{Items: []pack.Stack{{Item: 0, Count: 1}}, Copies: 1}}, 200_000)
		s.Spares[0] = 0
		return p, s
	}
	for name, make := range map[string]func() (pack.Problem, pack.Solution){"boxes": boxes, "prices": prices,
		"spares": spares} {
		t.Run(name, func(t *testing.T) {
			p, s := make()
			began := time.Now()
			if Check(p, s) == nil {
				t.Error("it is accepted")
			}
			if took := time.Since(began); took > most {
				t.Errorf("it took %v", took)
			}
		})
	}
}
