package pack

import "math"

// generation says how columns are generated.
type generation struct {
	root      bool    // for the whole model: bounds count, prices are smoothed
	tolerance float64 // at first; it is kept for the next time
	last      float64 // the least tolerance
	cuts      int     // in the search for one filling
	rounds    int     // at most; 0 is no limit
}

// atOnce is how many kinds of node get new columns before the master is solved again.
const atOnce = 3

// relaxed solves the master where nodes may hold parts of items: the first prices and bound.
func (s *search) relaxed(ms *master) {
	const tolerance = 1e-5
	for !s.work.over() {
		ms.solve()
		factor, added, first := 0.0, 0, s.turn
		for n := 0; n < s.m.kinds && added < atOnce; n++ {
			k := (first + n) % s.m.kinds
			most := float64(s.m.cost[k]) + ms.rent[k]
			value := s.sack.begin(k, ms.count, ms.price)
			factor = max(factor, value/most)
			if value > most*(1+tolerance) {
				ms.addSplit(k, s.sack.items, s.sack.relax.x)
				added++
				s.turn = k + 1
			}
		}
		if added < atOnce {
			s.prove(ms, ms.price, ms.rent, factor, methodLinear)
		}
		if added == 0 || s.whole(s.lower) >= s.whole(ms.objective()) {
			return
		}
	}
}

// generate adds patterns to the master while there are any that would make the
// mix cheaper, with a tolerance that falls to the last one.
func (s *search) generate(ms *master, g *generation) {
	price, rent := make([]float64, s.m.items), make([]float64, s.m.kinds)
	smooth := g.root
	for round := 0; g.rounds == 0 || round < g.rounds; round++ {
		ms.prune(20*len(ms.lp.rhs) + 200)
		if !ms.solve() && s.work.over() {
			return
		}
		s.blend(price, rent, ms, smooth)
		added, factor := s.offerColumns(ms, price, rent, g.tolerance)
		if added == 0 && !smooth {
			added, factor = s.offerBest(ms, price, rent, g.tolerance, g.cuts)
		}
		if g.root {
			s.prove(ms, price, rent, factor, methodPatterns)
			s.tell()
			if s.work.over() || s.settled(ms.objective()) {
				return
			}
		}
		switch {
		case added > 0:
			smooth = g.root
		case smooth:
			smooth = false
		case g.tolerance <= g.last+1e-9 || factor > (1+g.tolerance)*(1+1e-8):
			return // in which case only more cuts would show that there are no more
		default:
			g.tolerance = max(g.tolerance/3, g.last)
			smooth = g.root
		}
	}
}

// settled says that the bound can't rise any more, as far as whole nodes go.
func (s *search) settled(objective float64) bool {
	return s.enough() || s.whole(s.lower) >= s.whole(objective) || s.lower >= objective*(1-1e-8)
}

// blend makes the prices to look for columns at: those of the master, or closer to the best so far.
func (s *search) blend(price, rent []float64, ms *master, smooth bool) {
	const old = 0.6
	copy(price, ms.price)
	copy(rent, ms.rent)
	if !smooth || len(s.price) == 0 {
		return
	}
	for i := range price {
		price[i] = float64(old*s.price[i]) + float64((1-old)*price[i])
	}
	for k := range rent {
		rent[k] = float64(old*s.rent[k]) + float64((1-old)*rent[k])
	}
}

// gain is by how much a filling must be worth more than its cost to be a column.
const gain = 1e-6

// offerColumns looks quickly for fillings that are worth more than their cost,
// and adds them to the master, of a few kinds of node; how many, and the most
// that a filling can be worth as a multiple of its cost. The kinds for which
// there may be more that it didn't find are in hard.
func (s *search) offerColumns(ms *master, price, rent []float64, tolerance float64) (added int, factor float64) {
	const times = 12
	s.hard = s.hard[:0]
	kinds := 0
	for n := range s.m.kinds {
		k := (s.turn + n) % s.m.kinds
		if ms.stock[k] == 0 {
			continue
		}
		if kinds == atOnce {
			s.turn = k
			return added, math.Inf(1)
		}
		most := float64(s.m.cost[k]) + rent[k]
		s.forget()
		value := s.sack.begin(k, ms.count, price)
		factor = max(factor, value/most)
		if value <= most*(1+tolerance+1e-9) {
			continue
		}
		s.sack.focus(most)
		s.sack.greedy(times, most*(1+gain), &s.noise)
		if n := s.adopt(ms, k, most*(1+gain), price); n > 0 {
			added += n
			kinds++
			continue
		}
		s.hard = append(s.hard, k)
	}
	return added, factor
}

// offerBest looks for fillings of the hard kinds that are worth more than the
// tolerance, until some were found, and adds them. Without any, factor is the
// most that a filling of any kind can be worth as a multiple of its cost.
func (s *search) offerBest(ms *master, price, rent []float64, tolerance float64, cuts int) (added int, factor float64) {
	factor = 1 + tolerance
	for _, k := range s.hard {
		if s.work.over() {
			return added, math.Inf(1)
		}
		most := float64(s.m.cost[k]) + rent[k]
		s.forget()
		value := s.sack.begin(k, ms.count, price)
		s.sack.focus(most * (1 + tolerance))
		value = s.sack.upperBound(value, most*(1+tolerance), cuts)
		if n := s.adopt(ms, k, most*(1+gain), price); n > 0 {
			if added += n; added >= atOnce {
				return added, math.Inf(1)
			}
		}
		factor = max(factor, value/most)
	}
	return added, factor
}

// adopt adds the finds that are worth more than limit to the master.
func (s *search) adopt(ms *master, k int, limit float64, price []float64) int {
	n := 0
	for _, f := range s.finds {
		worth := 0.0
		for j, i := range f.on {
			worth += float64(price[i] * float64(f.has[j]))
		}
		if worth > limit && ms.add(k, f.on, f.has) {
			n++
		}
	}
	return n
}
