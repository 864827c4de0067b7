package cpu

// Clone is an independent copy of the manager and its state. What never changes
// (the machine's shape, the options) is shared.
func (m *Manager) Clone() *Manager {
	c := *m
	if m.work != nil {
		c.work = newWorker(m.s, m.opts)
	}
	return &c
}
