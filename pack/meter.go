package pack

// DefaultEffort is about a second's work of one processor core.
const DefaultEffort = 350_000

// stepsPerUnit is how many steps, each about a multiplication and an addition,
// make a unit of effort.
const stepsPerUnit = 2048

// meter counts the work that is done, so that a search ends after the same work
// on every machine.
type meter struct {
	steps, limit int64
	whole        int64 // the limit that no part of the work has narrowed
	stop         func() bool
	stopped      bool
	looked       int64
	text         int // bytes that certificates may still have
}

func newMeter(o Options) *meter {
	effort := o.Effort
	if effort <= 0 {
		effort = DefaultEffort
	}
	effort = min(effort, maxInt/stepsPerUnit)
	return &meter{limit: effort * stepsPerUnit, whole: effort * stepsPerUnit, stop: o.Stop, text: mostText}
}

// spend adds work.
func (m *meter) spend(steps int) { m.steps += int64(steps) }

// over says whether the search has to end.
func (m *meter) over() bool {
	if m.stop != nil && !m.stopped && m.steps-m.looked > 100*stepsPerUnit {
		m.looked = m.steps
		m.stopped = m.stop()
	}
	return m.stopped || m.steps >= m.limit
}

// left is the work that may still be done.
func (m *meter) left() int64 {
	if m.stopped {
		return 0
	}
	return max(m.limit-m.steps, 0)
}

// within runs f with at most a share of what is left.
func (m *meter) within(share float64, f func()) {
	limit := m.limit
	m.limit = m.steps + int64(share*float64(m.left()))
	f()
	m.limit = limit
}

// done is the share that is spent.
func (m *meter) done() float64 { return min(float64(m.steps)/float64(max(m.whole, 1)), 1) }

func (m *meter) effort() int64 { return (m.steps + stepsPerUnit - 1) / stepsPerUnit }
