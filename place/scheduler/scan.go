package scheduler

import "math/bits"

// scan looks for the winner as the scheduler does: from its start on until it
// has met one feasible node more than it wants.
type scan struct {
	want   int
	random bool // ties are drawn
	found  int
	top    uint16
	best   int32 // position of the winner, -1 for none
	index  int   // of the winner in the list of feasible nodes
	level  int   // ties below this index don't count
	ties   int   // number of best nodes, where ties are drawn
}

// window decides about a class for which nodes differ by their own state only:
// the node, or -1, and how many nodes were looked at.
func (s *Scheduler) window(c *class) (node int32, looked int) {
	r := s.current(c)
	n := len(s.order)
	begin := s.start % n
	w := scan{want: s.sampled, random: s.rules.random, best: -1}
	end := s.span(c, r, &w, begin, n)
	if end == n && begin > 0 {
		if end = s.span(c, r, &w, 0, begin); end == begin {
			end = n + begin
		} else {
			end += n
		}
	}
	if w.best < 0 {
		return -1, end - begin
	}
	if w.ties > 1 {
		w.best = s.drawn(r, &w, begin)
	}
	return s.order[w.best], end - begin
}

// span scans the positions from a to b. It returns b, or the position of the
// feasible node that is one too many.
func (s *Scheduler) span(c *class, r *row, w *scan, a, b int) int {
	for a < b {
		if a&(blockSize-1) == 0 {
			a += w.skip(r.blocks[a>>blockBits:b>>blockBits]) << blockBits
			if a == b {
				break
			}
		}
		block := a >> blockBits
		if r.blocks[block].stale != 0 {
			s.freshen(c, r, block)
			continue // it may be passed over now
		}
		last := min(b, (block+1)<<blockBits)
		if at := w.words(r, a, last); at < last {
			return at
		}
		a = last
	}
	return b
}

// skip passes over blocks that don't change the winner and returns their number.
func (w *scan) skip(blocks []block) int {
	found, level := w.found, w.level
	if w.random {
		level = 0
	}
	for i, sum := range blocks {
		next := found + int(sum.feasible)
		if sum.stale != 0 || next > w.want || sum.top > w.top || sum.top == w.top && next > level {
			w.found = found
			return i
		}
		found = next
	}
	w.found = found
	return len(blocks)
}

// words scans positions word by word; it returns b, or the position of the
// feasible node that is one too many.
func (w *scan) words(r *row, a, b int) int {
	for a < b {
		next := min(b, a|laneMask+1)
		word := r.words[a>>laneBits] >> (a & laneMask * 16)
		word &= 1<<((next-a)*16) - 1
		feasible := filled(word)
		count := bits.OnesCount64(feasible)
		if w.found+count > w.want {
			return a + w.lanes(word, feasible, a)>>4
		}
		bar := uint64(w.top)
		if bar == refused || !w.random && w.found+count <= w.level {
			bar++
		}
		if reaching(word, bar*everyLane) != 0 {
			w.lanes(word, feasible, a)
		} else {
			w.found += count
		}
		a = next
	}
	return b
}

// lanes looks at the feasible lanes of a word, which begins at position a. It
// returns the shift of the lane that is one too many.
func (w *scan) lanes(word, feasible uint64, a int) int {
	for ; feasible != 0; feasible &= feasible - 1 {
		shift := bits.TrailingZeros64(feasible) - 15
		if w.found == w.want {
			return shift
		}
		e := uint16(word >> shift)
		switch {
		case e > w.top:
			w.top, w.best, w.index, w.level, w.ties = e, int32(a+shift>>4), w.found, nextLevel(w.found), 1
		case e == w.top && w.random:
			w.ties++
		case e == w.top && w.found >= w.level:
			w.level = nextLevel(w.found)
			if before(w.found, w.index) {
				w.best, w.index = int32(a+shift>>4), w.found
			}
		}
		w.found++
	}
	return 64
}

// drawn is the position of one of the best nodes, each as likely as the others.
func (s *Scheduler) drawn(r *row, w *scan, begin int) int32 {
	nth := s.draw.IntN(w.ties)
	for p := begin; ; p++ {
		if p == len(s.order) {
			p = 0
		}
		if r.entry(p) != w.top {
			continue
		}
		if nth == 0 {
			return int32(p)
		}
		nth--
	}
}
