package health

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/tune/era"
)

// event reads a line that begins with "at".
func (r *reader) event() {
	at, ok := r.span("a time")
	if !ok {
		return
	}
	if r.until != nil {
		r.bad(r.words[0], "something happens after the end", `write it before "until"`)
		return
	}
	kind, ok := r.oneOf("node, power, reboot, machine, scale, check or takes", "node", "power", "reboot", "machine", "scale", "check", "takes")
	if !ok {
		return
	}
	var a action
	switch kind {
	case "node":
		a, ok = r.node()
	case "power":
		a, ok = r.power()
	case "reboot":
		r.reboot(at)
		return
	case "machine":
		a, ok = r.machine()
	case "scale":
		a, ok = r.scale()
	case "check":
		a, ok = r.checkEvent()
	case "takes":
		a.verb = editTakes
		a.takes, ok = r.readTakes(r.lastTakes())
	}
	if ok {
		r.add(at, a)
	}
}

// add takes an event.
func (r *reader) add(at int64, a action) {
	if len(r.s.events) >= maxEvents {
		r.bad(r.words[0], fmt.Sprintf("more than %d things happen", maxEvents), "write a shorter scenario")
		return
	}
	r.s.events = append(r.s.events, scriptEvent{at: at, line: r.line, text: r.rest(2), act: a})
}

// lastTakes are the times that the script set last.
func (r *reader) lastTakes() takes {
	for i := range slices.Backward(r.s.events) {
		if a := &r.s.events[i].act; a.verb == editTakes {
			return a.takes
		}
	}
	return r.s.takes
}

// machinesOf reads names that must be machines.
func (r *reader) machinesOf(what string) ([]string, bool) {
	list, w, ok := r.names(what)
	r.known(w, "machine", list...)
	return list, ok
}

func (r *reader) node() (action, bool) {
	a := action{verb: setCondition}
	var ok bool
	if a.names, ok = r.machinesOf("nodes"); !ok {
		return a, false
	}
	if r.take("gone") {
		a.verb = loseNode
		return a, true
	}
	for first := true; first || r.more(); first = false {
		w, ok := r.next("TYPE=STATUS, or gone")
		if !ok {
			return a, false
		}
		kind, status, ok := strings.Cut(w.text, "=")
		if !ok || kind == "" || !slices.Contains([]string{"True", "False", "Unknown"}, status) {
			r.bad(w, fmt.Sprintf("%q is not a condition", w.text), "write TYPE=True, TYPE=False or TYPE=Unknown")
			return a, false
		}
		a.conditions = append(a.conditions, Condition{Type: kind, Status: status})
	}
	return a, true
}

func (r *reader) power() (action, bool) {
	list, ok := r.machinesOf("machines")
	if !ok {
		return action{}, false
	}
	word, ok := r.oneOf("off or on", "off", "on")
	if word == "on" {
		return action{verb: powerOn, names: list}, ok
	}
	return action{verb: powerOff, names: list}, ok
}

// reboot reads a reboot, of all machines at once or of one after the other.
func (r *reader) reboot(at int64) {
	list, ok := r.machinesOf("machines")
	if !ok {
		return
	}
	if _, ok = r.oneOf("for and a time", "for"); !ok {
		return
	}
	length, ok := r.span("the time that a reboot takes")
	if !ok {
		return
	}
	if !r.take("every") {
		r.add(at, action{verb: powerOff, names: list, planned: true})
		r.add(at+length, action{verb: powerOn, names: list, planned: true})
		return
	}
	every, ok := r.span("the time from one reboot to the next")
	for i, name := range list {
		if !ok || len(r.s.events) >= maxEvents {
			return
		}
		start := at + int64(i)*every
		r.add(start, action{verb: powerOff, names: []string{name}, planned: true})
		r.add(start+length, action{verb: powerOn, names: []string{name}, planned: true})
	}
}

func (r *reader) machine() (action, bool) {
	list, ok := r.machinesOf("machines")
	if !ok {
		return action{}, false
	}
	verbs := map[string]verb{"failed": failMachine, "deleted": deleteMachine, "repaired": repairMachine, "stuck": stopMachine}
	word, ok := r.oneOf("failed, deleted, repaired or stuck", "failed", "deleted", "repaired", "stuck")
	return action{verb: verbs[word], names: list}, ok
}

func (r *reader) scale() (action, bool) {
	w, ok := r.next("the name of a set")
	if !ok {
		return action{}, false
	}
	r.known(w, "set", w.text)
	if _, ok = r.oneOf("to and a number", "to"); !ok {
		return action{}, false
	}
	n, ok := r.number("a number of machines")
	return action{verb: scaleSet, object: w.text, count: n}, ok
}

func (r *reader) checkEvent() (action, bool) {
	w, ok := r.next("the name of a check")
	if !ok {
		return action{}, false
	}
	r.known(w, "check", w.text)
	a := action{object: w.text}
	word, ok := r.oneOf("paused, resumed or maxUnhealthy", "paused", "resumed", "maxUnhealthy")
	switch word {
	case "paused":
		a.verb = pauseCheck
	case "resumed":
		a.verb = resumeCheck
	case "maxUnhealthy":
		a.verb = editCheck
		a.limit, ok = r.limit()
	}
	return a, ok
}

// expect reads what must come out.
func (r *reader) expect() {
	x := expectation{line: r.line, text: r.rest(1)}
	if r.take("in") {
		for r.more() {
			e, err := era.Parse(r.words[r.used].text)
			if err != nil {
				break
			}
			x.eras = append(x.eras, e)
			r.used++
		}
		if len(x.eras) == 0 {
			r.bad(r.words[r.used-1], "the line names no era", "write "+strings.Join(era.Names(), ", "))
			return
		}
	}
	ok := false
	switch {
	case r.take("at"):
		ok = r.expectAt(&x)
	case r.take("count"):
		x.kind = wantCount
		if x.name, ok = r.eventName(); ok {
			x.count, ok = r.number("a number")
		}
	case r.take("finding"):
		var w word
		x.kind = wantFinding
		w, ok = r.next("the id of a finding")
		x.state = w.text
	default:
		ok = r.expectEvent(&x)
	}
	if ok {
		r.s.expected = append(r.s.expected, x)
	}
}

// eventNames are the events that can be expected.
var eventNames = []EventName{MachineDeleted, DetectedUnhealthy, RemediationRestricted, RemediationAllowed, SkippedMaster, SkippedNoController,
	ExternalAnnotationAdded, RemediationRequested, Joined, Created, Drained, Gone}

func (r *reader) eventName() (EventName, bool) {
	names := make([]string, len(eventNames))
	for i, n := range eventNames {
		names[i] = string(n)
	}
	word, ok := r.oneOf("an event: "+strings.Join(names, ", "), names...)
	return EventName(word), ok
}

// expectEvent reads "worker-1 MachineDeleted at 5m1s".
func (r *reader) expectEvent(x *expectation) bool {
	list, w, ok := r.names("machines or a check")
	if !ok {
		return false
	}
	x.subjects = list
	r.known(w, "", list...)
	if x.name, ok = r.eventName(); !ok {
		return false
	}
	if x.when, ok = r.oneOf("at, by, after or never", "at", "by", "after", "never"); ok && x.when != "never" {
		x.at, ok = r.span("a time")
	}
	return ok
}

// states are those that a machine can be expected in.
var states = []string{stateReady, stateNotReady, stateWaiting, stateDue, stateDeleting, stateProvisioning, stateStarting, stateFailed, stateNoNode, stateExternal, stateGone}

// expectAt reads "at 5m workers healthy 3", or "at 5m worker-1 ready".
func (r *reader) expectAt(x *expectation) bool {
	var ok bool
	if x.at, ok = r.span("a time"); !ok {
		return false
	}
	list, w, ok := r.names("machines or a check")
	if !ok {
		return false
	}
	x.subjects = list
	if r.more() && slices.Contains(states, r.words[r.used].text) {
		r.known(w, "machine", list...)
		x.kind, x.state = wantState, r.words[r.used].text
		r.used++
		return true
	}
	r.known(w, "check", list...)
	x.kind = wantStatus
	for first := true; first || r.more(); first = false {
		word, ok := r.oneOf("a state, or total, healthy, unhealthy, max, allowed or restricted", "total", "healthy", "unhealthy", "max", "allowed", "restricted")
		if !ok {
			return false
		}
		want := wanted{name: word}
		if word != "allowed" && word != "restricted" {
			if want.value, ok = r.signed(); !ok {
				return false
			}
		}
		x.status = append(x.status, want)
	}
	return true
}

// signed is the next word as a whole number.
func (r *reader) signed() (int, bool) {
	w, ok := r.next("a number")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(w.text)
	if err != nil {
		r.bad(w, fmt.Sprintf("%q is not a number", w.text), "write a number")
	}
	return n, err == nil
}
