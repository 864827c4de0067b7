package nova

import "plimsoll.dev/unit"

// packs reports whether the thread policy finds its cores among the free CPUs.
func (a *ask) packs(c *HostCell, l *cores, free *unit.CPUSet, d *demand) failure {
	if d.need() == 0 && a.rules != Nova {
		return failure{}
	}
	switch a.thread {
	case Isolate:
		return a.isolates(c, l, free, d)
	case Require:
		return a.requires(l, free, d)
	}
	have := l.total(free, d.need())
	if have < d.pinned || a.noCPUBeside(d, have) {
		return failure{test: fewThreads, have: int64(have), want: int64(d.need())}
	}
	return failure{}
}

// noCPUBeside says that the emulator finds no CPU beside the pinned vCPUs, of so
// many. Nova gives it none in a cell that pins nothing.
func (a *ask) noCPUBeside(d *demand, have int) bool {
	if a.rules == Nova {
		return d.reserved > 0 && (d.pinned == 0 || have <= d.pinned)
	}
	return have < d.need()
}

// isolates needs a whole free core for each vCPU. Nova refuses it where cores have
// threads, except on hosts set up in the old way (vcpu_pin_set: the shared CPUs are
// the dedicated ones).
func (a *ask) isolates(c *HostCell, l *cores, free *unit.CPUSet, d *demand) failure {
	if a.rules == Nova && l.threads > 1 && c.Shared != c.Dedicated {
		return failure{test: noIsolate, size: int64(l.threads)}
	}
	want := d.pinned
	if a.rules != Nova {
		want = d.need()
	}
	whole := l.with(l.threads, free, want)
	if whole < want || a.rules == Nova && (d.pinned == 0 || a.noCPUBeside(d, l.with(1, free, d.need()))) {
		return failure{test: fewCores, have: int64(whole), want: int64(max(d.need(), 1))}
	}
	return failure{}
}

// requires needs cores with free siblings.
func (a *ask) requires(l *cores, free *unit.CPUSet, d *demand) failure {
	if l.threads < 2 {
		return failure{test: noThreads}
	}
	if a.together(l, free, d) > 0 {
		return failure{}
	}
	return failure{test: fewSiblings, have: int64(l.with(2, free, l.len())), want: int64(d.need())}
}

// together is the number of threads that are taken of each core: the most with
// which the vCPUs find enough cores. 0 says that no core needs to give siblings.
func (a *ask) together(l *cores, free *unit.CPUSet, d *demand) int {
	least := 1
	if a.thread == Require {
		least = 2
	}
	for t := l.threads; t >= least; t-- {
		n := l.with(t, free, max((d.need()+t-1)/t, 1))
		switch {
		case n == 0:
		case a.rules != Nova && t*n >= d.need():
			return t
		case a.rules == Nova && t*n >= d.pinned && (d.reserved == 0 || !a.noCPUBeside(d, l.total(free, d.need()))):
			return t
		}
	}
	return 0
}

// pin chooses the CPUs: those of the vCPUs in their order, and the emulator's. It
// is right only where packs passed.
func (a *ask) pin(l *cores, free *unit.CPUSet, d *demand, dst []uint16) (pins []uint16, emulator int) {
	t, each := 1, l.threads // the free threads in a line
	if a.thread == Isolate {
		t, each = l.threads, 1
	} else if k := a.together(l, free, d); k > 0 {
		t, each = k, k
	}
	if a.rules != Nova {
		pins = l.take(free, t, each, d.need(), dst)
		if d.reserved > 0 && len(pins) > d.pinned {
			return pins[:d.pinned], int(pins[d.pinned])
		}
		return pins, -1
	}
	pins = l.take(free, t, each, d.pinned, dst)
	if d.reserved == 0 {
		return pins, -1
	}
	return pins, l.beside(free, pins, a.thread == Isolate)
}

// beside is the first free thread that is not among the pins, of a core without
// pins if they are to be alone; -1 is none.
func (l *cores) beside(free *unit.CPUSet, pins []uint16, alone bool) int {
	var taken unit.CPUSet
	for _, cpu := range pins {
		taken.Add(int(cpu))
	}
	for k := range l.len() {
		if alone && l.freeOf(k, &taken) > 0 {
			continue
		}
		for _, cpu := range l.core(k) {
			if has(free, cpu) && !has(&taken, cpu) {
				return int(cpu)
			}
		}
	}
	return -1
}

// keepsIdle reports whether free threads beside the ones in use are nobody's: isolate
// leaves them unused, and so does the document's require.
func (a *ask) keepsIdle() bool {
	return a.thread == Isolate || a.thread == Require && a.rules == HCG40
}

// idle adds the free threads of cores that the cell has threads of.
func (l *cores) idle(f *CellFit, free *unit.CPUSet) {
	used := f.Reserved
	for _, p := range f.Pins {
		used.Add(p.CPU)
	}
	for k := range l.len() {
		if l.freeOf(k, &used) == 0 {
			continue
		}
		for _, cpu := range l.core(k) {
			if has(free, cpu) && !has(&used, cpu) {
				f.Idle.Add(int(cpu))
			}
		}
	}
}
