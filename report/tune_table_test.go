package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

func TestFoldedNames(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		"a-1 a-2":                   "a-1, a-2",
		"a-1 a-2 a-3 b":             "a-[1-3], b",
		"w-8 w-9 w-10 w-11":         "w-[8-11]",
		"w-098 w-099 w-100":         "w-[098-100]",
		"w-08 w-9 w-10":             "w-08, w-9, w-10",
		"w-1 w-2 w-4 w-5 w-6 x y z": "w-1, w-2, w-[4-6], x, y, z",
		"n n n":                     "n, n, n",
		"09 10 11":                  "[09-11]",
	} {
		if got := foldedNames(strings.Fields(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if got := joinedNames([]string{"w-1", "w-10", "w-2", "w-3", "w-9"}); got != "w-[1-3], w-9, w-10" {
		t.Error(got)
	}
}

// TestFoldedNamesUnfold: the ranges name exactly what was folded.
func TestFoldedNamesUnfold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 120), 0, 30).Draw(t, "numbers") {
			names = append(names, rapid.SampledFrom([]string{"a-", "b"}).Draw(t, "stem")+strconv.Itoa(n))
		}
		slices.Sort(names)
		var got []string
		for _, part := range strings.Split(foldedNames(names), ", ") {
			stem, span, ok := strings.Cut(part, "[")
			if !ok {
				got = append(got, strings.Fields(part)...)
				continue
			}
			from, to, _ := strings.Cut(strings.TrimSuffix(span, "]"), "-")
			first, _ := strconv.Atoi(from)
			last, _ := strconv.Atoi(to)
			for n := first; n <= last; n++ {
				got = append(got, stem+strconv.Itoa(n))
			}
		}
		if diff := cmp.Diff(names, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestKeysKeepTheirWidth: sentences give way before names do.
func TestKeysKeepTheirWidth(t *testing.T) {
	cell := func(s string) v1alpha1.Cell { return v1alpha1.Cell{Text: s} }
	a := &v1alpha1.Answer{Parts: []v1alpha1.Part{{Title: "Profiles", Tables: []v1alpha1.Table{{
		Columns: []v1alpha1.Column{{Title: "Profile"}, {Title: "Empty"}, {Title: "Why"}},
		Rows: [][]v1alpha1.Cell{{cell("openshift-control-plane-es"), cell(""),
			cell("a sentence that is as long as sentences are, and longer than there is room")},
			{{Text: "RemediationRestricted", Mark: "bad"}, cell(""), cell("short")}}}}}}}
	got := answerOf(t, a, Table, Options{Width: 60})
	for _, want := range []string{"openshift-control-plane-es  a", "! RemediationRestricted"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Empty") {
		t.Error("a column that says nothing is shown")
	}
}

// TestFindingsStandWhereTheyAreWanted: first where they are the answer, else last.
func TestFindingsStandWhereTheyAreWanted(t *testing.T) {
	for kind, first := range map[string]bool{"Check": true, "Rollout": false} {
		a := &v1alpha1.Answer{Kind: kind,
			Findings: []v1alpha1.Finding{{ID: "x.y", Severity: v1alpha1.Warning, Message: "the finding"}},
			Parts:    []v1alpha1.Part{{Title: "Course", Lead: []string{"the course"}}}}
		for _, format := range []string{Table, Wide, Markdown, HTML} {
			s := answerOf(t, a, format, Options{})
			if got := strings.LastIndex(s, "the finding") < strings.LastIndex(s, "the course"); got != first {
				t.Errorf("%s as %s: findings first is %t", kind, format, got)
			}
		}
	}
}
