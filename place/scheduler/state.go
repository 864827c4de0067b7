package scheduler

import "fmt"

// nodeState is what changes on a node, and what each decision reads: 64 bytes.
type nodeState struct {
	cpu, memory               int64 // allocatable
	usedCPU, usedMemory       int64 // requested by the pods
	nonZeroCPU, nonZeroMemory int64 // what the strategy counts
	maxPods, pods             int32
	last                      int32 // the pod bound last, -1 without pods
	balance                   int8  // score of the node's balance as it is
	cordoned                  bool  // spec.unschedulable
	tainted                   bool  // has the taint of cordoned nodes
}

// column is a resource other than cpu, memory and pods.
type column struct {
	name  string
	free  []int64 // by node; may be below zero
	total []int64 // by node; allocatable. Not changed in place.
}

// column finds or adds the column of a resource.
func (s *Scheduler) column(name string) int32 {
	for i := range s.columns {
		if s.columns[i].name == name {
			return int32(i)
		}
	}
	total := make([]int64, len(s.nodes))
	for i := range s.nodes {
		total[i] = amount(&s.nodes[i].Allocatable, name)
	}
	s.columns = append(s.columns, column{name: name, total: total, free: append([]int64(nil), total...)})
	// Pods that run already don't ask for it: classes add columns when they are made.
	return int32(len(s.columns) - 1)
}

// running is a pod on a node.
type running struct {
	class ClassID
	next  int32  // the pod bound to the node before it, -1 for none
	since uint64 // number of the binding: pods bound later are younger
}

// bind makes a pod run on a node, and everything that counts it follow.
func (s *Scheduler) bind(id ClassID, node int32) {
	at := s.freePod
	if at >= 0 {
		s.freePod = s.pods[at].next
	} else {
		at = int32(len(s.pods))
		s.pods = append(s.pods, running{})
	}
	s.bindings++
	n := &s.state[node]
	s.pods[at] = running{class: id, next: n.last, since: s.bindings}
	n.last = at
	s.count(id, node, 1)
}

// unbind takes the pod of the class bound last from the node.
func (s *Scheduler) unbind(id ClassID, node int32) error {
	for link := &s.state[node].last; *link >= 0; link = &s.pods[*link].next {
		at := *link
		if s.pods[at].class != id {
			continue
		}
		*link = s.pods[at].next
		s.pods[at].next = s.freePod
		s.freePod = at
		s.count(id, node, -1)
		return nil
	}
	return fmt.Errorf("node %q runs no pod of class %q", s.nodes[node].Name, s.classes[id].spec.Name)
}

// UnbindAll takes all pods of some classes from the node.
func (s *Scheduler) UnbindAll(node int, of func(id ClassID) bool) {
	for link := &s.state[node].last; *link >= 0; {
		at := *link
		p := &s.pods[at]
		if !of(p.class) {
			link = &p.next
			continue
		}
		*link = p.next
		p.next, s.freePod = s.freePod, at
		s.count(p.class, int32(node), -1)
	}
}

// count adds a pod to what the node has, or takes it away, by the sign.
func (s *Scheduler) count(id ClassID, node int32, sign int64) {
	c, n := s.classes[id], &s.state[node]
	n.pods += int32(sign)
	n.usedCPU += sign * c.cpu
	n.usedMemory += sign * c.memory
	n.nonZeroCPU += sign * c.nonZeroCPU
	n.nonZeroMemory += sign * c.nonZeroMemory
	n.balance = balance(n, n.usedCPU, n.usedMemory)
	for _, o := range c.otherRequests {
		s.columns[o.column].free[node] -= sign * o.amount
	}
	for _, e := range c.effects {
		s.counters[e.counter].add(node, e.delta, int32(sign))
	}
	if len(c.hostPorts) > 0 {
		s.notePorts(c, node, sign)
	}
	s.take(c, int(sign))
	s.changed(node, id)
}

// podsOf calls f for the pods of a node, the youngest first.
func (s *Scheduler) podsOf(node int32, f func(p *running)) {
	for at := s.state[node].last; at >= 0; {
		p := &s.pods[at]
		at = p.next
		f(p)
	}
}
