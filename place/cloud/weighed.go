package cloud

// weighed are classes that have hosts, by what Nova's weighers see of them. There
// are far fewer such weighings than classes, so a choice compares these first and
// looks for a single host only in the best.
type weighed struct {
	// of are the classes of each weighing; live the weighings that have any.
	of   [][]int32
	live []int32
	// slot is the place of a weighing in live, plus one; at that of a class in its weighing.
	slot, at []int32
	// hint is where a class of a weighing was found that took a VM.
	hint []int32
}

func (w *weighed) add(id, weighing int32) {
	for int(weighing) >= len(w.of) {
		w.of, w.slot, w.hint = append(w.of, nil), append(w.slot, 0), append(w.hint, 0)
	}
	for int(id) >= len(w.at) {
		w.at = append(w.at, 0)
	}
	if len(w.of[weighing]) == 0 {
		w.live = append(w.live, weighing)
		w.slot[weighing] = int32(len(w.live))
	}
	w.at[id] = int32(len(w.of[weighing]))
	w.of[weighing] = append(w.of[weighing], id)
}

func (w *weighed) remove(id, weighing int32) {
	list := w.of[weighing]
	end := len(list) - 1
	last := list[end]
	list[w.at[id]], w.at[last] = last, w.at[id]
	w.of[weighing] = list[:end]
	if end > 0 {
		return
	}
	at, lastLive := w.slot[weighing]-1, w.live[len(w.live)-1]
	w.live[at], w.slot[lastLive] = lastLive, at+1
	w.live, w.slot[weighing] = w.live[:len(w.live)-1], 0
}

// anyTakes says whether a class of the weighing takes a VM.
func (s *sim) anyTakes(weighing int32, a int) bool {
	list := s.alike.of[weighing]
	hint := min(int(s.alike.hint[weighing]), len(list)-1)
	for i := range list {
		at := hint + i
		if at >= len(list) {
			at -= len(list)
		}
		if s.cl.takes(list[at], a) {
			s.alike.hint[weighing] = int32(at)
			return true
		}
	}
	return false
}

// firstOf is the first host, in Nova's order, of the weighing's classes that take a
// VM.
func (s *sim) firstOf(weighing int32, a int) int32 {
	first := int32(-1)
	for _, id := range s.alike.of[weighing] {
		if host := s.sets[id].first(); (first < 0 || host < first) && s.cl.takes(id, a) {
			first = host
		}
	}
	return first
}
