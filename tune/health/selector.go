package health

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
)

// covers says whether everything that a selector takes is certainly taken by
// another: all that the other one asks for, the first asks for too.
func covers(other, s *openshift.LabelSelector) bool {
	for key, value := range other.MatchLabels {
		if v, ok := s.MatchLabels[key]; !ok || v != value {
			return false
		}
	}
	return !slices.ContainsFunc(other.MatchExpressions, func(want v1alpha1.Requirement) bool {
		return !slices.ContainsFunc(s.MatchExpressions,
			func(have v1alpha1.Requirement) bool { return sameRequirement(want, have) })
	})
}

func sameRequirement(a, b v1alpha1.Requirement) bool {
	return a.Key == b.Key && a.Operator == b.Operator && slices.Equal(a.Values, b.Values)
}

// asksFor is the value that a selector demands of a label; empty for none or several.
func asksFor(s *openshift.LabelSelector, key string) string {
	if v := s.MatchLabels[key]; v != "" {
		return v
	}
	for _, r := range s.MatchExpressions {
		if r.Key == key && r.Operator == "In" && len(r.Values) == 1 {
			return r.Values[0]
		}
	}
	return ""
}

// selectorText writes a selector for people.
func selectorText(s *openshift.LabelSelector) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		parts = append(parts, key+"="+s.MatchLabels[key])
	}
	for _, r := range s.MatchExpressions {
		parts = append(parts, strings.TrimSpace(r.Key+" "+r.Operator+" "+strings.Join(r.Values, ",")))
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}
