// Package selector reads label selectors as Kubernetes does: which labels one takes, and
// what the API server refuses in one.
//
// It knows no object that carries a selector; pools, health checks and pods do.
//
//	if wrong := selector.Wrong(pool.Spec.NodeSelector); wrong != "" {
//		// ... wrong is `"a b" is not the key of a label`
//	}
package selector

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/v1alpha1"
)

// Wrong says what no selector can be made of; empty for nothing, or no selector.
func Wrong(s *v1alpha1.LabelSelector) string {
	if s == nil {
		return ""
	}
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

// Empty says whether a selector is missing or asks for nothing. Kubernetes selects
// nothing by the one and everything by the other; pools select no node by either.
func Empty(s *v1alpha1.LabelSelector) bool {
	return s == nil || len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0
}

// Keys are the label keys that a selector asks for, each once, sorted.
func Keys(s *v1alpha1.LabelSelector) []string {
	if s == nil {
		return nil
	}
	out := slices.Collect(maps.Keys(s.MatchLabels))
	for _, r := range s.MatchExpressions {
		out = append(out, r.Key)
	}
	slices.Sort(out)
	return slices.Compact(out)
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
