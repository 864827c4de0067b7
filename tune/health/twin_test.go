package health

import (
	"fmt"
	"slices"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// The naive twin of the simulator has no queue: it goes through every second and
// asks every machine and every check what happens now.

type twinMachine struct {
	Machine
	node  *Node
	like  scriptMachine
	set   string
	gone  bool
	stuck bool
	// absolute times, -1 for never
	provisionAt, joinAt, readyIn, readyAt, unknownAt int64
	silent                                           bool

	leaving          bool // the machine controller has it
	nextTry, order   int64
	evictedAt        int64
	tries            int
	drained          bool
	endsAt, pollFrom int64
}

type twinCheck struct {
	mhc      openshift.MachineHealthCheck
	deaf     bool
	look     int64 // of a deaf check: when it looks by itself
	again    bool  // its status changed
	synced   bool  // it has looked in this second of a resync
	edited   bool
	fails    int
	paused   bool
	expected int
	healthy  int
}

type twin struct {
	s        *Script
	e        release.Release
	now      int64
	takes    takes
	machines []*twinMachine
	wants    map[string]int
	likes    map[string]scriptMachine
	made     map[string]int
	checks   []*twinCheck
	order    int64

	busy      *twinMachine
	busyUntil int64
	busyDone  bool
	log       []string
}

func newTwin(s *Script, r release.Release) *twin {
	w := &twin{s: s, e: r, takes: s.takes, wants: map[string]int{}, likes: map[string]scriptMachine{},
		made: map[string]int{}}
	for _, c := range s.checks {
		k := &twinCheck{mhc: c.mhc, expected: -1}
		sel := c.mhc.Spec.Selector
		k.deaf = (r == release.V43 || r == release.V44) && len(sel.MatchLabels) == 0 && len(sel.MatchExpressions) == 0
		_, paused := c.mhc.Metadata.Annotations["cluster.x-k8s.io/paused"]
		k.paused = paused && r == release.Current
		w.checks = append(w.checks, k)
	}
	for _, m := range s.machines {
		n := w.make(m, m.name)
		if m.phase == Running {
			n.provisionAt, n.joinAt = -1, -1
			n.Phase, n.NodeName, n.LastUpdated = Running, m.name, instant(before)
			n.node = &Node{Name: m.name, Labels: nodeLabels(m.labels),
				Conditions: []Condition{{"Ready", "True", instant(before)}}}
		} else {
			w.say("created %s", m.name)
		}
		if n.set != "" {
			w.wants[n.set]++
		}
	}
	return w
}

func (w *twin) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%6d: ", w.now)+fmt.Sprintf(format, args...))
}

func (w *twin) make(like scriptMachine, name string) *twinMachine {
	m := &twinMachine{like: like, provisionAt: w.now + w.takes.provision, joinAt: w.now + w.takes.join,
		readyIn: w.takes.ready, readyAt: -1, unknownAt: -1}
	m.Machine = Machine{Name: name, Labels: like.labels, Annotations: map[string]string{}, Phase: Provisioning,
		LastUpdated: instant(w.now)}
	m.set = like.set
	if like.set != "" {
		m.Owners = []openshift.OwnerReference{{Kind: "MachineSet", Controller: true}}
	} else if like.owner != "" {
		m.Owners = []openshift.OwnerReference{{Kind: like.owner, Controller: true}}
		if like.owner == "ControlPlaneMachineSet" && w.e == release.Current {
			m.set = like.role
		}
	}
	if m.set != "" {
		if _, ok := w.likes[m.set]; !ok {
			w.likes[m.set] = like
		}
	}
	w.machines = append(w.machines, m)
	return m
}

func (w *twin) run() {
	for w.now = 0; w.now <= w.s.until; w.now++ {
		for i := range w.s.events {
			if w.s.events[i].at == w.now {
				w.script(&w.s.events[i].act)
			}
		}
		for _, m := range slices.Clone(w.machines) {
			w.live(m)
		}
		w.balance()
		w.controller()
		for again := true; again; {
			again = false
			for _, c := range w.checks {
				if w.pass(c) {
					again = true
					break
				}
			}
		}
	}
}

func (w *twin) script(a *action) {
	switch a.verb {
	case scaleSet:
		w.wants[a.object] = a.count
		return
	case editTakes:
		w.takes = a.takes
		return
	case pauseCheck, resumeCheck, editCheck:
		for _, c := range w.checks {
			if c.mhc.Metadata.Name != a.object {
				continue
			}
			c.edited = true
			switch a.verb {
			case pauseCheck:
				c.paused = w.e == release.Current
			case resumeCheck:
				c.paused = false
			default:
				c.mhc.Spec.MaxUnhealthy = a.limit
			}
		}
		return
	}
	for _, name := range a.names {
		for _, m := range w.machines {
			if m.Name == name && !m.gone {
				w.scriptOn(m, a)
			}
		}
	}
}

func (w *twin) scriptOn(m *twinMachine, a *action) {
	switch a.verb {
	case setCondition:
		if m.node == nil {
			if m.NodeName == "" {
				w.say("joined %s", m.Name)
			}
			w.putNode(m, "True")
		}
		for _, c := range a.conditions {
			w.condition(m, c.Type, c.Status)
		}
	case loseNode:
		m.node = nil
	case powerOff:
		m.silent, m.unknownAt = true, -1
		if m.node != nil {
			m.unknownAt = w.now + w.takes.grace
		}
	case powerOn:
		m.silent, m.unknownAt = false, -1
		if m.node != nil {
			w.condition(m, "Ready", "True")
		}
	case failMachine:
		if !m.Deleting {
			w.phase(m, Failed)
		}
	case deleteMachine:
		w.delete(m)
	case repairMachine:
		delete(m.Annotations, "host.metal3.io/external-remediation")
		delete(m.Annotations, "healthchecking.openshift.io/machine-remediation-reboot")
	case stopMachine:
		m.stuck = true
	}
}

func (w *twin) phase(m *twinMachine, phase string) {
	if m.Phase != phase {
		m.Phase, m.LastUpdated = phase, instant(w.now)
	}
}

func (w *twin) condition(m *twinMachine, kind, status string) {
	for i := range m.node.Conditions {
		if c := &m.node.Conditions[i]; c.Type == kind {
			if c.Status != status {
				c.Status, c.Since = status, instant(w.now)
			}
			return
		}
	}
	m.node.Conditions = append(m.node.Conditions, Condition{kind, status, instant(w.now)})
}

func (w *twin) putNode(m *twinMachine, ready string) {
	m.NodeName = m.Name
	m.node = &Node{Name: m.Name, Labels: nodeLabels(m.Labels), Conditions: []Condition{{"Ready", ready, instant(w.now)}}}
	if !m.Deleting && m.Phase != Failed {
		w.phase(m, Running)
	}
}

// live does what a machine does by itself.
func (w *twin) live(m *twinMachine) {
	waits := func() bool {
		return !m.gone && !m.stuck && !m.Deleting && m.Phase != Failed && m.NodeName == ""
	}
	if m.provisionAt == w.now && waits() {
		w.phase(m, Provisioned)
	}
	if m.joinAt == w.now && waits() {
		w.say("joined %s", m.Name)
		if m.readyIn > 0 {
			w.putNode(m, "False")
			m.readyAt = w.now + m.readyIn
		} else {
			w.putNode(m, "True")
		}
	}
	if m.readyAt == w.now && m.node != nil && !m.silent && m.node.has("Ready", "False") {
		w.condition(m, "Ready", "True")
	}
	if m.unknownAt == w.now && m.node != nil {
		w.condition(m, "Ready", "Unknown")
	}
}

func (w *twin) delete(m *twinMachine) {
	if m.Deleting || m.gone {
		return
	}
	m.Deleting = true
	w.phase(m, Deleting)
	m.leaving, m.evictedAt = true, -1
	w.later(m, w.now)
}

func (w *twin) later(m *twinMachine, at int64) {
	w.order++
	m.nextTry, m.order = at, w.order
}

// balance has all sets make or delete machines, in the order of their first loss.
func (w *twin) balance() {
	var sets []string
	for _, m := range w.machines {
		if m.set != "" && !slices.Contains(sets, m.set) {
			sets = append(sets, m.set)
		}
	}
	for _, set := range sets {
		var alive []*twinMachine
		for _, m := range w.machines {
			if m.set == set && !m.Deleting && !m.gone {
				alive = append(alive, m)
			}
		}
		for n := len(alive); n < w.wants[set]; n++ {
			w.made[set]++
			m := w.make(w.likes[set], fmt.Sprintf("%s-r%d", set, w.made[set]))
			w.say("created %s", m.Name)
			w.live(m)
		}
		for n := len(alive); n > w.wants[set]; n-- {
			w.delete(alive[n-1])
		}
	}
}

func (w *twin) remove(m *twinMachine) {
	m.gone, m.node, m.leaving = true, nil, false
	w.say("gone %s", m.Name)
}

// pass is one reconcile; it says whether it changed anything.
func (w *twin) pass(c *twinCheck) bool {
	if c.paused {
		c.edited = false
		return false
	}
	if c.deaf {
		resync := w.now%36000 == 0 && !c.synced
		if !(resync || c.again || c.edited || c.look == w.now && w.now > 0) {
			return false
		}
		c.synced = w.now%36000 == 0
		if c.look == w.now {
			c.look = 0
		}
	}
	c.edited = false
	var targets []Target
	var members []*twinMachine
	for _, m := range w.machines {
		if !m.gone && naiveSelects(&c.mhc, m.Labels) {
			targets, members = append(targets, Target{&m.Machine, m.node}), append(members, m)
		}
	}
	p := naiveReconcile(&c.mhc, targets, instant(w.now), w.e)
	c.again = c.expected != p.expected || c.healthy != p.healthy
	changed := c.again
	if c.again {
		w.say("%s total %d healthy %d", c.mhc.Metadata.Name, p.expected, p.healthy)
	}
	c.expected, c.healthy = p.expected, p.healthy
	for i, m := range members {
		changed = w.act(c, m, p.acts[i]) || changed
	}
	c.plan(w.now, p)
	w.balance()
	w.controller()
	return changed
}

func (w *twin) act(c *twinCheck, m *twinMachine, act string) bool {
	switch act {
	case "delete":
		if !m.Deleting {
			w.say("%s deletes %s", c.mhc.Metadata.Name, m.Name)
			w.delete(m)
			return true
		}
	case "annotate":
		w.say("%s annotates %s", c.mhc.Metadata.Name, m.Name)
		mark := "host.metal3.io/external-remediation"
		if w.e == release.V43 {
			mark = "healthchecking.openshift.io/machine-remediation-reboot"
		}
		m.Annotations[mark] = ""
		return true
	}
	return false
}

// plan says when a deaf check looks again by itself; a plan that is earlier stays.
func (c *twinCheck) plan(now int64, p naivePass) {
	var at int64
	if !p.allowed {
		pause := 5 * time.Millisecond
		for range c.fails {
			pause = min(2*pause, 1000*time.Second)
		}
		c.fails++
		at = now + int64((pause+time.Second-1)/time.Second)
	} else {
		c.fails = 0
		if p.next > 0 {
			at = now + int64((p.next+time.Second-1)/time.Second)
		}
	}
	if at > 0 && (c.look <= now || at < c.look) {
		c.look = at
	}
}
