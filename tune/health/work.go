package health

// What playing costs, in verdicts, each of which takes some tens of nanoseconds. What
// is kept costs more than its time, so that the bound of the work bounds memory, too.
const (
	workStep    = 20    // something that happens, or a pass
	workKept    = 400   // what stays: a line of the log, a state of a machine, a status
	workMachine = 1_500 // a machine that is made
	// workPasses is how many things are looked through in the time of a verdict.
	workPasses = 8
)

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
