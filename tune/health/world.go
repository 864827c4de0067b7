package health

import (
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

// epoch is when scenarios begin; what was before them is an hour older.
var epoch = time.Unix(0, 0).UTC()

// instant is a time of a scenario.
func instant(at int64) time.Time { return epoch.Add(time.Duration(at) * time.Second) }

// before is when the conditions began that there are from the start.
const before = int64(-3600)

// What happens besides the operator's events, as a log and expectations call it.
const (
	// RemediationAllowed is the end of a restriction.
	RemediationAllowed EventName = "RemediationAllowed"
	// RemediationRequested is an external remediation made from a template.
	RemediationRequested EventName = "RemediationRequested"
	// Created, Joined, Drained and Gone are steps of a machine's life.
	Created EventName = "Created"
	Joined  EventName = "Joined"
	Drained EventName = "Drained"
	Gone    EventName = "Gone"
)

// resync is how often the operator looks at everything without a reason.
const resync = int64(10 * 3600)

// rank orders what happens at one instant.
type rank uint8

const (
	rankScript rank = iota
	rankMachine
	rankSet
	rankInstance
	rankDrain
	rankWake
)

// world is a cluster of machines and the controllers that look after them.
type world struct {
	script  *Script
	release release.Release
	now     int64
	queue   queue
	takes   takes
	decide  Decide

	machines []*member
	byName   map[string]*member
	sets     []*machineSet
	bySet    map[string]*machineSet
	checks   []*watcher
	drains   drainer

	log []Entry
	// work is what was done so far.
	work int
	// stalled says why the scenario ended early; empty otherwise.
	stalled string
}

// member is a machine of the world.
type member struct {
	Machine
	node *Node
	set  *machineSet
	gone bool
	// silent says that the kubelet is off; planned, that this is a wanted reboot.
	silent, planned bool
	silence         int // counts changes of silent
	stuck           bool
	made            bool // by a set, during the scenario
	drain           drainState
	state           string
	spans           []Span
	// hearing are the checks that a change wakes; verdicts are the last ones of each check.
	hearing  []*watcher
	verdicts []State
}

// machineSet keeps a number of machines.
type machineSet struct {
	name    string
	like    scriptMachine
	want    int
	count   int // made so far
	members []*member
	pending bool // its controller runs at this instant
	// now counts what was made at the instant at.
	at  int64
	now int
}

// newWorld sets up what there is at the beginning.
func newWorld(s *Script, r release.Release) *world {
	w := &world{script: s, release: r, takes: s.takes, decide: (*Policy).reconcile,
		byName: map[string]*member{}, bySet: map[string]*machineSet{}}
	w.drains.w = w
	for i := range s.checks {
		w.checks = append(w.checks, newWatcher(w, &s.checks[i], i))
	}
	for i := range s.machines {
		w.begin(s.machines[i])
	}
	for i := range s.events {
		ev := &s.events[i]
		w.at(ev.at, rankScript, func() { w.do(ev) })
	}
	for at := resync; at <= s.until; at += resync {
		w.at(at, rankWake, func() {
			for _, c := range w.checks {
				c.dirty = true
			}
		})
	}
	return w
}

// begin puts up a machine that there is from the start.
func (w *world) begin(like scriptMachine) {
	var m *member
	if like.phase == Running {
		m = w.add(like, like.name)
		m.Phase, m.LastUpdated = Running, instant(before)
		w.putNode(m, "True", before)
		w.restate(m)
	} else {
		m = w.create(like, like.name)
	}
	if m.set != nil {
		m.set.want++
	}
}

// add makes a machine without a phase.
func (w *world) add(like scriptMachine, name string) *member {
	m := &member{verdicts: make([]State, len(w.checks))}
	m.Machine = Machine{Name: name, Labels: like.labels, Annotations: map[string]string{}}
	switch {
	case like.set != "":
		m.Owners = []openshift.OwnerReference{{Kind: machineSetKind, Name: like.set, Controller: true}}
	case like.owner != "":
		m.Owners = []openshift.OwnerReference{{Kind: like.owner, Name: like.owner, Controller: true}}
	}
	w.machines = append(w.machines, m)
	w.byName[name] = m
	if owner := w.replacer(like); owner != "" {
		w.join(m, owner, like)
	}
	for _, c := range w.checks {
		c.cover(m)
	}
	return m
}

// replacer is the name of what replaces such a machine: its machine set, or that
// of the control plane, which is called after the role.
func (w *world) replacer(like scriptMachine) string {
	if like.owner == controlPlaneKind && controlPlaneSets.In(w.release) {
		return like.role
	}
	return like.set
}

// join makes a machine one of a set's.
func (w *world) join(m *member, name string, like scriptMachine) {
	set := w.bySet[name]
	if set == nil {
		set = &machineSet{name: name, like: like}
		w.bySet[name] = set
		w.sets = append(w.sets, set)
	}
	m.set = set
	set.members = append(set.members, m)
}

// changed wakes the checks that a machine or its node concerns.
func (w *world) changed(m *member) {
	for _, c := range m.hearing {
		c.dirty = true
	}
	w.restate(m)
}

// play runs the scenario to its end.
func (w *world) play() {
	for _, c := range w.checks {
		c.dirty = true
	}
	for w.stalled == "" {
		w.settle()
		next, ok := w.queue.next()
		if !ok || next > w.script.until {
			break
		}
		w.now = next
	}
	for _, m := range w.machines {
		m.close(w.script.until)
	}
}

// maxSteps is how much can happen at one instant before the world stalls: it takes
// no time of its own, so what answers itself would never end.
const maxSteps = 100_000

// settle does all that happens now: first what is due, then one check after the
// other, until nothing is left to do.
func (w *world) settle() {
	for range maxSteps {
		if w.stalled != "" {
			return
		}
		if do, ok := w.queue.pop(w.now); ok {
			w.spend(workStep)
			do()
			continue
		}
		c := w.dirtyCheck()
		if c == nil {
			return
		}
		c.pass()
	}
	w.stalled = "machines are deleted and made again without an end at " + clock(w.now)
}

func (w *world) dirtyCheck() *watcher {
	for _, c := range w.checks {
		if c.dirty {
			return c
		}
	}
	return nil
}

func (w *world) at(at int64, r rank, do func()) { w.queue.push(at, r, do) }

// note adds to the log.
func (w *world) note(e Entry) {
	w.spend(workStep)
	e.At = unit.Duration(w.now)
	w.log = append(w.log, e)
}
