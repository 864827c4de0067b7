package scheduler

import "slices"

// Absorbs reports whether it is certain that the pods all find a place on the nodes
// other than some, which stay but take no pods any more, whatever the order and wherever each of them goes. It is not
// where there may be too little room, or where a class looks for other pods: then
// only scheduling them tells.
//
// Say that a node has room for so many pods that each ask for the most that any of
// the pods asks for. While the pods placed are fewer than these rooms together, one
// node has got fewer than it has room for, and takes any of them. Of a class that
// counts pods on nodes each node that takes it now has room for one: until a pod comes,
// it stays like that. Of a class that spreads over domains each domain must have the
// room, since the one with the least pods takes another.
func (s *Scheduler) Absorbs(pods []ClassCount, without []int) bool {
	a := absorbing{s: s, moved: pods, without: without, lost: make([]bool, len(s.nodes)),
		holds: make([]int64, len(s.nodes))}
	for _, node := range without {
		a.lost[node] = true
	}
	for _, p := range pods {
		c := s.classes[p.Class]
		a.pods += int64(p.Count)
		a.most.cpu, a.most.memory = max(a.most.cpu, c.cpu), max(a.most.memory, c.memory)
		a.most.otherRequests = append(a.most.otherRequests, c.otherRequests...) // some several times
	}
	for _, p := range pods {
		if !a.class(s.classes[p.Class]) {
			return false
		}
	}
	return true
}

// absorbing is one question of what is absorbed.
type absorbing struct {
	s       *Scheduler
	pods    int64 // all of them
	most    class // asks for the most of each resource
	moved   []ClassCount
	without []int
	lost    []bool  // by node
	holds   []int64 // by node: 1 and the room; 0 is not known
}

// class reports whether pods of a class find a place, wherever the others go.
func (a *absorbing) class(c *class) bool {
	s := a.s
	s.indexCounters(c)
	if c.spec.NodeName != "" || c.named || len(c.affinity) > 0 ||
		slices.ContainsFunc(c.index.antiAffinityElsewhere, a.mayCount) {
		return false
	}
	over, perNode, ok := a.domains(c)
	if !ok {
		return false
	}
	rooms, short := make([]int64, 1), 1 // by domain; domains that lack room
	var of []int32
	if over != nil {
		k := &s.counters[over.counter]
		rooms, of = make([]int64, len(k.count)), k.of
		if short = a.alive(k); short == 0 {
			return false
		}
	}
	for _, node := range s.order {
		d := int32(0)
		if of != nil {
			d = of[node]
		}
		if d < 0 || rooms[d] >= a.pods || a.lost[node] || s.refuses(c, &s.state[node], node) {
			continue
		}
		room := a.room(node)
		if perNode {
			if room = min(room, 1); !s.countsFit(c, node) {
				continue
			}
		}
		if rooms[d] += room; rooms[d] >= a.pods {
			if short--; short == 0 {
				return true
			}
		}
	}
	return false
}

// mayCount reports whether a counter counts pods, or would with those that move: some come from
// nodes without its label.
func (a *absorbing) mayCount(counter int32) bool {
	return a.s.counters[counter].live != 0 || slices.ContainsFunc(a.moved, func(p ClassCount) bool {
		return p.Count > 0 && a.s.classes[p.Class].countsIn(counter) != 0
	})
}

// domains is the constraint of a class that spreads over domains of several nodes, and
// whether it counts pods on single nodes. It is not ok with what may not hold at last.
func (a *absorbing) domains(c *class) (over *topologySpread, perNode, ok bool) {
	perNode = len(c.hostPorts)+len(c.index.antiAffinityOnNode) > 0
	for i := range c.hard {
		h := &c.hard[i]
		single := a.s.counters[h.counter].single
		counts := !h.taints || c.ignoresCordon // nodes that take no pods
		if h.minDomains > 1 || !single && over != nil || counts && (single && len(a.without) > 0 || a.dies(h)) {
			return nil, false, false // what is lost counts, without pods
		}
		perNode = perNode || single
		if !single {
			over = h
		}
	}
	return over, perNode, true
}

// dies reports whether a domain of a constraint loses all of its nodes.
func (a *absorbing) dies(h *topologySpread) bool {
	c := &a.s.counters[h.counter]
	return a.alive(c) < c.minimum.domains
}

// alive is the number of domains that have nodes left.
func (a *absorbing) alive(c *counter) int {
	left := c.minimum.domains
	gone := map[int32]int32{}
	for _, node := range a.without {
		if d := c.of[node]; d >= 0 {
			if gone[d]++; gone[d] == c.minimum.nodes[d] {
				left--
			}
		}
	}
	return left
}

// countsFit reports whether hard constraints by node let another pod run on it.
func (s *Scheduler) countsFit(c *class, node int32) bool {
	for i := range c.hard {
		if h := &c.hard[i]; s.counters[h.counter].single {
			if ok, _ := s.withinSkew(h, node); !ok {
				return false
			}
		}
	}
	return true
}

// room is how many of the pods that ask for the most a node has room for.
func (a *absorbing) room(node int32) int64 {
	if a.holds[node] == 0 {
		a.holds[node] = 1 + min(a.pods, max(0, a.s.holds(&a.most, node)))
	}
	return a.holds[node] - 1
}
