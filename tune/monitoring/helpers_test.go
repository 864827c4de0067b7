package monitoring

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// split reads manifests that must be readable.
func split(t testing.TB, text string) []*object.Object {
	t.Helper()
	objects, problems := object.Split("f.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

// cm wraps a config.yaml: its first line is line 7 of the file, column 5.
func cm(config string) string {
	out := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + Name + "\ndata:\n  config.yaml: |\n"
	for line := range strings.Lines(config) {
		out += "    " + line
	}
	return out
}

// lines are findings as "line:col id".
func lines(found []v1alpha1.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d:%d %s", f.Place.Line, f.Place.Col, f.ID))
	}
	return out
}

// of returns the findings of a rule.
func ofRule(found []v1alpha1.Finding, r object.Rule) []v1alpha1.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f v1alpha1.Finding) bool { return f.ID != r.ID })
}

func document(t testing.TB, name string) []*object.Object {
	t.Helper()
	text, err := os.ReadFile("../check/testdata/documents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return split(t, string(text))
}
