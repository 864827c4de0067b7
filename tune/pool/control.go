package pool

import (
	"cmp"
	"slices"
)

// sync is the operator's controller for one pool: it points as many nodes as may
// be to the pool's configuration. It says whether it did anything.
func (w *world) sync(g *group) bool {
	if g.Spec.Paused || g.target == "" || emptySelector(g.Spec.NodeSelector) {
		return false
	}
	nodes := w.members(g.Metadata.Name)
	budget, err := Budget(&g.MachineConfigPool, len(nodes), w.era)
	if err != nil {
		return false
	}
	chosen := w.candidates(g, nodes, budget)
	for _, m := range chosen {
		m.Desired = g.target
	}
	return len(chosen) > 0
}

// candidates are the nodes to update now. Nodes that fail on the pool's
// configuration count against the budget even while they are available.
func (w *world) candidates(g *group, nodes []*machine, budget int) []*machine {
	var open []*machine
	used := 0
	for _, m := range nodes {
		if m.unavailable() {
			used++
		}
	}
	capacity := budget - used
	for _, m := range nodes {
		switch {
		case m.Desired == g.target && m.failing():
			capacity--
		case m.Desired == g.target:
		case readyFirst.In(w.era) && !m.ready():
		default:
			open = append(open, m)
		}
	}
	if used >= budget || capacity <= 0 {
		return nil
	}
	if operatorLast.In(w.era) && g.Metadata.Name == Master && len(open) > 1 {
		open = slices.DeleteFunc(open, func(m *machine) bool { return m.Name == w.operator })
	}
	if len(open) > capacity {
		w.order(open)
		open = open[:capacity]
	}
	return open
}

// order sorts nodes as the operator takes them; by name where it has no order.
func (w *world) order(nodes []*machine) {
	slices.SortStableFunc(nodes, func(a, b *machine) int {
		if zoneOrder.In(w.era) {
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
