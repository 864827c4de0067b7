package health

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	words "plimsoll.dev/schema"
)

// The patterns of the API server. The second one is the product's own: its anchors
// hold one alternative each, so that "0x" and "-5m" pass.
var (
	timeoutPattern = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`)
	startupPattern = regexp.MustCompile(`^0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`)
)

func (s *subject) judgeConditions() {
	list := s.mhc.Spec.UnhealthyConditions
	const path = "spec.unhealthyConditions"
	switch {
	case len(list) > 0:
	case s.has(path):
		s.say(noCondition, path, "there is no condition", "add one: type Ready, status Unknown, timeout 300s")
	case !requires.In(s.release):
		s.sayAs(noCondition, v1alpha1.Warning, "spec", "no condition is checked: "+
			"a node that is not Ready is never remediated", "add one: type Ready, status Unknown, timeout 300s")
	}
	for i := range list {
		s.judgeCondition(i)
	}
	s.judgeSilence()
}

func (s *subject) judgeCondition(i int) {
	c := s.mhc.Spec.UnhealthyConditions[i]
	at := fmt.Sprintf("spec.unhealthyConditions[%d].", i)
	s.requireAll(at+"type", at+"status", at+"timeout")
	s.judgeType(at+"type", c)
	if s.isText(at + "status") {
		s.judgeStatus(at+"status", c)
	}
	for j := range i {
		o := s.mhc.Spec.UnhealthyConditions[j]
		if o.Type == c.Type && o.Status == c.Status {
			s.say(twice, at+"type", fmt.Sprintf("condition %s=%s stands twice: the shorter timeout counts", c.Type, c.Status),
				"leave one of them")
			break
		}
	}
	s.judgeTimeout(at+"timeout", c)
}

// judgeType looks for conditions that no node has. Detectors of faults have their own.
func (s *subject) judgeType(path string, c openshift.UnhealthyCondition) {
	// Terminating is set for spot instances that are taken back.
	known := append([]string{"Ready", "Terminating"}, pressures...)
	if c.Type == "" || slices.Contains(known, c.Type) {
		return
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, c.Type) })
	near := words.Nearest(c.Type, known)
	if i >= 0 {
		near = known[i]
	}
	if near != "" {
		s.sayAs(unknownType, v1alpha1.Warning, path, "no kubelet reports a condition "+c.Type+": it never counts",
			"write "+near)
		return
	}
	s.say(unknownType, path, fmt.Sprintf("no kubelet reports a condition %s: it counts only where another program sets it",
		c.Type), "write Ready for a node that fails, unless a detector of faults is installed")
}

// judgeSilence finds checks that ask for nodes that say they are not ready, and not for
// those that say nothing any more.
func (s *subject) judgeSilence() {
	list := s.mhc.Spec.UnhealthyConditions
	i := slices.IndexFunc(list,
		func(c openshift.UnhealthyCondition) bool { return c.Type == "Ready" && c.Status == "False" })
	if i >= 0 && !slices.ContainsFunc(list, leased) {
		s.say(silentNode, fmt.Sprintf("spec.unhealthyConditions[%d]", i), "a node without power or network is "+
			"Ready=Unknown, which no condition asks for: it is never remediated", "add type Ready, status Unknown")
	}
}

// pressures are conditions that are False while a node is well; the kubelet itself
// reports all but the last.
var pressures = []string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"}

func (s *subject) judgeStatus(path string, c openshift.UnhealthyCondition) {
	switch {
	case !slices.Contains([]string{"True", "False", "Unknown"}, c.Status):
		s.say(badStatus, path, fmt.Sprintf("status %q never occurs", c.Status), "write True, False or Unknown, in quotes")
	case c.Type == "Ready" && c.Status == "True", slices.Contains(pressures, c.Type) && c.Status == "False":
		s.say(healthyStatus, path, fmt.Sprintf("%s=%s is the state of a healthy node: all nodes are remediated", c.Type,
			c.Status), "turn the status round")
	}
}

func (s *subject) judgeTimeout(path string, c openshift.UnhealthyCondition) {
	if !s.has(path) {
		if !requires.In(s.release) {
			s.say(noTimeout, path, "the timeout is missing, which is 0 s: nodes are remediated as soon as "+c.Type+" is "+
				c.Status, "write a timeout, 300s for example")
		}
		return
	}
	if !s.isText(path) {
		return
	}
	d, err := time.ParseDuration(c.Timeout)
	const fix = "write a number with a unit, 300s or 5m for example"
	switch {
	case patterns.In(s.release) && !timeoutPattern.MatchString(c.Timeout):
		s.say(noPattern, path, fmt.Sprintf("timeout %q does not match the pattern of a duration: the API server refuses it",
			c.Timeout), fix)
	case err != nil && typedDurations.In(s.release):
		s.say(undecodable, path, fmt.Sprintf("timeout %q passes the API server, but the operator can't decode it: "+
			"no check works any more", c.Timeout), fix)
	case err != nil:
		s.say(badTimeout, path, fmt.Sprintf("timeout %q is not a duration: no target with a node can be judged", c.Timeout),
			fix)
	case d < grace() && leased(c):
		s.say(shortTimeout, path, fmt.Sprintf("timeout %s is shorter than the %s after which a silent node is noticed: "+
			"a short hiccup deletes the machine", short(d), short(grace())),
			"allow some minutes, 300s as in the documents")
	case d < grace() && c.Type == "Ready":
		s.say(shortTimeout, path, fmt.Sprintf("timeout %s is short: a kubelet that restarts is not ready for a moment, "+
			"and the machine is deleted", short(d)),
			"allow some minutes, 300s as in the documents")
	}
}

// leased says whether a condition becomes so when the node's lease runs out. Others are
// set by somebody who knows: the handler of spot instances that are taken back, or a
// detector of faults, for which no timeout is too short.
func leased(c openshift.UnhealthyCondition) bool {
	return c.Status == "Unknown" && (c.Type == "Ready" || slices.Contains(pressures[:3], c.Type))
}

// grace is the time without a word of a kubelet after which its node is Unknown.
func grace() time.Duration { return fact("monitorGrace") }

func fact(name string) time.Duration {
	return time.Duration(facts.Load().Must("tune.health."+name).Number) * time.Second
}

// judgeReboot says from which length on a reboot counts as a failure.
func (s *subject) judgeReboot() {
	shortest := time.Duration(-1)
	path := ""
	for i, c := range s.mhc.Spec.UnhealthyConditions {
		d, err := time.ParseDuration(c.Timeout)
		if c.Type == "Ready" && c.Status == "Unknown" && err == nil && (shortest < 0 || d < shortest) {
			shortest, path = d, fmt.Sprintf("spec.unhealthyConditions[%d].timeout", i)
		}
	}
	if total := shortest + grace(); shortest >= 0 && total < fact("reboot") {
		s.say(rebootTime, path, fmt.Sprintf("a node that is silent for more than %s (%s until it is noticed, "+
			"and the timeout of %s) is replaced, even if it only reboots", short(total), short(grace()), short(shortest)),
			"allow more time than reboots take, "+short(fact("reboot"))+" on large servers")
	}
}

func (s *subject) judgeStartup() {
	const path = "spec.nodeStartupTimeout"
	text := s.mhc.Spec.NodeStartupTimeout
	if text == nil || !s.isText(path) {
		return
	}
	const fix = "write a number with a unit, 10m for example"
	d, err := time.ParseDuration(*text)
	switch {
	case !readsStartup.In(s.release):
		s.say(startupIgnored, path, fmt.Sprintf("nodeStartupTimeout %s is not known to %s: it is %s whatever is written",
			*text, s.release.OpenShift(), short(defaultStartup)), "leave it out, or update to 4.5")
	case *text == "" && !typedDurations.In(s.release):
	case patterns.In(s.release) && !startupPattern.MatchString(*text):
		s.say(noPattern, path,
			fmt.Sprintf("nodeStartupTimeout %q does not match the pattern of a duration: the API server refuses it", *text), fix)
	case err != nil && typedDurations.In(s.release):
		s.say(undecodable, path, fmt.Sprintf("nodeStartupTimeout %q passes the API server, "+
			"but the operator can't decode it: no check works any more", *text), fix)
	case err != nil:
		s.say(badTimeout, path, fmt.Sprintf("nodeStartupTimeout %q is not a duration: each pass of the check fails", *text),
			fix)
	case d < 0, d == 0 && !zeroDisables.In(s.release):
		s.say(startupBelow, path,
			fmt.Sprintf("nodeStartupTimeout %s leaves machines no time: they are deleted as soon as they are made", *text), fix)
	case d > 0 && d < fact("join"):
		s.say(startupShort, path, fmt.Sprintf("nodeStartupTimeout %s is shorter than the %s that machines take to join: "+
			"they are deleted and made again without end", short(d), short(fact("join"))),
			"leave it out, which is "+short(defaultStartup))
	}
}
