package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// verbs are what may be done to machines, with the words of the log.
var verbs = map[string]struct {
	verb verb
	text string
}{
	"powerOff": {powerOff, "power %s off"},
	"powerOn":  {powerOn, "power %s on"},
	"reboot":   {powerOff, "reboot %s"},
	"loseNode": {loseNode, "node %s gone"},
	"fail":     {failMachine, "machine %s failed"},
	"delete":   {deleteMachine, "machine %s deleted"},
	"repair":   {repairMachine, "machine %s repaired"},
	"stick":    {stopMachine, "machine %s stuck"},
}

// event reads what happens at a time, and returns the times that hold from then on.
func (r *reader) event(at string, in *v1alpha1.HealthEvent, now takes) takes {
	e := scriptEvent{at: int64(in.At), line: r.line(at)}
	switch r.one(at, "an event is about machines, a set, a check or times", "machines", "set", "check", "takes") {
	case "machines":
		r.toMachines(at, e, in)
	case "set":
		r.only(at, "set", "at", "set", "replicas")
		r.has(at+".set", "set", in.Set, r.sets)
		if r.one(at, "a set is scaled", "replicas") != "" {
			e.act = action{verb: scaleSet, object: in.Set, count: *in.Replicas}
			e.text = fmt.Sprintf("scale %s to %d", in.Set, *in.Replicas)
			r.s.events = append(r.s.events, e)
		}
	case "check":
		r.toCheck(at, e, in)
	case "takes":
		r.only(at, "takes", "at", "takes")
		now = r.times(at+".takes", in.Takes, now)
		e.text, e.act = "takes "+timesText(in.Takes), action{verb: editTakes, takes: now}
		r.s.events = append(r.s.events, e)
	}
	return now
}

// toCheck reads what is done to a check.
func (r *reader) toCheck(at string, e scriptEvent, in *v1alpha1.HealthEvent) {
	r.only(at, "check", "at", "check", "paused", "maxUnhealthy")
	r.has(at+".check", "check", in.Check, r.checks)
	e.act = action{object: in.Check, verb: resumeCheck}
	switch r.one(at, "a check is paused, or edited", "paused", "maxUnhealthy") {
	case "maxUnhealthy":
		r.limit(at, in.MaxUnhealthy)
		e.act.verb, e.act.limit = editCheck, in.MaxUnhealthy
		e.text = fmt.Sprintf("check %s maxUnhealthy %v", in.Check, in.MaxUnhealthy)
	case "paused":
		if e.text = "check " + in.Check + " resumed"; *in.Paused {
			e.act.verb, e.text = pauseCheck, "check "+in.Check+" paused"
		}
	}
	r.s.events = append(r.s.events, e)
}

// timesText are times in words, in the order of their names in the document.
func timesText(in *v1alpha1.HealthTimes) string {
	var parts []string
	add := func(name string, d *unit.Duration) {
		if d != nil {
			parts = append(parts, name+" "+clock(int64(*d)))
		}
	}
	add("provision", in.Provision)
	add("join", in.Join)
	add("ready", in.Ready)
	add("drain", in.Drain)
	add("terminate", in.Terminate)
	add("grace", in.Grace)
	return strings.Join(parts, " ")
}

// toMachines reads what happens to machines.
func (r *reader) toMachines(at string, e scriptEvent, in *v1alpha1.HealthEvent) {
	names := r.known(at+".machines", in.Machines)
	switch r.one(at, "something is done to machines, or their nodes get conditions", "do", "conditions") {
	case "conditions":
		r.only(at, "conditions", "at", "machines", "conditions")
		e.text, e.act = "node "+in.Machines, action{verb: setCondition, names: names}
		for _, kind := range slices.Sorted(maps.Keys(in.Conditions)) {
			status := in.Conditions[kind]
			if !slices.Contains([]string{"True", "False", "Unknown"}, status) {
				r.wrong(at+".conditions."+kind, fmt.Sprintf("%q is not a status", status), "write True, False or Unknown")
			}
			e.text += " " + kind + "=" + status
			e.act.conditions = append(e.act.conditions, Condition{Type: kind, Status: status})
		}
		r.s.events = append(r.s.events, e)
	case "do":
		e.text = fmt.Sprintf(verbs[in.Do].text, in.Machines)
		e.act = action{verb: verbs[in.Do].verb, names: names}
		if in.Do == "reboot" {
			r.only(at, "do: reboot", "at", "machines", "do", "for", "every")
			r.reboot(at, e, in)
			return
		}
		r.only(at, "do: "+in.Do, "at", "machines", "do")
		r.s.events = append(r.s.events, e)
	}
}

// reboot reads a reboot, of all machines at once or of one after the other.
func (r *reader) reboot(at string, e scriptEvent, in *v1alpha1.HealthEvent) {
	r.one(at, "a reboot takes a time", "for")
	e.text += " for " + clock(int64(in.For))
	turns := [][]string{e.act.names}
	var every int64
	if in.Every != nil {
		every = int64(*in.Every)
		e.text += " every " + clock(every)
		turns = slices.Collect(slices.Chunk(e.act.names, 1))
	}
	for i, names := range turns {
		off := e
		off.at = e.at + int64(i)*every
		off.act = action{verb: powerOff, names: names, planned: true}
		on := off
		on.at, on.act.verb = off.at+int64(in.For), powerOn
		r.s.events = append(r.s.events, off, on)
	}
}

// expect reads what must come out.
func (r *reader) expect(at string, in *v1alpha1.HealthExpectation) {
	x := expectation{line: r.line(at), releases: releases(in.Releases), name: EventName(in.Event)}
	about := r.one(at, "an expectation is about one thing", "machines", "check", "count", "finding")
	subject := in.Machines + in.Check
	switch about {
	case "machines":
		x.subjects = r.known(at+".machines", in.Machines)
	case "check":
		r.has(at+".check", "check", in.Check, r.checks)
		x.subjects = []string{in.Check}
	case "count":
		r.only(at, "count", "releases", "count", "event")
		r.one(at, "what is counted is an event", "event")
		if x.kind = wantCount; in.Count != nil {
			x.count = *in.Count
		}
		x.text = fmt.Sprintf("count %s %d", in.Event, x.count)
	case "finding":
		r.only(at, "finding", "releases", "finding")
		x.kind, x.state, x.text = wantFinding, in.Finding, "finding "+in.Finding
	}
	switch {
	case about != "machines" && about != "check":
	case in.Event != "":
		r.expectEvent(at, about, &x, in)
		x.text = subject + " " + in.Event + " " + x.when
		if x.when != "never" {
			x.text += " " + clock(x.at)
		}
	case about == "machines":
		r.only(at, "state", "releases", "machines", "state", "at")
		r.one(at, "machines have an event, or a state", "state")
		x.kind, x.state, x.at = wantState, in.State, r.at(at, in)
		x.text = fmt.Sprintf("at %s %s %s", clock(x.at), subject, in.State)
	default:
		r.only(at, "a status", "releases", "check", "at", "total", "healthy", "unhealthy", "max", "remediation")
		x.kind, x.at = wantStatus, r.at(at, in)
		x.text = fmt.Sprintf("at %s %s", clock(x.at), subject)
		r.status(at, &x, in)
	}
	if len(x.releases) > 0 {
		x.text = "in " + strings.Join(in.Releases, " ") + " " + x.text
	}
	r.s.expected = append(r.s.expected, x)
}

// expectEvent reads when an event comes, or that it never does.
func (r *reader) expectEvent(at, about string, x *expectation, in *v1alpha1.HealthExpectation) {
	r.only(at, "event", "releases", about, "event", "at", "by", "after", "never")
	x.when = r.one(at, "an event has a time", "at", "by", "after", "never")
	for _, d := range []*unit.Duration{in.At, in.By, in.After} {
		if d != nil {
			x.at = int64(*d)
		}
	}
	if x.when == "never" && !in.Never {
		r.wrong(at+".never", "an event that comes has a time", "write at, by or after, or never: true")
	}
}

// at is the time of a state or a status.
func (r *reader) at(path string, in *v1alpha1.HealthExpectation) int64 {
	if in.At == nil {
		r.wrong(path, "the time is missing", "add at: 5m")
		return 0
	}
	return int64(*in.At)
}

// status reads a status of a check.
func (r *reader) status(at string, x *expectation, in *v1alpha1.HealthExpectation) {
	for _, n := range []struct {
		name  string
		value *int
	}{{"total", in.Total}, {"healthy", in.Healthy}, {"unhealthy", in.Unhealthy}, {"max", in.Max}} {
		if n.value != nil {
			x.status = append(x.status, wanted{n.name, *n.value})
			x.text += fmt.Sprintf(" %s %d", n.name, *n.value)
		}
	}
	if in.Remediation != "" {
		x.status = append(x.status, wanted{name: in.Remediation})
		x.text += " " + in.Remediation
	}
	if len(x.status) == 0 {
		r.wrong(at, "nothing is expected of the check", "add event, total, healthy, unhealthy, max or remediation")
	}
}
