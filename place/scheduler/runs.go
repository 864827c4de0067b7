package scheduler

import (
	"math"
	"slices"
)

// ScheduleRun schedules pods of a class one after the other, as so many calls of
// Schedule do, until one fits nowhere; then none of the others would. It tells the
// node of each pod, and returns how many were bound.
func (s *Scheduler) ScheduleRun(id ClassID, pods int, bound func(node int)) (placed int) {
	c := s.classes[id]
	look := 1 // pods after which to look for windows: the first may change what matters to the others
	for placed < pods {
		if placed >= look && 4*(pods-placed) >= len(s.order) {
			placed += s.byWindows(id, pods-placed, bound)
			look = placed + len(s.order)/4 + 1
			continue
		}
		node := s.decide(c)
		if node < 0 {
			for i := placed + 1; c.named && i < pods; i++ {
				s.decide(c) // only where the next search begins
			}
			return placed
		}
		s.bind(id, node)
		bound(int(node))
		placed++
	}
	return placed
}

// windows are what the searches of equal pods look at, one after the other: where
// the feasible nodes are a multiple of what a search looks for, each search begins
// where the one before ended, and after some pods they come around to the same
// windows. A pod changes its own window only, of which heaps know the best nodes.
type windows struct {
	feasible []int32      // positions from the start on
	size     int          // of a window
	preorder []int32      // index in a window by rank, of which the lowest wins a tie
	heaps    [][]cellHeap // by window; nil before its first pod
}

// cellHeap has the nodes of a window that are in one cell, lowest first, see key.
type cellHeap struct {
	cell uint16
	keys []uint64
}

// byWindows schedules pods window by window until a node is full, and returns how
// many. It does none where other nodes rule some out, lots are drawn, or windows overlap.
func (s *Scheduler) byWindows(id ClassID, pods int, bound func(node int)) (placed int) {
	c := s.classes[id]
	if s.rules.random || c.named || c.spec.NodeName != "" || s.restricted(c) {
		return 0
	}
	r := s.current(c)
	w, ok := s.windows(c, r)
	if !ok || r.cellAt == nil && !s.byNodeOnly(c) || len(r.cells) > maxCells {
		return 0
	}
	at := 0 // the next window
	for placed < pods {
		heaps := w.window(r, at)
		best := s.best(c, r, heaps)
		rank := uint32(heaps[best].keys[0])
		node := s.order[w.feasible[at*w.size+int(w.preorder[rank])]]
		s.bind(id, node)
		bound(int(node))
		placed++
		e, cell := s.entry(c, node), heaps[best].cell
		if r.cellAt != nil {
			cell = s.cellOf(c, r, node)
		}
		w.move(at, best, cell, key(e, rank))
		if at++; at == len(w.heaps) {
			at = 0
		}
		if e == refused || len(r.cells) > maxCells {
			break
		}
	}
	if len(w.feasible) > s.sampled {
		s.start = int(w.feasible[at*w.size])
	}
	return placed
}

func (s *Scheduler) windows(c *class, r *row) (w windows, ok bool) {
	feasible := 0
	for b := range r.blocks {
		if r.blocks[b].stale != 0 {
			s.freshen(c, r, b)
		}
		feasible += int(r.blocks[b].feasible)
	}
	w.size = min(feasible, s.sampled)
	if feasible == 0 || feasible%w.size != 0 {
		return w, false
	}
	n := len(s.order)
	for i := range n {
		if p := (s.start + i) % n; r.entry(p) != refused {
			w.feasible = append(w.feasible, int32(p))
		}
	}
	w.heaps = make([][]cellHeap, feasible/w.size)
	w.preorder = preorder(make([]int32, 0, w.size), 0, w.size)
	return w, true
}

// preorder lists the part of a heap-shaped tree of n nodes that is below i.
func preorder(list []int32, i, n int) []int32 {
	if i >= n {
		return list
	}
	return preorder(preorder(append(list, int32(i)), 2*i+1, n), 2*i+2, n)
}

// key is the lower, the higher the entry, then the lower the rank.
func key(entry uint16, rank uint32) uint64 { return uint64(^entry)<<32 | uint64(rank) }

// window has the heaps of a window.
func (w *windows) window(r *row, at int) []cellHeap {
	if w.heaps[at] == nil {
		for rank, i := range w.preorder {
			p, cell := int(w.feasible[at*w.size+int(i)]), uint16(0)
			if r.cellAt != nil {
				cell = r.cellAt[p]
			}
			w.add(at, cell, key(r.entry(p), uint32(rank)))
		}
	}
	return w.heaps[at]
}

// best is the heap with the best node, as choose has it.
func (s *Scheduler) best(c *class, r *row, heaps []cellHeap) int {
	if len(heaps) == 1 {
		return 0
	}
	s.met = s.met[:0]
	for _, h := range heaps {
		k := &r.cells[h.cell]
		k.count, k.score = int32(len(h.keys)), 0
		s.met = append(s.met, h.cell)
	}
	s.scoreCells(c, r)
	best, top := 0, int64(math.MinInt64)
	for i, h := range heaps {
		total := int64(^uint16(h.keys[0]>>32)) + r.cells[h.cell].score
		if total > top || total == top && uint32(h.keys[0]) < uint32(heaps[best].keys[0]) {
			best, top = i, total
		}
	}
	return best
}

// move gives the best node of a heap its new cell and key.
func (w *windows) move(at, from int, cell uint16, key uint64) {
	h := &w.heaps[at][from]
	if h.cell == cell {
		h.keys[0] = key
		sift(h.keys, 0)
		return
	}
	last := len(h.keys) - 1
	h.keys[0] = h.keys[last]
	if h.keys = h.keys[:last]; last > 0 {
		sift(h.keys, 0)
	} else {
		w.heaps[at] = slices.Delete(w.heaps[at], from, from+1)
	}
	w.add(at, cell, key)
}

// add puts a node into the heap of its cell.
func (w *windows) add(at int, cell uint16, key uint64) {
	i := slices.IndexFunc(w.heaps[at], func(h cellHeap) bool { return h.cell == cell })
	if i < 0 {
		i = len(w.heaps[at])
		w.heaps[at] = append(w.heaps[at], cellHeap{cell: cell})
	}
	keys := append(w.heaps[at][i].keys, key)
	for j := len(keys) - 1; j > 0 && keys[j] < keys[(j-1)/2]; j = (j - 1) / 2 {
		keys[j], keys[(j-1)/2] = keys[(j-1)/2], keys[j]
	}
	w.heaps[at][i].keys = keys
}

// sift lets a part of the heap sink to its place.
func sift(h []uint64, i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if h[i] <= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
