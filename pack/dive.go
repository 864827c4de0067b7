package pack

// dive goes from the solution of a master to whole numbers of nodes: it fixes
// the whole part of each pattern's number, solves the rest anew with the
// patterns cut to the rest, and rounds one up where there is no whole part. After
// each step it packs the rest by simple rules, too. Where there are few of each
// item, the rest is solved in the same master; otherwise in a smaller one, whose
// patterns hold no more than the rest. Spread from 0 to 1 lets chance choose what
// is rounded up.
func (s *search) dive(from *master, spread float64) {
	count := append([]int64(nil), from.count...)
	stock := append([]int64(nil), from.stock...)
	fixed := &mix{}
	rework := generation{tolerance: 1e-4, last: 1e-4, cuts: 10, rounds: 8}
	for ms := from; ; {
		s.fix(ms, fixed, count, stock, spread)
		limit := int64(maxInt)
		if s.best != nil && s.best.over == 0 {
			limit = s.best.cost - fixed.cost
		}
		if rest := s.complete.complete(count, stock, ms.price, limit); rest != nil {
			s.offer(fixed.plus(rest))
			if rest.cost == 0 {
				return
			}
		}
		if s.enough() || s.work.over() {
			return
		}
		switch {
		case !s.few:
			ms = s.child(ms, count, stock)
		case ms == from:
			ms = from.clone()
			ms.reduce(count, stock)
		default:
			ms.reduce(count, stock)
		}
		s.generate(ms, &rework)
		ms.solve()
		if s.best != nil && s.best.over == 0 && fixed.cost+s.whole(ms.objective()*(1-1e-4)) >= s.best.cost {
			return
		}
	}
}

// child is a master for a rest, with the patterns of another, cut to the rest.
func (s *search) child(from *master, count, stock []int64) *master {
	ms := newMaster(s.m, append([]int64(nil), count...), append([]int64(nil), stock...), s.work)
	var on []int32
	var has []int64
	for q, k := range from.kind {
		if k < 0 || stock[k] == 0 {
			continue
		}
		on, has = on[:0], has[:0]
		rows, vals := from.lp.cols.column(int32(q))
		for j, r := range rows {
			if int(r) < len(from.itemAt) {
				if i := from.itemAt[r]; count[i] > 0 {
					on, has = append(on, i), append(has, min(int64(vals[j]), count[i]))
				}
			}
		}
		if len(on) > 0 {
			ms.add(int(k), on, has)
		}
	}
	s.work.spend(4 * len(from.lp.cols.row))
	return ms
}

// fix puts whole numbers of patterns into the mix, or one that comes closest.
func (s *search) fix(ms *master, fixed *mix, count, stock []int64, spread float64) {
	lp := ms.lp
	any := false
	best, most := -1, 0.0
	for r, q := range lp.head {
		if q < 0 || ms.kind[q] < 0 {
			continue
		}
		x := lp.x[r]
		if n := int64(x + 1e-3); n > 0 && s.put(ms, q, n, fixed, count, stock) {
			any = true
		}
		if v := x * (1 + float64(spread*s.noise.unit())); v > most {
			best, most = r, v
		}
	}
	if !any && best >= 0 {
		s.put(ms, lp.head[best], 1, fixed, count, stock)
	}
}

// put puts at most n copies of a column into the mix; false when there is no room for any.
func (s *search) put(ms *master, q int32, n int64, fixed *mix, count, stock []int64) bool {
	l := load{kind: ms.kind[q]}
	rows, vals := ms.lp.cols.column(q)
	for j, r := range rows {
		if int(r) >= len(ms.itemAt) {
			continue
		}
		i := ms.itemAt[r]
		if c := min(int64(vals[j]+0.5), count[i]); c > 0 {
			l.items, l.counts = append(l.items, i), append(l.counts, c)
		}
	}
	if len(l.items) == 0 {
		return false
	}
	l.copies = min(n, copiesOf(l.items, l.counts, count, stock[l.kind]))
	if l.copies == 0 {
		return false
	}
	fixed.take(s.m, l, count, stock)
	return true
}
