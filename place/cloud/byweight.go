package cloud

// statesByWeight are states that have hosts, by what Nova's weighers see of them. There
// are far fewer such weighings than states, so a choice compares these first and
// looks for a single host only in the best.
type statesByWeight struct {
	// of are the states of each weighing; live the weighings that have any.
	of   [][]int32
	live []int32
	// slot is the place of a weighing in live, at that of a state in its weighing.
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
		w.live = put(w.live, w.slot, weighing)
	}
	w.of[weighing] = put(w.of[weighing], w.at, id)
}

func (w *statesByWeight) remove(id, weighing int32) {
	w.of[weighing] = take(w.of[weighing], w.at, id)
	if len(w.of[weighing]) == 0 {
		w.live = take(w.live, w.slot, weighing)
	}
}

// put adds a value to a list whose order is of no account, take takes it out; at is
// the place of each value in its list.
func put(list, at []int32, v int32) []int32 {
	at[v] = int32(len(list))
	return append(list, v)
}

func take(list, at []int32, v int32) []int32 {
	end := len(list) - 1
	last := list[end]
	list[at[v]], at[last] = last, at[v]
	return list[:end]
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
