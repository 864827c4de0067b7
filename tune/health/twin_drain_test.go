package health

import "plimsoll.dev/release"

// controller is the machine controller in this second.
func (w *twin) controller() {
	if w.e == release.Current {
		for _, m := range w.machines {
			if m.leaving && m.drained && w.now > m.pollFrom && (w.now-m.pollFrom)%30 == 0 && w.now >= m.endsAt {
				w.remove(m)
			}
		}
	}
	if w.busy != nil && w.busyUntil == w.now {
		m := w.busy
		w.busy = nil
		if w.busyDone {
			w.end(m)
		} else {
			pause := int64(20)
			if w.e == release.Current {
				pause = 5
				for range m.tries {
					pause *= 2
				}
				pause = min(pause, 1000)
			}
			m.tries++
			w.later(m, w.now+pause)
		}
	}
	for w.busy == nil {
		var best *twinMachine
		for _, m := range w.machines {
			if !m.leaving || m.drained && w.e == release.Current || m.nextTry > w.now {
				continue
			}
			if best == nil || m.nextTry < best.nextTry || m.nextTry == best.nextTry && m.order < best.order {
				best = m
			}
		}
		if best == nil {
			return
		}
		w.work(best)
	}
}

func (w *twin) work(m *twinMachine) {
	if m.drained {
		if w.now >= m.endsAt {
			w.remove(m)
		} else {
			w.later(m, w.now+30)
		}
		return
	}
	if m.node == nil {
		w.end(m)
		return
	}
	if w.e == release.Current && m.node.isMaster() && !m.node.Cordoned {
		for _, o := range w.machines {
			if o != m && o.node != nil && o.node.isMaster() && o.node.Cordoned {
				w.later(m, w.now+20)
				return
			}
		}
	}
	m.node.Cordoned = true
	if m.evictedAt < 0 {
		m.evictedAt = w.now
	}
	need := w.takes.drain
	if m.node.has("Ready", "Unknown") {
		need = 331
		if w.e == release.Current {
			need = 3
		}
	}
	done := m.evictedAt + need
	if done <= w.now {
		w.end(m)
		return
	}
	w.busy, w.busyUntil, w.busyDone = m, w.now+20, false
	if done <= w.now+20 {
		w.busyUntil, w.busyDone = done, true
	}
}

// end begins to end an instance.
func (w *twin) end(m *twinMachine) {
	if m.evictedAt >= 0 {
		w.say("drained %s", m.Name)
	}
	m.drained, m.endsAt, m.pollFrom = true, w.now+w.takes.terminate, w.now
	if w.now >= m.endsAt {
		w.remove(m)
		return
	}
	w.later(m, w.now+30)
}
