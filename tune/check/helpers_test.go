package check

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// lint checks texts by their file names.
func lint(r release.Release, texts map[string]string, disable ...string) v1alpha1.Answer {
	in := Input{Release: r, Disable: disable}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		objects, problems := object.Split(name, []byte(texts[name]))
		in.Objects, in.Problems = append(in.Objects, objects...), append(in.Problems, problems...)
	}
	return Run(in)
}

// one checks a text.
func one(r release.Release, text string, disable ...string) []v1alpha1.Finding {
	return lint(r, map[string]string{"f.yaml": text}, disable...).Findings
}

// documents reads files of testdata/documents.
func documents(t testing.TB, names ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("testdata", "documents", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		out[name+".yaml"] = string(text)
	}
	return out
}

// finds demands that the lint finds a rule in a line that holds a text, in the releases
// that are given, and in no other.
func finds(t *testing.T, releases []release.Release, rule, in string, names ...string) {
	t.Helper()
	texts := documents(t, names...)
	for _, r := range release.Documented() {
		want, got := slices.Contains(releases, r), false
		for _, f := range lint(r, texts).Findings {
			if f.ID != rule {
				continue
			}
			lines := strings.Split(texts[f.Place.File], "\n")
			got = got || strings.Contains(lines[f.Place.Line-1], in)
		}
		if got != want {
			t.Errorf("%s at %q in %v, release %v: %v", rule, in, names, r, got)
		}
	}
}

// every are all releases.
var every = release.Documented()

func from(first release.Release) []release.Release { return every[slices.Index(every, first):] }
func until(last release.Release) []release.Release { return every[:slices.Index(every, last)+1] }

// says demands that the table of what differs by release has a row with these values:
// it is where prose of the documents is set right.
func says(t *testing.T, id string, values ...string) {
	t.Helper()
	for _, row := range Behaviours() {
		if row.ID != id {
			continue
		}
		for i, v := range values {
			if got := row.In(every[i]); got != v {
				t.Errorf("%s is %s in %s, not %s", id, got, every[i], v)
			}
		}
		return
	}
	t.Errorf("no row %s", id)
}
