package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// Directories that hold the same object are sets of their own: what stands in one of them is not held against what
// stands in another, and what is common is held against each.
func TestSets(t *testing.T) {
	const mco = "apiVersion: machineconfiguration.openshift.io/v1\n"
	const infra = mco + "kind: MachineConfigPool\nmetadata: {name: infra, labels: {a: b}}\nspec:\n" +
		"  machineConfigSelector: " +
		"{matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]}\n" +
		"  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}\n"
	const config = mco + "kind: MachineConfig\nmetadata:\n  name: 50-a\n  labels: " +
		"{machineconfiguration.openshift.io/role: infra}\nspec: {kernelType: realtime}\n"
	profile := func(name string) string {
		return "apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: {name: " + name + "}\nspec:\n" +
			"  cpu: {reserved: 0-3, isolated: 4-7}\n  nodeSelector: {node-role.kubernetes.io/infra: ''}\n"
	}
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name  string
		texts map[string]string
		want  []string
	}{
		{"one set", map[string]string{"a/p.yaml": infra, "b/m.yaml": config, "c/x.yaml": profile("x"),
			"d/y.yaml": profile("y")}, []string{"6:17 error performance.sameNodes"}},
		{"two clusters", map[string]string{"a/p.yaml": infra, "a/x.yaml": profile("x"), "b/p.yaml": infra,
			"b/y.yaml": profile("y"), "m.yaml": config}, []string{"1:1 info check.alternatives"}},
		{"what is common", map[string]string{"a/p.yaml": infra, "a/x.yaml": profile("x"), "b/p.yaml": infra,
			"c/y.yaml": profile("y")}, []string{"6:17 error performance.sameNodes", "1:1 info check.alternatives"}},
		{"a fault of each once", map[string]string{"a/p.yaml": infra, "b/p.yaml": infra,
			"m.yaml": config + "---\n" + config}, []string{"11:9 warning check.listedTwice", "1:1 info check.alternatives",
			"1:1 info machineConfig.rollouts"}},
		{"within", map[string]string{"a/x/p.yaml": infra, "a/y/p.yaml": infra, "a/m.yaml": config, "b/m.yaml": config},
			[]string{"5:11 warning machineConfig.noPool", "1:1 info check.alternatives", "1:1 info check.alternatives"}},
		{"directories of the root", map[string]string{"/a/p.yaml": infra, "/a/m.yaml": config}, nil},
		{"one above the other", map[string]string{"p.yaml": infra, "a/p.yaml": infra, "a/m.yaml": config},
			[]string{"1:1 info check.alternatives"}},
		{"one above the other of a kustomization", map[string]string{"kustomization.yaml": "resources: [p.yaml, a/p.yaml]\n",
			"p.yaml": infra, "a/p.yaml": infra}, []string{"3:18 warning check.listedTwice"}},
		{"two dumps of a cluster", map[string]string{"a/p.yaml": strings.Replace(infra, "infra,", "infra, uid: u,", 1),
			"b/p.yaml": strings.Replace(infra, "infra,", "infra, uid: u,", 1), "b/m.yaml": config},
			nil},
		{"what settles nothing", map[string]string{"a/d.yaml": deployment, "a/e.yaml": deployment}, nil},
	} {
		if d := cmp.Diff(c.want, lines(lint(release.Current, c.texts).Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
