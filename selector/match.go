package selector

import (
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

// Selects reports whether a label selector takes the labels; a missing selector takes
// none, an empty one all (apimachinery, metav1.LabelSelectorAsSelector).
func Selects(s *v1alpha1.LabelSelector, labels map[string]string) bool {
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if have, ok := labels[key]; !ok || have != want {
			return false
		}
	}
	return MeetsAll(s.MatchExpressions, labels)
}

// MeetsAll reports whether labels meet every requirement.
func MeetsAll(requirements []v1alpha1.Requirement, labels map[string]string) bool {
	for i := range requirements {
		value, ok := labels[requirements[i].Key]
		if !Meets(&requirements[i], value, ok) {
			return false
		}
	}
	return true
}

// Meets reports whether a label's value meets a requirement; ok is false where there is no
// such label. Gt and Lt compare integers, as for node affinity.
func Meets(r *v1alpha1.Requirement, value string, ok bool) bool {
	switch r.Operator {
	case "In":
		return ok && slices.Contains(r.Values, value)
	case "NotIn":
		return !ok || !slices.Contains(r.Values, value)
	case "Exists":
		return ok
	case "DoesNotExist":
		return !ok
	}
	if !ok || len(r.Values) != 1 {
		return false
	}
	have, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false
	}
	bound, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}
	return r.Operator == "Gt" && have > bound || r.Operator == "Lt" && have < bound
}
