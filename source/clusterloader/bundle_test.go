package clusterloader

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll.dev/loadmodel"
)

// A configuration that names files by absolute paths reads the same from a bundle in another working directory, as a
// worker has.
func TestBundleElsewhere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cm.yaml")
	if err := os.WriteFile(file, []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	b := &loadmodel.Bundle{Name: "load.yaml",
		Text: []byte("projects: [{num: 1, basename: a, templates: [{num: 1, file: " + file + "}]}]")}
	if _, problems := Expand(b.Name, b.Text, b.Recording(openRoot), b.Options()); len(problems) > 0 {
		t.Fatal(problems)
	}
	t.Chdir("/")
	if _, problems := Expand(b.Name, b.Text, b.Open, b.Options()); len(problems) > 0 {
		t.Error(problems)
	}
}
