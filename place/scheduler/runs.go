package scheduler

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
// windows. A pod changes its own window only, of which a heap knows the best node.
type windows struct {
	feasible []int32    // positions from the start on
	size     int        // of a window
	preorder []int32    // index in a window by rank, of which the lowest wins a tie
	heaps    [][]uint64 // by window: lowest first, see key; nil before its first pod
}

// byWindows schedules pods window by window until a node is full, and returns how
// many. It does none where other nodes matter, lots are drawn, or windows overlap.
func (s *Scheduler) byWindows(id ClassID, pods int, bound func(node int)) (placed int) {
	c := s.classes[id]
	if s.rules.random || c.named || c.spec.NodeName != "" || !s.byNodeOnly(c) {
		return 0
	}
	r := s.current(c)
	w, ok := s.windows(c, r)
	if !ok {
		return 0
	}
	at := 0 // the next window
	for placed < pods {
		h := w.heap(r, at)
		rank := uint32(h[0])
		node := s.order[w.feasible[at*w.size+int(w.preorder[rank])]]
		s.bind(id, node)
		bound(int(node))
		placed++
		if at++; at == len(w.heaps) {
			at = 0
		}
		e := s.entry(c, node)
		if e == refused {
			break
		}
		h[0] = key(e, rank)
		sift(h, 0)
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
	w.heaps = make([][]uint64, feasible/w.size)
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

func (w *windows) heap(r *row, at int) []uint64 {
	if w.heaps[at] == nil {
		h := make([]uint64, w.size)
		for rank, i := range w.preorder {
			h[rank] = key(r.entry(int(w.feasible[at*w.size+int(i)])), uint32(rank))
		}
		for i := len(h)/2 - 1; i >= 0; i-- {
			sift(h, i)
		}
		w.heaps[at] = h
	}
	return w.heaps[at]
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
