package health

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// Simulation is how a scenario played out. Times are seconds since its start.
type Simulation struct {
	Script  string          `json:"script"`
	Title   string          `json:"title,omitempty"`
	Release release.Release `json:"release"`
	Until   unit.Duration   `json:"until"`
	// Stalled says why the scenario ended before its time; empty when it did not.
	Stalled string `json:"stalled,omitempty"`
	// Checks in the order of the script, machines in the order of their creation.
	Checks   []CheckHistory `json:"checks"`
	Machines []MachineLife  `json:"machines"`
	// Log holds all that happened, in order of time.
	Log []Entry `json:"log"`
	// Left are machines that were due and were not deleted at once.
	Left []Unremedied `json:"notRemediated,omitempty"`
	// Expectations of the script, and what came out.
	Expectations []Outcome `json:"expectations,omitempty"`

	findings []v1alpha1.Finding
}

// CheckHistory is the status of a check over time.
type CheckHistory struct {
	Name         string `json:"name"`
	MaxUnhealthy string `json:"maxUnhealthy"`
	// Refused says that the API server takes no such check, so that nothing is watched.
	Refused bool       `json:"refused,omitempty"`
	Status  []StatusAt `json:"status"`
}

// StatusAt is a status from a time on.
type StatusAt struct {
	At unit.Duration `json:"at"`
	Status
}

// Status is what a pass counts.
type Status struct {
	Expected  int `json:"expectedMachines"`
	Healthy   int `json:"currentHealthy"`
	Unhealthy int `json:"unhealthy"`
	Max       int `json:"max"`
	// Restricted says that the check does not remediate; Paused that it does not look.
	Restricted bool `json:"restricted,omitempty"`
	Paused     bool `json:"paused,omitempty"`
	// Error of the pass.
	Error string `json:"error,omitempty"`
}

func statusOf(p *Pass) Status {
	s := Status{Expected: p.Expected, Healthy: p.Healthy, Unhealthy: p.Unhealthy, Max: p.Max, Paused: p.Paused}
	switch {
	case p.Err != nil:
		s.Error = p.Err.Error()
	case p.MaxErr != nil:
		s.Error, s.Restricted = p.MaxErr.Error(), true
	case !p.Paused:
		s.Restricted = !p.Allowed
	}
	return s
}

// text is the status in words.
func (s Status) text() string {
	switch {
	case s.Paused:
		return "the check is paused"
	case s.Error != "":
		return s.Error
	}
	return fmt.Sprintf("unhealthy are %d of %d machines, allowed are %d", s.Unhealthy, s.Expected, max(s.Max, 0))
}

// Entry is something that happened: an event of a check, a step of a machine's
// life, or a line of the script.
type Entry struct {
	At      unit.Duration `json:"at"`
	Check   string        `json:"check,omitempty"`
	Machine string        `json:"machine,omitempty"`
	Name    EventName     `json:"name,omitempty"`
	// Event says that the operator emits an event of that name.
	Event bool   `json:"event,omitempty"`
	Why   string `json:"why,omitempty"`
	// Text is the line of the script.
	Text string `json:"text,omitempty"`
}

// MachineLife is what became of a machine.
type MachineLife struct {
	Name  string `json:"name"`
	Set   string `json:"set,omitempty"`
	Spans []Span `json:"spans"`
}

// Span is a state that lasts.
type Span struct {
	From  unit.Duration `json:"from"`
	To    unit.Duration `json:"to"`
	State string        `json:"state"`
}

// Unremedied is a machine that was due and was not deleted at once.
type Unremedied struct {
	Check   string        `json:"check"`
	Machine string        `json:"machine"`
	Since   unit.Duration `json:"since"`
	// Why it was due, and what kept it.
	Why  string `json:"why"`
	Kept string `json:"kept"`
	// Ended says how it ended; empty when it did not.
	Ended string `json:"ended,omitempty"`

	m *member
}

// Outcome is an expectation and what came out.
type Outcome struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	OK   bool   `json:"ok"`
	// Got is what came out instead.
	Got string `json:"got,omitempty"`
}

// restate finds the state of a machine and begins a span if it is another one.
func (w *world) restate(m *member) {
	state := m.stateNow(w.release)
	if state == m.state {
		return
	}
	m.close(w.now)
	m.state = state
	if state != stateGone {
		w.spend(workStep)
		m.spans = append(m.spans, Span{From: unit.Duration(w.now), State: state})
	}
}

// close ends the span that lasts; one that did not last is dropped.
func (m *member) close(now int64) {
	n := len(m.spans)
	if n == 0 || m.state == stateGone || m.state == "" {
		return
	}
	last := &m.spans[n-1]
	last.To = unit.Duration(now)
	if last.To == last.From {
		m.spans = m.spans[:n-1]
	}
}

func (m *member) stateNow(r release.Release) string {
	switch {
	case m.gone:
		return stateGone
	case m.Deleting:
		return stateDeleting
	case m.marked(r):
		return stateExternal
	case m.Phase == Failed:
		return stateFailed
	}
	worst := m.worst()
	switch {
	case worst == Due:
		return stateDue
	case m.NodeName == "" && m.Phase == Provisioned:
		return stateStarting
	case m.NodeName == "":
		return stateProvisioning
	case m.node == nil:
		return stateNoNode
	case worst == Waiting:
		return stateWaiting
	case m.node.has("Ready", "True"):
		return stateReady
	}
	return stateNotReady
}

// worst is the worst verdict of the checks that cover the machine.
func (m *member) worst() State {
	worst := Healthy
	for _, v := range m.verdicts {
		if v == Due || v == Waiting && worst != Due {
			worst = v
		}
	}
	return worst
}

// becomesDue keeps since when a machine is due.
func (c *watcher) becomesDue(m *member, p *Pass, i int) {
	if m.Deleting {
		return
	}
	u := c.due[m]
	if u == nil {
		c.w.spend(workStep)
		u = &Unremedied{Check: c.policy.Name, Machine: m.Name, Since: unit.Duration(c.w.now), m: m,
			Why: c.policy.Why(c.targets[i], p.Verdicts[i])}
		c.due[m] = u
		c.left = append(c.left, u)
	}
	if !p.Allowed {
		u.Kept = "remediation is restricted: " + statusOf(p).text()
	}
}

// skip keeps why a machine that is due is left alone.
func (c *watcher) skip(m *member, a Act) {
	if u := c.due[m]; u != nil {
		u.Kept = a.String()
	}
}

func (c *watcher) noLongerDue(m *member, how string) {
	if u := c.due[m]; u != nil {
		u.Ended = how
		delete(c.due, m)
	}
}

// restriction is a time in which a check does not remediate.
type restriction struct {
	from, to int64
	// starting and deleting machines, those that are unhealthy otherwise, and how
	// many were due at most.
	starting, deleting, others, due int
	max                             int
	// cured says that those others alone would not have restricted.
	cured bool
}

// restrict begins or ends a restriction, and looks what is in the way.
func (c *watcher) restrict(now bool) {
	n := len(c.restricted)
	open := n > 0 && c.restricted[n-1].to < 0
	switch {
	case now && !open:
		c.w.spend(workStep)
		c.restricted = append(c.restricted, restriction{from: c.w.now, to: -1})
	case !now && open:
		c.restricted[n-1].to = c.w.now
		c.w.note(Entry{Check: c.policy.Name, Name: RemediationAllowed, Why: c.last.text()})
	}
}

// obstacle looks what is in the way of a restricted check.
func (c *watcher) obstacle(p *Pass) {
	if p.Allowed || p.MaxErr != nil || len(c.restricted) == 0 {
		return
	}
	now := restriction{max: p.Max}
	for i, v := range p.Verdicts {
		m := c.members[i]
		switch {
		case v.State == Healthy:
		case m.Deleting:
			now.deleting++
		case m.NodeName == "" && v.State != Due:
			now.starting++
		default:
			now.others++
			if v.State == Due {
				now.due++
			}
		}
	}
	r := &c.restricted[len(c.restricted)-1]
	if now.due > 0 && now.others <= p.Max && (!r.cured || now.due > r.due) {
		now.from, now.to, now.cured = r.from, r.to, true
		*r = now
	}
}
