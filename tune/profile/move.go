package profile

import (
	"cmp"
	"slices"
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

// mover finds the single changes that move the nodes of a class.
type mover struct {
	g *engine
	// s is the situation with one change, winner the item that wins without.
	s      situation
	winner int
	was    *membership
	moves  []Move
	lack   lack
	all    []outcome
}

// of are all single changes of a node's labels, and comings of a pod, that give
// the nodes in this situation another profile.
func (m *mover) of(s *situation, winner int) []Move {
	m.winner, m.was, m.moves = winner, s.member, m.moves[:0]
	m.s = situation{node: append(m.s.node[:0], s.node...), pods: append(m.s.pods[:0], s.pods...), member: s.member}
	g := m.g
	for k := range g.u.keys {
		pool := len(g.byPool) > 0 && slices.Contains(g.pools.keys, int32(k))
		if len(g.byKey[k]) > 0 || pool {
			m.relabel(int32(k), s.node[k], pool)
		}
	}
	m.comings()
	return slices.Clone(m.moves)
}

// last is the number of items when none wins, so that it compares as the last.
func (m *mover) last() int {
	if m.winner < 0 {
		return len(m.g.trees)
	}
	return m.winner
}

// now is the item that wins after a change that concerns only these items, given
// in their order.
func (m *mover) now(concerned ...[]int32) int {
	best, lost := m.last(), false
	for _, items := range concerned {
		for _, i := range items {
			if int(i) > best || int(i) > m.last() {
				break
			}
			if m.g.trees[i].matches(&m.s) {
				best = int(i)
				break
			}
			lost = lost || int(i) == m.winner
		}
	}
	switch {
	case best < m.last():
		return best
	case lost && !m.g.trees[m.winner].matches(&m.s):
		return m.g.next(&m.s, m.winner+1)
	}
	return m.winner
}

// outcome is what a state of a label leads to.
type outcome struct {
	state  uint32
	item   int
	member *membership
}

// same says whether two outcomes are one.
func same(a, b outcome) bool { return a.item == b.item && a.member.Primary == b.member.Primary }

// relabel tries all states of one label.
func (m *mover) relabel(k int32, from uint32, pool bool) {
	m.all = m.all[:0]
	for state := uint32(0); int(state) < int(firstValue)+len(m.g.u.values[k]); state++ {
		o := outcome{state, m.winner, m.was}
		if state != from || state == other {
			m.s.node[k] = state
			if pool {
				m.s.member = m.g.pools.of(m.s.node)
			}
			o.item, o.member = m.now(m.g.byKey[k], m.byPool()), m.s.member
		}
		m.all = append(m.all, o)
	}
	m.s.node[k], m.s.member = from, m.was
	for _, o := range m.all {
		m.record(k, from, o, m.all)
	}
}

// byPool are the items that a change of pools concerns.
func (m *mover) byPool() []int32 {
	if m.s.member == m.was {
		return nil
	}
	return m.g.byPool
}

// record keeps an outcome that is a move. Values that nobody asks for stand for
// all values that lead to the same.
func (m *mover) record(k int32, from uint32, o outcome, all []outcome) {
	if o.state == from || m.g.profileOf(o.item) == m.g.profileOf(m.winner) {
		return
	}
	if o.state >= firstValue && from != other && same(o, all[other]) {
		return
	}
	c := m.g.u.labelled(k, from, o.state)
	if o.state == other {
		for _, v := range all[firstValue:] {
			if !same(v, o) || v.state == from {
				c.Except = append(c.Except, m.g.u.values[k][v.state-firstValue])
			}
		}
	}
	m.add(c, o)
}

func (m *mover) add(c Change, o outcome) {
	move := Move{Change: c, Item: o.item, Profile: m.g.profileOf(o.item)}
	if o.member.Primary != m.was.Primary {
		move.Pool = cmp.Or(o.member.Primary, "none")
	}
	m.moves = append(m.moves, move)
}

// comings tries the pods that satisfy an item before the winner all alone. With
// more labels a pod can do no more: another item that they satisfy is a coming of
// its own.
func (m *mover) comings() {
	tried := map[string]bool{}
	for i := 0; i < m.last(); i++ {
		t := &m.g.trees[i]
		if len(t.pods) == 0 || m.g.profileOf(i) == m.g.profileOf(m.winner) {
			continue
		}
		for n := range t.paths {
			p := &t.paths[n]
			if p.impossible {
				continue
			}
			m.g.u.lacks(p, &m.s, &m.lack)
			if len(m.lack.labels) == 0 && m.lack.needed == 1 {
				m.come(i, tried)
			}
		}
	}
}

// come brings the pod that m.lack asks for.
func (m *mover) come(i int, tried map[string]bool) {
	slices.Sort(m.lack.pods)
	key := make([]byte, 0, 4*len(m.lack.pods))
	for _, c := range m.lack.pods {
		key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	if tried[string(key)] {
		return
	}
	tried[string(key)] = true
	if m.with(m.lack.pods) != i {
		return // that item has a pod of its own
	}
	c := Change{Do: Come}
	for _, id := range m.lack.pods {
		c.Pod = append(c.Pod, m.podLabel(i, id))
	}
	m.add(c, outcome{item: i, member: m.was})
}

// podLabel is a label of the pod that comes. Where any value will do, those are left
// out by which an earlier item wins.
func (m *mover) podLabel(i int, id int32) PodLabel {
	c := m.g.u.pods[id]
	l := PodLabel{Label: c.Label, Value: c.Value}
	if c.Value != nil {
		return l
	}
	for value, more := range m.g.u.byLabel[c.Label].values {
		if m.with(append(slices.Clone(m.lack.pods), more)) != i {
			l.Except = append(l.Except, value)
		}
	}
	slices.Sort(l.Except)
	return l
}

// with is the item that wins when a pod comes that meets these conditions, and by
// them those on the keys alone.
func (m *mover) with(conditions []int32) int {
	var set []int32
	for _, c := range conditions {
		set = append(set, c)
		if l := m.g.u.byLabel[m.g.u.pods[c].Label]; l.present >= 0 {
			set = append(set, l.present)
		}
	}
	var changed []int32
	var concerned [][]int32
	for _, c := range set {
		if m.s.pods[c>>6]>>(c&63)&1 == 0 {
			m.s.pods[c>>6] |= 1 << (c & 63)
			changed, concerned = append(changed, c), append(concerned, m.g.byPod[c])
		}
	}
	item := m.now(concerned...)
	for _, c := range changed {
		m.s.pods[c>>6] &^= 1 << (c & 63)
	}
	return item
}
