package check

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

var update = flag.Bool("update", false, "write the lists of findings anew, to be read before they are committed")

// The documents' own manifests: for each the findings with their lines, and the releases
// in which they are found.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/documents/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := listing(filepath.Base(file), string(text))
		want := strings.TrimSuffix(file, ".yaml") + ".want"
		if *update {
			if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		golden, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(golden), got); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// listing has a line for each finding: line, severity, rule, and the releases of it.
func listing(name, text string) string {
	type key struct {
		line           int
		severity, rule string
	}
	found := map[key][]string{}
	for _, r := range release.Documented() {
		for _, f := range lint(r, map[string]string{name: text}).Findings {
			k := key{f.Place.Line, string(f.Severity), f.ID}
			if !slices.Contains(found[k], r.String()) {
				found[k] = append(found[k], r.String())
			}
		}
	}
	var lines []string
	for k, releases := range found {
		lines = append(lines, fmt.Sprintf("%4d  %-7s  %-28s  %s\n", k.line, k.severity, k.rule, strings.Join(releases, " ")))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Every fault of the documents that is found is found at a line of its own file.
func TestDocumentsTogether(t *testing.T) {
	files, err := filepath.Glob("testdata/documents/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	var objects []*object.Object
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
		o, _ := object.Split(file, text)
		objects = append(objects, o...)
	}
	for _, of := range release.Documented() {
		a := lint(of, texts)
		r := a.Result.(Result)
		if r.Objects != len(objects) || len(r.Files) != len(files) || a.Verdict.OK ||
			r.Errors+r.Warnings+r.Remarks != len(a.Findings) {
			t.Errorf("%v: %+v, %+v", of, a.Verdict, r.Counts)
		}
		for _, f := range a.Findings {
			if f.Place == nil || f.Place.Line < 1 || f.Place.Line > strings.Count(texts[f.Place.File], "\n")+1 ||
				f.Message == "" {
				t.Errorf("%v: %+v", of, f)
			}
		}
	}
}
