package scheduler

import "fmt"

// Rules are the rules that decide, in words: "kube-scheduler by the rules of 1.36:
// LeastAllocated, at most 420 feasible nodes of 1000 scored, from a moving start,
// ties by the heap's order".
func (s *Scheduler) Rules() string {
	scored := "all nodes scored"
	if s.sampled < len(s.order) {
		scored = fmt.Sprintf("at most %d feasible nodes of %d scored, from a moving start", s.sampled, len(s.order))
	}
	ties := "ties by the heap's order"
	if s.rules.random {
		ties = fmt.Sprintf("ties at random (seed %d)", s.rules.seed)
	}
	return fmt.Sprintf("kube-scheduler by the rules of 1.%d: %s, %s, %s", s.rules.minor, s.rules.strategy.kind, scored, ties)
}
