package cpu

import "slices"

// Clone is an independent copy of the manager and its state. What never changes
// (the machine's shape, the options) is shared.
func (m *Manager) Clone() *Manager {
	c := *m
	c.spare = nil
	c.free.cell, c.free.core = slices.Clone(m.free.cell), slices.Clone(m.free.core)
	if m.work != nil {
		c.work = newWorker(m.s, m.opts)
	}
	c.pods = make(map[string]*holding, len(m.pods))
	for uid, h := range m.pods {
		copied := *h
		copied.sets = slices.Clone(h.sets)
		c.pods[uid] = &copied
	}
	return &c
}
