package cpu

import (
	"slices"
)

// ids are the NUMA nodes of a mask.
func (w *twin) ids(mask uint64) set {
	out := set{}
	for i, n := range w.m.Nodes {
		if mask>>i&1 != 0 {
			out[n.ID] = true
		}
	}
	return out
}

func (w *twin) allocate(p *Pod, i int, mask uint64) error {
	c := p.Containers[i]
	if c.CPUs == 0 {
		return nil
	}
	if w.o.fullCores {
		threads := w.average(byCore)
		e := SMTAlignmentError{Requested: c.CPUs, PerCore: threads}
		if c.CPUs%threads != 0 {
			return e
		}
		reserved := w.values(w.reserved, byCore)
		e.Available = len(w.shared.and(func(c int) bool { return !slices.Contains(reserved, w.cpu(c).Core) }))
		if e.Short = c.CPUs > e.Available; e.Short {
			return e
		}
	}
	if w.pods[p.UID] == nil {
		w.pods[p.UID] = map[int]set{}
	}
	got, has := w.pods[p.UID][i]
	if !has {
		var err error
		if got, err = w.allocateNew(p.UID, c.CPUs, mask); err != nil {
			return err
		}
		w.pods[p.UID][i] = got
	}
	if w.reuseUID != p.UID {
		w.reuseUID, w.reuse = p.UID, set{}
	}
	if c.Kind == Init {
		w.reuse = w.reuse.plus(got)
	} else {
		w.reuse = w.reuse.minus(got)
	}
	return nil
}

func (w *twin) reusable(uid string) set {
	if uid == w.reuseUID {
		return w.reuse
	}
	return set{}
}

func (w *twin) allocateNew(uid string, n int, mask uint64) (set, error) {
	free := w.shared.minus(w.reserved).plus(w.reusable(uid))
	got := set{}
	if mask != 0 {
		nodes := w.ids(mask)
		near := free.and(func(c int) bool { return nodes[w.cpu(c).Node] })
		if w.o.bySocket {
			sockets := w.values(w.all().and(func(c int) bool { return nodes[w.cpu(c).Node] }), bySocket)
			near = free.and(func(c int) bool { return slices.Contains(sockets, w.cpu(c).Socket) })
		}
		var err error
		if got, err = w.take(near, min(n, len(near))); err != nil {
			return nil, err
		}
	}
	more, err := w.take(free.minus(got), n-len(got))
	if err != nil {
		return nil, err
	}
	got = got.plus(more)
	w.shared = w.shared.minus(got)
	return got, nil
}

func (w *twin) remove(uid string) {
	for _, s := range w.pods[uid] {
		w.shared = w.shared.plus(s)
	}
	delete(w.pods, uid)
}

// hints is the list for n CPUs out of what is free and what is used again.
func (w *twin) hints(free, again set, n int) []Hint {
	var all []int
	for i, node := range w.m.Nodes {
		if len(w.in(w.all(), byNode, node.ID)) > 0 {
			all = append(all, i)
		}
	}
	var list []Hint
	least := len(all)
	on := func(s set, mask uint64) int {
		ids := w.ids(mask)
		return len(s.and(func(c int) bool { return ids[w.cpu(c).Node] }))
	}
	for k := 1; k <= len(all); k++ {
		subsets(all, k, func(some []int) bool {
			var mask uint64
			for _, i := range some {
				mask |= 1 << i
			}
			if on(w.all(), mask) >= n {
				least = min(least, k)
			}
			if on(again, mask) == len(again) && len(again)+on(free, mask) >= n {
				list = append(list, Hint{Nodes: mask})
			}
			return true
		})
	}
	for i := range list {
		list[i].Preferred = w.preferred(list[i].Nodes, least)
	}
	return list
}

func (w *twin) preferred(mask uint64, least int) bool {
	nodes := w.ids(mask)
	if w.o.bySocket {
		perSocket := len(w.values(w.all(), byNode)) / len(w.values(w.all(), bySocket))
		touched := w.values(w.all().and(func(c int) bool { return nodes[w.cpu(c).Node] }), bySocket)
		fewest := 1
		for fewest*perSocket < least {
			fewest++
		}
		if len(touched) == fewest {
			return true
		}
	}
	return len(nodes) == least
}

func (w *twin) containerHints(p *Pod, i int) (list []Hint, opinion bool) {
	n := p.Containers[i].CPUs
	if n == 0 {
		return nil, false
	}
	if own, has := w.pods[p.UID][i]; has {
		if len(own) != n {
			return nil, true
		}
		return w.hints(own, set{}, n), true
	}
	return w.hints(w.shared.minus(w.reserved), w.reusable(p.UID), n), true
}

// peak is the most CPUs that containers have for themselves at any time.
func peak(p *Pod) int {
	running, most := 0, 0
	for _, c := range p.Containers {
		most = max(most, running+c.CPUs)
		if c.Kind != Init {
			running += c.CPUs
		}
	}
	return most
}

func (w *twin) podHints(p *Pod) (list []Hint, opinion bool) {
	n := peak(p)
	if n == 0 {
		return nil, false
	}
	has := set{}
	for i, own := range w.pods[p.UID] {
		if len(own) != p.Containers[i].CPUs {
			return nil, true
		}
		has = has.plus(own)
	}
	if len(has) == n {
		return w.hints(has, set{}, n), true
	}
	return w.hints(w.shared.minus(w.reserved), has.plus(w.reusable(p.UID)), n), true
}
