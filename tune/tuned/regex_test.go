package tuned

import (
	"errors"
	"strings"
	"testing"
)

// TestOracleExpressions: what is understood is found where Python finds it, and
// refused where Python refuses it.
func TestOracleExpressions(t *testing.T) {
	type asked struct {
		Expression, Text string
		Lines            bool
		Found            *bool
	}
	compared, beyond := 0, 0
	for r := range recorded[asked](t, "testdata/oracle/expressions.jsonl.gz") {
		found, err := search(r.Expression, r.Text, r.Lines)
		var beyondUs *stays
		switch {
		case errors.As(err, &beyondUs):
			beyond++
			continue
		case (err != nil) != (r.Found == nil):
			t.Errorf("%q: %v, Python takes it: %t", r.Expression, err, r.Found != nil)
		case r.Found != nil && *r.Found != found:
			t.Errorf("%q in %q, lines %t: %t", r.Expression, r.Text, r.Lines, found)
		}
		compared++
	}
	if compared < 6000 || beyond > 2000 {
		t.Errorf("%d expressions were compared, %d were not understood", compared, beyond)
	}
}

// TestExpressionsAreTold: what Python takes and Go doesn't is left open, with the
// reason; what Python doesn't take stops the load.
func TestExpressionsAreTold(t *testing.T) {
	for expression, want := range map[string]string{
		"a{2000}": "has an expression with a part that is repeated more than 1000 times", "(?:a{500}){500}": "repeated more than 1000 times",
		"(?=a)": "looks around or back", "(?x)a": "the flags x", "a++": "a possessive quantifier",
		"a{2,1}": "is no regular expression", "a{4294967295}": "is no regular expression", "(?P<a>x)(?P<a>y)": "is no regular expression", "(?P<1a>a)": "is no regular expression",
		`[\d-x]`: "is no regular expression", `[a-\d]`: "is no regular expression", "x(?i)a": "is no regular expression", "^*": "is no regular expression",
	} {
		rule := BeyondUs
		if strings.HasSuffix(want, "is no regular expression") {
			rule = Crash
		}
		_, err := search(expression, "a", false)
		if err == nil || !strings.Contains(err.Error(), want) || ruleOf(err).ID != rule.ID {
			t.Errorf("%s: %v", expression, err)
		}
	}
	for _, expression := range []string{"a{1000}", "(?P<name_1>a)(?P<é>b)?", `[\d-]`, `[a\]-z]`, "(?i)(?s)A"} {
		if _, err := search(expression, "a", false); err != nil {
			t.Errorf("%s: %v", expression, err)
		}
	}
}
