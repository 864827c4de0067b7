package health

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
)

// wrongSelector says what the operator can't make a selector of; empty for nothing.
func wrongSelector(s *openshift.LabelSelector) string {
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if wrong := wrongLabel(key, s.MatchLabels[key]); wrong != "" {
			return wrong
		}
	}
	for i := range s.MatchExpressions {
		if wrong := wrongRequirement(&s.MatchExpressions[i]); wrong != "" {
			return wrong
		}
	}
	return ""
}

// wrongLabel says what is wrong with a label; empty for nothing.
func wrongLabel(key string, values ...string) string {
	if len(validation.IsQualifiedName(key)) > 0 {
		return fmt.Sprintf("%q is not the key of a label", key)
	}
	for _, v := range values {
		if len(validation.IsValidLabelValue(v)) > 0 {
			return fmt.Sprintf("%q is not the value of a label", v)
		}
	}
	return ""
}

func wrongRequirement(r *v1alpha1.Requirement) string {
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			return fmt.Sprintf("%s of %q has no values", r.Operator, r.Key)
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			return fmt.Sprintf("%s of %q has values", r.Operator, r.Key)
		}
	default:
		return fmt.Sprintf("operator %q of %q is not In, NotIn, Exists or DoesNotExist", r.Operator, r.Key)
	}
	return wrongLabel(r.Key, r.Values...)
}

// covers says whether everything that a selector takes is certainly taken by
// another: all that the other one asks for, the first asks for too.
func covers(other, s *openshift.LabelSelector) bool {
	for key, value := range other.MatchLabels {
		if v, ok := s.MatchLabels[key]; !ok || v != value {
			return false
		}
	}
	return !slices.ContainsFunc(other.MatchExpressions, func(want v1alpha1.Requirement) bool {
		return !slices.ContainsFunc(s.MatchExpressions, func(have v1alpha1.Requirement) bool { return sameRequirement(want, have) })
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
