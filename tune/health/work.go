package health

// workStep is what a step costs: something that happens, or that stays, as a line of the
// log, a state or a machine does. It bounds memory. Looking at a thing costs 1.
const workStep = 400

// spend counts work. A world that has done more than it may stalls.
func (w *world) spend(work int) {
	if w.work += work; w.work > w.script.budget && w.stalled == "" {
		w.stalled = "the scenario takes too much work: it was played until " + clock(w.now)
	}
}

// stalledRemedy is what would let a stalled scenario end.
func (w *world) stalledRemedy() string {
	if w.work > w.script.budget {
		return "name fewer machines, let fewer of them fail, or end the scenario earlier"
	}
	return "give machines time: check the timeouts and how long things take"
}
