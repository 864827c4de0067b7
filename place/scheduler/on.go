package scheduler

import (
	"iter"
	"math"
	"slices"
)

// Allowed reports whether selector, node affinity and tolerations let the class's
// pods onto a node. Cordoning does not count, nor what runs there.
func (s *Scheduler) Allowed(id ClassID, node int) bool {
	return !s.classes[id].statics.of(int32(node)).ruledOut
}

// Sample is how many feasible nodes are looked for for each pod.
func (s *Scheduler) Sample() int { return s.rules.sample(len(s.order)) }

// Meets reports whether pods of the class care for other nodes than the one they are on,
// now, beyond the scheduler's default spreading: such a decision takes longer.
func (s *Scheduler) Meets(id ClassID) bool {
	c := s.classes[id]
	s.indexCounters(c)
	if c.spec.DefaultSpread != nil && len(c.spec.TopologySpreadConstraints) == 0 {
		return len(c.affinity) > 0 || s.anyCounted(c.index.antiAffinityElsewhere) || s.anyCounted(c.preferred)
	}
	return !s.byNodeOnly(c)
}

// Opinions are what the classes think of a node's labels and taints, a number for each
// class to which not all nodes are alike: equal for nodes that are alike to all of them.
func (s *Scheduler) Opinions(node int) []uint16 {
	var out []uint16
	for _, c := range s.classes {
		if c.statics.group != nil {
			out = append(out, c.statics.group[node])
		}
	}
	return out
}

// ScheduleOn binds a pod to a node if all filters let it, as the pods of a
// DaemonSet, whose controller names the node of each. It reports whether it did. The
// next search starts where it would have; where the pods come from the queue, one node
// was looked at: Looked.
func (s *Scheduler) ScheduleOn(id ClassID, node int) bool {
	c, n := s.classes[id], int32(node)
	if s.position[n] < 0 || c.spec.refusedAll() != "" {
		return false
	}
	s.indexCounters(c)
	if len(s.refusals(c, n)) > 0 {
		return false
	}
	s.bind(id, n)
	return true
}

// Looked moves the start of the next search as if one node had been looked at for a pod
// of the class.
func (s *Scheduler) Looked(id ClassID) {
	if s.classes[id].spec.refusedAll() == "" {
		s.start = (s.start + 1) % len(s.order)
	}
}

// ExplainOn is Explain for a pod that may run on one node only: the reasons are
// those of that node, the message counts the others, too.
func (s *Scheduler) ExplainOn(id ClassID, node int) Diagnosis {
	c := *s.classes[id]
	c.named, c.names = true, []string{s.nodes[node].Name}
	d := s.explain(&c)
	d.Reasons = slices.DeleteFunc(d.Reasons, func(r Reason) bool { return r.Reason == s.rules.unnamedReason() })
	return d
}

// SetFull makes a node take no more pods, or takes that back. Nothing else
// changes: it counts for constraints as before.
func (s *Scheduler) SetFull(node int, on bool) {
	n := int32(node)
	s.state[n].maxPods = int32(s.nodes[n].Allocatable.Pods)
	if on {
		s.state[n].maxPods = 0
	}
	if s.position[n] >= 0 {
		s.changed(n, anyClass)
	}
}

// Random reports whether the release draws lots among the best nodes (up to 1.34).
func (s *Scheduler) Random() bool { return s.rules.random }

// Start is the position in the order of nodes at which the next search starts.
// Without lots, a decision follows from it and from what runs.
func (s *Scheduler) Start() int { return s.start }

// SetStart makes the next search start there.
func (s *Scheduler) SetStart(start int) { s.start = start }

// Cordoned reports whether a node is cordoned, or has the taint of those that are.
func (s *Scheduler) Cordoned(node int) bool { return s.state[node].cordoned || s.state[node].tainted }

// Ties are the nodes among which a decision about the class draws lots, if its
// search starts there.
func (s *Scheduler) Ties(id ClassID, start int) iter.Seq[int] {
	return func(yield func(node int) bool) {
		c := s.classes[id]
		s.indexCounters(c)
		s.start, start = start, s.start
		defer func() { s.start = start }()
		if c.named || s.byNodeOnly(c) || c.index.tooManyCells || !s.tiesByCells(c, yield) {
			s.tiesByNode(c, yield)
		}
	}
}

func (s *Scheduler) tiesByNode(c *class, yield func(node int) bool) {
	list := s.order
	if c.named {
		list = s.namedNodes(c)
	}
	if len(list) == 0 {
		return
	}
	s.rate(c, list)
	top := int64(math.MinInt64)
	for i := range s.found {
		top = max(top, s.found[i].total)
	}
	for i := range s.found {
		if s.found[i].total == top && !yield(int(s.found[i].node)) {
			return
		}
	}
}
