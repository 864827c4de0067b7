package pool

import (
	"cmp"
	"container/heap"
	"slices"

	"plimsoll.dev/unit"
)

// standing is what a node counts for in its pool.
type standing struct {
	// unavailable nodes and those that fail on the pool's configuration eat the budget.
	unavailable, failing bool
	// busy nodes are being updated, behind is what isn't updated or not there for pods,
	// without which the pool isn't Updated, and open what may be taken now.
	busy, behind, open bool
}

// tally counts the nodes of a pool by what they stand for.
type tally struct{ unavailable, failing, busy, behind, open int }

// add counts a node n times: 1, or -1 to take it out.
func (t *tally) add(s standing, n int) {
	for _, x := range []struct {
		is bool
		to *int
	}{{s.unavailable, &t.unavailable}, {s.failing, &t.failing}, {s.busy, &t.busy}, {s.behind, &t.behind},
		{s.open, &t.open}} {
		if x.is {
			*x.to += n
		}
	}
}

// standing is what a node counts for in its pool now.
func (w *world) standing(m *machine) standing {
	target := m.group.target
	return standing{unavailable: m.unavailable(), failing: m.Desired == target && m.failing(), busy: m.busy(),
		behind: m.Current != target || m.Desired != target || m.group.rolled && m.unavailable(),
		open:   m.Desired != target && (m.ready() || !readyFirst.In(w.release))}
}

// load is what nodes take.
type load struct {
	nodes, pods int
	cpu         unit.CPU
}

// add counts a node n times.
func (l *load) add(m *machine, n int) {
	l.nodes, l.pods, l.cpu = l.nodes+n, l.pods+n*m.Pods, l.cpu+unit.CPU(n)*m.CPU
}

// touch has a node that changed counted, queued and recorded anew. Everything that
// changes a node ends with it.
func (w *world) touch(m *machine) {
	if takes := m.takesPods(); takes != m.taking {
		n := 1
		if !takes {
			n = -1
		}
		m.taking = takes
		w.all.add(m, n)
		if m.applications {
			w.workers.add(m, n)
		}
	}
	if m.busy() && (!m.timed || m.alarm != m.until) {
		m.timed, m.alarm = true, m.until
		heap.Push(&w.alarms, alarm{m.until, m})
	}
	if !m.stirred {
		m.stirred = true
		w.stirred = append(w.stirred, m)
	}
	if !m.changed {
		m.changed = true
		w.changed = append(w.changed, m)
	}
	if m.group != nil {
		w.recount(m)
	}
}

// recount counts a node in its pool, and queues it there when it may be taken.
func (w *world) recount(m *machine) {
	g, now := m.group, w.standing(m)
	g.tally.add(m.counted, -1)
	g.tally.add(now, 1)
	m.counted, g.due, g.told = now, true, false
	if now.open && !m.queued {
		m.queued = true
		heap.Push(&g.queue, m)
	}
}

// regroup gives each pool its nodes, and counts all from the start.
func (w *world) regroup() {
	byName := map[string]*group{}
	for i := range w.groups {
		g := &w.groups[i]
		g.nodes, g.queue, g.tally = nil, nil, tally{}
		g.due, g.told = true, false
		byName[g.Metadata.Name] = g
	}
	for i := range w.machines {
		m := &w.machines[i]
		if m.group = byName[m.member.Primary]; m.group != nil {
			m.group.nodes = append(m.group.nodes, m)
		}
	}
	for i := range w.groups {
		order := slices.Clone(w.groups[i].nodes)
		w.order(order)
		for turn, m := range order {
			m.turn = turn
		}
	}
}

// countAll counts all nodes from the start.
func (w *world) countAll() {
	w.all, w.workers, w.anyWorker = load{}, load{}, false
	for i := range w.machines {
		m := &w.machines[i]
		m.taking, m.counted, m.queued = false, standing{}, false
		w.anyWorker = w.anyWorker || m.applications
		w.touch(m)
	}
}

// queue are nodes that may be taken, the next one on top. Nodes that may no more
// stay in it until they are on top.
type queue []*machine

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].turn < q[j].turn }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*machine)) }
func (q *queue) Pop() any          { return pop((*[]*machine)(q)) }

// alarm is the time at which a phase of a node is over.
type alarm struct {
	at unit.Duration
	m  *machine
}

// holds says whether the node still waits for this alarm.
func (a alarm) holds() bool { return a.m.timed && a.m.alarm == a.at }

// alarms are those of all busy nodes, the next one on top. Some don't hold any more.
type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)        { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any          { return pop((*[]alarm)(a)) }

// pop takes the last one off.
func pop[T any](list *[]T) T {
	last := len(*list) - 1
	out := (*list)[last]
	*list = (*list)[:last]
	return out
}

// due takes the nodes whose phase is over, in the order of all nodes.
func (w *world) due() (out []*machine) {
	for len(w.alarms) > 0 && w.alarms[0].at <= w.now {
		a := heap.Pop(&w.alarms).(alarm)
		if !a.holds() {
			continue
		}
		a.m.timed = false
		if a.m.busy() {
			out = append(out, a.m)
		}
	}
	slices.SortFunc(out, byIndex)
	return out
}

func byIndex(a, b *machine) int { return cmp.Compare(a.index, b.index) }
