package place

// aware is a simulation whose scheduler passes over nodes whose kubelet would
// refuse, as one that knows of NUMA nodes.
type aware struct {
	*run
	// kind that the scheduler passes over nodes for now, -1 for none.
	kind int
	// refused are the nodes that have refused a kind, with what had changed there then.
	refused []map[int]int
	// binds by node.
	binds []int
}

// numaAware is how many pods of each kind would run if the scheduler passed over
// nodes whose kubelet would refuse.
func (r *run) numaAware() []int {
	if r.awareOf != nil {
		return r.awareOf
	}
	c, err := newRun(r.c)
	if err != nil {
		return r.placed
	}
	c.trial = true
	a := &aware{run: c, kind: -1, refused: make([]map[int]int, len(c.c.Kinds)), binds: make([]int, len(c.c.Nodes))}
	for _, kind := range r.order {
		a.one(int(kind))
	}
	r.awareOf = c.placed
	return r.awareOf
}

// one places a pod on the best of the nodes that don't refuse it.
func (a *aware) one(kind int) {
	a.passOver(kind)
	for {
		node := a.s.Schedule(a.class[kind]).Node
		if node < 0 {
			return
		}
		if a.admit(kind, node) {
			a.count(kind, node, 1)
			a.binds[node]++
			return
		}
		a.mustUnbind(kind, node)
		if a.refused[kind] == nil {
			a.refused[kind] = map[int]int{}
		}
		a.refused[kind][node] = a.binds[node]
		a.s.SetFull(node, true)
	}
}

// passOver makes the scheduler pass over the nodes that have refused the kind, and
// to which nothing has come since.
func (a *aware) passOver(kind int) {
	if a.kind == kind {
		return
	}
	if a.kind >= 0 {
		for node := range a.refused[a.kind] {
			a.s.SetFull(node, false)
		}
	}
	a.kind = kind
	for node, binds := range a.refused[kind] {
		if binds == a.binds[node] {
			a.s.SetFull(node, true)
		} else {
			delete(a.refused[kind], node)
		}
	}
}
