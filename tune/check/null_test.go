package check

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// Go programs write fields without a value as null, and the API server drops them:
// null in place of any value of a manifest neither breaks the lint, nor is it a field
// of the wrong type.
func TestNullInPlaceOfAnyValue(t *testing.T) {
	files, err := filepath.Glob("testdata/clean/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts := documents(t, "ocp-3.4-machine-health-check", "ocp-2.2-set-max-pods", "ocp-4.5-selection",
		"ztip-1-enable-rps-joined")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	tried := 0
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		lines := strings.Split(texts[name], "\n")
		for i, line := range lines {
			key, _, ok := strings.Cut(line, ": ")
			if !ok || strings.Contains(key, "#") {
				continue
			}
			tried++
			changed := slices.Clone(lines)
			changed[i] = key + ": null"
			lint(release.Documented()[tried%len(release.Documented())], map[string]string{name: strings.Join(changed, "\n")})
		}
	}
	if tried < 150 {
		t.Errorf("only %d values were tried", tried)
	}
	for field, text := range map[string]string{
		"creationTimestamp": "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata:\n" +
			"  name: worker\n  creationTimestamp: null\n",
		"maxUnavailable": "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\n" +
			"metadata: {name: worker}\nspec: {maxUnavailable: null}\n",
	} {
		for _, f := range one(release.Current, text) {
			if f.ID == "object.wrongType" {
				t.Errorf("%s: null: %s", field, f.Message)
			}
		}
	}
}
