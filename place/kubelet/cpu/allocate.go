package cpu

import "plimsoll.dev/unit"

// Allocate gives a container its CPUs: those on the nodes of the affinity first,
// the rest from anywhere. The affinity is a mask of indices of the machine's NUMA
// nodes, the merged hint's; 0 says that there is none. Nothing happens to
// containers that run in the shared pool or have CPUs already.
//
// The errors are SMTAlignmentError, ShortError, ErrHangs, and one for the plan
// of distribute-cpus-across-numa that does not work out; what earlier containers
// of the pod got stays until Remove. (staticPolicy.Allocate)
func (m *Manager) Allocate(p *Pod, container int, affinity uint64) error {
	n := p.Containers[container].CPUs
	if n == 0 || !m.manages(p) {
		return nil
	}
	if err := m.checkCores(n); err != nil {
		return err
	}
	if own := p.find(container); own != nil {
		m.noteReuse(p, container, own)
		return nil
	}
	var cpus unit.CPUSet
	if err := m.takeFor(n, affinity, m.reusable(p.UID), &cpus); err != nil {
		return err
	}
	p.hold(container, &cpus)
	m.noteReuse(p, container, &cpus)
	return nil
}

// manages reports whether the policy looks at a pod at all.
func (m *Manager) manages(p *Pod) bool { return m.static && (!p.Level || m.podLevel) }

// checkCores is the rule of full-pcpus-only. Siblings of reserved CPUs do not
// count, so that whole cores remain for what is left. (enforceSMTAlignment)
func (m *Manager) checkCores(n int) error {
	if !m.opts.fullCores {
		return nil
	}
	e := SMTAlignmentError{Requested: n, PerCore: m.s.perCore}
	if n%m.s.perCore != 0 {
		return e
	}
	if e.Available = m.shared.Minus(m.reservedCores).Len(); n > e.Available {
		e.Short = true
		return e
	}
	return nil
}

// reusable is what finished init containers leave to the pod; nil when nothing.
func (m *Manager) reusable(uid string) *unit.CPUSet {
	if m.reuse.uid != uid || m.s.isEmpty(&m.reuse.cpus) {
		return nil
	}
	return &m.reuse.cpus
}

// noteReuse remembers the CPUs of an init container for the containers after it,
// and forgets those that an app container or sidecar took. (updateCPUsToReuse)
func (m *Manager) noteReuse(p *Pod, container int, cpus *unit.CPUSet) {
	if m.reuse.uid != p.UID {
		m.reuse.uid, m.reuse.cpus = p.UID, unit.CPUSet{}
	}
	if p.Containers[container].Kind == Init {
		m.s.add(&m.reuse.cpus, cpus)
	} else {
		m.s.drop(&m.reuse.cpus, cpus)
	}
}

// takeFor moves n CPUs out of the shared pool, or out of what may be used again,
// into an empty set. (allocateCPUs)
func (m *Manager) takeFor(n int, affinity uint64, reusable, got *unit.CPUSet) error {
	w, base := m.worker(), m.shared
	m.s.drop(&base, &m.reserved)
	if reusable != nil {
		m.s.add(&base, reusable)
	}
	if affinity != 0 {
		w.alignTo(&base, affinity)
		if err := w.take(min(n, m.s.count(&w.outer.left))); err != nil {
			return err
		}
		m.s.add(got, &w.outer.got)
	}
	if rest := n - m.s.count(got); rest > 0 {
		w.outer.left = base
		m.s.drop(&w.outer.left, got)
		if err := w.take(rest); err != nil {
			return err
		}
		m.s.add(got, &w.outer.got)
	}
	m.s.drop(&m.shared, got)
	return nil
}

// AllocatePod gives a pod with resources of its own its CPUs and divides them
// among its containers. The kubelet calls it instead of Allocate in the topology
// manager's pod scope, where it looks at such pods. Errors are those of Allocate and
// EmptySharedPoolError. (staticPolicy.AllocatePod)
func (m *Manager) AllocatePod(p *Pod, affinity uint64) error {
	n := m.podCPUs(p)
	if n == 0 || !m.manages(p) {
		return nil
	}
	if err := checkSharedPool(p, n); err != nil {
		return err
	}
	if err := m.checkCores(n); err != nil {
		return err
	}
	p.whole = unit.CPUSet{}
	if err := m.takeFor(n, affinity, nil, &p.whole); err != nil {
		return err
	}
	p.hasWhole = true
	return m.divide(p)
}

// divide gives the containers their shares of the pod's CPUs. Init containers use
// everything that sidecars before them have left, one after the other. When it
// fails, nothing of it is noted.
func (m *Manager) divide(p *Pod) error {
	shares := make([]*unit.CPUSet, len(p.Containers))
	pool := p.whole
	for i, c := range p.Containers {
		if c.CPUs == 0 && c.Kind != Init {
			continue
		}
		share := pool
		if c.CPUs > 0 {
			w := m.worker()
			w.outer.left = pool
			if err := w.take(c.CPUs); err != nil {
				return err
			}
			share = w.outer.got
		}
		if shares[i] = &share; c.Kind != Init {
			pool = pool.Minus(share)
		}
	}
	for i, share := range shares {
		if share == nil {
			share = &pool
		}
		p.hold(i, share)
	}
	return nil
}

// podCPUs is what a pod wants for itself as a whole: init containers run one after
// the other, beside the sidecars before them, and before the app containers.
// (podGuaranteedCPUs)
func (m *Manager) podCPUs(p *Pod) int {
	if p.Level && m.podLevel {
		return p.CPUs
	}
	inits, sidecars, apps := 0, 0, 0
	for _, c := range p.Containers {
		switch c.Kind {
		case Sidecar:
			sidecars += c.CPUs
		case Init:
			inits = max(inits, sidecars+c.CPUs)
		default:
			apps += c.CPUs
		}
	}
	return max(inits, sidecars+apps)
}

// checkSharedPool refuses pods with containers that would have no CPU to run on.
// (validatePodScopeResources)
func checkSharedPool(p *Pod, budget int) error {
	exclusive, shared := 0, false
	for _, c := range p.Containers {
		switch {
		case c.Kind == Init:
			if c.CPUs == 0 && exclusive >= budget {
				return EmptySharedPoolError{Init: true}
			}
		case c.CPUs == 0:
			shared = true
		default:
			exclusive += c.CPUs
		}
	}
	if shared && exclusive >= budget {
		return EmptySharedPoolError{}
	}
	return nil
}
