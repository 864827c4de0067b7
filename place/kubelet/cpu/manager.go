package cpu

import (
	"errors"
	"fmt"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Manager is the CPU manager of one node with its state.
type Manager struct {
	static bool
	opts   options
	// podLevel: pods with resources of their own are looked at.
	podLevel bool
	s        *shape
	reserved unit.CPUSet
	// reservedCores are the reserved CPUs and all other threads of their cores.
	reservedCores unit.CPUSet
	// shared is the default set, where containers without CPUs of their own run.
	shared unit.CPUSet
	// reuse is what the init containers of one pod leave to its later containers.
	// Upstream forgets all other pods whenever it notes something here.
	reuse struct {
		uid  string
		cpus unit.CPUSet
	}
	work *worker // nil before the first CPUs are taken
}

// New makes the manager of a machine without pods. The error joins everything for
// which the kubelet would not start; it is ErrHangs when the kubelet would not get
// past choosing its reserved CPUs.
func New(m *topo.Machine, c Config) (*Manager, error) {
	if problems := m.Check(); problems != nil {
		return nil, errors.Join(problems...)
	}
	if c.Policy == None || c.Policy == "" {
		if len(c.Options) > 0 {
			return nil, errors.New("the CPU manager has options, but its policy is none (static, or no options)")
		}
		return &Manager{}, nil
	}
	if c.Policy != Static {
		return nil, fmt.Errorf("the CPU manager's policy is %q (none or static)", c.Policy)
	}
	s := newShape(m)
	opts, problems := parseOptions(c, s)
	if err := checkReserved(c, s); err != nil {
		problems = append(problems, err)
	}
	if problems != nil {
		return nil, errors.Join(problems...)
	}
	mgr := &Manager{static: true, opts: opts, podLevel: gates(c.Gates).podLevel(), s: s}
	if err := mgr.start(c); err != nil {
		return nil, err
	}
	return mgr, nil
}

// checkReserved demands a reservation, or the shared pool could run empty.
func checkReserved(c Config, s *shape) error {
	n := s.all.Len()
	switch {
	case !c.ReservedCPUs.SubsetOf(s.all):
		return fmt.Errorf("the reserved CPUs %s are not all online (%s are)", c.ReservedCPUs, s.all)
	case !c.ReservedCPUs.IsEmpty():
		return nil
	case c.Reserved <= 0:
		return errors.New("no CPU is reserved (the static policy needs systemReserved and kubeReserved CPU above 0 " +
			"together, or reservedSystemCPUs)")
	case roundUp(int(c.Reserved), 1000) > n:
		return fmt.Errorf("%s CPUs are reserved (at most the machine's %d)", c.Reserved, n)
	}
	return nil
}

// start chooses the reserved CPUs, as those of a container would be chosen, and
// fills the shared pool. (NewStaticPolicy, validateState)
func (m *Manager) start(c Config) error {
	m.reserved = c.ReservedCPUs
	if m.reserved.IsEmpty() {
		n := roundUp(int(c.Reserved), 1000)
		w := m.worker()
		w.outer.left = m.s.all
		switch err := w.take(n); err {
		case nil:
			m.reserved = w.outer.got
		case ErrHangs:
			return err
		}
		if m.reserved.Len() != n {
			return fmt.Errorf("the %d reserved CPUs can't be chosen: there are %d in %q (list them in reservedSystemCPUs)", n,
				m.reserved.Len(), m.reserved)
		}
	}
	for cpu := range m.reserved.All() {
		for _, sibling := range m.s.cores[m.s.coreOf[cpu]].cpus {
			m.reservedCores.Add(int(sibling))
		}
	}
	m.shared = m.s.all
	if m.opts.strict {
		m.shared = m.shared.Minus(m.reserved)
	}
	return nil
}

// Reserved is the CPUs that no container gets for itself; with
// strict-cpu-reservation the shared pool does without them, too.
func (m *Manager) Reserved() unit.CPUSet { return m.reserved }

// Shared is where containers without CPUs of their own run. With the policy none
// it is empty: nothing is pinned.
func (m *Manager) Shared() unit.CPUSet { return m.shared }

// Remove gives back what a pod has, when it was refused or is gone; the pod is
// not changed, so that clones may share it. What a pod was allocated as a whole
// stays lost when none of its containers got a share, as upstream never looks for
// it. (removeStaleState)
func (m *Manager) Remove(p *Pod) {
	switch {
	case len(p.held) == 0:
	case p.hasWhole:
		m.s.add(&m.shared, &p.whole)
	default:
		for i := range p.held {
			m.s.add(&m.shared, &p.held[i].cpus)
		}
	}
}
