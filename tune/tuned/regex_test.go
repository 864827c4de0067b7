package tuned

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/object"
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

// TestLongExpressions: Python refuses a name of a group that has no end, however many
// of them there are; what is long and may be right is left open.
func TestLongExpressions(t *testing.T) {
	var names strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&names, "(?P<n%d>a)|", n)
	}
	for name, c := range map[string]struct {
		expression string
		rule       object.Rule
	}{
		"names without an end":  {strings.Repeat("(?P<", 50_000), Crash}, // 200,000 characters
		"behind another":        {"(?P<a>a)" + strings.Repeat("(?P<", 50_000), Crash},
		"all inside of one":     {strings.Repeat("(?P<", 50_000) + ">", Crash},
		"many names":            {names.String(), BeyondUs},
		"a character too many":  {strings.Repeat("a", maxPattern+1), BeyondUs},
		"wrong from the start":  {"(?P<a" + strings.Repeat("a", maxPattern), Crash},
		"a name over the bound": {strings.Repeat("a", maxPattern-1) + "(?P<n>a)", BeyondUs},
	} {
		_, err := search(c.expression, "a", false)
		if err == nil || ruleOf(err).ID != c.rule.ID {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := search(strings.Repeat("a?", maxPattern/2), "a", false); err != nil || !found {
		t.Errorf("the longest expression: %t, %v", found, err)
	}
}

// Expressions with classes of Unicode are dear to read: a profile that reads thousands
// of them is given up, as one whose texts grow too long.
func TestManyClassesAreTooMuch(t *testing.T) {
	profile := func(calls int) string {
		text := "[variables]\n"
		for i := range calls {
			text += fmt.Sprintf("v%d=${f:regex_search_ternary:x:%s:a:b}\n", i, strings.Repeat(`\w`, 100))
		}
		return text + "[sysctl]\nkernel.pid_max=1\n"
	}
	for calls, want := range map[int]bool{10: false, 500: true} {
		_, found := oneDirectory("x", profile(calls)).Flatten("x", Machine{})
		got := findingOf(found, TooLarge) != nil
		if got != want {
			t.Errorf("%d calls: too large %v, want %v: %v", calls, got, want, found)
		}
	}
}
