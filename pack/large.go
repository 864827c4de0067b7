package pack

import "math"

// mostItems is the most different items for which patterns are generated: the
// inverse of the master's basis has its square of numbers.
const mostItems = 1500

// someItems is from how many different items the prices of dimensions are claimed
// first: the relaxed master may not come to its end.
const someItems = 100

// large searches where there are too many different items for a master: it packs
// by simple rules, and bounds by one price for each dimension.
func (s *search) large() {
	ms := &master{m: s.m, count: s.m.count, stock: s.m.stock}
	s.volume(ms)
	s.dimensions(ms)
	s.begin(nil)
	if s.best == nil || s.best.over > 0 {
		s.offer(s.complete.complete(s.m.count, s.m.stock, s.price, maxInt))
	}
}

// dimensions claims what prices of the dimensions show: the cheapest nodes that
// have enough of each in all, if nodes and items could be split and mixed.
func (s *search) dimensions(ms *master) {
	lp := newSimplex(s.m.dims, s.work)
	dear := 1.0
	for d := range s.m.dims {
		for i, n := range s.m.count {
			lp.rhs[d] += float64(float64(s.m.needs(i)[d]) * float64(n))
		}
		for k := range s.m.kinds {
			if room := s.m.room(k)[d]; room > 0 {
				dear = max(dear, float64(float64(s.m.cost[k])/float64(room)))
			}
		}
	}
	for d := range s.m.dims { // a unit of a dimension that nobody sells for less
		lp.cols.row, lp.cols.val = append(lp.cols.row, int32(d)), append(lp.cols.val, 1)
		lp.seed(d, lp.cols.put(1000*dear))
	}
	for k := range s.m.kinds {
		for d, room := range s.m.room(k) {
			if room > 0 {
				lp.cols.row, lp.cols.val = append(lp.cols.row, int32(d)), append(lp.cols.val, float64(room))
			}
		}
		lp.cols.put(float64(s.m.cost[k]))
	}
	lp.solve()
	factor := 0.0
	for k := range s.m.kinds {
		worth := 0.0
		for d, room := range s.m.room(k) {
			worth += float64(max(lp.y[d], 0) * float64(room))
		}
		factor = max(factor, worth/float64(s.m.cost[k]))
	}
	if factor <= 0 || math.IsNaN(factor) {
		return
	}
	price, rent := make([]float64, s.m.items), make([]float64, s.m.kinds)
	for i := range price {
		for d, need := range s.m.needs(i) {
			price[i] += float64(max(lp.y[d], 0) * float64(need))
		}
	}
	s.prove(ms, price, rent, factor, methodLinear)
}
