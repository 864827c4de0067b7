package cloud

// statesByWeight are states that have hosts, by what Nova's weighers see of them. There
// are far fewer such weighings than states, so a choice compares these first and
// looks for a single host only in the best.
type statesByWeight struct {
	// of are the states of each weighing; live the weighings that have any.
	of   [][]int32
	live []int32
	// slot is the place of a weighing in live, plus one; at that of a state in its weighing.
	slot, at []int32
	// hint is where a state of a weighing was found that took a VM.
	hint []int32
}

func (w *statesByWeight) add(id, weighing int32) {
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

func (w *statesByWeight) remove(id, weighing int32) {
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

// anyTakes reports whether a state of the weighing takes a VM.
func (s *sim) anyTakes(weighing int32, spec int) bool {
	list := s.byWeight.of[weighing]
	hint := min(int(s.byWeight.hint[weighing]), len(list)-1)
	for i := range list {
		at := hint + i
		if at >= len(list) {
			at -= len(list)
		}
		if s.states.takes(list[at], spec) {
			s.byWeight.hint[weighing] = int32(at)
			return true
		}
	}
	return false
}

// firstOf is the first host, in Nova's order, of the weighing's states that take a
// VM.
func (s *sim) firstOf(weighing int32, spec int) int32 {
	first := int32(-1)
	for _, id := range s.byWeight.of[weighing] {
		if host := s.sets[id].first(); (first < 0 || host < first) && s.states.takes(id, spec) {
			first = host
		}
	}
	return first
}
