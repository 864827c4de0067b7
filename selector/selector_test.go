package selector

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
)

func TestWrong(t *testing.T) {
	for _, c := range []struct {
		s    *v1alpha1.LabelSelector
		want string
	}{
		{nil, ""}, {&v1alpha1.LabelSelector{}, ""},
		{&v1alpha1.LabelSelector{MatchLabels: map[string]string{"example.com/role": ""}}, ""},
		{&v1alpha1.LabelSelector{MatchLabels: map[string]string{"a b": ""}}, `"a b" is not the key`},
		{&v1alpha1.LabelSelector{MatchLabels: map[string]string{"a": "<role>"}}, `"<role>" is not the value`},
		{expression("a", "Gt", "1"), `operator "Gt" of "a"`}, {expression("a", "In"), "In of"},
		{expression("a", "Exists", "v"), "Exists of"},
		{expression("", "Exists"), `"" is not the key`}, {expression("a", "NotIn", "-"), `"-" is not the value`},
		{expression("a", "DoesNotExist"), ""},
	} {
		if got := Wrong(c.s); !strings.HasPrefix(got, c.want) || (got != "") != (c.want != "") {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

func expression(key, operator string, values ...string) *v1alpha1.LabelSelector {
	return &v1alpha1.LabelSelector{
		MatchExpressions: []v1alpha1.Requirement{{Key: key, Operator: operator, Values: values}},
	}
}

// What Kubernetes makes a selector of is not wrong, and the other way round.
func TestWrongIsKubernetes(t *testing.T) {
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
		if got := Wrong(s); (got != "") != (err != nil) {
			t.Fatalf("%q, Kubernetes says %v: %+v", got, err, s)
		}
	})
}

func TestEmptyAndKeys(t *testing.T) {
	full := expression("b", "Exists")
	full.MatchLabels = map[string]string{"c": "1", "b": "2", "a": ""}
	for _, c := range []struct {
		selector *v1alpha1.LabelSelector
		empty    bool
		keys     string
	}{{nil, true, "[]"}, {&v1alpha1.LabelSelector{}, true, "[]"}, {expression("a", "Exists"), false, "[a]"},
		{full, false, "[a b c]"}} {
		if got := fmt.Sprint(Keys(c.selector)); got != c.keys || Empty(c.selector) != c.empty {
			t.Errorf("%+v: %s, empty %v", c.selector, got, Empty(c.selector))
		}
	}
}
