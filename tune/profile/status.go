package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
)

// status is what the operator reports; nil before it reported anything that follows.
func (e *explainer) status() *Status {
	if !conditionsKnown.In(e.in.Release) {
		return nil
	}
	s := &Status{Tuneds: []Reported{},
		Operator: openshift.Condition{Type: "Degraded", Status: "False", Reason: "AsExpected"}}
	if validReported.In(e.in.Release) {
		for _, t := range e.m.crs {
			s.Tuneds = append(s.Tuneds, e.valid(t))
		}
	}
	l := newLineage(e.m)
	for _, name := range e.chosen() {
		s.Profiles = append(s.Profiles, e.applied(l, name))
	}
	for _, reason := range []string{degradedConflict, degradedAcross} {
		if slices.ContainsFunc(e.x.MachineConfigs, func(m MachineConfig) bool { return m.Degraded == reason }) {
			s.Operator.Status, s.Operator.Reason = "True", reason
		}
	}
	return s
}

// chosen are the profiles that nodes get, by name.
func (e *explainer) chosen() []string {
	var out []string
	for i := range e.x.Classes {
		out = append(out, e.x.Classes[i].Profile)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// valid is the condition of a CR. When any two texts of one profile differ, every CR
// that shares a profile's name with another is blamed.
func (e *explainer) valid(t *cr) Reported {
	name := t.Value.Metadata.Name
	r := Reported{Name: name, Conditions: []openshift.Condition{{Type: "Valid", Status: "True", Reason: "AsExpected"}}}
	if UsesPods(t.Value.Spec.Recommend) {
		r.Message = "it matches pods, which is deprecated"
	}
	if e.m.conflict() != nil {
		for _, d := range e.m.definitions {
			if len(d.Others) > 0 && (d.CR == name || slices.Contains(d.Others, name)) {
				r.Message = fmt.Sprintf("profile %s is defined more than once", d.Name)
				break
			}
		}
	}
	if r.Message != "" {
		r.Conditions[0] = openshift.Condition{Type: "Valid", Status: "False", Reason: "InvalidConfiguration"}
	}
	return r
}

// UsesPods says whether items match pods, so that who chooses has to know the pods of the cluster.
func UsesPods(items []openshift.TunedRecommend) bool {
	return slices.ContainsFunc(items, func(r openshift.TunedRecommend) bool { return matchesPods(r.Match) })
}

func matchesPods(list []openshift.TunedMatch) bool {
	return slices.ContainsFunc(list, func(m openshift.TunedMatch) bool { return isPod(&m) || matchesPods(m.Match) })
}

// applied is what follows for the Profile objects of the nodes with a profile.
func (e *explainer) applied(l *lineage, name string) Reported {
	r := Reported{Name: name}
	applied := openshift.Condition{Type: "Applied", Status: "True", Reason: "AsExpected"}
	degraded := openshift.Condition{Type: "Degraded", Status: "False", Reason: "AsExpected"}
	if nowhere := e.nowhere(l, name); nowhere != "" {
		applied.Status, applied.Reason = "False", "Failed"
		degraded.Status, degraded.Reason = "True", "TunedError"
		r.Message = nowhere
	} else if gone := l.goneSysctls(name, e.in.Release); len(gone) > 0 {
		degraded.Status, degraded.Reason = "True", "TunedError"
		r.Message = "the kernel has no " + strings.Join(gone, ", ")
	}
	r.Conditions = []openshift.Condition{applied, degraded}
	return r
}

// nowhere says that a profile, or one that it includes, is defined nowhere.
func (e *explainer) nowhere(l *lineage, name string) string {
	if !e.defined(name) {
		return "the profile is defined nowhere"
	}
	for _, p := range l.family(name) {
		for _, parent := range l.texts[p].needs {
			if !e.defined(parent) && !strings.HasPrefix(parent, performancePrefix) {
				return "profile " + parent + ", which " + p + " includes, is defined nowhere"
			}
		}
	}
	return ""
}

// defined says whether a CR or TuneD itself has the profile.
func (e *explainer) defined(name string) bool {
	return e.m.definition(name) != nil || isVendor(name, e.in.Release) || slices.Contains(e.in.Vendor, name)
}

// definition of a profile in the CRs, or nil.
func (m *merged) definition(name string) *Definition {
	i, ok := slices.BinarySearchFunc(m.definitions, name,
		func(d Definition, name string) int { return cmp.Compare(d.Name, name) })
	if !ok {
		return nil
	}
	return &m.definitions[i]
}
