package containerruntime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// manifest is one for pool worker; its settings stand at line 5.
func manifest(name, settings string) string {
	return "kind: ContainerRuntimeConfig\nmetadata: {name: " + name + "}\nspec:\n" +
		"  machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ''}}\n" +
		"  containerRuntimeConfig: {" + settings + "}\n"
}

func found(t *testing.T, text string, r release.Release) []string {
	t.Helper()
	objects, problems := object.Split("f.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out []string
	for _, f := range Check(objects, r) {
		if f.Message == "" || f.Remedy == "" || strings.HasSuffix(f.Message, ".") {
			t.Errorf("%+v", f)
		}
		out = append(out, fmt.Sprintf("%s %s %d", f.Severity, strings.TrimPrefix(f.ID, "runtime."), f.Place.Line))
	}
	return out
}

func TestCheck(t *testing.T) {
	const kubelet = "---\nkind: KubeletConfig\nmetadata: {name: k}\nspec: {kubeletConfig: {podPidsLimit: %s}}\n"
	const worker = "---\nkind: MachineConfigPool\nmetadata: {name: worker}\n" +
		"spec: {machineConfigSelector: {matchLabels: {a: b}}}\n"
	labels := "pools.operator.machineconfiguration.openshift.io/worker: ''"
	plain := manifest("a", "logLevel: debug")
	for _, c := range []struct {
		name, text string
		release    release.Release
		want       []string
	}{
		{"good", manifest("a", "logLevel: debug, pidsLimit: 2048, logSizeMax: 16Ki, overlaySize: 20G, defaultRuntime: runc"),
			release.Current, nil},
		{"no limit of logs", manifest("a", "logSizeMax: '-1'"), release.Current, nil},
		{"few processes", manifest("a", "pidsLimit: 19"), 8, []string{"error refusedValue 5"}},
		{"a process less than none", manifest("a", "pidsLimit: -1"), 8, []string{"error refusedValue 5"}},
		{"a process less than none then", manifest("a", "pidsLimit: -1"), 7, nil},
		{"level", manifest("a", "logLevel: Debug"), release.Current, []string{"error refusedValue 5"}},
		{"trace", manifest("a", "logLevel: trace"), 8, nil},
		{"trace then", manifest("a", "logLevel: trace"), 7, []string{"error refusedValue 5"}},
		{"small logs", manifest("a", "logSizeMax: 8Ki"), release.Current, []string{"error refusedValue 5"}},
		{"small logs as a number", manifest("a", "logSizeMax: 8192"), release.Current, []string{"error refusedValue 5"}},
		{"overlay", manifest("a", "overlaySize: -1G"), release.Current, []string{"error refusedValue 5"}},
		{"overlay then", manifest("a", "overlaySize: -1G"), 7, nil},
		{"no quantity", manifest("a", "overlaySize: 20GB"), release.Current, []string{"error noQuantity 5"}},
		{"runtime", manifest("a", "defaultRuntime: kata"), 15, []string{"error refusedValue 5"}},
		{"runtime then", manifest("a", "defaultRuntime: kata"), 11, nil},
		{"more than a pod has", manifest("a", "pidsLimit: 8192"), release.Current, []string{"warning kubeletsLimit 5"}},
		{"more than a pod had", manifest("a", "pidsLimit: 8192"), 10, nil},
		{"a pod that has more", manifest("a", "pidsLimit: 8192") + fmt.Sprintf(kubelet, "16384"), release.Current, nil},
		{"a pod that has no more", manifest("a", "pidsLimit: 8192") + fmt.Sprintf(kubelet, "1024"), release.Current,
			[]string{"warning kubeletsLimit 5"}},
		{"no selector", strings.Replace(plain, "{matchLabels: {"+labels+"}}", "{}", 1), release.Current,
			[]string{"error noSelector 4"}},
		{"label of nodes", strings.Replace(plain, labels, "node-role.kubernetes.io/worker: ''", 1), release.Current,
			[]string{"error noPool 4"}},
		{"a label for people to set", strings.Replace(plain, labels, "custom-crio: debug", 1), release.Current,
			[]string{"info unlabelled 4"}},
		{"no pool", strings.Replace(plain, labels, "custom-crio: debug", 1) + worker, release.Current,
			[]string{"error noPool 4"}},
		{"two that differ", plain + "---\n" + manifest("b", "logLevel: info"), release.Current,
			[]string{"warning sameSetting 11"}},
		{"two that agree", plain + "---\n" + manifest("b", "logLevel: debug"), release.Current, nil},
		{"two that add up", plain + "---\n" + manifest("b", "pidsLimit: 2048"), release.Current, nil},
		{"two pools", plain + "---\n" + strings.Replace(manifest("b", "logLevel: info"), "/worker", "/master", 1),
			release.Current, nil},
	} {
		if d := cmp.Diff(c.want, found(t, c.text, c.release)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "runtime.") || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
	want := map[string]string{"runtime.negativeRefused": "since 4.8", "runtime.defaultRuntime": "since 4.12",
		"runtime.podLimit": "since 4.11", "runtime.levels": "debug, error, fatal, info, panic, warn; " +
			"debug, error, fatal, info, panic, trace, warn since 4.8"}
	for _, row := range Behaviours() {
		if row.Values() != want[row.ID] {
			t.Errorf("%s: %s", row.ID, row.Values())
		}
	}
}
