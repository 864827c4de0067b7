package pool

import (
	"cmp"
	"container/heap"
	"slices"

	"plimsoll.dev/unit"
)

// run plays the rollout to its end, and has everything that changes recorded.
func (w *world) run(o *Options, r *recorder) {
	until := cmp.Or(o.Until, week)
	events := slices.Clone(o.Events)
	slices.SortStableFunc(events, func(a, b Event) int { return int(a.At - b.At) })
	for {
		for len(events) > 0 && events[0].At <= w.now {
			w.happen(events[0])
			events = events[1:]
		}
		w.settle()
		r.record(w)
		next, ok := w.next(events)
		if !ok || next > until {
			r.close(w, until, ok)
			return
		}
		w.now = next
	}
}

// settle does everything that is due now: phases end, controllers choose, daemons
// begin, until nothing more happens.
func (w *world) settle() {
	for changed := true; changed; {
		changed = false
		for _, m := range w.due() {
			m.finish()
			w.touch(m)
			changed = true
		}
		for i := range w.groups {
			changed = w.sync(&w.groups[i]) || changed
		}
		changed = w.begin() || changed
	}
}

// begin has the daemons look at the nodes that changed. It says whether any did
// anything.
func (w *world) begin() (any bool) {
	look := w.stirred
	w.stirred = nil
	for _, m := range look {
		m.stirred = false
	}
	for _, m := range look {
		if m.begin(w.now, w.release) {
			w.touch(m)
			any = true
		}
	}
	return any
}

// next is the time at which something happens by itself, or by an event.
func (w *world) next(events []Event) (at unit.Duration, ok bool) {
	for len(w.alarms) > 0 && !(w.alarms[0].holds() && w.alarms[0].m.busy()) {
		if a := heap.Pop(&w.alarms).(alarm); a.holds() {
			a.m.timed = false
		}
	}
	if len(w.alarms) > 0 {
		at, ok = w.alarms[0].at, true
	}
	if len(events) > 0 && (!ok || events[0].At < at) {
		at, ok = events[0].At, true
	}
	return at, ok
}
