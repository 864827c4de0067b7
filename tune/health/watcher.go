package health

import (
	"slices"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// watcher is the operator as far as it looks after one check.
type watcher struct {
	w      *world
	index  int
	check  *scriptCheck
	policy *Policy
	// findings are those of the check's manifest; refused says that the API server
	// does not take it.
	findings []v1alpha1.Finding
	refused  bool

	members []*member
	targets []Target
	dirty   bool
	// wake is when the operator comes back by itself; 0 is never. fails are the
	// failures in a row.
	wake  int64
	fails int

	result  Pass
	last    StatusAt
	history []StatusAt
	// told are what the last pass said of targets and of the check.
	told, tells map[telling]bool
	// restricted are the times of restriction; due are machines that are due, since
	// when, and left what became of those that were not deleted at once.
	restricted []restriction
	due        map[*member]*Unremedied
	left       []*Unremedied
	// rebooting and overslept count machines that were deleted during a reboot, and
	// replacements that were deleted before they had a node.
	rebooting, overslept int
}

// telling is a thing that a pass says of a target; of the check when m is nil.
type telling struct {
	m    *member
	name EventName
}

func newWatcher(w *world, c *scriptCheck, index int) *watcher {
	out := &watcher{w: w, index: index, check: c, policy: NewPolicy(&c.mhc, w.release), told: map[telling]bool{},
		tells: map[telling]bool{}, due: map[*member]*Unremedied{}}
	out.findings, out.refused = lintOne(c, w.script.Name, w.release)
	return out
}

// cover takes a machine that the check selects.
func (c *watcher) cover(m *member) {
	if c.refused {
		return
	}
	if c.policy.Selects(m.Labels) {
		c.members = append(c.members, m)
	}
	if c.policy.Hears(m.Labels) {
		m.hearing = append(m.hearing, c)
	}
}

// uncover drops a machine that is gone.
func (c *watcher) uncover(m *member) {
	c.noLongerDue(m, "it is gone")
	for i, o := range c.members {
		if o == m {
			c.w.spend(len(c.members))
			c.members = append(c.members[:i], c.members[i+1:]...)
			return
		}
	}
}

// pass is one reconcile.
func (c *watcher) pass() {
	c.dirty = false
	c.w.spend(workStep)
	if c.refused || c.w.unreadable() {
		return
	}
	c.targets = c.targets[:0]
	for _, m := range c.members {
		c.targets = append(c.targets, Target{&m.Machine, m.node})
	}
	c.w.decide(c.policy, &c.result, c.targets, instant(c.w.now))
	p := &c.result
	c.w.spend(len(p.Verdicts))
	if !p.Paused && len(p.Verdicts) == len(c.targets) {
		c.observe(p)
	}
	c.record(p)
	c.obstacle(p)
	c.remedy(p)
	c.again(p)
}

// unreadable says whether the operator can't decode one of the checks, and so does
// not start.
func (w *world) unreadable() bool {
	return slices.ContainsFunc(w.checks, func(c *watcher) bool { return !c.refused && c.policy.unreadable != nil })
}

// observe takes the verdicts.
func (c *watcher) observe(p *Pass) {
	for i, v := range p.Verdicts {
		m := c.members[i]
		if v.State == Due {
			c.becomesDue(m, p, i)
		} else {
			c.noLongerDue(m, "it recovered")
		}
		if m.verdicts[c.index] != v.State {
			m.verdicts[c.index] = v.State
			c.w.restate(m)
		}
	}
}

// record keeps the status where it changed. The operator's own change of the
// status wakes it once more.
func (c *watcher) record(p *Pass) {
	s, old := statusOf(p), c.last
	if p.Paused || p.Err != nil {
		// nothing was counted
		s.Expected, s.Healthy, s.Unhealthy, s.Max, s.Restricted = old.Expected, old.Healthy, old.Unhealthy, old.Max,
			old.Restricted
	}
	if len(c.history) > 0 && s == old.Status {
		return
	}
	c.last = StatusAt{At: unit.Duration(c.w.now), Status: s}
	if n := len(c.history); n > 0 && c.history[n-1].At == c.last.At {
		c.history[n-1] = c.last
	} else {
		c.w.spend(workStep)
		c.history = append(c.history, c.last)
	}
	if s.Expected != old.Expected || s.Healthy != old.Healthy {
		c.dirty = true
	}
	c.restrict(s.Restricted)
}

// remedy does what the pass decided, and tells what it said for the first time.
func (c *watcher) remedy(p *Pass) {
	clear(c.tells)
	for i, v := range p.Verdicts {
		if v.State == Waiting {
			c.tell(c.members[i], DetectedUnhealthy, func() string { return c.policy.Why(c.targets[i], v) })
		}
	}
	if p.Err == nil && !p.Paused && !p.Allowed {
		c.tell(nil, RemediationRestricted, c.last.text)
	}
	members := append([]*member(nil), c.members...) // deletions make replacements
	for _, r := range p.Remedies {
		v := p.Verdicts[r.Target]
		c.do(members[r.Target], r.Act, v.Reason, func() string { return c.policy.Why(c.targets[r.Target], v) })
	}
	c.told, c.tells = c.tells, c.told
}

// do carries out an act.
func (c *watcher) do(m *member, a Act, reason Reason, why func() string) {
	switch a {
	case Delete:
		c.tell(m, MachineDeleted, why)
		c.noLongerDue(m, "it was deleted at "+clock(c.w.now))
		c.rebooting += tally(m.silent && m.planned)
		c.overslept += tally(m.made && reason == Overslept)
		c.w.delete(m)
	case Annotate:
		c.tell(m, ExternalAnnotationAdded, why)
		c.skip(m, a)
		m.Annotations[external.In(c.w.release).mark] = ""
		c.w.changed(m)
	case SkipMaster:
		c.tell(m, SkippedMaster, why)
		c.skip(m, a)
	case SkipOwner:
		c.tell(m, SkippedNoController, why)
		c.skip(m, a)
	case Request:
		c.tell(m, RemediationRequested, why)
		c.skip(m, a)
	}
}

// tally is 1 for what is so.
func tally(so bool) int {
	if so {
		return 1
	}
	return 0
}

// tell notes what the pass says, unless the one before said it too.
func (c *watcher) tell(m *member, name EventName, why func() string) {
	t := telling{m, name}
	c.tells[t] = true
	if c.told[t] {
		return
	}
	e := Entry{Check: c.policy.Name, Name: name, Why: why(), Event: c.emits(name)}
	if m != nil {
		e.Machine = m.Name
	}
	c.w.note(e)
}

// emits says whether the operator makes an event of it.
func (c *watcher) emits(name EventName) bool {
	switch name {
	case SkippedNoController:
		return skipEvent.In(c.w.release)
	case RemediationRequested, RemediationAllowed:
		return false
	}
	return emitsEvents.In(c.w.release)
}

// again plans the next pass. A plan that there is already stays if it is earlier.
func (c *watcher) again(p *Pass) {
	after := p.Again.After
	switch {
	case p.Again.BackOff:
		after = time.Duration(backOff(c.fails)) * time.Second
		c.fails++
	default:
		c.fails = 0
	}
	if after == 0 {
		return
	}
	at := c.w.now + seconds(after)
	if c.wake > c.w.now && c.wake <= at {
		return
	}
	c.wake = at
	c.w.at(at, rankWake, func() {
		if c.wake == at {
			c.wake = 0
			c.dirty = true
		}
	})
}
