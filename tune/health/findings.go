package health

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// alertAfter is how long a restriction lasts until there is an alert, where there
// is a metric.
const alertAfter = int64(30 * 60)

// findings are what the simulation proves.
func (w *world) findings() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	if w.stalled != "" {
		out = append(out, w.finding(stalledRule, 1, w.stalled, w.stalledRemedy()))
	}
	for _, c := range w.checks {
		out = append(out, c.findings...)
		out = append(out, c.proven()...)
	}
	if !pauses.In(w.release) {
		for _, e := range w.script.events {
			if e.act.verb == pauseCheck {
				out = append(out, w.finding(pauseIgnored, e.line, "check "+e.act.object+" is paused, which "+w.release.OpenShift()+
					" does not know: it goes on", "remove the check for the time, or raise its timeouts"))
			}
		}
	}
	return out
}

// finding is one at a line of the script.
func (w *world) finding(r object.Rule, line int, what, fix string) v1alpha1.Finding {
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources,
		Place: &v1alpha1.Place{File: w.script.Name, Line: line, Col: 1}}
}

// proven is what the scenario proves about a check.
func (c *watcher) proven() []v1alpha1.Finding {
	var out []v1alpha1.Finding
	say := func(r object.Rule, what, fix string) {
		out = append(out, c.w.finding(r, c.check.line, "check "+c.policy.Name+": "+what, fix))
	}
	if c.rebooting > 0 {
		say(rebootDeleted, words.Count(c.rebooting, "machine was", "machines were")+
			" deleted during a reboot, which a check can't tell from a failure",
			"allow more time than a reboot takes"+c.pauseAdvice())
	}
	if c.overslept > 0 {
		say(startupLoop, words.Count(c.overslept, "replacement was", "replacements were")+
			" deleted because they had no node after "+short(c.policy.startup)+", and replaced in turn",
			c.startupAdvice())
	}
	c.proveFloor(say)
	c.proveRestrictions(say)
	skipped := 0
	for _, u := range c.left {
		skipped += tally(u.Kept == SkipOwner.String() || u.Kept == SkipMaster.String())
	}
	if skipped > 0 {
		say(neverRemediated, words.Count(skipped, "machine that was due was", "machines that were due were")+
			" passed over, and count as unhealthy until somebody repairs them",
			"select machines of machine sets only")
	}
	return out
}

// proveFloor tells of a pool so small that the percentage of it is none: of the smallest
// one that the check covers.
func (c *watcher) proveFloor(say func(object.Rule, string, string)) {
	l := c.policy.limit
	if l.err != nil || !l.percent || l.value <= 0 {
		return
	}
	size, at := 0, int64(0)
	for _, s := range c.history {
		if most, _ := l.Of(s.Expected); most == 0 && s.Max == 0 && s.Expected > 0 && (size == 0 || s.Expected < size) {
			size, at = s.Expected, int64(s.At)
		}
	}
	if size > 0 {
		say(floorZero, fmt.Sprintf("at %s %s: no machine is remediated", clock(at), l.floorText(size)), l.floorAdvice(size))
	}
}

// proveRestrictions tells of restrictions that the cure itself causes, and of long ones.
func (c *watcher) proveRestrictions(say func(object.Rule, string, string)) {
	for _, r := range c.restricted {
		to, until := r.to, "until "+clock(r.to)
		if to < 0 {
			to, until = c.w.script.until, "to the end"
		}
		if r.cured {
			say(cureBlocks, fmt.Sprintf("from %s %s %s not remediated: without the %d that are starting and the %d that are "+
				"being deleted only %d of the %d that are allowed would be unhealthy",
				clock(r.from), until, words.Count(r.due, "machine that is due is", "machines that are due are"), r.starting,
				r.deleting, r.others, r.max),
				"scale up by no more than maxUnhealthy allows, or raise it for the time")
		}
		if to-r.from > alertAfter {
			what := "remediation is restricted from " + clock(r.from) + " " + until
			if metrics.In(c.w.release) {
				say(longRestriction, what+": the alert MachineHealthCheckUnterminatedShortCircuit fires after 30 min",
					"repair machines by hand, or raise maxUnhealthy")
			} else {
				say(longRestriction, what+", and no metric and no alert of this release tells", c.watchAdvice())
			}
		}
	}
}

// watchAdvice is what shows a restriction where no metric does.
func (c *watcher) watchAdvice() string {
	if emitsEvents.In(c.w.release) {
		return "watch the events RemediationRestricted"
	}
	return "watch expectedMachines and currentHealthy in the status of the check: the release has no events either"
}

func (c *watcher) pauseAdvice() string {
	if pauses.In(c.w.release) {
		return ", or pause the check with the annotation " + AnnotationPaused
	}
	return ""
}

func (c *watcher) startupAdvice() string {
	if readsStartup.In(c.w.release) {
		return "set nodeStartupTimeout above the longer of the two steps, until there is an instance and until its node joins"
	}
	return "release " + c.w.release.String() + " has 10 min fixed: make machines join faster"
}
