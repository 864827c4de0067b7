package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/tune/pool"
)

// Move is one change that gives the node another profile.
type Move struct {
	Change Change `json:"change"`
	// Item that wins then, -1 when none matches, and its profile.
	Item    int    `json:"item"`
	Profile string `json:"profile"`
	// Pool that the node is in then, where that changes; "none" is no pool.
	Pool string `json:"pool,omitempty"`
}

// moves finds the single changes that move a node.
type moves struct {
	*cluster
	// v is the node with one change, winner the item that wins without.
	v      view
	winner int
	was    *pool.Membership
	found  []Move
	all    []result // what the states of one label lead to
}

// moves are all single changes of a node's labels, and pods that may come, that give
// it another profile.
func (c *cluster) moves(v *view, winner int) []Move {
	m := moves{cluster: c, v: *v, winner: winner, was: v.pools}
	m.v.labels = maps.Clone(v.labels)
	for _, l := range c.labels {
		if len(l.items) > 0 && l.items[0] <= c.before(winner) || l.pool && len(c.byPool) > 0 {
			m.relabel(l)
		}
	}
	m.newPods()
	return m.found
}

// result is what a state of a label leads to.
type result struct {
	state string
	item  int
	pools *pool.Membership
}

// same reports whether two results are one.
func same(a, b result) bool { return a.item == b.item && a.pools.Primary == b.pools.Primary }

// relabel tries all states of one label.
func (m *moves) relabel(l *namedLabel) {
	from := l.state(m.v.labels)
	all := m.all[:0]
	for _, state := range l.states {
		l.set(m.v.labels, state)
		var byPool []int
		if l.pool && len(m.byPool) > 0 {
			if m.v.pools = m.pools.of(m.v.labels); m.v.pools != m.was {
				byPool = m.byPool
			}
		}
		all = append(all, result{state, m.after(&m.v, m.winner, l.items, byPool), m.v.pools})
	}
	l.set(m.v.labels, from)
	m.v.pools, m.all = m.was, all
	for _, r := range all {
		m.record(l, from, r, all)
	}
}

// record keeps a result that is a move. Values that nothing asks for stand for all
// values that lead to the same.
func (m *moves) record(l *namedLabel, from string, r result, all []result) {
	if r.state == from || m.profileOf(r.item) == m.profileOf(m.winner) {
		return
	}
	if r.state != absent && r.state != unasked && from != unasked && same(r, all[atUnasked]) {
		return
	}
	c := relabel(l.key, from, r.state)
	if r.state == unasked {
		for _, v := range all[atValues:] {
			if !same(v, r) || v.state == from {
				c.Except = append(c.Except, v.state)
			}
		}
	}
	m.add(c, r)
}

func (m *moves) add(c Change, r result) {
	move := Move{Change: c, Item: r.item, Profile: m.profileOf(r.item)}
	if r.pools.Primary != m.was.Primary {
		move.Pool = cmp.Or(r.pools.Primary, "none")
	}
	m.found = append(m.found, move)
}

// newPods tries the pods that satisfy an item before the winner all alone. With more
// labels a pod can do no more: another item that they satisfy has a pod of its own.
func (m *moves) newPods() {
	tried := map[string]bool{}
	for i := range m.before(m.winner) {
		if m.profileOf(i) == m.profileOf(m.winner) {
			continue
		}
		for _, w := range m.m.items[i].ways {
			if !slices.ContainsFunc(w, condition.onPod) {
				continue
			}
			if lacking := m.v.missing(w); len(lacking.labels) == 0 && len(lacking.pods) == 1 && !w.impossible() {
				m.newPod(i, m.inOrder(lacking.pods[0]), tried)
			}
		}
	}
}

// inOrder are conditions on pods in the order in which items name them.
func (c *cluster) inOrder(conditions []condition) []condition {
	return slices.SortedFunc(slices.Values(conditions), func(a, b condition) int {
		return slices.Index(c.conditions, a) - slices.Index(c.conditions, b)
	})
}

// newPod brings a pod that meets conditions, by which item i matches.
func (m *moves) newPod(i int, conditions []condition, tried map[string]bool) {
	key := fmt.Sprint(conditions)
	if tried[key] {
		return
	}
	tried[key] = true
	pod := map[string]string{}
	for _, c := range conditions {
		if pod[c.label] = c.value; c.anyValue {
			pod[c.label] = unasked
		}
	}
	if m.withPod(pod) != i {
		return // that item has a pod of its own
	}
	change := Change{Do: Come}
	for _, c := range conditions {
		change.Pod = append(change.Pod, m.podLabel(i, c, pod))
	}
	m.add(change, result{item: i, pools: m.was})
}

// podLabel is a label of the pod that comes. Where any value will do, those are left
// out by which an earlier item wins.
func (m *moves) podLabel(i int, c condition, pod map[string]string) PodLabel {
	l := newPodLabel(c)
	if !c.anyValue {
		return l
	}
	pod = maps.Clone(pod)
	for _, o := range m.conditions {
		if o.label == c.label && !o.anyValue {
			if pod[c.label] = o.value; m.withPod(pod) != i {
				l.Except = append(l.Except, o.value)
			}
		}
	}
	slices.Sort(l.Except)
	return l
}

// withPod is the item that wins when a pod with these labels comes.
func (m *moves) withPod(pod map[string]string) int {
	var concerned [][]int
	for key, value := range pod {
		one, any := condition{pod: true, label: key, value: value}, condition{pod: true, label: key, anyValue: true}
		concerned = append(concerned, m.byPod[one], m.byPod[any])
	}
	m.v.addPod(pod)
	item := m.after(&m.v, m.winner, concerned...)
	m.v.removePod(pod)
	return item
}

// leavingPod is a pod whose going gives its node another profile.
type leavingPod struct {
	pod *Pod
	// lost are the conditions of the winning item that no other pod meets.
	lost []condition
	item int
}

// key tells apart pods that hold a node differently.
func (p *leavingPod) key() string { return fmt.Sprint(p.item, p.lost) }

// leaving are the pods of node i whose going gives it another profile.
func (c *cluster) leaving(i, winner int) []leavingPod {
	if winner < 0 {
		return nil
	}
	asked := c.m.items[winner].onPods()
	if len(asked) == 0 {
		return nil
	}
	asked = c.inOrder(asked)
	var out []leavingPod
	v := &c.views[i]
	for _, p := range c.pods[i] {
		labels := c.named(p)
		v.removePod(labels)
		if item := c.after(v, winner); c.profileOf(item) != c.profileOf(winner) {
			lost := slices.DeleteFunc(slices.Clone(asked), func(a condition) bool { return !a.metBy(labels) || v.holds(a) })
			out = append(out, leavingPod{p, lost, item})
		}
		v.addPod(labels)
	}
	return out
}

// onPods are the conditions on pods that an item asks for, each once.
func (i *Item) onPods() []condition {
	var out []condition
	for _, w := range i.ways {
		for _, c := range w {
			if c.pod && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// leavingMoves are pods that leave as moves, each kind once.
func (c *cluster) leavingMoves(list []leavingPod) []Move {
	var out []Move
	seen := map[string]bool{}
	for _, p := range list {
		if seen[p.key()] {
			continue
		}
		seen[p.key()] = true
		change := Change{Do: Go}
		for _, l := range p.lost {
			change.Pod = append(change.Pod, newPodLabel(l))
		}
		out = append(out, Move{Change: change, Item: p.item, Profile: c.profileOf(p.item)})
	}
	return out
}
