package kube

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/internal/yamlpos"
)

func TestFiles(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{}]}\n"
	}
	fsys := mapFS("a/b/one.yaml", pod("one"), "a/two.yml", pod("two"), "a/three.JSON",
		`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "three"}, "spec": {"containers": [{}]}}`,
		"a/.git/no.yaml", pod("no"), "a/readme.md", "# no", "b.txt", pod("named"), "bom.yaml", "\ufeff"+pod("bom"))
	fsys["a/link.yaml"] = &fstest.MapFile{Data: []byte("two.yml"), Mode: 0o777 | fs.ModeSymlink}
	inv, err := ReadManifests(fsys, []string{"./a/", "b.txt", "a/two.yml", "bom.yaml"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range inv.PodTypes {
		got = append(got, p.Name+" "+p.Origin)
	}
	want := []string{"bom bom.yaml:1", "named b.txt:1", "one a/b/one.yaml:1", "three a/three.JSON:1", "two a/two.yml:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantSkips := []string{"a/link.yaml: symbolic link link.yaml: links are not followed; name what it leads to"}
	if diff := cmp.Diff(wantSkips, skips(inv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestProblems are all problems of all files at once, each with its place.
func TestProblems(t *testing.T) {
	fsys := mapFS("bad.yaml", `apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - resources:
      requests:
        memory: 4GB
        cpu: two
      limits: {cpu: -1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec: {replicas: many, template: `+podText+`}
`, "cut.json", "{\n  \"kind\": \"List\",\n  \"items\": [", "twice.json", "{\n\"kind\": 1,\n  \"kind\": 2}", "odd.json",
		"{\n  \"a\": tru }",
		"twice.yaml", "a: 1\nb:\n  c: 1\n  c: 2\n", "syntax.yaml", "kind: Pod\nmetadata:\n  name: p\n spec: 1\n", "key.yaml",
		"? {a: 1}\n: 2\n", "deep.yaml", strings.Repeat("[", 300)+strings.Repeat("]", 300),
		"bomb.yaml", bomb(), "long.yaml", "# "+strings.Repeat("x", 3000))
	roots := []string{"bad.yaml", "../out.yaml", "/etc/passwd", "none.yaml", "cut.json", "twice.json", "odd.json",
		"twice.yaml", "syntax.yaml", "key.yaml", "deep.yaml", "bomb.yaml", "long.yaml"}
	_, err := ReadManifests(fsys, roots, Options{MaxFile: 2048})
	var found yamlpos.Problems
	if !errors.As(err, &found) {
		t.Fatalf("%T is no list of problems", err)
	}
	want :=
		`../out.yaml:1:1: the path leads out of the directory (give a path below it, without a leading / and without ..)
/etc/passwd:1:1: the path leads out of the directory (give a path below it, without a leading / and without ..)
bad.yaml:8:17: memory: "4GB" is not a byte quantity (did you mean 4G or 4Gi?)
bad.yaml:9:14: cpu: "two" is not a CPU quantity (write it like 500m, 2 or 0.5)
bad.yaml:10:21: cpu: "-1" is negative (a CPU quantity is 0 or more)
bad.yaml:15:18: "many" is not a number of pods (write a whole number from 0 to 10000000)
bomb.yaml:6:9: the aliases stand for too many values (at most 200000 are read)
cut.json:3:13: the JSON ends in the middle (is the file complete?)
deep.yaml:1:201: the nesting is too deep (at most 200 levels are read)
key.yaml:1:3: a key is not text (write key: value)
long.yaml:1:1: it is longer than 2 KiB (give a large dump of a cluster as workload.snapshot)
none.yaml:1:1: it can't be read: there is no such file (check the path; it is relative to the scenario's directory)
odd.json:2:11: the JSON can't be read: invalid character ' ' in literal true (expecting 'e')
syntax.yaml:4:2: this does not fit the lines above (indent keys of one mapping equally)
twice.json:3:3: the key kind stands twice (remove one)
twice.yaml:4:3: the key "c" stands twice (the first is in line 3; remove one)`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// bomb is a small text that stands for billions of values.
func bomb() string {
	s := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := '1'; i <= '9'; i++ {
		s += "a" + string(i) + ": &a" + string(i) + " [" +
			strings.TrimSuffix(strings.Repeat("*a"+string(i-1)+",", 9), ",") + "]\n"
	}
	return s
}

func TestLimits(t *testing.T) {
	fsys := mapFS("d/a.yaml", "kind: A", "d/b.yaml", "kind: B", "d/c.yaml", "kind: C")
	for _, test := range []struct {
		opt  Options
		want string
	}{
		{Options{MaxFiles: 2}, "d/c.yaml:1:1: there are more than 2 files (name fewer directories)"},
		{Options{MaxTotal: 10}, "d/b.yaml:1:1: the manifests together are longer than 10 B (name fewer files)"},
	} {
		_, err := ReadManifests(fsys, []string{"d"}, test.opt)
		if err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestDir: places are told as the user knows them.
func TestDir(t *testing.T) {
	fsys := mapFS("web.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{}]}\n",
		"bad.yaml", "a: [")
	inv, err := ReadManifests(fsys, []string{"web.yaml"}, Options{Dir: "../deploy"})
	if err != nil || inv.PodTypes[0].Origin != "../deploy/web.yaml:1" {
		t.Errorf("%+v, %v", inv, err)
	}
	_, err = ReadManifests(fsys, []string{"bad.yaml", "none.yaml"}, Options{Dir: "../deploy"})
	if err == nil || !strings.HasPrefix(err.Error(), "../deploy/bad.yaml:1:4: ") ||
		!strings.Contains(err.Error(), "\n../deploy/none.yaml:1:1: ") {
		t.Error(err)
	}
}

// TestLinks: no link leads anywhere, neither as a root nor on the way to one.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	text := []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: secret}\nspec: {containers: [{}]}\n")
	if err := os.WriteFile(filepath.Join(outside, "secret.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"file.yaml": filepath.Join(outside, "secret.yaml"), "dir": outside} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip("links can't be made here:", err)
		}
	}
	for _, root := range []string{"file.yaml", "dir", "dir/secret.yaml"} {
		if inv, err := ReadManifests(os.DirFS(dir), []string{root}, Options{}); err == nil ||
			!strings.Contains(err.Error(), "is a symbolic link (links are not followed") {
			t.Errorf("%s: %+v, %v", root, inv, err)
		}
	}
	inv, err := ReadManifests(os.DirFS(dir), []string{"."}, Options{})
	if err != nil || len(inv.PodTypes) != 0 || len(inv.Skipped) != 2 {
		t.Errorf("%+v, %v", inv, err)
	}
}

func TestDeepDirectories(t *testing.T) {
	inv, err := ReadManifests(mapFS(strings.Repeat("x/", 40)+"deep.yaml", "kind: D"), []string{"x"}, Options{})
	want := []string{strings.Repeat("x/", 33) + "x: directory x: directories deeper than 32 are not entered"}
	if err != nil || !cmp.Equal(want, skips(inv)) {
		t.Errorf("%q, %v", skips(inv), err)
	}
}

// TestManyProblems: the list ends somewhere, and says how many are left.
func TestManyProblems(t *testing.T) {
	text := "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n"
	for range 150 {
		text += "  - {resources: {limits: {cpu: x}}}\n"
	}
	_, err := ReadManifests(mapFS("a.yaml", text), []string{"a.yaml"}, Options{})
	var found yamlpos.Problems
	if !errors.As(err, &found) || len(found) != 101 || found[100].What != "and 50 more problems" {
		t.Errorf("%d problems: %v", len(found), found[len(found)-1])
	}
}

// TestExcerpts: the line of a problem is what was read, and what was refused has
// none.
func TestExcerpts(t *testing.T) {
	fsys := mapFS("bad.yaml", "\ufeff{apiVersion: v1, kind: Pod, metadata: {name: p},\n"+
		"spec: {containers: [{resources: {requests: {cpu: two}}}]}}\n", "cut.json", "{\n  \"a\": tru }")
	fsys["link.yaml"] = &fstest.MapFile{Data: []byte("bad.yaml"), Mode: 0o777 | fs.ModeSymlink}
	fsys["pipe.yaml"] = &fstest.MapFile{Data: []byte("kind: Pod"), Mode: 0o600 | fs.ModeNamedPipe}
	fsys["tty.yaml"] = &fstest.MapFile{Data: []byte("kind: Pod"), Mode: 0o600 | fs.ModeDevice | fs.ModeCharDevice}
	_, err := ReadManifests(fsys, []string{"bad.yaml", "cut.json", "link.yaml", "pipe.yaml", "tty.yaml"}, Options{})
	var found yamlpos.Problems
	if !errors.As(err, &found) {
		t.Fatalf("%v is no list of problems", err)
	}
	got := map[string]string{}
	for _, p := range found {
		got[p.File] = p.What + "\n" + p.Excerpt
	}
	want := map[string]string{
		"bad.yaml": "cpu: \"two\" is not a CPU quantity\n" +
			"    spec: {containers: [{resources: {requests: {cpu: two}}}]}}\n" +
			"                                                     ^\n",
		"cut.json": "the JSON can't be read: invalid character ' ' in literal true (expecting 'e')\n" +
			"      \"a\": tru }\n              ^\n",
		"link.yaml": "link.yaml is a symbolic link\n",
		"pipe.yaml": "it is no regular file\n",
		"tty.yaml":  "it is no regular file\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
