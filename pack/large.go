package pack

// mostItems is the most different items for which patterns are generated: the
// inverse of the master's basis has its square of numbers.
const mostItems = 1500

// someItems is from how many different items the prices of dimensions are claimed
// first: the relaxed master may not come to its end.
const someItems = 100

// large searches where there are too many different items for a master: it packs
// by rules, and bounds by prices of the dimensions.
func (s *search) large() {
	ms := &master{m: s.m, count: s.m.count, stock: s.m.stock}
	s.volume(ms)
	s.shares(ms)
	s.begin(nil)
	s.work.within(0.5, func() { s.offer(s.complete.evenly(s.m.count, s.m.stock, s.price, maxInt)) })
	s.repair()
}
