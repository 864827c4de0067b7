package kubelet

import (
	"cmp"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// mostSets of several NUMA nodes that a step lists one by one.
const mostSets = 3

// Explain says what Admit would do with a pod now, and why: the hints of each
// provider for each NUMA node, the merge, and the first rule that was not met. For
// a refused pod it gives remedies, each of them tried on a copy. The node's name is
// left to the caller; nothing is changed.
func (n *Node) Explain(p *Pod) v1alpha1.Admission {
	c := n.Clone()
	c.trace = &trace{}
	class := c.Compile(p)
	v := c.AdmitClass(class, p.UID)
	out := v1alpha1.Admission{
		Pod: (&pod{class: class}).named(p.UID), Count: 1, QOSClass: v.QOS,
		Admitted: v.Admitted, Reason: v.Reason, Message: v.Message, Slow: v.Slow,
	}
	out.Steps = n.steps(class, c.trace, v)
	if !v.Admitted {
		out.Remedies = n.remedies(p, v)
	}
	return out
}

// steps tells the trace in words.
func (n *Node) steps(class *Class, t *trace, v Verdict) []v1alpha1.AdmissionStep {
	var out []v1alpha1.AdmissionStep
	if n.s.rules.Policy == hint.None {
		out = append(out, v1alpha1.AdmissionStep{Title: "topology manager",
			Lines: []string{"policy none: no hints; devices, CPUs and memory are given wherever they are free"}})
	}
	for i := range t.steps {
		s := &t.steps[i]
		told := v1alpha1.AdmissionStep{Title: s.title}
		if s.container != whole {
			told.Container = class.names[s.container]
		}
		switch s.kind {
		case stepNoOpinion:
			told.Lines = []string{s.wants}
			if s.least > 0 { // memory
				told.Lines = []string{s.wants + ": no set of NUMA nodes has it",
					"the kubelet hands over no list then, and reads that as no opinion"}
			}
		case stepHints:
			told.Lines = n.hintLines(s)
		case stepMerge:
			told.Title, told.Lines = "merge", n.mergeLines(t.steps[:i], s)
			out = append(out, told)
			told = n.policyStep(told.Container, s.merged)
		case stepFailed:
			told.Lines, told.Failed = []string{s.refused.message}, true
		case stepShort:
			told.Title, told.Failed = "predicates", v.Reason != ""
			told.Lines = shortLines(s.short, v)
		}
		out = append(out, told)
	}
	return out
}

// hintLines are what a provider says: what it is asked for, each NUMA node, and
// sets of several.
func (n *Node) hintLines(s *step) []string {
	lines := []string{fmt.Sprintf("%s: an idle machine needs %s, so a set of %d is preferred", s.wants,
		words.Count(s.least, "NUMA node"), s.least)}
	for i, free := range s.free {
		verdict := "too little"
		if o, offered := s.offerOf(1 << i); offered {
			verdict = suits(o)
		} else if s.closed != nil && s.closed[i] != "" {
			verdict = s.closed[i]
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s", n.s.nodesText(1<<i), free, verdict))
	}
	listed, more := 0, 0
	for _, o := range s.hints {
		switch {
		case o.nodes&(o.nodes-1) == 0:
		case listed == mostSets:
			more++
		default:
			listed++
			lines = append(lines, fmt.Sprintf("%s together: %s", n.s.nodesText(o.nodes), suits(o)))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", words.Count(more, "set")))
	}
	if len(s.hints) == 0 {
		lines = append(lines, "no set of NUMA nodes has enough: any will do, none is preferred")
	}
	return lines
}

func suits(o offer) string {
	if o.preferred {
		return "enough, preferred"
	}
	return "enough, not preferred"
}

// mergeLines say what came out.
func (n *Node) mergeLines(before []step, s *step) []string {
	opinions := 0
	for i := range before {
		if before[i].kind == stepHints && before[i].container == s.container {
			opinions++
		}
	}
	switch {
	case opinions == 0:
		return []string{"nobody has an opinion: any NUMA node will do"}
	case s.merged.Affinity == 0 && !s.merged.Preferred:
		return []string{"no NUMA node is preferred by all"}
	case s.merged.Preferred:
		return []string{"all prefer " + n.s.nodesText(cmp.Or(s.merged.Affinity, n.s.rules.Nodes))}
	}
	return []string{"no set of NUMA nodes is preferred by all",
		"the fittest of the others: " + n.s.nodesText(s.merged.Affinity)}
}

// policyStep is what the policy makes of the merged hint.
func (n *Node) policyStep(container string, r hint.Result) v1alpha1.AdmissionStep {
	s := v1alpha1.AdmissionStep{Container: container, Title: "policy " + n.s.config.TopologyManagerPolicy,
		Failed: !r.Admit}
	switch n.s.rules.Policy {
	case hint.BestEffort:
		s.Lines = []string{"admits in any case"}
	case hint.Restricted:
		s.Lines = []string{"admits what all providers prefer: " + met(r.Admit)}
	default:
		s.Lines = []string{"admits one NUMA node that all providers prefer: " + met(r.Admit)}
	}
	return s
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "not met"
}

func shortLines(short []shortage, v Verdict) []string {
	var lines []string
	for _, s := range short {
		lines = append(lines, fmt.Sprintf("%s: %s requested, %s of %s free", s.resource, readable(s.resource, s.requested),
			readable(s.resource, max(0, s.capacity-s.used)), readable(s.resource, s.capacity)))
	}
	if len(v.Preempted) > 0 {
		lines = append(lines, fmt.Sprintf("the pod is critical: %s killed to make room",
			words.Count(len(v.Preempted), "pod")))
	}
	return lines
}

// readable is an amount for people, rounded.
func readable(resource string, amount int64) string {
	switch {
	case isMemory(resource):
		return unit.FormatBytes(unit.Bytes(amount))
	case resource == podres.CPU:
		return unit.CPU(amount).String()
	}
	return fmt.Sprint(amount)
}
