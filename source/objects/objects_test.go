package objects

import (
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/object"
)

func TestReader(t *testing.T) {
	r := NewReader()
	r.Files(fstest.MapFS{
		"tuned/a.yaml": {Data: []byte("kind: Tuned\nmetadata: {name: a}\nspec: {recommend: [{priority: x}]}\n")},
		"tuned/b.yaml": {Data: []byte("kind: [\n")},
		"tuned/c.txt":  {Data: []byte("no manifest")},
	}, "dir", "tuned", "none")
	if err := r.Stream("stdin", strings.NewReader("kind: Node\n---\nkind: Node\n---\nbaseDomain: x\n")); err != nil {
		t.Fatal(err)
	}
	if len(r.Objects) != 3 || r.Objects[0].String() != "Tuned/a" {
		t.Errorf("objects: %v", r.Objects)
	}
	if len(r.Passed) != 1 || r.Passed[0].Place != "stdin" {
		t.Errorf("passed over: %v", r.Passed)
	}
	if len(r.Problems) != 2 || r.Problems[0].File != "dir/none" || r.Problems[1].File != "dir/tuned/b.yaml" {
		t.Errorf("problems: %v", r.Problems)
	}
	_, findings := object.All[openshift.Tuned](r.Objects, "Tuned")
	r.Excerpts(findings)
	if len(findings) != 1 || !strings.HasPrefix(findings[0].Place.Excerpt, "    spec: {recommend: [{priority: x}]}\n") {
		t.Errorf("findings: %+v", findings)
	}
}

func TestFileTwice(t *testing.T) {
	r := NewReader()
	fsys := fstest.MapFS{"a.yaml": {Data: []byte("kind: Node\n")}}
	r.Files(fsys, "dir", ".")
	r.Files(fsys, "dir", "a.yaml")
	if len(r.Objects) != 1 || len(r.Problems) > 0 {
		t.Errorf("%v, %v", r.Objects, r.Problems)
	}
}

func FuzzText(f *testing.F) {
	f.Add("kind: Tuned\nmetadata: {name: a}\n---\nkind: List\nitems: [{kind: Node}]\n")
	f.Add("--- {kind: Pod}\n---\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader()
		r.Text("f.yaml", []byte(text))
		for _, o := range r.Objects {
			if _, found := object.Decode[openshift.Tuned](o); len(found) > 0 {
				r.Excerpts(found)
			}
		}
	})
}
