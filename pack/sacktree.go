package pack

// upperBound, after focus, looks for a filling worth more than cutoff, by the way that suits
// the kind, and returns an upper bound of all fillings.
func (s *sack) upperBound(value, cutoff float64, cuts int) float64 {
	if value <= cutoff {
		return value
	}
	if s.enumerate(cutoff, int(min(int64(cuts)*2000, s.work.left()/8))) {
		return max(s.best, cutoff*(1+1e-9))
	}
	if s.best > cutoff*(1+1e-9) {
		return value
	}
	return s.search(cutoff, cuts, cuts, false)
}

// muchLeft is by how much a filling may still be worth more than the cutoff where a
// proof gets more cuts.
const muchLeft = 1e-4

// search goes on until no filling can be worth more than cutoff, one has been
// found that is (unless all is set, then until the best is known), or so many
// cuts were made; up to most while that leaves much. It returns an upper bound.
func (s *sack) search(cutoff float64, cuts, most int, all bool) float64 {
	s.push(0, cutoff)
	for len(s.heap) > 0 && len(s.cuts) < most && !s.work.over() {
		if len(s.cuts) >= cuts && s.cuts[s.heap[0]].bound <= cutoff*(1+muchLeft) {
			break
		}
		floor := cutoff
		if s.best > cutoff*(1+1e-9) {
			if !all {
				break
			}
			floor = s.best
		}
		c := s.heap[0]
		if s.cuts[c].bound <= floor*(1+1e-10) {
			break
		}
		s.pop()
		s.divide(c, cutoff)
	}
	return s.upper()
}

// divide cuts a box in two.
func (s *sack) divide(c int32, cutoff float64) {
	item, at := s.cuts[c].split, s.cuts[c].splitAt
	for side := range 2 {
		kid := int32(len(s.cuts))
		s.cuts = append(s.cuts, cut{parent: c, item: item, at: at, above: side == 1})
		s.cuts[c].kids[side] = kid
		s.evaluate(kid)
		s.cuts[kid].bound = min(s.cuts[kid].bound, s.cuts[c].bound)
		s.push(kid, cutoff)
	}
}

// upper is the largest bound of a box that was not divided.
func (s *sack) upper() float64 {
	upper := s.best
	for c := range s.cuts {
		if n := &s.cuts[c]; n.kids[0] < 0 && !n.empty {
			upper = max(upper, n.bound)
		}
	}
	return upper
}

// push puts a cut on the heap, unless there is nothing to gain from it.
func (s *sack) push(c int32, cutoff float64) {
	n := &s.cuts[c]
	if n.empty || n.split < 0 || n.bound <= cutoff*(1+1e-10) {
		return
	}
	h := append(s.heap, c)
	s.heap = h
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if s.cuts[h[up]].bound >= s.cuts[h[i]].bound {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

// pop takes the cut with the largest bound off the heap.
func (s *sack) pop() {
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	h := s.heap[:last]
	s.heap = h
	for i := 0; ; {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && s.cuts[h[k+1]].bound > s.cuts[h[k]].bound {
			k++
		}
		if s.cuts[h[i]].bound >= s.cuts[h[k]].bound {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
