package health

import (
	"cmp"
	"fmt"
	"time"
)

// State is what a pass makes of a target.
type State uint8

// The states of a target.
const (
	// Healthy counts as healthy.
	Healthy State = iota
	// Waiting is looked at again: a timeout runs.
	Waiting
	// Due is to be remediated.
	Due
	// Uncounted is neither healthy nor to be remediated.
	Uncounted
	// Unjudged could not be judged: an error.
	Unjudged
)

// String is the state in a word.
func (s State) String() string {
	return [...]string{"healthy", "waiting", "due", "not counted", "error"}[s]
}

// Reason is the rule that decided about a target.
type Reason uint8

// The rules, in the order in which they apply.
const (
	PhaseFailed      Reason = iota // the machine's phase is Failed
	StartupDisabled                // there is no node, and no limit to the start
	NeverUpdated                   // there is no node, and the start-up clock never started
	Overslept                      // there is no node for longer than the start-up timeout
	Starting                       // there is no node yet
	NodeGone                       // the machine's node does not exist any more
	Unreadable                     // a timeout can't be read
	ConditionTimeout               // a condition lasts longer than its timeout
	ConditionLasts                 // a condition has begun
	NothingWrong                   // none of these
)

// Verdict is what a pass makes of a target, and by which rule.
type Verdict struct {
	State  State
	Reason Reason
	// Condition is the index of the check's condition that decided, for
	// ConditionTimeout, ConditionLasts and Unreadable.
	Condition int
	// Next is the time until the target is looked at again, above 0 while Waiting.
	Next time.Duration
}

// judge finds the verdict of a target by the first rule that applies. All times are
// compared strictly: what is as old as its timeout is not yet too old.
func (p *Policy) judge(t Target, now time.Time) Verdict {
	m := t.Machine
	switch {
	case m.Phase == Failed:
		return Verdict{State: Due, Reason: PhaseFailed}
	case m.NodeName == "":
		return p.count(t, p.judgeStart(m, now))
	case t.Node == nil:
		return Verdict{State: Due, Reason: NodeGone}
	}
	return p.count(t, p.judgeNode(t.Node, now))
}

// judgeStart judges a machine that has no node yet.
func (p *Policy) judgeStart(m *Machine, now time.Time) Verdict {
	switch {
	case p.startup == 0 && zeroDisables.In(p.release):
		return Verdict{Reason: StartupDisabled}
	case m.LastUpdated.IsZero():
		return Verdict{Reason: NeverUpdated, Next: p.startup}
	case m.LastUpdated.Add(p.startup).Before(now):
		return Verdict{State: Due, Reason: Overslept}
	}
	return Verdict{Reason: Starting, Next: p.startup - now.Sub(m.LastUpdated) + recheckMargin}
}

// judgeNode judges a node by its conditions: one that lasts too long is enough.
func (p *Policy) judgeNode(n *Node, now time.Time) Verdict {
	v := Verdict{Reason: NothingWrong}
	for i := range p.conditions {
		c := &p.conditions[i]
		if c.err != nil {
			return Verdict{State: Unjudged, Reason: Unreadable, Condition: i}
		}
		is := n.condition(c.kind)
		if is == nil || is.Status != c.status {
			continue
		}
		if is.Since.Add(c.timeout).Before(now) {
			return Verdict{State: Due, Reason: ConditionTimeout, Condition: i}
		}
		next := c.timeout - now.Sub(is.Since) + recheckMargin
		if v.Reason == NothingWrong || next < v.Next {
			v = Verdict{Reason: ConditionLasts, Condition: i, Next: next}
		}
	}
	v.Next = min(v.Next, recheckCap)
	return v
}

// count turns what is neither due nor broken into waiting, healthy, or neither.
func (p *Policy) count(t Target, v Verdict) Verdict {
	switch {
	case v.State != Healthy:
	case v.Next > 0:
		v.State = Waiting
	case t.Machine.Deleting:
		v.State = Uncounted
	case healthyNeedsNode.In(p.release) && (t.Node == nil || t.Machine.marked(p.release)):
		v.State = Uncounted
	}
	return v
}

// Why is the verdict in words, for the target that it was made for.
func (p *Policy) Why(t Target, v Verdict) string {
	switch v.Reason {
	case PhaseFailed:
		return "the machine's phase is Failed"
	case StartupDisabled:
		return "it has no node, and nodeStartupTimeout is 0"
	case NeverUpdated:
		return "it has no node, and no controller has seen it"
	case Overslept:
		return "it has no node " + short(p.startup) + " after it became " + cmp.Or(t.Machine.Phase, "known")
	case Starting:
		return "it has no node yet"
	case NodeGone:
		return "its node " + t.Machine.NodeName + " does not exist any more"
	case Unreadable:
		return fmt.Sprintf("%v", p.conditions[v.Condition].err)
	case ConditionTimeout:
		c := p.conditions[v.Condition]
		return fmt.Sprintf("%s is %s for more than %s", c.kind, c.status, short(c.timeout))
	case ConditionLasts:
		c := p.conditions[v.Condition]
		return fmt.Sprintf("%s is %s, for %s at most", c.kind, c.status, short(c.timeout))
	}
	if v.State == Uncounted {
		return "it is being deleted or remediated elsewhere"
	}
	return "nothing is wrong with it"
}
