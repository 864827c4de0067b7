package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

var update = flag.Bool("update", false, "rewrite the golden files; look at each before you commit it")

// golden compares got with a file of testdata. A file that tests read is not rewritten:
// what the writer forgets would be gone from the answer, too.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if _, isInput := inputs.Load(name); *update && !isInput {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with go test ./report -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs from what is written now; see it with go test ./report -update && git diff:\n%s", name, diff)
	}
}

// suffix is the ending of a format's golden file.
var suffix = map[string]string{Table: "txt", Wide: "wide.txt", JSON: "json", YAML: "yaml", Markdown: "md", HTML: "html",
	Name: "name.txt"}

func options(format string) Options {
	return Options{Facts: sampleFacts, File: "web-shop.yaml", Format: format}
}

func TestGolden(t *testing.T) {
	for _, format := range WholeFormats() {
		t.Run(format, func(t *testing.T) {
			var plan, why, diff, nothing bytes.Buffer
			if err := Write(&plan, samplePlan(), format, options(format)); err != nil {
				t.Fatal(err)
			}
			if err := Why(&why, samplePlan(), "nodes", options(format)); err != nil {
				t.Fatal(err)
			}
			if changed, err := Diff(&diff, samplePlan(), stored[v1alpha1.Plan]("later"), format, options(format)); err != nil ||
				!changed {
				t.Fatalf("changed %v, %v", changed, err)
			}
			if changed, err := Diff(&nothing, samplePlan(), samplePlan(), format, options(format)); err != nil || changed {
				t.Fatalf("changed %v, %v", changed, err)
			}
			golden(t, "plan."+suffix[format], plan.Bytes())
			if format == Table {
				golden(t, "plan.all.txt", []byte(brief(t, samplePlan(), Options{Facts: sampleFacts, File: "web-shop.yaml",
					Section: "all"})))
			}
			golden(t, "why."+suffix[format], why.Bytes())
			golden(t, "diff."+suffix[format], diff.Bytes())
			golden(t, "same."+suffix[format], nothing.Bytes())
		})
	}
}

func TestUnknownFormat(t *testing.T) {
	want := `format "xml" is not one of table, wide, json, yaml, markdown, html, name, junit, sarif, csv`
	_, diffErr := Diff(&bytes.Buffer{}, samplePlan(), samplePlan(), "xml", Options{})
	for _, err := range []error{Write(&bytes.Buffer{}, samplePlan(), "xml", Options{}),
		Why(&bytes.Buffer{}, samplePlan(), "nodes", Options{Format: "xml"}), diffErr} {
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestSameBytes(t *testing.T) {
	for _, format := range WholeFormats() {
		var a, b bytes.Buffer
		for _, w := range []*bytes.Buffer{&a, &b} {
			if err := Write(w, samplePlan(), format, options(format)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s differs from run to run", format)
		}
	}
}
