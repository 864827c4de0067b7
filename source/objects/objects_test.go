package objects

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

func TestReader(t *testing.T) {
	r := NewReader()
	r.Files(fstest.MapFS{
		"tuned/a.yaml": {Data: []byte("kind: Tuned\nmetadata: {name: a}\nspec: {recommend: [{priority: x}]}\n")},
		"tuned/b.yaml": {Data: []byte("kind: [\n")},
		"tuned/c.txt":  {Data: []byte("no manifest")},
	}, "dir", "tuned", "none")
	if err := r.Stdin(strings.NewReader("kind: Node\n---\nkind: Node\n---\nbaseDomain: x\n")); err != nil {
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

// A file that is called stdin and standard input are two, whichever comes first; what
// is piped in twice is read once.
func TestFileCalledStdin(t *testing.T) {
	fsys := fstest.MapFS{"stdin": {Data: []byte("kind: Node\nmetadata: {name: [}\n")}}
	pipe := func(r *Reader) error { return r.Stdin(strings.NewReader("kind: Pod\n")) }
	first, last := NewReader(), NewReader()
	first.Files(fsys, ".", "stdin")
	if err := errors.Join(pipe(first), pipe(last)); err != nil {
		t.Fatal(err)
	}
	last.Files(fsys, ".", "stdin")
	for _, r := range []*Reader{first, last} {
		if len(r.Objects) != 1 || r.Objects[0].Kind != "Pod" || len(r.Problems) == 0 || r.Problems[0].File != "./stdin" {
			t.Errorf("%v, %v", r.Objects, r.Problems)
		}
	}
	if err := pipe(last); err == nil {
		t.Error("standard input is read twice")
	}
}

// What of a directory is no manifest is passed over, whatever it holds; a file that is named is read.
func TestNoManifest(t *testing.T) {
	const own = "apiVersion: machineconfiguration.openshift.io/v1\nmetadata: {name: a}\n"
	fsys := fstest.MapFS{
		"a/playbook.yaml":      {Data: []byte("- hosts: all\n  tasks:\n  - k8s:\n      kind: Pod\n")},
		"a/rule.yml":           {Data: []byte("{{% set kind = 'a' %}}\ntitle: a kind: {{{ kind }}}\n")},
		"a/vault.yml":          {Data: []byte("$ANSIBLE_VAULT;1.1;AES256\n")},
		"a/tags.yaml":          {Data: []byte("b: !!set {c}\n")},
		"a/Chart.yaml":         {Data: []byte("apiVersion: v2\nname: x\n")},
		"a/tsconfig.json":      {Data: []byte("{ /* kind */ }")},
		"a/places.json":        {Data: []byte(`[{"kind": "tape"}]`)},
		"a/load.json":          {Data: []byte("{\"apiVersion\": \"v1\", \"jobs\": [{\n\"kind\": \"Pod\"}]}")},
		"a/indented.yaml":      {Data: []byte("---\n    apiVersion: v1\n    kind: Node\n")},
		"a/flow.yaml":          {Data: []byte("---\n{apiVersion: v1, kind: Node}\n")},
		"a/json.yaml":          {Data: []byte("{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Node\"\n}\n")},
		"a/node.json":          {Data: []byte(`{"apiVersion": "v1", "kind": "Node"}`)},
		"a/list.yaml":          {Data: []byte("- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n")},
		"a/overrides.yaml":     {Data: []byte("- apiVersion: v1\n  kind: Node\n  name: a\n  patch: '{}'\n")},
		"a/own.yaml":           {Data: []byte(own)},
		"a/kind.yaml":          {Data: []byte("kind: [\n")},
		"a/kustomization.yaml": {Data: []byte("patches: [{path: p.yaml}]\n")},
		"b/Kustomization":      {Data: []byte("patches: [{path: p.yaml}]\n")},
		"b/README":             {Data: []byte("apiVersion: v1\nkind: Node\n")},
	}
	r := NewReader()
	r.Files(fsys, "dir", ".")
	if len(r.Passed) != 9 {
		t.Errorf("passed over: %v", r.Passed)
	}
	if len(r.Objects) != 6 || r.Objects[3].Kind != "Kustomization" || r.Objects[5].Kind != "Kustomization" {
		t.Errorf("objects: %v", r.Objects)
	}
	if len(r.Problems) != 3 {
		t.Errorf("problems: %v", r.Problems)
	}
	r = NewReader()
	if r.Files(fsys, "dir", "a/playbook.yaml"); len(r.Problems) != 1 {
		t.Error(r.Problems, r.Passed)
	}
}

// Excerpts of thousands of findings come from one cutting of the text.
func BenchmarkExcerpts(b *testing.B) {
	r := NewReader()
	r.Text("f.yaml", []byte(strings.Repeat("kind: Node\n---\n", 20_000)))
	for b.Loop() {
		findings := make([]v1alpha1.Finding, 20_000)
		for i := range findings {
			findings[i].Place = &v1alpha1.Place{File: "f.yaml", Line: 2*i + 1, Col: 1}
		}
		r.Excerpts(findings)
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
