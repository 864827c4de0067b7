package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// misnamed are objects that no operator takes for what their kind says, and one that is
// silenced.
const misnamed = `apiVersion: machineconfiguration.openshift.io/v2
kind: KubeletConfig
metadata: {name: a}
spec: {}
---
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: a, namespace: default}
spec: {profile: [], recommend: []}
---
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {namespace: default} # plimsoll:ignore check.wrongNamespace
spec: {profile: [], recommend: []}
`

// Identify finds what Run finds of the objects as such, and nothing of their fields.
func TestIdentify(t *testing.T) {
	for name, text := range map[string]string{"misnamed": misnamed, "fine": "apiVersion: v1\nkind: ConfigMap\n" +
		"metadata: {name: a, namespace: b}\n", "bad field": strings.Replace(misnamed, "spec: {}", "spec: {x: 1}", 1)} {
		objects := split(text)
		want := slices.DeleteFunc(Run(Input{Objects: objects, Release: release.Current}).Findings,
			func(f v1alpha1.Finding) bool { return !strings.HasPrefix(f.ID, "check.") })
		got := Identify(objects)
		if d := cmp.Diff(want, got); d != "" && len(want)+len(got) > 0 {
			t.Errorf("%s: %s", name, d)
		}
		if (len(got) == 0) != (name == "fine") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// BenchmarkIdentify looks at 200 KubeletConfigs.
func BenchmarkIdentify(b *testing.B) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: "+
			"k%d}\nspec: {machineConfigPoolSelector: {matchLabels: {a: b}}, kubeletConfig: {maxPods: 100}}\n", i)
	}
	objects := split(text.String())
	b.Run("Identify", func(b *testing.B) {
		for b.Loop() {
			Identify(objects)
		}
	})
	b.Run("Run", func(b *testing.B) {
		for b.Loop() {
			Run(Input{Objects: objects, Release: release.Current})
		}
	})
}
