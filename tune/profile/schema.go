package profile

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// cr is a Tuned CR.
type cr = object.Typed[openshift.Tuned]

// at is a finding at a field of a CR; one that no file holds has no position.
func at(t *cr, r object.Rule, path, what, fix string) v1alpha1.Finding {
	if t.Object != nil {
		return t.Finding(r, path, what, fix)
	}
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources,
		Place: &v1alpha1.Place{Object: "Tuned/" + t.Value.Metadata.Name, Field: path}}
}

// place is where a field of a CR stands.
func place(t *cr, path string) *v1alpha1.Place { return at(t, object.Rule{}, path, "", "").Place }

// refusals are the reasons for which the API server refuses a CR, those left out that
// package object finds: values of the wrong type.
func refusals(t *cr, b release.Release) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	add := func(r object.Rule, path, what, fix string) { out = append(out, at(t, r, path, what, fix)) }
	spec := &t.Value.Spec
	if listsRequired.In(b) {
		for _, list := range []struct {
			name   string
			absent bool
		}{{"profile", spec.Profile == nil}, {"recommend", spec.Recommend == nil}} {
			if list.absent {
				add(missingField, "spec", "spec has no "+list.name, "write "+list.name+": [] when there is none")
			}
		}
	}
	if spec.ManagementState != "" && stateKnown.In(b) && !slices.Contains(managementStates, spec.ManagementState) {
		add(badState, "spec.managementState", fmt.Sprintf("managementState %q is not known", spec.ManagementState),
			"Managed, Unmanaged, Force or Removed")
	}
	for i, p := range spec.Profile {
		path := fmt.Sprintf("spec.profile[%d]", i)
		named(add, path, "name", p.Name, b)
		if p.Data == nil {
			add(missingField, path, "the profile has no data", "add the profile's text")
		}
	}
	for i := range spec.Recommend {
		refuseItem(add, fmt.Sprintf("spec.recommend[%d]", i), &spec.Recommend[i], b)
		if debugRequired.In(b) && lacksDebug(t, i) {
			add(missingField, fmt.Sprintf("spec.recommend[%d].operand", i), "the operand has no debug", "write debug: false")
		}
	}
	return out
}

// lacksDebug says whether an item has an operand without debug. In a CR that no file
// holds that can't be told from debug: false.
func lacksDebug(t *cr, item int) bool {
	path := fmt.Sprintf("spec.recommend[%d].operand", item)
	return t.Value.Spec.Recommend[item].Operand != nil && t.Object != nil && !t.Tree.Has(path+".debug")
}

var managementStates = []string{"Managed", "Unmanaged", "Force", "Removed"}

type adder func(r object.Rule, path, what, fix string)

// named wants the name of a profile.
func named(add adder, path, field string, name *string, b release.Release) {
	switch {
	case name == nil:
		add(missingField, path, "there is no "+field, "name the profile")
	case *name == "" && namesRequired.In(b):
		add(emptyName, path+"."+field, "the name of the profile is empty", "give it one")
	}
}

func refuseItem(add adder, path string, r *openshift.TunedRecommend, b release.Release) {
	named(add, path, "profile", r.Profile, b)
	switch {
	case r.Priority == nil:
		add(missingField, path, "there is no priority", "add a number from 0, the first, upwards")
	case *r.Priority < 0:
		add(negativePriority, path+".priority", fmt.Sprintf("priority %d is below 0", *r.Priority), "0 is the first")
	}
	for i := range r.Match {
		m, at := &r.Match[i], fmt.Sprintf("%s.match[%d]", path, i)
		if m.Label == nil {
			add(missingField, at, "the match item has no label", "name the label")
		}
		if m.Type != nil && *m.Type != "node" && *m.Type != "pod" {
			add(matchType, at+".type", fmt.Sprintf("type %q is neither node nor pod", *m.Type), "node or pod, in lower case")
		}
	}
}

// refused says whether the API server doesn't take the CR.
func refused(t *cr, b release.Release) bool { return len(refusals(t, b)) > 0 || mistyped(t) }

// mistyped says whether an optional field has a value of the wrong type, which a
// decoded CR lacks as if it weren't there.
func mistyped(t *cr) bool {
	if t.Object == nil {
		return false
	}
	spec := t.Tree.Root.Get("spec")
	lost := func(n *yamlpos.Node, is yamlpos.Kind) bool { return n != nil && n.Kind != is }
	if lost(spec, yamlpos.Map) || lost(spec.Get("profile"), yamlpos.List) || lost(spec.Get("recommend"), yamlpos.List) {
		return true
	}
	if recommend := spec.Get("recommend"); recommend != nil {
		for _, item := range recommend.Items {
			labels := item.Get("machineConfigLabels")
			if item.Kind != yamlpos.Map || lost(labels, yamlpos.Map) || mistypedMatch(item.Get("match")) {
				return true
			}
			if labels != nil && slices.ContainsFunc(labels.Entries,
				func(e yamlpos.Entry) bool { return e.Value.Kind != yamlpos.Text }) {
				return true
			}
		}
	}
	return false
}

// mistypedMatch looks at a match list. Below the first level the API server looks
// at nothing but that there are objects; the operator itself can't read the others,
// and then sees none of the CRs.
func mistypedMatch(list *yamlpos.Node) bool {
	if list == nil {
		return false
	}
	if list.Kind != yamlpos.List {
		return true
	}
	for _, m := range list.Items {
		if m.Kind != yamlpos.Map {
			return true
		}
		for _, field := range []string{"label", "value", "type"} {
			if v := m.Get(field); v != nil && v.Kind != yamlpos.Text {
				return true
			}
		}
		if mistypedMatch(m.Get("match")) {
			return true
		}
	}
	return false
}
