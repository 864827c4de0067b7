package selector

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

func TestWrong(t *testing.T) {
	for _, c := range []struct {
		s    *v1alpha1.LabelSelector
		want string
	}{
		{nil, ""}, {&v1alpha1.LabelSelector{}, ""}, {&v1alpha1.LabelSelector{MatchLabels: map[string]string{"example.com/role": ""}}, ""},
		{&v1alpha1.LabelSelector{MatchLabels: map[string]string{"a b": ""}}, `"a b" is not the key`}, {&v1alpha1.LabelSelector{MatchLabels: map[string]string{"a": "<role>"}}, `"<role>" is not the value`},
		{expression("a", "Gt", "1"), `operator "Gt" of "a"`}, {expression("a", "In"), "In of"}, {expression("a", "Exists", "v"), "Exists of"},
		{expression("", "Exists"), `"" is not the key`}, {expression("a", "NotIn", "-"), `"-" is not the value`}, {expression("a", "DoesNotExist"), ""},
	} {
		if got := Wrong(c.s); !strings.HasPrefix(got, c.want) || (got != "") != (c.want != "") {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
	}
}

func expression(key, operator string, values ...string) *v1alpha1.LabelSelector {
	return &v1alpha1.LabelSelector{MatchExpressions: []v1alpha1.Requirement{{Key: key, Operator: operator, Values: values}}}
}

func TestEmptyAndKeys(t *testing.T) {
	full := expression("b", "Exists")
	full.MatchLabels = map[string]string{"c": "1", "b": "2", "a": ""}
	for _, c := range []struct {
		selector *v1alpha1.LabelSelector
		empty    bool
		keys     string
	}{{nil, true, "[]"}, {&v1alpha1.LabelSelector{}, true, "[]"}, {expression("a", "Exists"), false, "[a]"}, {full, false, "[a b c]"}} {
		if got := fmt.Sprint(Keys(c.selector)); got != c.keys || Empty(c.selector) != c.empty {
			t.Errorf("%+v: %s, empty %v", c.selector, got, Empty(c.selector))
		}
	}
}
