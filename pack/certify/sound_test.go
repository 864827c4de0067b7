package certify

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/pack"
	"plimsoll.dev/pack/packtest"
)

// drawn is a tiny problem and its first fit with a bound by random prices.
func drawn(t *rapid.T) (pack.Problem, pack.Solution) {
	p := packtest.Tiny(rapid.Uint64Range(0, 5000).Draw(t, "problem"))
	scale := rapid.Int64Range(1, 12).Draw(t, "scale")
	prices := make([]int64, len(p.Items))
	for i := range prices {
		prices[i] = rapid.Int64Range(0, 6*scale).Draw(t, "price")
	}
	s, ok := solved(p, scale, prices)
	if !ok {
		t.Skip("there is no node left for the spares")
	}
	return p, s
}

// demanded is the problem without what the solution leaves over.
func demanded(p pack.Problem, s pack.Solution) pack.Problem {
	p.Items = slices.Clone(p.Items)
	for i := range p.Items {
		p.Items[i].Count -= at(s.Left, i)
	}
	return p
}

// sound fails the test when what is accepted isn't true.
func sound(t *rapid.T, p pack.Problem, s pack.Solution) {
	optimum, ok := packtest.Optimum(demanded(p, s))
	if !ok {
		t.Fatalf("no nodes hold what this solution says that it holds:\n%+v\n%+v", p, s)
	}
	if s.Bound.Cost > optimum || s.Cost < optimum || s.Optimal && s.Cost != optimum {
		t.Fatalf("cost %d, bound %d and optimal %v are accepted, where the optimum is %d:\n%+v\n%+v", s.Cost, s.Bound.Cost,
			s.Optimal, optimum, p, s)
	}
}

// What is accepted is true, whatever the prices are. Prices that no pattern
// passes are accepted.
func TestAcceptedIsTrue(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, s := drawn(t)
		faults := Check(p, s)
		switch passes := passed(demanded(p, s), s.Certificate); {
		case faults == nil:
			accepted++
			sound(t, p, s)
		case !passes:
			t.Fatalf("refused, though the prices are right: %q\n%+v\n%+v", faults, p, s)
		default:
			refused++
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d were accepted, %d refused: the test says nothing", accepted, refused)
	}
}

// passed says whether some pattern is worth more than its node costs.
func passed(p pack.Problem, ce pack.Certificate) bool {
	for k := range p.Nodes {
		if worthMore(p, ce, k, make([]int64, len(p.Items))) != nil {
			return true
		}
	}
	return false
}

// worthMore finds a pattern of kind k, with at least so many of each item, that
// is worth more than the node costs; nil when there is none.
func worthMore(p pack.Problem, ce pack.Certificate, k int, from []int64) []int64 {
	on := make([]int64, len(p.Items))
	var found func(i int) bool
	found = func(i int) bool {
		if i == len(on) {
			total := int64(0)
			for i := range on {
				total += on[i] * ce.Prices[i]
			}
			return packtest.Fits(p, k, on) && total > p.Nodes[k].Cost*ce.Scale
		}
		for on[i] = from[i]; on[i] <= p.Items[i].Count; on[i]++ {
			if found(i + 1) {
				return true
			}
		}
		on[i] = 0
		return false
	}
	if found(0) {
		return on
	}
	return nil
}

// What is accepted is true after any numbers of the solution are changed, too.
func TestTamperedIsRefusedOrTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := drawn(t)
		var places []reflect.Value
		settable(reflect.ValueOf(&s).Elem(), &places)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			tamper(t, rapid.SampledFrom(places).Draw(t, "place"))
		}
		if len(s.Left) == len(p.Items) && slices.Max(append(s.Left, 0)) > 100 {
			return
		}
		if Check(p, s) == nil {
			sound(t, p, s)
		}
	})
}

// So it is of zones, any of which may be lost: the nodes that are accepted, no more of any kind, do
// hold everything without one zone.
func TestTamperedZonesAreRefusedOrTrue(t *testing.T) {
	together, accepted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := packtest.Tiny(rapid.Uint64Range(0, 5000).Draw(t, "problem"))
		p.Zones, p.SurviveZoneLoss, p.Spares = rapid.IntRange(2, 4).Draw(t, "zones"), true, 0
		s, err := pack.Solve(p, pack.Options{Effort: 20_000})
		if err != nil {
			t.Skip(err)
		}
		var places []reflect.Value
		settable(reflect.ValueOf(&s).Elem(), &places)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			tamper(t, rapid.SampledFrom(places).Draw(t, "place"))
		}
		if Check(p, s) != nil {
			return
		}
		sound(t, p, s)
		bought := demanded(p, s)
		bought.Nodes = slices.Clone(p.Nodes)
		for k := range bought.Nodes {
			bought.Nodes[k].Stock = s.Nodes[k]
		}
		if _, ok := packtest.Optimum(bought); !ok {
			t.Fatalf("nodes %v are accepted, and can't hold everything:\n%+v\n%+v", s.Nodes, p, s)
		}
		if accepted++; s.Together {
			together++
		}
	})
	if accepted == 0 || together == 0 {
		t.Errorf("%d were accepted, %d of them together: the test says nothing", accepted, together)
	}
}

// A box with weights, in given dimensions and rounded ones, is accepted only
// where no pattern in it is worth more than the node costs. The prices are about
// the weighted needs, and the scale about what the capacity is worth then.
func TestWeighedIsTrue(t *testing.T) {
	accepted, rounded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := packtest.Tiny(rapid.Uint64Range(0, 5000).Draw(t, "problem"))
		p.Nodes, p.Spares = p.Nodes[:1], 0
		c := &checker{Problem: p}
		for i := range p.Items {
			p.Items[i].On = nil
			c.demand = append(c.demand, p.Items[i].Count)
		}
		ce := &pack.Certificate{Prices: make([]int64, len(p.Items)), Rounded: make([][]pack.Rounding, 1)}
		dims := len(p.Resources)
		for range rapid.IntRange(0, 2).Draw(t, "rounded") {
			ce.Rounded[0] = append(ce.Rounded[0], pack.Rounding{
				Of:      rapid.SliceOfN(rapid.Int64Range(0, 3), dims, dims).Draw(t, "of"),
				Divisor: rapid.Int64Range(1, 9).Draw(t, "divisor")})
		}
		b := c.all(0, ce)
		weights := rapid.SliceOfN(rapid.Int64Range(0, 5), len(b.capacity), len(b.capacity)).Draw(t, "weights")
		for i := range ce.Prices {
			if c.demand[i] > 0 && b.to[i] > 0 {
				ce.Prices[i] = max(0, dot(weights, b.need[i]).Int64()+rapid.Int64Range(-1, 2).Draw(t, "price"))
			}
			b.from[i] = rapid.Int64Range(0, b.to[i]).Draw(t, "from")
		}
		p.Nodes[0].Cost = 1
		ce.Scale = max(1, dot(weights, b.capacity).Int64()+rapid.Int64Range(-3, 1).Draw(t, "scale"))
		b.leaf(&pack.Proof{Weights: weights, Unit: 1})
		if len(c.faults) > 0 {
			return
		}
		accepted++
		rounded += len(ce.Rounded[0])
		from := b.from
		if on := worthMore(p, *ce, 0, from); on != nil {
			t.Fatalf("accepted, though %v is worth more than %d:\n%+v\n%+v\nfrom %v, weights %v", on, ce.Scale, p, *ce,
				from, weights)
		}
	})
	if accepted == 0 || rounded == 0 {
		t.Errorf("%d were accepted with %d rounded dimensions: the test says nothing", accepted, rounded)
	}
}

// settable lists all numbers, lists and proofs of a value.
func settable(v reflect.Value, out *[]reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			settable(v.Field(i), out)
		}
	case reflect.Slice:
		*out = append(*out, v)
		for i := range v.Len() {
			settable(v.Index(i), out)
		}
	case reflect.Pointer:
		*out = append(*out, v)
		if !v.IsNil() {
			settable(v.Elem(), out)
		}
	case reflect.Int, reflect.Int64, reflect.Bool, reflect.Float64:
		*out = append(*out, v)
	}
}

func tamper(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n := rapid.OneOf(rapid.Just(v.Int()+1), rapid.Just(v.Int()-1),
			rapid.SampledFrom([]int64{0, 1, -1, 2, 10, math.MaxInt64, math.MinInt64, 1 << 53, 1 << 62}))
		v.SetInt(n.Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1)}).Draw(t, "share"))
	case reflect.Slice:
		n := rapid.IntRange(0, v.Len()).Draw(t, "length")
		if v.Len() > 0 && rapid.Bool().Draw(t, "longer") {
			v.Set(reflect.Append(v, v.Index(min(n, v.Len()-1))))
			return
		}
		v.Set(v.Slice(0, n))
	case reflect.Pointer:
		v.Set(reflect.Zero(v.Type()))
	}
}
