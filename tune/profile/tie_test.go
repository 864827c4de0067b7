package profile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Many items of one priority have a short finding each, but the first.
func TestManyItemsOfOnePriority(t *testing.T) {
	text := manyOfOnePriority(30)
	for _, r := range release.Documented() {
		var list []string
		for _, f := range Check(objects(t, text), r) {
			if f.ID == priorityTie.ID {
				list = append(list, f.Message)
			}
		}
		if len(list) != 29 {
			t.Fatalf("%v: %d findings", r, len(list))
		}
		want := "priority 5 is also that of t00[0], profile p0; t01[0], profile p1; t02[0], profile p2 and 26 more: " +
			"on a node that several of them match, "
		if then := map[bool]string{true: "the first by the name of its CR and its place in it wins",
			false: "any may win"}[r.Minor() >= release.V45]; list[28] != want+then {
			t.Errorf("%v: %s", r, list[28])
		}
		x := Explain(Input{Release: r, Tuneds: crs(t, text), Nodes: []Node{node("n", "x0=", "x1=", "x2=")}})
		if told := x.Answer(); r.Minor() >= release.V45 && !finds(told.Findings, tieDecides,
			"node n: all of t00[0], t01[0], t02[0] (priority 5) match: t00[0] wins by the name") {
			t.Errorf("%v: %v", r, told.Findings)
		}
	}
}

// manyOfOnePriority are CRs with an item each, all of priority 5.
func manyOfOnePriority(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: tuned.openshift.io/v1\nkind: Tuned\n"+
			"metadata: {name: t%02d, namespace: openshift-cluster-node-tuning-operator}\nspec:\n"+
			"  profile: [{name: p%[1]d, data: \"[main]\\nsummary=x\\n\"}]\n"+
			"  recommend: [{profile: p%[1]d, priority: 5, match: [{label: x%[1]d}]}]\n", i)
	}
	return text.String()
}

// An item has a finding exactly if one before it, of its priority and another profile,
// may match the same node: a label has one value.
func TestTiesTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type drawn struct{ profile, label, value, priority string }
		var list []drawn
		var text []string
		for range rapid.IntRange(2, 6).Draw(t, "items") {
			d := drawn{rapid.SampledFrom([]string{"aws", "balanced"}).Draw(t, "profile"),
				rapid.SampledFrom([]string{"a", "b"}).Draw(t, "label"),
				rapid.SampledFrom([]string{"", "x", "z"}).Draw(t, "value"),
				rapid.SampledFrom([]string{"1", "2"}).Draw(t, "priority")}
			match := "{label: " + d.label + "}"
			if d.value != "" {
				match = "{label: " + d.label + ", value: " + d.value + "}"
			}
			list, text = append(list, d),
				append(text, fmt.Sprintf("{profile: %s, priority: %s, match: [%s]}", d.profile, d.priority, match))
		}
		all, problems := object.Split("f.yaml", []byte(items("a", "["+strings.Join(text, ", ")+"]")))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		told := map[string]int{}
		for _, f := range Check(all, release.Current) {
			if f.ID == priorityTie.ID {
				told[f.Place.Field]++
			}
		}
		for j, b := range list {
			want := 0
			for _, a := range list[:j] {
				if a.priority == b.priority && a.profile != b.profile &&
					(a.label != b.label || a.value == b.value || a.value == "" || b.value == "") {
					want = 1
				}
			}
			if field := fmt.Sprintf("spec.recommend[%d].priority", j); told[field] != want {
				t.Fatalf("%s is told %d times", field, told[field])
			}
		}
	})
}

// BenchmarkTies checks 200 CRs of one priority.
func BenchmarkTies(b *testing.B) {
	all, _ := object.Split("f.yaml", []byte(manyOfOnePriority(200)))
	for b.Loop() {
		Check(all, release.Current)
	}
}
