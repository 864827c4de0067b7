package place

import "slices"

// losing tries losses of nodes one after the other in one copy of a simulation, in which
// each is taken back, so that not every one needs a copy of its own.
type losing struct {
	r, trial *run
	steps    []step
}

// step is what changed on a node: so many more pods of a kind, or fewer.
type step struct{ kind, node, n int }

// of returns the pods that find no place when nodes fail, by kind.
func (l *losing) of(nodes []int) []int {
	if l.r.pinnedAny() || l.r.s.Random() || slices.ContainsFunc(nodes, l.r.s.Cordoned) {
		return l.r.clone().fail(nodes) // what kubelets gave out, lots and cordons are not taken back
	}
	if l.trial == nil {
		l.trial = l.r.clone()
	}
	t, start := l.trial, l.trial.s.Start()
	t.noted, l.steps = func(s step) { l.steps = append(l.steps, s) }, l.steps[:0]
	homeless := t.fail(nodes)
	t.noted = nil
	for _, n := range nodes {
		t.s.SetUnschedulable(n, false)
		t.s.SetFull(n, false)
	}
	for _, s := range slices.Backward(l.steps) {
		for range s.n {
			t.mustUnbind(s.kind, s.node)
		}
		for range -s.n {
			t.s.Bind(t.class[s.kind], s.node)
		}
		t.count(s.kind, s.node, -s.n)
	}
	t.s.SetStart(start)
	return homeless
}
