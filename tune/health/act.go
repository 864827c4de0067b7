package health

// do carries out a line of the script.
func (w *world) do(e *scriptEvent) {
	w.note(Entry{Text: e.text})
	a := &e.act
	switch a.verb {
	case scaleSet:
		if s := w.bySet[a.object]; s != nil {
			s.want = a.count
			w.reconcileSet(s)
		}
	case pauseCheck, resumeCheck, editCheck:
		w.edit(a)
	case editTakes:
		w.takes = a.takes
	default:
		for _, name := range a.names {
			if m := w.byName[name]; m != nil && !m.gone {
				w.doTo(m, a)
			}
		}
	}
}

// doTo carries out what is done to machines.
func (w *world) doTo(m *member, a *action) {
	switch a.verb {
	case setCondition:
		w.setConditions(m, a.conditions)
	case loseNode:
		m.node = nil
		w.changed(m)
	case powerOff, powerOn:
		w.power(m, a.verb == powerOn, a.planned)
	case failMachine:
		if !m.Deleting {
			m.setPhase(Failed, w.now)
			w.changed(m)
		}
	case deleteMachine:
		w.delete(m)
	case repairMachine:
		delete(m.Annotations, external.In(w.release).mark)
		w.changed(m)
	case stopMachine:
		m.stuck = true
	}
}

// setConditions sets conditions of a node. A machine without one gets it: the
// kubelet registers.
func (w *world) setConditions(m *member, list []Condition) {
	if m.node == nil {
		first := m.NodeName == ""
		w.putNode(m, "True", w.now)
		if first {
			w.note(Entry{Machine: m.Name, Name: Joined})
		}
	}
	for _, c := range list {
		w.set(m, c.Type, c.Status)
	}
	w.changed(m)
}

// edit changes a check.
func (w *world) edit(a *action) {
	for _, c := range w.checks {
		if c.policy.Name != a.object {
			continue
		}
		switch a.verb {
		case pauseCheck:
			c.policy.paused = pauses.In(w.release)
		case resumeCheck:
			c.policy.paused = false
		case editCheck:
			c.policy.limit, c.policy.maxText = LimitOf(a.limit, w.release), maxText(a.limit)
		}
		c.dirty = true
	}
}
