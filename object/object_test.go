package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
)

const twoTuneds = `# a comment
---
apiVersion: v1
kind: List
items:
- apiVersion: tuned.openshift.io/v1
  kind: Tuned
  metadata: {name: a, generation: 3}
  spec:
    profil: []
    recommend:
    - profile: x
      priority: "30"
      match: []
---
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: b}
spec:
  recommend:
  - {profile: y, priority: 20, match: [{label: k, value: ""}]}
status: {}
`

func TestSplitAndDecode(t *testing.T) {
	objects, problems := Split("two.yaml", []byte(twoTuneds))
	if len(problems) > 0 || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), problems)
	}
	tuneds, found := All[openshift.Tuned](objects, "Tuned")
	var got []string
	for _, f := range found {
		got = append(got, f.ID, f.Place.Object, f.Message)
		if f.ID == WrongType.ID && (f.Place.Line != 13 || f.Place.Col != 17) {
			t.Errorf("wrong type at %d:%d", f.Place.Line, f.Place.Col)
		}
	}
	want := []string{"object.unknownField", "Tuned/a", `unknown field "profil"`, "object.wrongType", "Tuned/a",
		`"30" is text, not a whole number`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if m := tuneds[0].Value.Spec.Recommend[0].Match; m == nil || len(m) != 0 {
		t.Errorf("match: [] was read as %#v", m)
	}
	b := tuneds[1]
	if v := b.Value.Spec.Recommend[0].Match[0].Value; v == nil || *v != "" {
		t.Errorf(`value: "" was read as %v`, v)
	}
	if f := b.Finding(UnknownField, "spec.recommend[0].priority", "w", "f"); f.Place.Line != 21 {
		t.Errorf("the second document's field is at line %d", f.Place.Line)
	}
}

func TestSplitTellsAllProblems(t *testing.T) {
	_, problems := Split("bad.yaml", []byte("- a\n---\nx: [\n---\napiVersion: v1\n---\nbaseDomain: x\n"))
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if len(problems) != 3 || lines[0] != 1 || lines[2] != 5 {
		t.Errorf("%v", problems)
	}
}

// Documents of comments are passed over, however they begin.
func TestSplitPassesOverNothing(t *testing.T) {
	objects, problems := Split("f.yaml", []byte("# a\n--- # b\n# c\n---\n\n---\nkind: Pod\n--- ~\n...\n"))
	if len(objects) != 1 || objects[0].Tree.Root.Line != 7 || len(problems) > 0 {
		t.Errorf("%v, %v", objects, problems)
	}
}
