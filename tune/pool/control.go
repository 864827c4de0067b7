package pool

import (
	"cmp"
	"container/heap"
	"slices"

	"plimsoll.dev/selector"
)

// sync is the operator's controller for one pool: it points as many nodes as may
// be to the pool's configuration. It says whether it did anything.
func (w *world) sync(g *group) bool {
	if !g.due {
		return false
	}
	g.due = false
	if g.Spec.Paused || g.target == "" || selector.Empty(g.Spec.NodeSelector) {
		return false
	}
	budget, err := Budget(&g.MachineConfigPool, len(g.nodes), w.release)
	if err != nil {
		return false
	}
	chosen := w.candidates(g, budget)
	for _, m := range chosen {
		m.Desired = g.target
		w.touch(m)
	}
	return len(chosen) > 0
}

// candidates are the nodes to update now. Nodes that fail on the pool's
// configuration count against the budget even while they are available.
func (w *world) candidates(g *group, budget int) (out []*machine) {
	last := ""
	if operatorLast.In(w.release) && g.Metadata.Name == Master && g.tally.open > 1 {
		last = w.operator
	}
	var back *machine
	capacity := budget - g.tally.unavailable - g.tally.failing
	for len(out) < capacity && len(g.queue) > 0 {
		m := heap.Pop(&g.queue).(*machine)
		m.queued = false
		switch {
		case !m.counted.open:
		case m.Name == last:
			back = m
		default:
			out = append(out, m)
		}
	}
	if back != nil {
		back.queued = true
		heap.Push(&g.queue, back)
	}
	return out
}

// order sorts nodes as the operator takes them; by name where it has no order.
func (w *world) order(nodes []*machine) {
	slices.SortStableFunc(nodes, func(a, b *machine) int {
		if zoneOrder.In(w.release) {
			if a.zoned != b.zoned {
				if a.zoned {
					return -1
				}
				return 1
			}
			if c := cmp.Or(cmp.Compare(a.zone, b.zone), cmp.Compare(a.Created, b.Created)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Name, b.Name)
	})
}
