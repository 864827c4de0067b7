package audit

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/object"
)

// State is what became of a rule.
type State string

// The states. Of what was not seen nobody can say that it is fine.
const (
	OK            State = "ok"
	Found         State = "finding"
	NotApplicable State = "notApplicable"
	NotSeen       State = "notSeen"
	Waived        State = "waived"
)

// Outcome is what one rule says of a cluster.
type Outcome struct {
	Rule  string `json:"rule"`
	State State  `json:"state"`
	// Why the rule says nothing, where its state is NotSeen or NotApplicable.
	Why string `json:"why,omitempty"`
	// Findings of the state Found, and those that are waived.
	Findings []v1alpha1.Finding `json:"-"`
}

// test is a rule with the function that looks.
type test struct {
	rule object.Rule
	run  func(*look)
}

// tests are all rules about such a cloud, in the order of the subjects.
func (c *Cloud) tests() []test {
	if c.Stack != nil {
		return slices.Concat(serverTests, hostTests, neutronTests, cephTests)
	}
	return slices.Concat(nodeTests, poolTests, machineTests, cpuTests, networkTests, storageTests, monitoringTests,
		routerTests, tunedTests, capacityTests, etcdTests)
}

// Run has every rule look at a cluster.
func Run(c *Cloud) []Outcome {
	var out []Outcome
	for _, k := range c.tests() {
		out = append(out, k.judge(c, nil))
	}
	return out
}

// judge has a rule look, and tell of those objects alone that are wanted; nil is all. What it looks at stays the same.
func (k test) judge(c *Cloud, wanted func(object string) bool) Outcome {
	l := &look{Cloud: c, rule: k.rule, wanted: wanted, out: Outcome{Rule: k.rule.ID, State: OK}}
	if l.given() {
		k.run(l)
	}
	return l.out
}

// look is what the function of a rule sees, and where it says what it found. A rule that says nothing has found
// nothing.
type look struct {
	*Cloud
	rule   object.Rule
	wanted func(object string) bool // nil is every object
	out    Outcome
}

// told are the objects of a list of which something is to be said: the example of a remedy is the first of them.
func (l *look) told(list []where) []where {
	if l.wanted == nil {
		return list
	}
	var out []where
	for _, o := range list {
		if l.wanted(o.object) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return list // nothing is said of any
	}
	return out
}

// gathered says whether a rule looks into nothing but a namespace of which there are pods.
func (l *look) gathered() bool {
	of := l.rule.Within
	return of != "" && slices.ContainsFunc(l.Pods, func(p Pod) bool { return p.Namespace == of })
}

// given says whether what the rule needs was seen. What the cluster does not have is not missed.
func (l *look) given() bool {
	if l.Stack != nil && !l.hcgCounts() && slices.Contains(ofHCG, l.rule.ID) {
		l.notApplicable("a limit of Helion OpenStack Carrier Grade (--rules hcg-4.0)")
		return false
	}
	hidden := ""
	for _, resource := range l.rule.Needs {
		switch state, why := l.state(resource); {
		case l.hidden[resource] != "" && l.gathered():
		case state == NotApplicable:
			l.notApplicable("%s", why)
			return false
		case state == NotSeen && hidden == "":
			hidden = why
		case state == OK && resource == l.rule.About && !l.kinds[kindOf[resource]]:
			l.notApplicable("%s: there is none", resource)
			return false
		}
	}
	if hidden != "" {
		l.notSeen("%s", hidden)
	}
	return hidden == ""
}

// notSeen says that something is missing that the rule needs.
func (l *look) notSeen(format string, args ...any) {
	l.out.State, l.out.Why = NotSeen, fmt.Sprintf(format, args...)
}

// notApplicable says that the cluster has nothing that the rule is about.
func (l *look) notApplicable(format string, args ...any) {
	l.out.State, l.out.Why = NotApplicable, fmt.Sprintf(format, args...)
}

// where is an object, and what is to be said of it alone.
type where struct{ object, note string }

// at is an object of a kind, by its name or its namespace and name, and what is to be said of it.
func at(kind, path, note string, args ...any) where {
	return where{kind + "/" + strings.TrimPrefix(path, "/"), fmt.Sprintf(note, args...)}
}

func (w where) String() string {
	if w.note == "" {
		return w.object
	}
	return w.object + " (" + w.note + ")"
}

// find says what is wrong with some objects, in their order; none is the cluster. The message names them,
// says what, and what that does to users; fix is a command, a manifest or what to change.
func (l *look) find(objects []where, fix, format string, args ...any) {
	l.findAs(l.rule.Severity, objects, fix, format, args...)
}

// shown is how many objects a finding names; the rest is counted.
const shown = 3

// findAs is find of another severity than the rule's.
func (l *look) findAs(s v1alpha1.Severity, objects []where, fix, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if objects = l.told(objects); l.wanted != nil && !l.wanted(append(objects, where{})[0].object) {
		return
	}
	var names, told []string
	for _, o := range objects {
		names, told = append(names, o.object), append(told, o.String())
	}
	if len(objects) > 0 {
		message = words.Some(told, shown) + ": " + message
	}
	if l.rule.Effect != "" {
		message += "; " + l.rule.Effect
	}
	f := v1alpha1.Finding{Severity: s, ID: l.rule.ID, Message: message, Remedy: fix, Sources: l.rule.Sources,
		Place: &v1alpha1.Place{File: l.Name, Cluster: true, Object: strings.Join(names, " ")}}
	l.out.State, l.out.Findings = Found, append(l.out.Findings, f)
}
