package cpu

import "plimsoll.dev/unit"

// worker takes CPUs with the options of a policy. All its memory is made once.
type worker struct {
	s     *shape
	opts  options
	outer taker
	inner taker // of one NUMA node, while distributing
	base  pool  // what a container may be given
	plan  *distributor
}

func newWorker(s *shape, o options) *worker {
	return &worker{s: s, opts: o, outer: newTaker(s), inner: newTaker(s), base: newPool(s), plan: newDistributor(s)}
}

// take picks n of the CPUs in outer.left. The set is outer.got, too.
// (staticPolicy.takeByTopology)
func (w *worker) take(n int) (unit.CPUSet, error) {
	t := &w.outer
	t.need, t.got = n, unit.CPUSet{}
	if n < 1 {
		return t.got, nil
	}
	if n > t.left.size {
		return t.got, ShortError{Requested: n, Available: t.left.size}
	}
	group := 1
	if w.opts.fullCores {
		group = w.s.perCore
	}
	if !w.opts.acrossNodes || n%group != 0 {
		t.packed(w.opts.acrossCores, w.opts.byCache)
		return t.got, nil
	}
	share, found, err := w.plan.plan(t, group)
	switch {
	case err != nil:
		return unit.CPUSet{}, err
	case !found:
		t.packed(w.opts.acrossCores, false)
		return t.got, nil
	}
	return w.distribute(share, group)
}

// distribute carries a plan out. What a node turns out not to have is not noticed
// before the end.
func (w *worker) distribute(share, group int) (unit.CPUSet, error) {
	t := &w.outer
	for _, n := range w.plan.bestNodes {
		w.takeOfNode(n, share)
	}
	for rest := w.plan.want - share*len(w.plan.bestNodes); rest > 0; {
		before := rest
		for _, n := range w.plan.bestRest {
			if rest > 0 && t.left.sum(w.s.nodes.parts[n].cells) >= group {
				w.takeOfNode(n, group)
				rest -= group
			}
		}
		if rest == before {
			return unit.CPUSet{}, ErrHangs
		}
	}
	if t.need > 0 {
		return unit.CPUSet{}, accountingError{missing: t.need}
	}
	return t.got, nil
}

// takeOfNode picks n CPUs of one NUMA node, packed; none if it has fewer.
func (w *worker) takeOfNode(node uint16, n int) {
	w.inner.left.clear()
	w.inner.left.addPart(&w.outer.left, &w.s.nodes.parts[node])
	w.inner.need, w.inner.got = n, unit.CPUSet{}
	if n < 1 || n > w.inner.left.size {
		return
	}
	w.inner.packed(w.opts.acrossCores, false)
	w.outer.take(&w.inner.got, w.inner.got.Len())
}

// alignTo fills outer.left with what the base has on the nodes of the mask, or with
// align-by-socket on all sockets that those nodes touch. (getAlignedCPUs)
func (w *worker) alignTo(base *pool, mask uint64) {
	w.outer.left.clear()
	parts, chosen := w.s.nodes.parts, w.s.nodesIn(mask)
	if w.opts.bySocket {
		parts, chosen = w.s.sockets.parts, w.s.socketsIn(mask)
	}
	for i := range parts {
		if chosen&(1<<i) != 0 {
			w.outer.left.addPart(base, &parts[i])
		}
	}
}
