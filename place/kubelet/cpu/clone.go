package cpu

// Clone is an independent copy of the manager and its state. What never changes
// (the machine's shape, the options) is shared.
func (m *Manager) Clone() *Manager {
	c := *m
	c.work = nil
	return &c
}
