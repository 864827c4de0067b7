package health

import (
	"fmt"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/selector"
)

// What does not differ by release; facts tune.health.* hold the same figures.
const (
	defaultStartup = 10 * time.Minute
	// recheckCap is the longest time until the next pass while targets are waiting.
	recheckCap = time.Hour
	// recheckMargin is added to what is left of a timeout.
	recheckMargin = time.Second
)

// Policy is a MachineHealthCheck as the operator of a release reads it.
type Policy struct {
	Name string

	release    release.Release
	selector   openshift.LabelSelector
	empty      bool
	conditions []unhealthy
	startup    time.Duration
	limit      Limit
	maxText    string
	external   bool
	template   bool
	paused     bool
	// broken stops every pass; unreadable stops all checks of the cluster.
	broken, unreadable error
}

// unhealthy is a status of a condition that must not last.
type unhealthy struct {
	kind, status string
	timeout      time.Duration
	err          error
}

// NewPolicy reads a check. What the operator can't read shows at each pass.
func NewPolicy(mhc *openshift.MachineHealthCheck, r release.Release) *Policy {
	s := &mhc.Spec
	p := &Policy{Name: mhc.Metadata.Name, release: r, selector: s.Selector, limit: LimitOf(s.MaxUnhealthy, r),
		empty:   selector.Empty(&s.Selector),
		maxText: maxText(s.MaxUnhealthy), template: templates.In(r) && len(s.RemediationTemplate) > 0}
	want := external.In(r)
	p.external = mhc.Metadata.Annotations[want.key] == want.value
	_, paused := mhc.Metadata.Annotations[AnnotationPaused]
	p.paused = paused && pauses.In(r)
	for _, c := range s.UnhealthyConditions {
		p.conditions = append(p.conditions, p.conditionOf(c))
	}
	if wrong := selector.Wrong(&s.Selector); wrong != "" {
		p.broken = fmt.Errorf("the selector is not valid: %s", wrong)
	}
	p.readStartup(s.NodeStartupTimeout)
	return p
}

// maxText is maxUnhealthy as people know it.
func maxText(value any) string {
	if value == nil {
		return "100%"
	}
	return fmt.Sprint(value)
}

func (p *Policy) conditionOf(c openshift.UnhealthyCondition) unhealthy {
	out := unhealthy{kind: c.Type, status: c.Status}
	if c.Timeout == "" && typedDurations.In(p.release) {
		return out // a duration that is missing is zero
	}
	out.timeout, out.err = time.ParseDuration(c.Timeout)
	if out.err != nil && typedDurations.In(p.release) {
		p.unreadable = fmt.Errorf("the timeout %q is not a duration: the controller can't decode the object", c.Timeout)
	}
	return out
}

func (p *Policy) readStartup(text *string) {
	p.startup = defaultStartup
	if text == nil || !readsStartup.In(p.release) || *text == "" && !typedDurations.In(p.release) {
		return
	}
	d, err := time.ParseDuration(*text)
	switch {
	case err == nil:
		p.startup = d
	case typedDurations.In(p.release):
		p.unreadable = fmt.Errorf("nodeStartupTimeout %q is not a duration: the controller can't decode the object", *text)
	default:
		p.broken = fmt.Errorf("nodeStartupTimeout %q is not a duration", *text)
	}
}

// Selects says whether a machine of the check's namespace is a target. An empty
// selector takes all.
func (p *Policy) Selects(labels map[string]string) bool {
	return p.broken == nil && selector.Selects(&p.selector, labels)
}

// Hears says whether a change of a machine with these labels, or of its node, makes
// the operator look at the check.
func (p *Policy) Hears(labels map[string]string) bool {
	if p.empty && !emptyHears.In(p.release) {
		return false
	}
	return p.Selects(labels)
}
