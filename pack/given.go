package pack

import "slices"

// problem is what a model packs, as a problem of its own: for the rules that a
// search begins with, which know neither zones nor spares.
func (m *model) problem(of *Problem) Problem {
	p := Problem{Resources: of.Resources}
	for k, from := range m.kindOf {
		p.Nodes = append(p.Nodes, NodeType{Name: of.Nodes[from].Name, Capacity: m.room(k), Cost: m.cost[k],
			Stock: m.stock[k]})
	}
	for i, from := range m.itemOf {
		it := Item{Name: of.Items[from].Name, Count: m.count[i], Need: m.needs(i), MaxPerNode: of.Items[from].MaxPerNode}
		for k := range m.kinds {
			it.On = append(it.On, m.fits(k)[i] > 0)
		}
		p.Items = append(p.Items, it)
		for _, j := range m.foes[i] {
			if int(j) > i {
				p.Conflicts = append(p.Conflicts, [2]int{i, int(j)})
			}
		}
	}
	return p
}

// begin offers the packings that were given, and their patterns to the master.
// What does not hold of one is packed by the completer.
func (s *search) begin(ms *master) {
	for _, list := range s.given {
		if s.enough() {
			return
		}
		count, stock, taken := slices.Clone(s.m.count), slices.Clone(s.m.stock), &mix{}
		for _, t := range list {
			l, ok := s.m.load(t)
			if !ok {
				continue
			}
			if ms != nil {
				ms.add(int(l.kind), l.items, l.counts)
			}
			l.copies = min(t.Copies, copiesOf(l.items, l.counts, count, stock[l.kind]))
			if l.copies > 0 {
				taken.take(s.m, l, count, stock)
			}
		}
		if rest := s.complete.complete(count, stock, s.price, maxInt); rest != nil {
			s.offer(taken.plus(rest))
		}
	}
}

// load is a pattern as a load without copies; false when no node can be filled like that.
func (m *model) load(t Pattern) (load, bool) {
	l := load{kind: int32(t.Node)}
	if t.Node < 0 || t.Node >= m.kinds || len(t.Items) == 0 {
		return l, false
	}
	for _, st := range t.Items {
		i := int32(st.Item)
		if st.Item < 0 || st.Item >= m.items || st.Count < 1 || slices.Contains(l.items, i) {
			return l, false
		}
		for _, j := range l.items {
			if slices.Contains(m.foes[i], j) {
				return l, false
			}
		}
		l.items, l.counts = append(l.items, i), append(l.counts, st.Count)
	}
	return l, m.holds(t.Node, l.items, l.counts)
}
