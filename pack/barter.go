package pack

import (
	"cmp"
	"slices"
)

// barter is so many nodes of one kind, in each zone, for so many of another, and what it saves.
type barter struct {
	out, in             int
	fewer, more, saving int64
}

// runShared is run and, where zones share the nodes, barters.
func (s *search) runShared() {
	if s.m.each == 1 {
		s.run()
		return
	}
	s.work.within(searchShare, s.run)
	s.barters()
}

// barters betters the best mix, of which each kind is bought for all zones that share it, also
// where they need fewer: in each zone it gives nodes of a kind away, or for cheaper ones, as
// long as everything has room then.
func (s *search) barters() {
	for s.best != nil && s.best.over == 0 && !s.enough() && !s.work.over() {
		if !slices.ContainsFunc(s.bargains(), s.strike) {
			return
		}
	}
}

// bargains are what could be given, the most saving first.
func (s *search) bargains() []barter {
	const most = 2
	var out []barter
	m := s.m
	for k, n := range m.shared(s.best) {
		for fewer := int64(1); fewer <= min(n/m.each, most); fewer++ {
			out = append(out, barter{out: k, in: k, fewer: fewer, saving: fewer * m.cost[k]})
			for in, cost := range m.cost {
				for more := int64(1); in != k && more <= most && more*cost < fewer*m.cost[k]; more++ {
					out = append(out, barter{out: k, in: in, fewer: fewer, more: more, saving: fewer*m.cost[k] - more*cost})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b barter) int { return cmp.Compare(b.saving, a.saving) })
	return out
}

// strike says that everything has room after a barter.
func (s *search) strike(b barter) bool {
	stock := s.m.shared(s.best)
	stock[b.out] -= b.fewer * s.m.each
	stock[b.in] += b.more * s.m.each
	if limit := s.m.stock[b.in]; limit >= 0 && stock[b.in] > limit || !s.m.roomy(s.m.count, stock) {
		return false
	}
	before := s.best
	for _, pack := range []func(count, stock []int64, price []float64, limit int64) *mix{s.complete.complete,
		s.complete.evenly} {
		if s.offer(pack(s.m.count, stock, s.price, maxInt)); s.best != before || s.work.over() {
			break
		}
	}
	return s.best != before
}
