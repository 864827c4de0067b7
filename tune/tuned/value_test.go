package tuned

import (
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// recordedValue is a value, what the machine has, and what TuneD's plug-in sysctl
// makes of the two.
type recordedValue struct {
	Value   string  `json:"value"`
	Current *string `json:"current"`
	// Written is nil where nothing is written.
	Written   *string `json:"written"`
	Passes    bool    `json:"passes"`
	Effective *string `json:"effective"`
	Verified  bool    `json:"verified"`
}

// TestOracleValues replays operators, quotes and verification.
func TestOracleValues(t *testing.T) {
	number, kept := 0, 0
	for r := range recorded[recordedValue](t, "testdata/oracle/values.jsonl.gz") {
		number++
		name := fmt.Sprintf("%q", r.Value)
		if ok, why := VerifySysctl(r.Value, r.Current); ok != r.Passes {
			t.Errorf("%s passes: %v (%s)", name, ok, why)
		}
		if r.Current == nil {
			continue
		}
		name = fmt.Sprintf("%q over %q", r.Value, *r.Current)
		if got, how := Effective(r.Value, *r.Current); !sameText(r.Effective, got, how) {
			t.Errorf("%s: %q, %s", name, got, how)
		}
		if got, how := Effective(Unquote(r.Value), *r.Current); !sameText(r.Written, got, how) {
			t.Errorf("%s is written %q, %s", name, got, how)
		}
		if ok, why := Verify(r.Value, *r.Current); ok != r.Verified {
			t.Errorf("%s verifies: %v (%s)", name, ok, why)
		}
		if r.Effective == nil {
			kept++
		}
	}
	if number < 2000 || kept < 50 {
		t.Errorf("%d answers, %d of them keep what the machine has: too few to tell anything", number, kept)
	}
}

// sameText compares with what TuneD writes, nil for nothing.
func sameText(want *string, got string, how How) bool {
	return (want == nil) == (how == Kept) && (want == nil || *want == got)
}

// TestSection8_07_operator_in_the_child_replaces_the_parents_absolute_value: the
// parent's 3 is gone, and >1 leaves a current 1 alone.
func TestSection8_07_operator_in_the_child_replaces_the_parents_absolute_value(t *testing.T) {
	set := oneDirectory("parent", "[sysctl]\nk=3\n", "child", "[main]\ninclude=parent\n[sysctl]\nk=>1\n")
	f, found := set.Flatten("child", Machine{})
	o := f.Section("sysctl").Option("k")
	if o.Value != ">1" || len(o.Overrides) != 1 || o.Overrides[0].Value != "3" || o.Overrides[0].From.Place.Line != 2 {
		t.Errorf("k is %+v", o)
	}
	if got, how := Effective(o.Value, "1"); got != "1" || how != Kept {
		t.Errorf("over 1: %s, %s; want 1, kept", got, how)
	}
	wantFinding(t, found, Operator, "/p/child/tuned.conf", 4)
	for _, c := range []struct {
		parent, child string
		warned        bool
	}{{">4", ">5", false}, {">5", ">4", true}, {"<4", "<3", false}, {"<3", "<4", true}, {">3", "<4", true},
		{">3", ">3", false}, {"3", "4", false}, {"3", ">x", false}} {
		set := oneDirectory("parent", "[sysctl]\nk="+c.parent+"\n", "child",
			"[main]\ninclude=parent\n[sysctl]\nk="+c.child+"\n")
		_, found := set.Flatten("child", Machine{})
		if got := findingOf(found, Operator) != nil; got != c.warned {
			t.Errorf("%s over %s: warned %v", c.child, c.parent, got)
		}
	}
}

// TestEffectiveTwin compares limits with the plain arithmetic.
func TestEffectiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, now := rapid.IntRange(-20, 20).Draw(t, "n"), rapid.IntRange(-20, 20).Draw(t, "now")
		raised, _ := Effective(">"+strconv.Itoa(n), strconv.Itoa(now))
		lowered, _ := Effective("<"+strconv.Itoa(n), strconv.Itoa(now))
		if raised != strconv.Itoa(max(n, now)) || lowered != strconv.Itoa(min(n, now)) {
			t.Fatalf("%d over %d: raised %s, lowered %s", n, now, raised, lowered)
		}
	})
}

// TestEffectiveOdd: a single character is a value, and what is no number is
// written with its operator.
func TestEffectiveOdd(t *testing.T) {
	for _, c := range []struct{ value, current, want, how string }{
		{">", "5", ">", "written"}, {"<", "5", "<", "written"}, {"7", "9", "7", "written"}, {">7", "9", "9", "kept"},
		{">7", "x", ">7", "raw"},
		{">x", "9", ">x", "raw"}, {"<7", "9", "7", "lowered"}, {">9", "7", "9", "raised"}, {"=>9", "7", "=>9", "written"},
	} {
		if got, how := Effective(c.value, c.current); got != c.want || string(how) != c.how {
			t.Errorf("%s over %s: %s, %s; want %s, %s", c.value, c.current, got, how, c.want, c.how)
		}
	}
}

// TestVerifyOfMissingSysctl: 2.20 reports a missing parameter as failed, although
// it means to ignore it.
func TestVerifyOfMissingSysctl(t *testing.T) {
	if ok, why := VerifySysctl("1", nil); ok || why != "the parameter doesn't exist" {
		t.Errorf("a missing parameter passes: %v, %s", ok, why)
	}
	zero := "0"
	if ok, why := VerifySysctl("00", &zero); !ok {
		t.Errorf("0 is not 00: %s", why)
	}
	two := "1024\t 65535"
	if ok, why := VerifySysctl(`"1024 65535"`, &two); !ok {
		t.Errorf("blanks count: %s", why)
	}
	if ok, _ := VerifySysctl(`">5"`, &two); ok {
		t.Error("an operator in quotes counts, which it does only when it is applied")
	}
}
