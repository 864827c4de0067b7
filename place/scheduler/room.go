package scheduler

// Room is how many more pods of the class would be placed, one after the other,
// until one fits nowhere. The scheduler stays as it is.
func (s *Scheduler) Room(id ClassID) int {
	c := s.classes[id]
	switch {
	case c.spec.NodeName != "" || s.alone(c):
		return s.roomOnNodes(c)
	}
	trial := s.Clone()
	count := 0
	for trial.Schedule(id).Node >= 0 {
		count++
	}
	return count
}

// alone reports whether pods of the class only meet each other in the resources and
// ports of a node: then each node holds what it holds, in any order.
func (s *Scheduler) alone(c *class) bool {
	return len(c.hard) == 0 && len(c.affinity) == 0 && len(c.antiAffinity) == 0 && !s.anyCounted(c.existingAntiAffinity)
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
	s.indexCounters(c)
	sum := int64(0)
	for _, node := range list {
		if s.entry(c, node) != refused {
			sum += s.holds(c, node)
		}
	}
	return int(sum)
}

// holds is how many more pods of the class a node has resources for, at least 1.
func (s *Scheduler) holds(c *class, node int32) int64 {
	n := &s.state[node]
	count := int64(n.maxPods - n.pods)
	if len(c.hostPorts) > 0 {
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
