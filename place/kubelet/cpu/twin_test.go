package cpu

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// twin is the static policy written down as the rules read, with maps, sorting
// and searching instead of counts and bits.
type twin struct {
	m        topo.Machine
	index    map[int]topo.CPU
	o        options
	reserved set
	shared   set
	pods     map[string]map[int]set
	reuseUID string
	reuse    set
}

type set map[int]bool

func (s set) list() []int { return slices.Sorted(maps.Keys(s)) }

func (s set) and(keep func(int) bool) set {
	out := set{}
	for c := range s {
		if keep(c) {
			out[c] = true
		}
	}
	return out
}

func (s set) minus(t set) set { return s.and(func(c int) bool { return !t[c] }) }

func (s set) plus(t set) set {
	out := maps.Clone(s)
	maps.Copy(out, t)
	return out
}

func (s set) bits() unit.CPUSet { return unit.CPUSetOf(s.list()...) }

// key is what CPUs are grouped by.
type key func(topo.CPU) int

func byNode(c topo.CPU) int   { return c.Node }
func bySocket(c topo.CPU) int { return c.Socket }
func byCache(c topo.CPU) int  { return c.Cache }
func byCore(c topo.CPU) int   { return c.Core }

func (w *twin) cpu(id int) topo.CPU { return w.index[id] }

func (w *twin) all() set {
	out := set{}
	for _, c := range w.m.CPUs {
		out[c.ID] = true
	}
	return out
}

// in is what of s has a key of this value.
func (w *twin) in(s set, k key, value int) set {
	return s.and(func(c int) bool { return k(w.cpu(c)) == value })
}

func (w *twin) values(s set, k key) []int {
	seen := set{}
	for c := range s {
		seen[k(w.cpu(c))] = true
	}
	return seen.list()
}

// average is the CPUs per group over the whole machine, rounded down.
func (w *twin) average(k key) int { return len(w.m.CPUs) / len(w.values(w.all(), k)) }

// order sorts the groups that some of the CPUs "within" belong to: fewest free
// first, then the lowest id.
func (w *twin) order(within, free set, k key) []int {
	ids := w.values(within, k)
	slices.SortStableFunc(ids, func(a, b int) int { return len(w.in(free, k, a)) - len(w.in(free, k, b)) })
	return ids
}

// levels are NUMA nodes and sockets, the upper one first.
func (w *twin) levels() (upper, lower key) {
	if len(w.values(w.all(), bySocket)) >= len(w.values(w.all(), byNode)) {
		return byNode, bySocket
	}
	return bySocket, byNode
}

// nested is the order of a lower level: upper parts in their order, lower ones
// within.
func (w *twin) nested(free set, upper, lower key) []int {
	var ids []int
	for _, u := range w.order(free, free, upper) {
		ids = append(ids, w.order(w.in(free, upper, u), free, lower)...)
	}
	return ids
}

func (w *twin) nodesOf(free set) []int {
	if upper, lower := w.levels(); len(w.values(w.all(), bySocket)) < len(w.values(w.all(), byNode)) {
		return w.nested(free, upper, lower)
	}
	return w.order(free, free, byNode)
}

// cores is the order of cores: within the lower level.
func (w *twin) cores(free set) []int {
	upper, lower := w.levels()
	var ids []int
	for _, l := range w.nested(free, upper, lower) {
		ids = append(ids, w.order(w.in(free, lower, l), free, byCore)...)
	}
	return ids
}

// hand is what is being picked.
type hand struct {
	w    *twin
	free set
	got  set
	need int
}

func (h *hand) take(cpus set) {
	h.got, h.free = h.got.plus(cpus), h.free.minus(cpus)
	h.need -= len(cpus)
}

// whole takes all of the wholly free groups that fit into the need.
func (h *hand) whole(ids []int, k key, average bool) {
	var free []int
	for _, id := range ids {
		size := len(h.w.in(h.w.all(), k, id))
		if average {
			size = h.w.average(k)
		}
		if len(h.w.in(h.free, k, id)) == size {
			free = append(free, id)
		}
	}
	for _, id := range free {
		if cpus := h.w.in(h.w.all(), k, id); len(cpus) <= h.need {
			h.take(cpus)
		}
	}
}

func (h *hand) singles(ids []int) {
	for _, c := range ids {
		if h.need > 0 {
			h.take(set{c: true})
		}
	}
}

func (w *twin) packed(free set, n int, byCaches bool) (set, error) {
	if n < 1 {
		return set{}, nil
	}
	if n > len(free) {
		return nil, ShortError{n, len(free)}
	}
	h := &hand{w: w, free: free, got: set{}, need: n}
	upper, lower := w.levels()
	socketsUp := len(w.values(w.all(), bySocket)) < len(w.values(w.all(), byNode))
	h.whole(w.order(h.free, h.free, upper), upper, socketsUp)
	h.whole(w.nested(h.free, upper, lower), lower, !socketsUp)
	if byCaches {
		h.caches()
	}
	if w.o.acrossCores {
		h.spread()
		return h.got, nil
	}
	h.whole(w.cores(h.free), byCore, true)
	var singles []int
	for _, c := range w.cores(h.free) {
		singles = append(singles, w.in(h.free, byCore, c).list()...)
	}
	h.singles(singles)
	return h.got, nil
}

func (h *hand) spread() {
	upper, lower := h.w.levels()
	sockets := h.w.order(h.free, h.free, bySocket)
	if len(h.w.values(h.w.all(), bySocket)) >= len(h.w.values(h.w.all(), byNode)) {
		sockets = h.w.nested(h.free, upper, lower)
	}
	var singles []int
	for _, s := range sockets {
		singles = append(singles, h.w.in(h.free, bySocket, s).list()...)
	}
	h.singles(singles)
}

func (h *hand) caches() {
	order := func() []int {
		var ids []int
		for _, n := range h.w.nodesOf(h.free) {
			ids = append(ids, h.w.order(h.w.in(h.free, byNode, n), h.free, byCache)...)
		}
		return ids
	}
	for _, cache := range order() {
		if h.need >= h.w.average(byCache) {
			h.whole(order(), byCache, false)
		}
		if h.need < 1 {
			return
		}
		cores := h.w.values(h.w.in(h.free, byCache, cache), byCore)
		threads := h.w.average(byCore)
		cores = cores[:min(len(cores), (h.need+threads-1)/threads)]
		cpus := h.free.and(func(c int) bool { return slices.Contains(cores, h.w.cpu(c).Core) }).list()
		if h.need%2 == 1 && threads > 1 && len(cpus) > h.need {
			cpus = cpus[:len(cpus)-1]
		}
		if len(cpus) == h.need {
			h.singles(cpus)
		}
	}
}

func (w *twin) take(free set, n int) (set, error) {
	if !w.o.acrossNodes {
		return w.packed(free, n, w.o.byCache)
	}
	group := 1
	if w.o.fullCores {
		group = w.average(byCore)
	}
	return w.distributed(free, n, group)
}

var errTwin = errors.New("the twin refuses")

func newTwin(m topo.Machine, o options, reserved int) (*twin, error) {
	w := &twin{m: m, index: map[int]topo.CPU{}, o: o, pods: map[string]map[int]set{}}
	for _, c := range m.CPUs {
		w.index[c.ID] = c
	}
	r, err := w.take(w.all(), reserved)
	if err != nil {
		return nil, err
	}
	if len(r) != reserved {
		return nil, fmt.Errorf("%w: %d reserved", errTwin, len(r))
	}
	w.reserved, w.shared = r, w.all()
	if o.strict {
		w.shared = w.shared.minus(r)
	}
	return w, nil
}
