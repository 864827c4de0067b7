package tuned

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// corners are the expressions that are left open, though Python has an answer: no
// profile of TuneD's, of the Node Tuning Operator's or of the documents has one.
var corners = map[string]string{
	"groups that look around or back, have names, or change flags inside": `[^\\]\(\?[^:]|^\(\?[^:ims]|^\(\?[ims]*[^ims)]`,
	"escapes that Go or Python alone has":                                 `\\[^dDsSwWafnrtvAbB[:punct:]]`,
	"a repetition of what was repeated, or of what has no size": `[*+?}][*+{]|[*+?}]\?[*+?{]|(?:[(|^$]|` +
		`\\[AbB]|^\(\?[ims]*\))[*+?{]|^\{`,
	"a brace that repeats nothing, or from 0 on": `\{(?:[^0-9A-Za-z_]|[0-9]+[^0-9,}]|` +
		`[0-9]*,?$|[0-9]+,[0-9]*[^0-9}])`,
	"a repetition that Go doesn't take": `\{(?:[0-9]*,)?[0-9]{4,}\}|\{[2-9],1\}|` +
		`\{[0-9]{3}[,}].*\{[0-9]{3}[,}]`,
	"a bracket or the end of a range in a set, or a set behind one": `\[\^?\]?[^]]*(?:\[|\\[bBDSWwsd])`,
}

// cornerOf names the reason for which an expression may be left open; it is empty for
// what must be answered.
func cornerOf(expression, text string, lines bool) string {
	for name, c := range corners {
		if regexp.MustCompile(c).MatchString(expression) {
			return name
		}
	}
	beyondASCII := strings.ContainsFunc(expression+text, func(r rune) bool { return r > unicode.MaxASCII })
	switch {
	case beyondASCII && strings.ContainsAny(expression, `\(`):
		return "letters, blanks and edges in a text beyond ASCII"
	case !lines && strings.HasSuffix(text, "\n") && strings.Contains(expression, "$"):
		return "the end of a text that ends with a line break"
	case text == "" && strings.Contains(expression, `\B`):
		return "what is no edge in an empty text"
	}
	return ""
}

// TestOracleExpressions: what is understood is found where Python finds it, and
// refused where Python refuses it; what is not understood is one of the corners.
func TestOracleExpressions(t *testing.T) {
	type asked struct {
		Expression, Text string
		Lines            bool
		Found            *bool
	}
	compared, open := 0, map[string]int{}
	for r := range recorded[asked](t, "testdata/oracle/expressions.jsonl.gz") {
		found, err := search(r.Expression, r.Text, r.Lines)
		var beyondUs *stays
		switch {
		case errors.As(err, &beyondUs):
			corner := cornerOf(r.Expression, r.Text, r.Lines)
			if corner == "" {
				t.Errorf("%q in %q, lines %t, is left open", r.Expression, r.Text, r.Lines)
			}
			open[corner]++
			continue
		case (err != nil) != (r.Found == nil):
			t.Errorf("%q: %v, Python takes it: %t", r.Expression, err, r.Found != nil)
		case r.Found != nil && *r.Found != found:
			t.Errorf("%q in %q, lines %t: %t", r.Expression, r.Text, r.Lines, found)
		}
		compared++
	}
	t.Logf("%d expressions were compared, left open: %v", compared, open)
	if compared < 2300 {
		t.Errorf("%d expressions were compared", compared)
	}
}

// TestExpressionsOfProfiles: what TuneD's profiles and the documents search for is
// answered, in texts of the kind that they search.
func TestExpressionsOfProfiles(t *testing.T) {
	for _, c := range []struct {
		expression, text string
		found            bool
	}{
		{`\s*[0-9]`, "2-5", true}, {`\s*[0-9]`, "", false}, // cpu-partitioning, realtime
		{`\b[y,Y,1,t,T]\b`, "Y", true}, {`\b[y,Y,1,t,T]\b`, "no", false},
		{"x86_64|aarch64", "Linux node 5.14.0-1.el9.x86_64 x86_64", true}, {"^Linux", "", false},
		{`vendor_id\s*:\s*GenuineIntel`, "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n", true},
		{`vendor_id\s*:\s*AuthenticAMD`, "vendor_id\t: GenuineIntel\n", false},
		{`^model name\s+:.*Intel\(R\)`, "model name\t: Intel(R) Xeon(R)\n", true},
		{`flags.*\bavx512f\b`, "flags\t: avx avx512f\n", true},
		{"(?i)intel", "GenuineIntel\n", true}, {"^CPU part\\s+: 0x0?af[0-9a-f]$", "CPU part\t: 0xaf1\n", true},
		{`[\w-]+@[a-z]{2,}\.[^.]*`, "a-b@cd.e", true}, {"${undefined}", "x", false},
	} {
		found, err := search(c.expression, c.text, true)
		if err != nil || found != c.found {
			t.Errorf("%q in %q: %t, %v", c.expression, c.text, found, err)
		}
	}
}

// TestExpressionsAreTold: what Go reads in another way is left open; what neither
// takes stops the load.
func TestExpressionsAreTold(t *testing.T) {
	for _, expression := range []string{"a{2000}", "(?:a{500}){500}", "(?=a)", "(?x)a", "a++", "a{2,1}",
		"(?P<a>x)(?P<a>y)", `[\d-x]`, `a\Z`, `\z`, `\pL`, "x(?i)a",
		"^*", "[[:alpha:]]", "a{,2}", "(?U)a", `\Qa\E`, "(?<n>a)"} {
		if _, err := search(expression, "a", false); err == nil || ruleOf(err).ID != BeyondUs.ID ||
			!strings.Contains(err.Error(), "not understood here") {
			t.Errorf("%s: %v", expression, err)
		}
	}
	for _, expression := range []string{"[", "(", "a)", "*Intel*", "[z-a]", `a\`, "(a|b", "[a-c"} {
		if _, err := search(expression, "a", false); err == nil || ruleOf(err).ID != Crash.ID ||
			!strings.HasSuffix(err.Error(), "is no regular expression") {
			t.Errorf("%s: %v", expression, err)
		}
	}
}

// TestLongExpressions: what is long is left open, at once.
func TestLongExpressions(t *testing.T) {
	for _, expression := range []string{strings.Repeat("(?P<", 50_000),
		strings.Repeat("a", maxPattern+1), strings.Repeat("(a{1000}){1000}", 200)} {
		if _, err := search(expression, "a", false); err == nil || ruleOf(err).ID != BeyondUs.ID {
			t.Errorf("%.20s: %v", expression, err)
		}
	}
	if found, err := search(strings.Repeat("a?", maxPattern/2), "a", false); err != nil || !found {
		t.Errorf("the longest expression: %t, %v", found, err)
	}
}

// Expressions are dear to read: a profile that has thousands of them is given up, as
// one whose texts grow too long.
func TestManyExpressionsAreTooMuch(t *testing.T) {
	profile := func(calls int) string {
		text := "[variables]\nlong=" + strings.Repeat(`\w?`, 100) + "\n"
		for i := range calls {
			text += fmt.Sprintf("v%d=${f:regex_search_ternary:x:${long}:a:b}\n", i)
		}
		return text + "[sysctl]\nkernel.pid_max=1\n"
	}
	for calls, want := range map[int]bool{10: false, 500: true} {
		_, found := oneDirectory("x", profile(calls)).Flatten("x", Machine{})
		if got := findingOf(found, TooLarge) != nil; got != want {
			t.Errorf("%d calls: too large %v, want %v", calls, got, want)
		}
	}
}
