package scheduler

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Diagnosis is what stands between a pod of a class and the nodes.
type Diagnosis struct {
	// Message is the scheduler's own, without what it adds about preemption:
	// "0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods.".
	Message string
	// Reasons, sorted by their text. A node counts under those of the first filter
	// that refuses it, of resources under each that is short.
	Reasons []Reason
	// Fits is the number of nodes that the pod could run on; Message is empty then.
	Fits int
	// Nearest is the node that misses least; nil when there are no nodes, or the
	// pod fits.
	Nearest *NearMiss
}

// NearMiss is a node, and all that keeps a pod off it.
type NearMiss struct {
	Node int
	// Reasons of all filters that refuse the node, not only of the first one.
	Reasons []string
	// Lacks are the resources that are short.
	Lacks []Lack
}

// Lack is how much is short of what a pod asks for: millicores, bytes or counts.
type Lack struct {
	Resource string
	Amount   int64
}

// conflictMessage is about all nodes: required terms name different ones.
const conflictMessage = "pod affinity terms conflict"

// Explain says why a pod of the class fits nowhere, or on how many nodes it does.
// Nothing is bound, and the next search starts where it would have.
func (s *Scheduler) Explain(id ClassID) Diagnosis { return s.explain(s.classes[id]) }

func (s *Scheduler) explain(c *class) Diagnosis {
	if len(s.order) == 0 {
		return Diagnosis{Message: noNodes}
	}
	all := c.spec.refusedAll()
	if c.named && len(c.names) == 0 {
		all = conflictMessage
	}
	if all != "" {
		return Diagnosis{Message: s.available() + " " + all + ".", Reasons: []Reason{{all, len(s.order)}}}
	}
	var d Diagnosis
	counts := map[string]int{}
	best := miss{}
	for _, node := range s.order {
		if c.named && !slices.Contains(c.names, s.nodes[node].Name) {
			counts[s.rules.unnamedReason()]++
			continue
		}
		all := s.refusals(c, node)
		if len(all) == 0 {
			d.Fits++
			continue
		}
		for _, reason := range all[0].reasons {
			counts[reason]++
		}
		if m := s.missed(c, node, all); d.Nearest == nil || m.less(best) {
			best, d.Nearest = m, &NearMiss{Node: int(node)}
		}
	}
	for _, reason := range sortedKeys(counts) {
		d.Reasons = append(d.Reasons, Reason{reason, counts[reason]})
	}
	if d.Fits > 0 {
		d.Nearest = nil
		return d
	}
	if d.Nearest != nil {
		d.Nearest.Reasons, d.Nearest.Lacks = best.reasons, best.lacks
	}
	d.Message = s.message(d.Reasons)
	return d
}

func (s *Scheduler) available() string {
	return fmt.Sprintf("0/%d nodes are available:", len(s.order))
}

// noNodes is the message without any node (schedule_one.go, ErrNoNodesAvailable).
const noNodes = "no nodes available to schedule pods"

// message is FitError's text: counts and reasons, sorted as strings.
func (s *Scheduler) message(reasons []Reason) string {
	text := s.available()
	if len(reasons) == 0 {
		return text
	}
	var parts []string
	for _, r := range reasons {
		parts = append(parts, fmt.Sprintf("%d %s", r.Nodes, r.Reason))
	}
	slices.Sort(parts)
	return text + " " + strings.Join(parts, ", ") + "."
}

// refusal is what one filter says of a node.
type refusal struct {
	reasons []string
	// final: taking pods from the node could not help.
	final bool
}

// refusals are those of all filters, in the order of the default profile.
func (s *Scheduler) refusals(c *class, node int32) []refusal {
	n, spec := &s.nodes[node], c.spec
	var all []refusal
	refuse := func(reason string, final bool) { all = append(all, refusal{[]string{reason}, final}) }
	if s.state[node].cordoned && !c.ignoresCordon {
		refuse(NodeUnschedulable, true)
	}
	if taint, refused := s.refusingTaint(c, node); refused {
		refuse(s.rules.taintReason(taint), true)
	}
	if !spec.selects(n) {
		refuse(NodeAffinityReason, true)
	}
	if s.portsTaken(c, node) {
		refuse(NodePortsReason, false)
	}
	if r := s.shortages(c, node); len(r.reasons) > 0 {
		all = append(all, r)
	}
	if s.claimTaken(c) {
		refuse(volumeUsedReason, false)
	}
	if s.tooManyVolumes(c, node) {
		refuse(volumeCountReason, false)
	}
	if reason := spec.volumesAway(n); reason != "" {
		refuse(reason, true)
	}
	if reason, final := s.skewed(c, node); reason != "" {
		refuse(reason, final)
	}
	switch {
	case len(c.affinity) > 0 && !s.affinityMet(c, node):
		refuse(AffinityReason, true)
	case s.counted(c.antiAffinity, node):
		refuse(AntiAffinityReason, false)
	case s.counted(c.existingAntiAffinity, node):
		refuse(ExistingAntiReason, false)
	}
	return all
}

// refusingTaint is the first taint that refuses the class's pods.
func (s *Scheduler) refusingTaint(c *class, node int32) (v1alpha1.Taint, bool) {
	if t := s.onTaints(c, node); t.refused && t.by != unschedulableTaint {
		return t.by, true
	}
	return unschedulableTaint, s.state[node].tainted && !c.ignoresCordon
}

func (s *Scheduler) skewed(c *class, node int32) (reason string, final bool) {
	for i := range c.hard {
		if ok, labelled := s.withinSkew(&c.hard[i], node); !labelled {
			return SpreadLabelReason, true
		} else if !ok {
			return SpreadReason, false
		}
	}
	return "", false
}

// shortages are the reasons of NodeResourcesFit.
func (s *Scheduler) shortages(c *class, node int32) refusal {
	var r refusal
	n := &s.state[node]
	if n.pods >= n.maxPods {
		r.reasons = append(r.reasons, TooManyPods)
	}
	for _, l := range s.lacks(c, node) {
		if strings.HasPrefix(l.Resource, AttachLimit) {
			continue // of another filter
		}
		r.reasons = append(r.reasons, "Insufficient "+l.Resource)
		r.final = r.final || amount(&c.spec.Request, l.Resource) > amount(&s.nodes[node].Allocatable, l.Resource)
	}
	return r
}

// lacks are the resources of which a node has too little left.
func (s *Scheduler) lacks(c *class, node int32) []Lack {
	var out []Lack
	n := &s.state[node]
	lack := func(name string, want, free int64) {
		if want > 0 && want > free {
			out = append(out, Lack{name, want - free})
		}
	}
	lack(cpu, c.cpu, n.cpu-n.usedCPU)
	lack(memory, c.memory, n.memory-n.usedMemory)
	for _, o := range c.otherRequests {
		lack(s.columns[o.column].name, o.amount, s.columns[o.column].free[node])
	}
	return out
}

// miss orders nodes by how little they miss: the fewest reasons, then those that
// lack resources only, then the least share of the pod's request.
type miss struct {
	reasons []string
	lacks   []Lack
	rank    int
	share   float64
}

func (s *Scheduler) missed(c *class, node int32, all []refusal) miss {
	m := miss{lacks: s.lacks(c, node)}
	for _, r := range all {
		m.reasons = append(m.reasons, r.reasons...)
	}
	m.rank = 2 * len(m.reasons)
	if len(m.lacks) < len(m.reasons) {
		m.rank++
	}
	for _, l := range m.lacks {
		m.share = max(m.share, float64(l.Amount)/float64(amount(&c.spec.Request, l.Resource)))
	}
	return m
}

func (m miss) less(other miss) bool {
	return m.rank < other.rank || m.rank == other.rank && m.share < other.share
}
