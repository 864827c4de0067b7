package cpu

import "plimsoll.dev/unit"

// worker takes CPUs with the options of a policy. All its memory is made once.
type worker struct {
	s     *shape
	opts  options
	outer taker
	inner taker // of one NUMA node, while distributing
	plan  *distributor
}

func newWorker(s *shape, o options) *worker {
	return &worker{s: s, opts: o, outer: newTaker(s), inner: newTaker(s), plan: newDistributor(s)}
}

// worker is the manager's own.
func (m *Manager) worker() *worker {
	if m.work == nil {
		m.work = newWorker(m.s, m.opts)
	}
	return m.work
}

// take picks n of the CPUs in outer.left; the set is outer.got, of no meaning
// with an error. (staticPolicy.takeByTopology)
func (w *worker) take(n int) error {
	t := &w.outer
	t.need, t.got = n, unit.CPUSet{}
	if n < 1 {
		return nil
	}
	if has := w.s.count(&t.left); n > has {
		return ShortError{Requested: n, Available: has}
	}
	group := 1
	if w.opts.fullCores {
		group = w.s.perCore
	}
	if !w.opts.acrossNodes || n%group != 0 {
		t.packed(w.opts.acrossCores, w.opts.byCache)
		return nil
	}
	share, found, err := w.plan.plan(t, group)
	switch {
	case err != nil:
		return err
	case !found:
		t.packed(w.opts.acrossCores, false)
		return nil
	}
	return w.distribute(share, group)
}

// distribute carries a plan out. What a node turns out not to have is not noticed
// before the end.
func (w *worker) distribute(share, group int) error {
	t := &w.outer
	for _, n := range w.plan.bestNodes {
		w.takeOfNode(n, share)
	}
	for rest := w.plan.want - share*len(w.plan.bestNodes); rest > 0; {
		before := rest
		for _, n := range w.plan.bestRest {
			if rest > 0 && w.s.common(&t.left, &w.s.nodes.parts[n].cpus) >= group {
				w.takeOfNode(n, group)
				rest -= group
			}
		}
		if rest == before {
			return ErrHangs
		}
	}
	if t.need > 0 {
		return accountingError{missing: t.need}
	}
	return nil
}

// takeOfNode picks n CPUs of one NUMA node, packed; none if it has fewer.
func (w *worker) takeOfNode(node uint16, n int) {
	w.inner.left = unit.CPUSet{}
	w.s.addCommon(&w.inner.left, &w.outer.left, &w.s.nodes.parts[node].cpus)
	w.inner.need, w.inner.got = n, unit.CPUSet{}
	if n < 1 || n > w.s.count(&w.inner.left) {
		return
	}
	w.inner.packed(w.opts.acrossCores, false)
	w.outer.take(&w.inner.got, w.s.count(&w.inner.got))
}

// alignTo fills outer.left with what the base has on the nodes of the mask, or with
// align-by-socket on all sockets that those nodes touch. (getAlignedCPUs)
func (w *worker) alignTo(base *unit.CPUSet, mask uint64) {
	w.outer.left = unit.CPUSet{}
	parts, chosen := w.s.nodes.parts, w.s.nodesIn(mask)
	if w.opts.bySocket {
		parts, chosen = w.s.sockets.parts, w.s.socketsIn(mask)
	}
	for i := range parts {
		if chosen&(1<<i) != 0 {
			w.s.addCommon(&w.outer.left, base, &parts[i].cpus)
		}
	}
}
