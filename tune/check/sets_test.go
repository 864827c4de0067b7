package check

import (
	"fmt"
	"slices"
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
	const gate = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\n"
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
		{"a pool of one of them", map[string]string{"a/p.yaml": infra, "a/g.yaml": gate, "b/g.yaml": gate, "m.yaml": config},
			[]string{"1:1 info check.alternatives"}},
		{"a pool of none of them", map[string]string{"a/g.yaml": gate, "b/g.yaml": gate, "m.yaml": config},
			[]string{"5:11 warning machineConfig.noPool", "1:1 info check.alternatives"}},
		{"a pool of the other", map[string]string{"a/p.yaml": infra, "a/g.yaml": gate, "b/g.yaml": gate, "b/m.yaml": config},
			[]string{"5:11 warning machineConfig.noPool", "1:1 info check.alternatives"}},
		{"directories of the root", map[string]string{"/a/p.yaml": infra, "/a/m.yaml": config}, nil},
		{"one above the other", map[string]string{"p.yaml": infra, "a/p.yaml": infra, "a/m.yaml": config},
			[]string{"1:1 info check.alternatives"}},
		{"one above the other of a kustomization", map[string]string{"kustomization.yaml": "resources: [p.yaml, a/p.yaml]\n",
			"p.yaml": infra, "a/p.yaml": infra}, []string{"3:18 warning check.listedTwice"}},
		{"two dumps of a cluster", map[string]string{"a/p.yaml": strings.Replace(infra, "infra,", "infra, uid: u,", 1),
			"b/p.yaml": strings.Replace(infra, "infra,", "infra, uid: u,", 1), "b/m.yaml": config},
			nil},
		{"what has no name yet", map[string]string{"a/p.yaml": strings.Replace(infra, "name:", "generateName:", 1),
			"b/p.yaml": strings.Replace(infra, "name:", "generateName:", 1)}, nil},
		{"what settles nothing", map[string]string{"a/d.yaml": deployment, "a/e.yaml": deployment}, nil},
	} {
		if d := cmp.Diff(c.want, lines(lint(release.Current, c.texts).Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What one kustomization takes from whatever directories is one set; where none does, it is not known whose files they
// are.
func TestSetsOfKustomizations(t *testing.T) {
	const top = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: "
	config := func(kernel string) string {
		return "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: 50-a, labels: " +
			"{machineconfiguration.openshift.io/role: worker}}\nspec: {kernelType: " + kernel + "}\n"
	}
	one, other := config("default"), config("realtime")
	twice := []string{"3:18 warning check.listedTwice", "1:1 info machineConfig.rollouts"}
	several := []string{"1:1 info check.alternatives"}
	for _, c := range []struct {
		name  string
		texts map[string]string
		want  []string
		open  int
	}{
		{"none", map[string]string{"a/m.yaml": one, "b/m.yaml": other}, several, 1},
		{"files of one", map[string]string{"kustomization.yaml": top + "[a/m.yaml, b/m.yaml]\n", "a/m.yaml": one,
			"b/m.yaml": other}, twice, 0},
		{"directories of one", map[string]string{"o/kustomization.yaml": top + "[../a, ../b]\n",
			"a/kustomization.yaml": top + "[m.yaml]\n", "a/m.yaml": one, "b/kustomization.yaml": top + "[m.yaml]\n",
			"b/m.yaml": other}, twice, 0},
		{"one each", map[string]string{"o/kustomization.yaml": top + "[../a/m.yaml]\n", "a/m.yaml": one,
			"p/kustomization.yaml": top + "[../b/m.yaml]\n", "b/m.yaml": other}, several, 0},
		{"one, and others", map[string]string{"a/kustomization.yaml": top + "[m.yaml]\n", "a/m.yaml": one, "b/m.yaml": other},
			several, 1},
		{"others, and one", map[string]string{"b/kustomization.yaml": top + "[m.yaml]\n", "a/m.yaml": one, "b/m.yaml": other},
			several, 1},
		{"both of one, and others", map[string]string{"o/kustomization.yaml": top + "[../a/m.yaml, ../b/m.yaml]\n",
			"a/m.yaml": one, "b/m.yaml": other, "c/m.yaml": other},
			append(slices.Clone(twice), several...), 1},
		{"what two have in common", map[string]string{"c/o/kustomization.yaml": top + "[../../a, m.yaml]\n",
			"c/o/m.yaml": strings.Replace(one, "50-a", "60-a", 1), "c/p/kustomization.yaml": top + "[../../a, m.yaml]\n",
			"c/p/m.yaml": strings.Replace(other, "50-a", "60-a", 1), "a/kustomization.yaml": top + "[m.yaml]\n",
			"a/m.yaml": one}, []string{several[0], twice[1]}, 0},
		{"what two within have in common", map[string]string{"a/kustomization.yaml": top + "[m.yaml]\n", "a/m.yaml": one,
			"x/o/kustomization.yaml": top + "[../../a]\n", "x/p/kustomization.yaml": top + "[../../a]\n",
			"x/m.yaml": other}, several, 1},
		{"what two have in common and others have, too", map[string]string{"a/kustomization.yaml": top + "[m.yaml]\n",
			"a/m.yaml": one, "o/kustomization.yaml": top + "[../a]\n", "p/kustomization.yaml": top + "[../a]\n",
			"q/m.yaml": other}, several, 1},
	} {
		a := lint(release.Current, c.texts)
		if d := cmp.Diff(c.want, lines(a.Findings)); d != "" || len(a.Verdict.Open) != c.open {
			t.Errorf("%s: %s; not known: %v", c.name, d, a.Verdict.Open)
		}
	}
}

// Overlays of one base are of one cluster each, whatever their own files are called: what the base lacks is told where
// one of them doesn't have it.
func TestOverlays(t *testing.T) {
	const top = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: "
	const pool = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {%s}\nspec:\n" +
		"  machineConfigSelector: " +
		"{matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]}\n" +
		"  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}\n"
	const config = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n" +
		"metadata: {name: 50-a, labels: {machineconfiguration.openshift.io/role: infra}}\nspec: {kernelType: realtime}\n"
	kubelet := func(name string) string {
		return "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: " + name +
			"}\nspec:\n  machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: " +
			"''}}\n  kubeletConfig: {maxPods: 300}\n"
	}
	several := []string{"1:1 info check.alternatives"}
	noPool := append([]string{"3:32 warning machineConfig.noPool"}, several...)
	for _, c := range []struct {
		name            string
		base, dev, prod string
		want            []string
	}{
		{"settings of each", config + "---\n" + fmt.Sprintf(pool, "name: infra"), kubelet("a"), kubelet("b"), several},
		{"a base without a name", fmt.Sprintf(pool, "generateName: infra-"), kubelet("a"), kubelet("b"), several},
		{"a dump of a base", fmt.Sprintf(pool, "name: infra, uid: u"), kubelet("a"), kubelet("b"), several},
		{"a pool of one of them", config, fmt.Sprintf(pool, "name: infra"), "", noPool},
		{"a pool of the other", config, "", fmt.Sprintf(pool, "name: infra"), noPool},
		{"a pool of each", config, fmt.Sprintf(pool, "name: infra"), fmt.Sprintf(pool, "name: infra"), several},
	} {
		texts := map[string]string{"base/kustomization.yaml": top + "[b.yaml]\n", "base/b.yaml": c.base}
		for overlay, text := range map[string]string{"dev": c.dev, "prod": c.prod} {
			list := "[../../base]\n"
			if text != "" {
				list, texts["o/"+overlay+"/s.yaml"] = "[../../base, s.yaml]\n", text
			}
			texts["o/"+overlay+"/kustomization.yaml"] = top + list
		}
		a := lint(release.Current, texts)
		if d := cmp.Diff(c.want, lines(a.Findings)); d != "" || len(a.Verdict.Open) > 0 {
			t.Errorf("%s: %s; not known: %v", c.name, d, a.Verdict.Open)
		}
	}
}

// What many sets have in common is judged with some of them: of the others that is told, and nothing for which what is
// common decides.
func TestManySets(t *testing.T) {
	const mco = "apiVersion: machineconfiguration.openshift.io/v1\n"
	const pool = mco + "kind: MachineConfigPool\nmetadata: {name: infra}\nspec:\n" +
		"  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: infra}}\n" +
		"  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}\n"
	const config = mco + "kind: MachineConfig\nmetadata: {name: 50-a, labels: " +
		"{machineconfiguration.openshift.io/role: infra}}\nspec: {kernelType: %s}\n"
	const gates = 199
	texts := map[string]string{"pool.yaml": pool, "gates.yaml": ""}
	for i := range gates {
		texts["gates.yaml"] += fmt.Sprintf("---\napiVersion: config.openshift.io/v1\nkind: FeatureGate\n"+
			"metadata: {name: g%d}\n", i)
	}
	kernel := "default"
	for i := range mostTogether/(gates+1) + 2 {
		if i == mostTogether/(gates+1)+1 {
			kernel = "wrong"
		}
		texts[fmt.Sprintf("c%03d/m.yaml", i)] = fmt.Sprintf(config, kernel)
	}
	a := lint(release.Current, texts)
	ids := map[string]int{}
	for _, f := range a.Findings {
		ids[f.ID]++
	}
	if ids["machineConfig.noPool"] > 0 || ids["machineConfig.kernelType"] != 1 || len(a.Verdict.Open) != 2 ||
		a.Verdict.Open[1] != "what 2 of 102 sets of objects come to with what all have in common" {
		t.Errorf("%v, not known: %v", ids, a.Verdict.Open)
	}
}
