package cloud

// inside are the hosts on which a server group has VMs, by class and number of
// these VMs: all that a choice can tell apart.
type inside struct {
	cells map[cell]*hostSet
	// inClass is the number of such hosts by class.
	inClass map[int32]int
}

// cell is a class of hosts that each have so many VMs of a group.
type cell struct{ class, vms int32 }

func newInside() *inside { return &inside{cells: map[cell]*hostSet{}, inClass: map[int32]int{}} }

func (g *inside) add(host int32, c cell) {
	set := g.cells[c]
	if set == nil {
		set = &hostSet{}
		g.cells[c] = set
	}
	set.add(host)
	g.inClass[c.class]++
}

func (g *inside) remove(host int32, c cell) {
	set := g.cells[c]
	set.remove(host)
	if set.empty() {
		delete(g.cells, c)
	}
	if g.inClass[c.class]--; g.inClass[c.class] == 0 {
		delete(g.inClass, c.class)
	}
}

// joinGroups tells the groups that have VMs on a host that it is in a class now;
// leaveGroups that it is no longer.
func (s *sim) joinGroups(host, id int32) {
	for _, g := range s.groupsOf[host] {
		s.inside[g].add(host, cell{id, int32(s.members[g][host])})
	}
}

func (s *sim) leaveGroups(host, id int32) {
	for _, g := range s.groupsOf[host] {
		s.inside[g].remove(host, cell{id, int32(s.members[g][host])})
	}
}

// member counts n more VMs of a group on a host, which may have failed.
func (s *sim) member(group int, host int32, n int) {
	m, id := s.members[group], s.of[host]
	before := m[host]
	after := before + n
	if before > 0 && id >= 0 {
		s.inside[group].remove(host, cell{id, int32(before)})
	}
	if after > 0 && id >= 0 {
		s.inside[group].add(host, cell{id, int32(after)})
	}
	m[host] = after
	switch {
	case before == 0:
		s.groupsOf[host] = append(s.groupsOf[host], int32(group))
	case after == 0:
		delete(m, host)
		s.groupsOf[host] = without(s.groupsOf[host], int32(group))
	}
}

// without takes a value from a list whose order is of no account.
func without(list []int32, v int32) []int32 {
	for i := range list {
		if list[i] == v {
			list[i] = list[len(list)-1]
			return list[:len(list)-1]
		}
	}
	return list
}

// outside is the first host of a class without VMs of the group, and the number of
// such hosts; -1 is none.
func (s *sim) outside(group int, id int32) (first int32, n int) {
	set := &s.sets[id]
	n = set.size() - s.inside[group].inClass[id]
	if n == 0 {
		return -1, 0
	}
	for host := range set.all() {
		if s.members[group][host] == 0 {
			return host, n
		}
	}
	return -1, 0
}
