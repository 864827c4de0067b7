package scheduler

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// sentence joins counted reasons as framework/types.go does.
func sentence(nodes int, counts map[string]int) string {
	var parts []string
	for reason, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(parts)
	return fmt.Sprintf("0/%d nodes are available: %s.", nodes, strings.Join(parts, ", "))
}

// why is the message for a pod that fits nowhere.
func (t *plain) why(c *PodClass) string {
	if len(t.order) == 0 {
		return "no nodes available to schedule pods"
	}
	names, named := c.namedNodes()
	if named && len(names) == 0 {
		return fmt.Sprintf("0/%d nodes are available: pod affinity terms conflict.", len(t.order))
	}
	state := t.prepare(c)
	counts := map[string]int{}
	for _, n := range t.all() {
		if named && !slices.Contains(names, n.Name) {
			reason := "node(s) didn't satisfy plugin(s) [NodeAffinity]"
			if t.rules.minor <= 31 {
				reason = "node is filtered out by the prefilter result"
			}
			counts[reason]++
			continue
		}
		for _, reason := range state.refusal(n) {
			counts[reason]++
		}
	}
	return sentence(len(t.order), counts)
}

// resolvable reports whether evicting pods may help against the reasons.
func (s *plainState) resolvable(n *plainNode, reasons []string) bool {
	for _, reason := range reasons {
		name, insufficient := strings.CutPrefix(reason, "Insufficient ")
		switch {
		case insufficient && amount(&s.class.Request, name) > amount(&n.Allocatable, name),
			reason == NodeUnschedulable, reason == NodeAffinityReason, reason == SpreadLabelReason, reason == AffinityReason,
			strings.HasPrefix(reason, "node(s) had untolerated taint"):
			return false
		}
	}
	return true
}

type plainEviction struct {
	node    int
	victims []plainPod
}

// preempt is where a pod that fits nowhere would evict others, or the message.
func (t *plain) preempt(c *PodClass) (*plainEviction, string) {
	if c.PreemptionPolicy == preemptNever {
		return nil, "preemption: not eligible due to preemptionPolicy=Never."
	}
	names, named := c.namedNodes()
	state := t.prepare(c)
	counts := map[string]int{}
	var best *plainEviction
	for _, n := range t.all() {
		if named && !slices.Contains(names, n.Name) || !state.resolvable(n, state.refusal(n)) {
			counts["Preemption is not helpful for scheduling"]++
			continue
		}
		e, reasons := t.clone().evict(c, int(n.index))
		for _, reason := range reasons {
			counts[reason]++
		}
		if e != nil && (best == nil || slices.Compare(e.cost(), best.cost()) < 0) {
			best = e
		}
	}
	if best == nil {
		return nil, "preemption: " + sentence(len(t.order), counts)
	}
	return best, ""
}

// cost compares evictions, in the order of pickOneNodeForPreemption.
func (e *plainEviction) cost() []int64 {
	highest, sum, since := int64(math.MinInt64), int64(0), int64(math.MaxInt64)
	for _, p := range e.victims {
		highest = max(highest, int64(p.Priority))
		sum += int64(p.Priority) + math.MaxInt32 + 1
	}
	for _, p := range e.victims {
		if int64(p.Priority) == highest {
			since = min(since, int64(p.since))
		}
	}
	return []int64{highest, sum, int64(len(e.victims)), -since}
}

// evict changes the twin that it is called on.
func (t *plain) evict(c *PodClass, i int) (*plainEviction, []string) {
	n := t.nodes[i]
	var lower []plainPod
	for _, p := range n.pods {
		if p.Priority < c.Priority {
			lower = append(lower, p)
		}
	}
	if len(lower) == 0 {
		return nil, []string{"No preemption victims found for incoming pod"}
	}
	slices.SortFunc(lower, func(a, b plainPod) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.since, b.since))
	})
	n.pods = slices.DeleteFunc(n.pods, func(p plainPod) bool { return p.Priority < c.Priority })
	if reasons := t.prepare(c).refusal(n); len(reasons) > 0 {
		return nil, reasons
	}
	e := &plainEviction{node: i}
	for _, p := range lower {
		n.pods = append(n.pods, p)
		if len(t.prepare(c).refusal(n)) > 0 {
			n.pods = n.pods[:len(n.pods)-1]
			e.victims = append(e.victims, p)
		}
	}
	return e, nil
}

// room is how many pods can be placed one after the other.
func (t *plain) room(c *PodClass) int {
	trial := t.clone()
	for n := 0; ; n++ {
		if trial.schedule(c) < 0 {
			return n
		}
	}
}
