package scheduler

import (
	"math"
	"slices"
)

// cellScan is the part of the scheduler's order that a search looks at: from begin to
// end, which passes over the end of the order to its start.
type cellScan struct {
	begin, end int
	found      int // feasible nodes
}

// gather finds how far the search goes, and the cells that the feasible nodes are in,
// with their highest entries.
func (s *Scheduler) gather(c *class, r *row) cellScan {
	s.met = s.met[:0]
	s.round++
	n := len(s.order)
	w := cellScan{begin: s.start % n}
	w.end = s.gatherSpan(c, r, &w, w.begin, n)
	if w.end == n && w.begin > 0 {
		w.end = n + s.gatherSpan(c, r, &w, 0, w.begin)
	}
	return w
}

// gatherSpan goes from position a to b. It returns b, or the position of the
// feasible node that is one too many, or where there were too many cells.
func (s *Scheduler) gatherSpan(c *class, r *row, w *cellScan, a, b int) int {
	for a < b {
		block := a >> blockBits
		if r.blocks[block].stale != 0 {
			if s.freshen(c, r, block); len(r.cells) > maxCells {
				return a
			}
		} else if r.sums[block].cells == unsummed {
			r.sumCells(block) // nothing has changed since
		}
		last := min(b, (block+1)<<blockBits)
		if !s.whole(a, last) || !s.gatherBlock(c, r, w, block) {
			if at := s.gatherNodes(c, r, w, a, last); at < last {
				return at
			}
		}
		a = last
	}
	return b
}

// whole reports whether the positions from a to b are a block, the last of which may
// be a shorter one.
func (s *Scheduler) whole(a, b int) bool {
	return a&(blockSize-1) == 0 && (b&(blockSize-1) == 0 || b == len(s.order))
}

// gatherBlock gathers the feasible nodes of a block, if it knows their cells and that
// none is one too many.
func (s *Scheduler) gatherBlock(c *class, r *row, w *cellScan, b int) bool {
	sum := &r.sums[b]
	if sum.cells > mostCells {
		return false
	}
	count, lower := 0, false
	for i := range sum.of[:sum.cells] {
		of := &sum.of[i]
		if k := s.judged(c, r, of.cell); k.allowed {
			count += int(of.count)
			lower = lower || of.tops == 0 && of.top > k.top
		}
	}
	if w.found+count > s.sampled {
		return false
	}
	w.found += count
	if lower {
		r.sumCells(b)
	}
	for _, of := range sum.of[:sum.cells] {
		if k := &r.cells[of.cell]; k.allowed {
			s.meet(k, of)
		}
	}
	return true
}

func (s *Scheduler) gatherNodes(c *class, r *row, w *cellScan, a, b int) int {
	for i, number := range r.cellAt[a:b] {
		e := r.entry(a + i)
		if e == refused {
			continue
		}
		k := s.judged(c, r, number)
		if !k.allowed {
			continue
		}
		if w.found == s.sampled {
			return a + i
		}
		w.found++
		s.meet(k, cellSum{cell: number, count: 1, top: e})
	}
	return b
}

// judged is a cell of which this decision knows whether pods may run on its nodes.
func (s *Scheduler) judged(c *class, r *row, number uint16) *cell {
	k := &r.cells[number]
	if k.round != s.round {
		s.judge(c, k)
	}
	return k
}

// meet takes feasible nodes of a cell into account.
func (s *Scheduler) meet(k *cell, of cellSum) {
	if k.count == 0 {
		s.met = append(s.met, of.cell)
	}
	k.count += int32(of.count)
	k.top = max(k.top, of.top)
}

// cellChoice goes over the feasible nodes once more, to find the winner.
type cellChoice struct {
	random bool // ties are drawn: the winner is the nth best node
	nth    int
	found  int // feasible nodes before the one that is looked at
	best   int // position of the winner, -1 for none
	index  int // of the winner among the feasible nodes
	level  int // ties below this index don't count
	ties   int // number of best nodes, where ties are drawn
}

// choose is the position of the winner.
func (s *Scheduler) choose(r *row, w *cellScan) int {
	best := s.chosen(r, w, 0)
	if !s.rules.random || best.ties == 1 {
		return best.best
	}
	return s.chosen(r, w, s.draw.IntN(best.ties)).best
}

// wantBest finds the entry of the best nodes in each cell that has some.
func (s *Scheduler) wantBest(r *row) {
	top := int64(math.MinInt64)
	for _, i := range s.met {
		top = max(top, int64(r.cells[i].top)+r.cells[i].score)
	}
	for _, i := range s.met {
		k := &r.cells[i]
		k.wanted = 0
		if int64(k.top)+k.score == top {
			k.wanted = k.top
		}
	}
}

func (s *Scheduler) chosen(r *row, w *cellScan, nth int) cellChoice {
	choice := cellChoice{random: s.rules.random, nth: nth, best: -1}
	n := len(s.order)
	s.chooseSpan(r, &choice, w.begin, min(w.end, n))
	s.chooseSpan(r, &choice, 0, w.end-n)
	return choice
}

func (s *Scheduler) chooseSpan(r *row, w *cellChoice, a, b int) {
	for a < b {
		last := min(b, (a|(blockSize-1))+1)
		end, passed := 0, false
		if s.whole(a, last) {
			end, passed = w.passes(r, &r.sums[a>>blockBits])
		}
		if !passed {
			w.nodes(r, a, last, end)
		}
		a = last
	}
}

// passes reports whether a block does not change the winner, and passes over it. It
// returns how many feasible nodes there are up to its end, 0 where it does not know.
func (w *cellChoice) passes(r *row, sum *cellSums) (end int, ok bool) {
	if sum.cells > mostCells {
		return 0, false
	}
	count, tops := 0, 0
	for i := range sum.of[:sum.cells] {
		of := &sum.of[i]
		if k := &r.cells[of.cell]; k.allowed {
			count += int(of.count)
			if of.top == k.wanted {
				tops += int(of.tops)
			}
		}
	}
	if w.random && w.best < 0 && w.ties+tops > w.nth || !w.random && tops > 0 && w.found+count > w.level {
		return w.found + count, false
	}
	w.found += count
	w.ties += tops
	return w.found, true
}

// nodes looks at the positions from a to b, up to which there are so many feasible
// nodes, if that is known.
func (w *cellChoice) nodes(r *row, a, b, end int) {
	words := r.words[a>>laneBits:]
	first := a & laneMask
	for i, number := range r.cellAt[a:b] {
		e, k := uint16(words[(first+i)>>laneBits]>>((first+i)&laneMask*16)), &r.cells[number]
		if e == refused || !k.allowed {
			continue
		}
		if e == k.wanted {
			if w.tie(a + i); !w.random && end > 0 && end <= w.level {
				w.found = end
				return
			}
		}
		w.found++
	}
}

// tie takes one of the best nodes into account.
func (w *cellChoice) tie(position int) {
	switch {
	case w.random:
		if w.ties == w.nth {
			w.best = position
		}
		w.ties++
	case w.found >= w.level:
		w.level = nextLevel(w.found)
		if w.best < 0 || before(w.found, w.index) {
			w.best, w.index = position, w.found
		}
	}
}

// tiesByCells gives the best nodes, cell by cell. With too many cells it gives up, and
// is false.
func (s *Scheduler) tiesByCells(c *class, yield func(node int) bool) bool {
	if len(s.order) == 0 {
		return true
	}
	r, w, ok := s.searchCells(c)
	n := len(s.order)
	if ok && s.tiesOfSpan(r, w.begin, min(w.end, n), yield) {
		s.tiesOfSpan(r, 0, w.end-n, yield)
	}
	return ok
}

func (s *Scheduler) tiesOfSpan(r *row, a, b int, yield func(node int) bool) bool {
	for last := 0; a < b; a = last {
		last = min(b, (a|(blockSize-1))+1)
		if s.whole(a, last) && !r.hasBest(&r.sums[a>>blockBits]) {
			continue
		}
		for i, number := range r.cellAt[a:last] {
			e := r.entry(a + i)
			if e == refused {
				continue
			}
			if k := &r.cells[number]; k.allowed && e == k.wanted && !yield(int(s.order[a+i])) {
				return false
			}
		}
	}
	return true
}

// hasBest reports whether a block may have some of the best nodes.
func (r *row) hasBest(sum *cellSums) bool {
	return sum.cells > mostCells || slices.ContainsFunc(sum.of[:sum.cells], func(of cellSum) bool {
		k := &r.cells[of.cell]
		return k.allowed && of.tops > 0 && of.top == k.wanted
	})
}
