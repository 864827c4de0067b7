package scheduler

import "slices"

// Room is how many more pods of the class would be placed, one after the other, until
// one fits nowhere. Where only trying tells, most pods are tried; all is false where
// another may fit. The scheduler stays as it is.
func (s *Scheduler) Room(id ClassID, most int) (count int, all bool) {
	c := s.classes[id]
	if c.spec.NodeName != "" || len(c.hard) == 0 && s.alone(c) {
		return s.roomOnNodes(c), true
	}
	if len(c.hard) == 1 && s.alone(c) && !c.named {
		if count, ok := s.roomInDomains(c); ok {
			return count, true
		}
	}
	trial := s.Clone()
	for ; count < most; count++ {
		if trial.Schedule(id).Node < 0 {
			return count, true
		}
	}
	return count, false
}

// roomInDomains is the room of a class with one hard spread constraint and nothing
// else that lets its pods meet. Whatever the order, the domain with the least count
// can always grow, so the least ends at the least that a domain comes to when it is
// full; and every other domain then grows until it is full, too, or maxSkew above
// that. It can't tell where a node takes pods and doesn't count them.
func (s *Scheduler) roomInDomains(c *class) (count int, ok bool) {
	h := &c.hard[0]
	k := &s.counters[h.counter]
	room := make([]int64, len(k.count))
	for _, node := range s.order {
		d := h.domain[node]
		switch {
		case d < 0 || s.refuses(c, &s.state[node], node):
		case k.of[node] != d:
			return 0, false
		default:
			room[d] += s.holds(c, node)
		}
	}
	counts := c.countsIn(h.counter)
	least := k.leastWith(h, counts, room)
	for d, n := range room {
		// A pod is taken while the count, and itself, is at most maxSkew above the least.
		switch above := h.maxSkew + least - h.selfMatch - int64(k.count[d]) + 1; {
		case above <= 0:
		case counts == 0:
			count += int(n)
		default:
			count += int(min(n, above))
		}
	}
	return count, true
}

// countsIn is what each pod of the class adds to a counter, 0 or 1: pods may match
// their own selector and not be counted, as with an empty one.
func (c *class) countsIn(counter int32) int64 {
	for _, e := range c.effects {
		if e.counter == counter {
			return int64(e.delta)
		}
	}
	return 0
}

// leastWith is the least count of the domains that count when each has got as many
// pods more as it has room for.
func (c *counter) leastWith(h *topologySpread, counts int64, room []int64) int64 {
	if c.minimum.domains < h.minDomains {
		return 0
	}
	least := int64(-1)
	for d, nodes := range c.minimum.nodes {
		if full := int64(c.count[d]) + counts*room[d]; nodes > 0 && (least < 0 || full < least) {
			least = full
		}
	}
	return max(least, 0)
}

// alone reports whether pods of the class only meet each other on a node, and in
// spread constraints: then each node holds what it holds, in any order.
func (s *Scheduler) alone(c *class) bool {
	s.indexCounters(c)
	return len(c.affinity) == 0 && !slices.ContainsFunc(c.index.antiAffinityElsewhere,
		func(k int32) bool { return s.counters[k].live != 0 || c.countsIn(k) != 0 })
}

func (s *Scheduler) roomOnNodes(c *class) int {
	list := s.order
	switch node := s.byName(c.spec.NodeName); {
	case node >= 0:
		list = []int32{node}
	case c.spec.NodeName != "":
		return 0
	case c.named:
		list = s.namedNodes(c)
	}
	sum := int64(0)
	for _, node := range list {
		if !s.refuses(c, &s.state[node], node) {
			sum += s.holds(c, node)
		}
	}
	return int(sum)
}

// holds is how many more pods of the class a node has resources for, at least 1.
func (s *Scheduler) holds(c *class, node int32) int64 {
	n := &s.state[node]
	count := int64(n.maxPods - n.pods)
	if len(c.hostPorts) > 0 || slices.ContainsFunc(c.index.antiAffinityOnNode,
		func(k int32) bool { return c.countsIn(k) != 0 && s.counters[k].of[node] >= 0 }) {
		count = min(count, 1)
	}
	if c.cpu > 0 {
		count = min(count, (n.cpu-n.usedCPU)/c.cpu)
	}
	if c.memory > 0 {
		count = min(count, (n.memory-n.usedMemory)/c.memory)
	}
	for _, o := range c.otherRequests {
		count = min(count, s.columns[o.column].free[node]/o.amount)
	}
	return count
}
