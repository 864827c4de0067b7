package health

import (
	"container/heap"
	"time"
)

// How the machine controller works; facts tune.health.* hold the same figures.
const (
	drainSlice   = int64(20)
	mastersPause = int64(20)
	instancePoll = int64(30)
	maxPause     = int64(1000)
)

// drainer is the machine controller as far as it drains and ends machines. It works
// on one at a time, in slices, and takes them in the order in which they are due.
type drainer struct {
	w       *world
	waiting drainQueue
	order   int
	busy    bool
}

// drainState is how far the end of a machine has come.
type drainState struct {
	due, order int64
	// evicted is when the pods were evicted first.
	begun   bool
	evicted int64
	tries   int
	// ending says that the pods are gone, and that the instance ends at end.
	ending bool
	end    int64
}

// requeue has a machine looked at again, not before a time.
func (d *drainer) requeue(m *member, at int64) {
	d.order++
	m.drain.due, m.drain.order = at, int64(d.order)
	heap.Push(&d.waiting, m)
	d.wakeAt(at)
}

func (d *drainer) wakeAt(at int64) { d.w.at(at, rankDrain, d.run) }

// run works until nothing is due, or a slice keeps it busy.
func (d *drainer) run() {
	for !d.busy {
		m := d.next()
		if m == nil {
			return
		}
		d.work(m)
	}
}

// next takes the machine that has been due for the longest time.
func (d *drainer) next() *member {
	if len(d.waiting) == 0 || d.waiting[0].drain.due > d.w.now {
		return nil
	}
	return heap.Pop(&d.waiting).(*member)
}

// drainQueue is a heap of machines by when they are due, and by who came first.
type drainQueue []*member

func (q drainQueue) Len() int { return len(q) }
func (q drainQueue) Less(i, j int) bool {
	a, b := &q[i].drain, &q[j].drain
	return a.due < b.due || a.due == b.due && a.order < b.order
}
func (q drainQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *drainQueue) Push(x any)   { *q = append(*q, x.(*member)) }
func (q *drainQueue) Pop() any {
	last := (*q)[len(*q)-1]
	(*q)[len(*q)-1] = nil
	*q = (*q)[:len(*q)-1]
	return last
}

// work does the next step of a machine's end.
func (d *drainer) work(m *member) {
	s, now := &m.drain, d.w.now
	switch {
	case m.gone:
	case s.ending:
		d.endInstance(m)
	case m.node == nil:
		d.drained(m)
	case !m.node.Cordoned && d.mustWait(m):
		d.requeue(m, now+mastersPause)
	default:
		d.slice(m)
	}
}

// mustWait says whether another node of the control plane is in the way.
func (d *drainer) mustWait(m *member) bool {
	if !mastersInTurn.In(d.w.release) || !m.node.isMaster() {
		return false
	}
	d.w.spend(len(d.w.machines))
	for _, o := range d.w.machines {
		if o.node != nil && o != m && o.node.isMaster() && o.node.Cordoned {
			return true
		}
	}
	return false
}

// slice drains for a while; pods that are left are the next slice's.
func (d *drainer) slice(m *member) {
	s, now := &m.drain, d.w.now
	m.node.Cordoned = true
	if !s.begun {
		s.begun, s.evicted = true, now
	}
	wait := d.w.takes.drain
	if m.node.has("Ready", "Unknown") {
		wait = seconds(unreachableWait.In(d.w.release))
	}
	done := max(now, s.evicted+wait)
	if done == now {
		d.drained(m)
		return
	}
	d.busy = true
	d.w.at(min(done, now+drainSlice), rankDrain, func() {
		d.busy = false
		if d.w.now >= done {
			d.drained(m)
		} else {
			d.requeue(m, d.w.now+d.pause(s))
		}
		d.run()
	})
}

// pause is the time until the next slice.
func (d *drainer) pause(s *drainState) int64 {
	pause := seconds(drainPause.In(d.w.release))
	if drainPauseGrows.In(d.w.release) {
		pause = min(pause<<min(s.tries, 20), maxPause)
	}
	s.tries++
	return pause
}

// drained begins to end the instance.
func (d *drainer) drained(m *member) {
	if m.drain.begun {
		d.w.note(Entry{Machine: m.Name, Name: Drained})
	}
	m.drain.ending, m.drain.end = true, d.w.now+d.w.takes.terminate
	d.endInstance(m)
}

// endInstance looks whether the instance is gone, and again after a while.
func (d *drainer) endInstance(m *member) {
	now := d.w.now
	switch {
	case now >= m.drain.end:
		d.w.remove(m)
	case drainsApart.In(d.w.release):
		d.w.at(now+instancePoll, rankInstance, func() { d.endInstance(m) })
	default:
		d.requeue(m, now+instancePoll)
	}
}

// backOff is the pause after the n-th failure in a row, from 0, in whole seconds.
func backOff(n int) int64 {
	return min(seconds(5*time.Millisecond<<min(n, 20)), maxPause)
}
