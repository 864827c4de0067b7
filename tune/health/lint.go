package health

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	words "plimsoll.dev/schema"
	"plimsoll.dev/selector"
)

// subject is a check that is judged.
type subject struct {
	mhc     *openshift.MachineHealthCheck
	release release.Release
	// object is nil for a check of a script, which stands at a line of it.
	object *object.Object
	file   string
	line   int
	pool   pool
	found  []v1alpha1.Finding
}

// Check judges the MachineHealthChecks among objects. Machines and MachineSets
// among them tell how large the pools are; without them it says from which size on
// a rule holds.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	list, found := object.All[openshift.MachineHealthCheck](objects, "MachineHealthCheck")
	if len(list) == 0 {
		return nil
	}
	machines := poolsOf(objects)
	for i := range list {
		s := &subject{mhc: &list[i].Value, object: list[i].Object, release: r, pool: machines}
		s.judge()
		s.pool.judge(s)
		found = append(found, s.found...)
	}
	return append(found, overlaps(list, machines)...)
}

// lintOne judges a check of a script, and says whether the API server refuses it.
func lintOne(c *scriptCheck, file string, r release.Release) ([]v1alpha1.Finding, bool) {
	s := &subject{mhc: &c.mhc, object: c.object, release: r, file: file, line: c.line}
	if c.object != nil {
		_, s.found = object.Decode[openshift.MachineHealthCheck](c.object)
	}
	s.judge()
	refused := slices.ContainsFunc(s.found, func(f v1alpha1.Finding) bool {
		return f.Severity == v1alpha1.Error && slices.Contains(refusals, f.ID)
	})
	if refused {
		s.say(refusedRule, "", "the API server of "+r.OpenShift()+" refuses the check: nothing is watched",
			"repair what is wrong with it")
	}
	return s.found, refused
}

// say takes a finding at a field.
func (s *subject) say(r object.Rule, path, what, fix string) {
	s.sayAs(r, r.Severity, path, what, fix)
}

// sayAs is say with another severity.
func (s *subject) sayAs(r object.Rule, severity v1alpha1.Severity, path, what, fix string) {
	var f v1alpha1.Finding
	if s.object != nil {
		f = s.object.Finding(r, path, what, fix)
	} else {
		f = v1alpha1.Finding{ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources,
			Place: &v1alpha1.Place{File: s.file, Line: s.line, Col: 1, Object: "MachineHealthCheck/" + s.mhc.Metadata.Name,
				Field: path}}
	}
	f.Severity = severity
	s.found = append(s.found, f)
}

// has says whether a field stands in the manifest. A script's own check has all.
func (s *subject) has(path string) bool { return s.object == nil || s.object.Tree.Has(path) }

// isText says whether a field has text; other values are told as wrong types.
func (s *subject) isText(path string) bool {
	if s.object == nil {
		return true
	}
	n := s.object.Tree.Node(path)
	return n != nil && n.Kind == yamlpos.Text
}

// judge looks at everything that the check alone shows.
func (s *subject) judge() {
	s.judgeHead()
	s.judgeSelector()
	s.judgeConditions()
	s.judgeStartup()
	s.judgeLimit()
	s.judgeAnnotations()
}

// judgeHead looks at what every object has.
func (s *subject) judgeHead() {
	if s.object == nil {
		return
	}
	if v := s.object.APIVersion; v != "machine.openshift.io/v1beta1" {
		s.say(wrongVersion, "apiVersion", fmt.Sprintf("apiVersion %q is not one of MachineHealthCheck", v),
			"write machine.openshift.io/v1beta1")
	}
	name := s.mhc.Metadata.Name
	if wrong := validation.IsDNS1123Subdomain(name); len(wrong) > 0 {
		s.say(wrongName, "metadata.name", fmt.Sprintf("the name %q is not one that objects can have", name),
			"use small letters, digits and hyphens only")
	}
	if ns := s.mhc.Metadata.Namespace; ns != openshift.NamespaceMachines {
		s.say(elsewhere, "metadata.namespace", fmt.Sprintf("namespace %q has no machines", ns),
			"write namespace: "+openshift.NamespaceMachines)
	}
	s.requireAll("spec.selector", "spec.unhealthyConditions")
}

// requireAll finds required fields that are missing.
func (s *subject) requireAll(paths ...string) {
	for _, p := range paths {
		if requires.In(s.release) && !s.has(p) {
			s.say(required, p, p[strings.LastIndexByte(p, '.')+1:]+" is missing, which "+s.release.OpenShift()+" requires",
				"add it")
		}
	}
}

// machineLabels are the labels that machines have; others below this prefix are slips.
var machineLabels = []string{"machine.openshift.io/cluster-api-cluster", LabelMachineRole, LabelMachineType,
	LabelMachineSet}

const machinePrefix = "machine.openshift.io/cluster-api-"

// rightLabel is the label that a slip most likely means.
func rightLabel(key string) string {
	if near := words.Nearest(key, machineLabels); near != "" {
		return "write " + near
	}
	return "write one of " + strings.Join(machineLabels, ", ")
}

// nodePrefixes begin the labels that nodes are given.
var nodePrefixes = []string{"node-role.kubernetes.io/", "node.openshift.io/", "kubernetes.io/", "node.kubernetes.io/",
	"topology.kubernetes.io/"}

// judgeLabels finds labels of nodes in a selector, where no machine is known that has them.
func (s *subject) judgeLabels() {
	sel := &s.mhc.Spec.Selector
	for _, key := range selector.Keys(sel) {
		if slices.ContainsFunc(nodePrefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			s.say(nodeLabel, pathOfKey(sel, key), fmt.Sprintf("%s is a label of nodes: the check selects machines, which "+
				"have it only if their MachineSet says so in spec.template.metadata.labels", key),
				"select by "+LabelMachineRole+" or "+LabelMachineSet)
		}
	}
}

func (s *subject) judgeSelector() {
	sel := &s.mhc.Spec.Selector
	if wrong := selector.Wrong(sel); wrong != "" {
		s.say(badSelector, "spec.selector", "the selector is not valid: "+wrong,
			"fill in what stands in angle brackets, and use labels that machines have")
	}
	for _, key := range selector.Keys(sel) {
		if strings.HasPrefix(key, machinePrefix) && !slices.Contains(machineLabels, key) {
			s.say(unknownLabel, pathOfKey(sel, key), fmt.Sprintf("machines have no label %q: the check selects none", key),
				rightLabel(key))
		}
	}
	switch {
	case selector.Empty(sel) && (s.has("spec.selector") || !requires.In(s.release)):
		what := "the selector is empty: it takes all machines, the control plane among them"
		if !emptyHears.In(s.release) {
			what += ", and the operator looks at them only when the check itself changes or a timeout ends"
		}
		s.say(everything, "spec.selector", what, "select the machines of a role or of a machine set")
	case asksFor(sel, LabelMachineRole) == "master" || asksFor(sel, LabelMachineType) == "master":
		s.say(controlPlane, "spec.selector", "the check covers the control plane: "+s.ofMasters(), "select workers only")
	}
}

// ofMasters is what happens to machines of the control plane.
func (s *subject) ofMasters() string {
	switch {
	case skipsMasters.In(s.release) && emitsEvents.In(s.release):
		return "its machines count as unhealthy and are passed over, with the event SkippedMaster"
	case skipsMasters.In(s.release):
		return "its machines count as unhealthy and are passed over, without an event"
	case controlPlaneSets.In(s.release):
		return "its machines are deleted as soon as a controller owns them, a ControlPlaneMachineSet for example; " +
			"others count and are passed over"
	}
	return "its machines are deleted as soon as a controller owns them; others count and are passed over"
}

// judgeAnnotations looks at annotations that a release reads or does not.
func (s *subject) judgeAnnotations() {
	a := s.mhc.Metadata.Annotations
	known := external.In(s.release)
	for _, e := range []strategy{reboots, metal} {
		value, ok := a[e.key]
		if s.object == nil || !ok || e.key == known.key && value == known.value {
			continue
		}
		s.say(unknownStrategy, "metadata.annotations."+e.key,
			fmt.Sprintf("strategy %s=%s is not known to %s: machines are deleted", e.key, value, s.release.OpenShift()),
			"write "+known.String()+", or leave it out")
	}
	if _, ok := a[AnnotationPaused]; ok && !pauses.In(s.release) {
		s.say(pauseIgnored, "metadata.annotations."+AnnotationPaused,
			"the check is paused, which "+s.release.OpenShift()+" does not know: it goes on", "remove the check for the time")
	}
	if len(s.mhc.Spec.RemediationTemplate) > 0 && !templates.In(s.release) {
		s.say(templateIgnored, "spec.remediationTemplate",
			"remediationTemplate is not known to "+s.release.OpenShift()+": machines are deleted", "leave it out")
	}
}

// refusals are the rules whose errors mean that the API server refuses the object.
var refusals = []string{wrongVersion.ID, wrongName.ID, required.ID, noPattern.ID, noCondition.ID, object.WrongType.ID}
