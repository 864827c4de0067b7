package pool

import (
	"slices"

	"plimsoll.dev/unit"
)

// run plays the rollout to its end, and has everything that changes recorded.
func (w *world) run(o *Options, r *recorder) {
	until := o.Until
	if until == 0 {
		until = week
	}
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
		for i := range w.machines {
			if m := &w.machines[i]; m.busy() && m.until <= w.now {
				m.finish()
				changed = true
			}
		}
		for i := range w.groups {
			changed = w.sync(&w.groups[i]) || changed
		}
		for i := range w.machines {
			changed = w.machines[i].begin(w.now) || changed
		}
	}
}

// next is the time at which something happens by itself, or by an event.
func (w *world) next(events []Event) (at unit.Duration, ok bool) {
	for i := range w.machines {
		if m := &w.machines[i]; m.busy() && (!ok || m.until < at) {
			at, ok = m.until, true
		}
	}
	if len(events) > 0 && (!ok || events[0].At < at) {
		at, ok = events[0].At, true
	}
	return at, ok
}
