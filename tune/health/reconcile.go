package health

import (
	"slices"
	"time"

	"plimsoll.dev/release"
)

// Pass is what one reconcile of a check does.
type Pass struct {
	// Err stopped the pass before it did anything; Paused says that an annotation did.
	Err    error
	Paused bool
	// Verdicts are those of the targets, in their order.
	Verdicts []Verdict
	// Expected targets, of which so many are Healthy; Unhealthy is the rest.
	Expected, Healthy, Unhealthy int
	// Max is how many may be unhealthy; MaxErr says why that can't be told.
	Max    int
	MaxErr error
	// Allowed says that the check remediates; otherwise it is short-circuited.
	Allowed bool
	// RemediationsAllowed is what the status says of it.
	RemediationsAllowed int
	// Events of the check, the operator's; and what it does, in the order of the targets.
	Events   []Event
	Remedies []Remedy
	// Again says when the operator comes back by itself.
	Again Again
}

// Event is an event of the operator.
type Event struct {
	Name EventName
	// Target is the index of the target that it is about; -1 is the check.
	Target int
}

// EventName is an event as the operator calls it.
type EventName string

// The operator's events.
const (
	DetectedUnhealthy       EventName = "DetectedUnhealthy"
	RemediationRestricted   EventName = "RemediationRestricted"
	MachineDeleted          EventName = "MachineDeleted"
	SkippedMaster           EventName = "SkippedMaster"
	SkippedNoController     EventName = "SkippedNoController"
	ExternalAnnotationAdded EventName = "ExternalAnnotationAdded"
)

// Remedy is what is done about a target that is due.
type Remedy struct {
	Target int
	Act    Act
}

// Act is what can be done about a machine.
type Act uint8

// The acts; the first ones leave the machine alone.
const (
	SkipOwner   Act = iota // it has no owner that would replace it
	SkipMaster             // it belongs to the control plane
	SkipDone               // it has been remediated already
	Delete                 // it is deleted
	DeleteAgain            // it is being deleted, and deleted again
	Annotate               // it is annotated for an external remediation
	Request                // an external remediation is made from the template
)

// String is the act in a few words.
func (a Act) String() string {
	return [...]string{"skipped: it has no owner that replaces it", "skipped: it belongs to the control plane",
		"remediated before",
		"deleted", "deleted again", "annotated for external remediation", "handed to an external remediation"}[a]
}

// Again is when the operator looks at a check again without being woken.
type Again struct {
	// After is the time until then; 0 is never.
	After time.Duration
	// BackOff asks for a pause that grows each time in a row, from 5 ms to 1000 s.
	BackOff bool
	// AtOnce is after a millisecond, again and again; After is then when a verdict
	// changes.
	AtOnce bool
}

// Does says whether the pass does something about a target.
func (p *Pass) Does(target int, a Act) bool { return slices.Contains(p.Remedies, Remedy{target, a}) }

// Reconcile is one pass over all targets of a check, which have the given states now.
func (p *Policy) Reconcile(targets []Target, now time.Time) *Pass {
	out := &Pass{}
	p.reconcile(out, targets, now)
	return out
}

// reconcile fills a pass, whose slices are used again.
func (p *Policy) reconcile(out *Pass, targets []Target, now time.Time) {
	*out = Pass{Verdicts: out.Verdicts[:0], Events: out.Events[:0], Remedies: out.Remedies[:0]}
	switch {
	case p.unreadable != nil:
		out.Err = p.unreadable
		return
	case p.paused:
		out.Paused = true
		return
	case p.broken != nil:
		out.Err, out.Again.BackOff = p.broken, true
		return
	}
	next, failed := p.judgeAll(out, targets, now)
	out.Unhealthy = out.Expected - out.Healthy
	out.Max, out.MaxErr = p.limit.Of(out.Expected)
	if out.MaxErr == nil && allowedCondition.In(p.release) {
		out.RemediationsAllowed = max(0, out.Max-out.Unhealthy)
	}
	if out.Allowed = p.limit.Allows(out.Expected, out.Unhealthy); !out.Allowed {
		p.restrict(out, next)
		return
	}
	for i, v := range out.Verdicts {
		if v.State == Due {
			p.remediate(out, targets[i], i)
		}
	}
	switch {
	case failed:
		out.Again.BackOff = true
	default:
		out.Again.After = next
	}
}

// judgeAll judges all targets and counts; next is the time until the first of them
// must be looked at again, and failed says that one could not be judged.
func (p *Policy) judgeAll(out *Pass, targets []Target, now time.Time) (next time.Duration, failed bool) {
	out.Expected = len(targets)
	for i, t := range targets {
		v := p.judge(t, now)
		out.Verdicts = append(out.Verdicts, v)
		switch v.State {
		case Healthy:
			out.Healthy++
		case Waiting:
			p.event(out, DetectedUnhealthy, i)
			if next == 0 || v.Next < next {
				next = v.Next
			}
		case Unjudged:
			failed = true
		}
	}
	return min(next, recheckCap), failed
}

// restrict ends a pass without a remediation. An unreadable maxUnhealthy stops
// today's operator before it restricts: it can't write the status.
func (p *Policy) restrict(out *Pass, next time.Duration) {
	if !backsOff.In(p.release) && out.MaxErr != nil {
		out.Err, out.Again.BackOff = out.MaxErr, true
		return
	}
	p.event(out, RemediationRestricted, -1)
	out.Again = Again{BackOff: true}
	if !backsOff.In(p.release) {
		out.Again = Again{AtOnce: true, After: next}
	}
}

func (p *Policy) event(out *Pass, name EventName, target int) {
	if emitsEvents.In(p.release) {
		out.Events = append(out.Events, Event{name, target})
	}
}

// remediate does what is done about a target that is due.
func (p *Policy) remediate(out *Pass, t Target, i int) {
	act := p.actOn(t)
	out.Remedies = append(out.Remedies, Remedy{i, act})
	switch act {
	case Delete, DeleteAgain:
		p.event(out, MachineDeleted, i)
	case SkipMaster:
		p.event(out, SkippedMaster, i)
	case SkipOwner:
		if skipEvent.In(p.release) {
			p.event(out, SkippedNoController, i)
		}
	case Annotate:
		p.event(out, ExternalAnnotationAdded, i)
	}
}

// actOn decides what is done about a target that is due.
func (p *Policy) actOn(t Target) Act {
	m := t.Machine
	elsewhere := p.external && (m.Phase != Failed || failedExternal.In(p.release))
	switch {
	case p.template:
		return Request
	case ownerFirst.In(p.release) && !p.owned(m):
		return SkipOwner
	case elsewhere && m.marked(p.release):
		return SkipDone
	case elsewhere:
		return Annotate
	case !p.owned(m):
		return SkipOwner
	case skipsMasters.In(p.release) && t.isMaster():
		return SkipMaster
	case m.Deleting && deletesAgain.In(p.release):
		return DeleteAgain
	case m.Deleting:
		return SkipDone
	}
	return Delete
}

// owned says whether a machine has the owner that the release asks for.
func (p *Policy) owned(m *Machine) bool {
	if kind := ownerKind.In(p.release); kind == machineSetKind {
		return m.ownedBy(kind)
	}
	return m.controlled()
}

// machineSetKind is the kind of owner that replaces machines, and that old releases ask for.
const machineSetKind = "MachineSet"

// controlPlaneKind is the kind of owner that replaces machines of the control plane.
const controlPlaneKind = "ControlPlaneMachineSet"

// marked says whether the machine waits for an external remediation.
func (m *Machine) marked(r release.Release) bool {
	_, ok := m.Annotations[external.In(r).mark]
	return ok
}
