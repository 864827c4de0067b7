package pack

import (
	"math"
	"slices"
)

// search looks for the cheapest mix for a model, and for prices that prove that it is cheap.
type search struct {
	m        *model
	gap      float64
	work     *meter
	noise    random
	sack     *sack
	complete *completer
	best     *mix
	lower    float64     // what no mix can cost less than, as far as floating point numbers can tell
	price    []float64   // of items, that shows it
	rent     []float64   // of kinds
	claims   [3]claim    // by method
	finds    []find      // fillings of the kind in the sack, best last
	given    [][]Pattern // packings to begin with, in the model's numbers
	pool     []load      // patterns found for few nodes
	pooled   map[uint64]struct{}
	progress func(Progress)
	few      bool  // there are few of each item
	turn     int   // kind to look for columns for first
	hard     []int // kinds with columns that are hard to find
}

// find is a filling worth having.
type find struct {
	on  []int32
	has []int64
}

func newSearch(m *model, gap float64, work *meter, progress func(Progress)) *search {
	s := &search{m: m, gap: gap, work: work, noise: 1, sack: newSack(m, work), complete: newCompleter(m, work),
		progress: progress, finds: make([]find, 3),
		price: make([]float64, m.items), rent: make([]float64, m.kinds)}
	s.sack.found = s.note
	total := 0.0
	for _, n := range m.count {
		total += float64(n)
	}
	s.few = total <= 3*float64(m.items)
	return s
}

// note keeps a filling as the last of the finds.
func (s *search) note(float64) {
	f := s.finds[0]
	copy(s.finds, s.finds[1:])
	f.on, f.has = f.on[:0], f.has[:0]
	for _, i := range s.sack.fill.on {
		f.on, f.has = append(f.on, i), append(f.has, s.sack.fill.has[i])
	}
	s.finds[len(s.finds)-1] = f
}

func (s *search) forget() {
	for i := range s.finds {
		s.finds[i].on = s.finds[i].on[:0]
	}
}

// whole is the least cost of a mix that a lower bound leaves, up to maxCost: nodes that hold nothing more cost any
// amount.
func (s *search) whole(bound float64) int64 {
	g := float64(s.m.grain)
	n := math.Ceil(bound*(1-1e-9)/g - 1e-6)
	return int64(min(n, float64(maxCost/s.m.grain))) * s.m.grain
}

// enough says whether the best mix is as good as was asked for.
func (s *search) enough() bool {
	if s.best == nil {
		return false
	}
	if s.best.over > 0 {
		return float64(s.best.cost)+float64(float64(s.best.over)*s.m.dear()) <= s.lower*(1+1e-9)
	}
	low := roundUp(s.whole(s.lower), s.m.grain*s.m.each)
	return s.best.cost <= low || s.gap > 0 && float64(s.best.cost-low) <= s.gap*float64(s.best.cost)
}

// offer takes a mix when it is the best so far; also with cheaper kinds of node, of which the
// zones may share fewer well.
func (s *search) offer(a *mix) {
	if a == nil {
		return
	}
	if s.m.each > 1 {
		s.consider(&mix{loads: slices.Clone(a.loads), left: a.left, over: a.over})
	}
	a.shrink(s.m)
	s.consider(a)
}

func (s *search) consider(a *mix) {
	if a.cost = s.m.paid(a); a.better(s.best) {
		s.best = a
		s.tell()
	}
}

// tell tells the caller how far the search is.
func (s *search) tell() {
	if s.progress != nil && s.best != nil {
		s.progress(Progress{Cost: s.best.cost, Bound: s.whole(s.lower), Done: s.work.done()})
	}
}

// claim is prices, and the bound that they show as far as floating point numbers can tell.
type claim struct {
	method string
	lower  float64
	price  []float64 // of items
	rent   []float64 // of kinds
}

// methods of claims, the simplest first.
var methods = []string{methodVolume, methodLinear, methodPatterns}

// prove takes prices, divided by a factor, that prove more than those before. The factor
// is 0 where no node can be worth anything: with none in stock for each zone.
func (s *search) prove(ms *master, price, rent []float64, factor float64, method string) {
	if factor == 0 {
		return
	}
	lower := 0.0
	for i, n := range ms.count {
		lower += float64(price[i] / factor * float64(n))
	}
	for k, n := range ms.stock {
		if n > 0 {
			lower -= float64(rent[k] * float64(n))
		}
	}
	c := &s.claims[slices.Index(methods, method)]
	if lower > c.lower {
		c.take(method, lower, price, rent, factor)
	}
	if lower > s.lower {
		s.lower = lower
		s.price, s.rent = c.price, c.rent
	}
}

func (c *claim) take(method string, lower float64, price, rent []float64, factor float64) {
	c.method, c.lower = method, lower
	c.price, c.rent = append(c.price[:0], price...), append(c.rent[:0], rent...)
	for i := range c.price {
		c.price[i] /= factor
	}
}

// volume claims what each dimension alone shows: the total need over the room
// that a cost of 1 buys at most.
func (s *search) volume(ms *master) {
	price, rent := make([]float64, s.m.items), make([]float64, s.m.kinds)
	s.claims[0].take(methodVolume, 0, price, rent, 1)
	for d := range s.m.dims {
		dearest := 0.0
		for k := range s.m.kinds {
			dearest = max(dearest, float64(s.m.room(k)[d])/float64(s.m.cost[k]))
		}
		if dearest == 0 {
			continue
		}
		for i := range price {
			price[i] = float64(s.m.needs(i)[d]) / dearest
		}
		s.prove(ms, price, rent, 1, methodVolume)
	}
}

// run searches until the mix is good enough, or the effort is spent.
func (s *search) run() {
	if s.m.items == 0 {
		s.best = &mix{}
		return
	}
	if s.m.items > mostItems {
		s.large()
		return
	}
	ms := newMaster(s.m, s.m.count, s.m.stock, s.work)
	s.volume(ms)
	switch {
	case s.m.items > someItems:
		s.shares(ms)
		s.work.within(0.2, func() { s.offer(s.complete.evenly(s.m.count, s.m.stock, s.price, maxInt)) })
	case s.m.kinds > 1:
		s.relaxed(newMaster(s.m, s.m.count, s.m.stock, s.work))
	}
	s.start(ms)
	s.begin(ms)
	if s.enough() {
		return
	}
	g := generation{root: true, tolerance: 0.01, last: 1e-3, cuts: 100}
	if s.m.items <= 2*someItems {
		s.work.within(0.3, func() { s.generate(ms, &g) })
		s.alternate(ms, g)
		return
	}
	s.work.within(0.1, func() { s.generate(ms, &g) })
	s.work.within(0.15, func() { s.alternate(ms, g) })
	s.repair()
}

// alternate dives while the best mix is farther from the master's solution than
// the bound is and dives better it, and looks for more columns, harder each time,
// otherwise.
func (s *search) alternate(ms *master, g generation) {
	const patience = 3
	dives, stale := 100, 0
	if s.best.over > 0 {
		dives = 10 // only to know what the stock leaves over
	}
	for turn := 0; !s.enough() && !s.work.over(); {
		objective := ms.objective()
		near := s.best.over > 0 || objective-s.lower > float64(s.best.cost)-objective
		if turn > 0 && g.last > 1e-8 && (near || stale >= patience) {
			g.cuts, g.last, stale = min(4*g.cuts, 100_000), g.last/4, 0
			s.work.within(0.5, func() { s.generate(ms, &g) })
			continue
		}
		if turn == dives {
			return
		}
		before := s.best
		s.work.within(0.5, func() { s.dive(ms, 0.1*float64(turn%4)) })
		stale++
		if s.best != before {
			stale = 0
		}
		turn++
	}
}

// start packs by simple rules, and gives the patterns to the master.
func (s *search) start(ms *master) {
	const packings = 4
	price := append([]float64(nil), s.price...)
	for range packings {
		a := s.complete.complete(s.m.count, s.m.stock, price, maxInt)
		if a == nil {
			return
		}
		s.offer(a)
		for _, l := range a.loads {
			ms.add(int(l.kind), l.items, l.counts)
		}
		if s.enough() || s.work.over() {
			return
		}
		for i, p := range s.price {
			price[i] = p * (0.7 + float64(0.6*s.noise.unit()))
		}
	}
}
