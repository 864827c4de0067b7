package scheduler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Preemption reports whether pods of lower priority could make room for a pod that
// fits nowhere. Nothing is evicted.
type Preemption struct {
	// Node where pods would be evicted, -1 when that helps nowhere.
	Node int
	// Victims by class, the most important first.
	Victims []ClassCount
	// Message is what the scheduler adds to the pod's status when there is no such
	// node: "preemption: 0/3 nodes are available: 3 No preemption victims found
	// for incoming pod.".
	Message string
}

// ClassCount is a number of pods of a class.
type ClassCount struct {
	Class ClassID
	Count int
}

// Reasons of preemption.
const (
	noVictims     = "No preemption victims found for incoming pod"
	notHelpful    = "Preemption is not helpful for scheduling"
	neverPreempts = "preemption: not eligible due to preemptionPolicy=Never."
)

// Preempt looks, for a pod that fits nowhere, for the node where evicting costs least, by the scheduler's rules
// (framework/preemption, pickOneNodeForPreemption): the lowest of the highest
// priorities evicted, the lowest sum of priorities, the fewest pods, the youngest
// among the most important, and at last the scheduler's order, where it itself
// takes any. All nodes are tried, also in large clusters, where the scheduler tries
// a tenth of them and at least 100. There are no disruption budgets.
func (s *Scheduler) Preempt(id ClassID) Preemption {
	c := s.classes[id]
	if c.spec.PreemptionPolicy == preemptNever {
		return Preemption{Node: -1, Message: neverPreempts}
	}
	trial := s.Clone()
	reasons := map[string]int{}
	best := eviction{node: -1}
	for _, node := range s.order {
		if c.named && !slices.Contains(c.names, s.nodes[node].Name) {
			reasons[notHelpful]++
			continue
		}
		all := s.refusals(c, node)
		if len(all) == 0 {
			return Preemption{Node: -1, Message: ""}
		}
		if all[0].final {
			reasons[notHelpful]++
			continue
		}
		e, why := trial.evict(c, node)
		for _, reason := range why {
			reasons[reason]++
		}
		if len(why) == 0 && (best.node < 0 || e.cheaper(best)) {
			best = e
		}
	}
	if best.node < 0 {
		return Preemption{Node: -1, Message: s.noPreemption(reasons)}
	}
	return Preemption{Node: int(best.node), Victims: s.byClass(best.victims)}
}

func (s *Scheduler) noPreemption(reasons map[string]int) string {
	var list []string
	for _, reason := range sortedKeys(reasons) {
		list = append(list, fmt.Sprintf("%d %s", reasons[reason], reason))
	}
	slices.Sort(list)
	return "preemption: " + s.available() + " " + strings.Join(list, ", ") + "."
}

// byClass counts pods, keeping their order.
func (s *Scheduler) byClass(pods []running) []ClassCount {
	var out []ClassCount
	for _, p := range pods {
		i := slices.IndexFunc(out, func(c ClassCount) bool { return c.Class == p.class })
		if i < 0 {
			i = len(out)
			out = append(out, ClassCount{Class: p.class})
		}
		out[i].Count++
	}
	return out
}

// eviction is what would have to go from one node.
type eviction struct {
	node    int32
	victims []running // the most important first
	highest int32     // priority of the most important
	sum     int64     // of all priorities, each raised to be positive
	since   uint64    // the oldest of the most important
}

// cheaper compares two evictions; if neither is cheaper the first one found stays.
func (e eviction) cheaper(other eviction) bool {
	return cmp.Or(
		cmp.Compare(e.highest, other.highest),
		cmp.Compare(e.sum, other.sum),
		cmp.Compare(len(e.victims), len(other.victims)),
		cmp.Compare(other.since, e.since),
	) < 0
}

// evict finds the pods that must go from a node. Pods of lower priority all leave
// at first, and come back one by one, the most important first, as long as the pod
// still fits. In the end the node has the same pods as before, in another order.
// Without success it says why.
func (s *Scheduler) evict(c *class, node int32) (e eviction, why []string) {
	var lower []running
	s.podsOf(node, func(p *running) {
		if s.classes[p.class].spec.Priority < c.spec.Priority {
			lower = append(lower, *p)
		}
	})
	if len(lower) == 0 {
		return e, []string{noVictims}
	}
	slices.SortFunc(lower, func(a, b running) int {
		return cmp.Or(cmp.Compare(s.classes[b.class].spec.Priority, s.classes[a.class].spec.Priority),
			cmp.Compare(a.since, b.since))
	})
	for _, p := range lower {
		s.mustUnbind(p.class, node)
	}
	if all := s.refusals(c, node); len(all) > 0 {
		s.bindAll(lower, node)
		return e, all[0].reasons
	}
	e.node = node
	for _, p := range lower {
		s.bind(p.class, node)
		if len(s.refusals(c, node)) > 0 {
			s.mustUnbind(p.class, node)
			e.victims = append(e.victims, p)
		}
	}
	s.bindAll(e.victims, node)
	s.weigh(&e)
	return e, nil
}

func (s *Scheduler) bindAll(pods []running, node int32) {
	for _, p := range pods {
		s.bind(p.class, node)
	}
}

// mustUnbind takes away a pod that is known to be there.
func (s *Scheduler) mustUnbind(id ClassID, node int32) {
	if err := s.unbind(id, node); err != nil {
		panic(err)
	}
}

// weigh finds what evictions are compared by.
func (s *Scheduler) weigh(e *eviction) {
	e.highest = s.classes[e.victims[0].class].spec.Priority
	e.since = math.MaxUint64
	for _, p := range e.victims {
		priority := s.classes[p.class].spec.Priority
		e.sum += int64(priority) + math.MaxInt32 + 1
		if priority == e.highest {
			e.since = min(e.since, p.since)
		}
	}
}
