package upstream

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/ingresscontroller"
)

// What Kubernetes makes a selector of is not wrong, and the other way round.
func TestSelectorWrongIsKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "a", "a b", "example.com/a", "/a", "a/b/c", "-", "A_1.x", "<role>",
			strings.Repeat("x", 64)})
		s, real := &v1alpha1.LabelSelector{}, &metav1.LabelSelector{}
		if rapid.Bool().Draw(t, "labels") {
			s.MatchLabels = map[string]string{word.Draw(t, "key"): word.Draw(t, "value")}
			real.MatchLabels = s.MatchLabels
		}
		for range rapid.IntRange(0, 2).Draw(t, "requirements") {
			r := v1alpha1.Requirement{Key: word.Draw(t, "key"), Operator: rapid.SampledFrom([]string{"In", "NotIn", "Exists",
				"DoesNotExist", "Gt", ""}).Draw(t, "operator"), Values: rapid.SliceOfN(word, 0, 2).Draw(t, "values")}
			s.MatchExpressions = append(s.MatchExpressions, r)
			real.MatchExpressions = append(real.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values})
		}
		_, err := metav1.LabelSelectorAsSelector(real)
		if got := selector.Wrong(s); (got != "") != (err != nil) {
			t.Fatalf("%q, Kubernetes says %v: %+v", got, err, s)
		}
	})
}

// Labels does what Kubernetes' conversion does, which the operator calls.
func TestLabelsAsKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		ours := &openshift.LabelSelector{MatchLabels: rapid.MapOf(word, word).Draw(t, "labels")}
		theirs := &metav1.LabelSelector{MatchLabels: ours.MatchLabels}
		for range rapid.IntRange(0, 2).Draw(t, "expressions") {
			x := v1alpha1.Requirement{Key: word.Draw(t, "key"),
				Operator: rapid.SampledFrom([]string{"In", "In", "NotIn", "Exists", "DoesNotExist"}).Draw(t, "operator"),
				Values:   rapid.SliceOfN(word, 0, 2).Draw(t, "values")}
			ours.MatchExpressions = append(ours.MatchExpressions, x)
			theirs.MatchExpressions = append(theirs.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: x.Key, Operator: metav1.LabelSelectorOperator(x.Operator), Values: x.Values})
		}
		got, wrong := ingresscontroller.Labels(ours)
		want, err := metav1.LabelSelectorAsMap(theirs)
		if (err != nil) != (len(wrong) > 0) || err == nil && !cmp.Equal(want, got) {
			t.Fatalf("%+v: %v, %v; Kubernetes %v, %v", ours, got, wrong, want, err)
		}
	})
}
