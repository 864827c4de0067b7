package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// What only looks like an object is told in one line, and nothing else of it.
func TestRecognise(t *testing.T) {
	const mc = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n" +
		"metadata: {name: a, labels: {machineconfiguration.openshift.io/role: worker}}\n"
	const top = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
	const pool = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: a}\n"
	gate := "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\n"
	for _, c := range []struct {
		name  string
		texts map[string]string
		want  []string
	}{
		{"a template that is no YAML", map[string]string{"a.yaml": "{% for x in y %}\n- {{ a }}: b\nc: {{ d }}\n"},
			[]string{"1:2 info check.template"}},
		{"a template that is YAML", map[string]string{"a.yaml": mc +
			"spec: {config: {storage: {files: [{contents: {source: 'data:;base64,{{ x }}'}}]}}}\n"},
			[]string{"4:55 info check.template"}},
		{"a name to be filled in", map[string]string{"a.yaml": mc + "spec: {config: {ignition: {version: $v}}}\n"},
			[]string{"4:37 info check.template"}},
		{"encrypted", map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " +
			"cluster-monitoring-config, namespace: openshift-monitoring}\ndata: {config.yaml: 'ENC[AES256_GCM,data:a]'}\n" +
			"sops: {mac: 'ENC[a]', version: 3.7.1}\n"}, []string{"1:1 info check.encrypted"}},
		{"a patch", map[string]string{"o/kustomization.yaml": top + "patches:\n- path: ../p.yaml\n",
			"p.yaml": mc + "spec: {nonsense: 1}\n"}, []string{"1:1 info check.patch"}},
		{"an older patch", map[string]string{"o/kustomization.yaml": top + "patchesStrategicMerge: [p.yaml]\n",
			"o/p.yaml": "kind: MachineConfig\nmetadata: {name: a}\n"}, []string{"1:1 info check.patch"}},
		{"a patch in JSON's way", map[string]string{"a.yaml": "---\n- op: replace\n  path: /spec\n  value: 1\n"},
			[]string{"2:1 info check.patch"}},
		{"a list that a kustomization names", map[string]string{"o/kustomization.yaml": top + "patches: [{path: p.yaml}]\n",
			"o/p.yaml": "- {path: /a, op: remove}\n"}, []string{"1:1 info check.patch"}},
		{"a template whose fault is elsewhere", map[string]string{"a.yaml": "{{- if .x }}\n" + mc +
			"spec:\n  a: 1\n b: 2\n{{- end }}\n"}, []string{"1:3 info check.template"}},
		{"a fault beside a program's own braces", map[string]string{"a.yaml": mc +
			"spec:\n  a: podman ps --format {{.ID}}\n b: 2\n"},
			[]string{"6:2 error check.unreadable"}},
		{"a list of something else", map[string]string{"a.yaml": "- hosts: all\n"},
			[]string{"1:1 error check.unreadable"}},
		{"two overlays", map[string]string{"a/kustomization.yaml": top, "a/g.yaml": gate, "b/kustomization.yaml": top,
			"b/x/g.yaml": gate}, []string{"1:1 info check.alternatives"}},
		{"one overlay", map[string]string{"a/kustomization.yaml": top, "a/g.yaml": gate, "a/x/g.yaml": gate},
			[]string{"3:18 warning check.listedTwice"}},
		{"a patch of a SyncSet", map[string]string{"a.yaml": "apiVersion: v1\nkind: MachineConfigPool\nname: worker\n" +
			"applyMode: AlwaysApply\npatch: '{}'\npatchType: merge\n"}, []string{"1:1 info check.patch"}},
		{"a kustomization that doesn't say so", map[string]string{"o/kustomization.yaml": "patches: [{path: p.yaml}]\n",
			"o/p.yaml": "kind: MachineConfig\nmetadata: {name: a}\n"}, []string{"1:1 info check.patch"}},
		{"a flow of places", map[string]string{"a.yaml": mc + "spec: {kernelArguments: [{{.a}}]}\n"},
			[]string{"4:27 info check.template"}},
		{"a validator", map[string]string{"a.yaml": pool + "status: {conditions: [{type: Updated, status: 'True'}]}\n"},
			[]string{"1:1 info check.statusAlone"}},
	} {
		if d := cmp.Diff(c.want, lines(lint(release.Current, c.texts).Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What a template leaves open is told in a line; a fault beside it is told, too.
func TestGaps(t *testing.T) {
	const mc = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata:\n" +
		"  name: 50-a\n  labels:\n" +
		"    machineconfiguration.openshift.io/role: %s\nspec:\n  config:\n    ignition: {version: 3.2.0}\n    storage:\n" +
		"      files:\n      - path: %s\n        filesystem: root\n        contents:\n          source: data:;base64,%s\n"
	config := func(role, path, content string) string { return fmt.Sprintf(mc, role, path, content) }
	profile := func(spec string) string {
		return "apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: {name: a}\nspec:\n" + spec
	}
	const selector = "  nodeSelector: {node-role.kubernetes.io/a: ''}\n"
	const beside = "13:21 warning machineConfig.filesystem"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"none", config("worker", "/etc/a", "YQ=="), []string{beside}},
		{"content", config("worker", "/etc/a", "$CONTENT"), []string{beside, "15:19 info check.template"}},
		{"content in braces", config("worker", "/etc/a", "${content}"), []string{beside, "15:19 info check.template"}},
		{"content in angles", config("worker", "/etc/a", "<THE CONTENT>"), []string{beside, "15:19 info check.template"}},
		{"content as a name", config("worker", "/etc/a", "BASE64_OF_IT"), []string{beside, "15:19 info check.template"}},
		{"a path", config("worker", "$PATH_OF_IT", "YQ=="), []string{"12:15 info check.template"}},
		{"a part of a path", config("worker", "/etc/${NAME}.conf", "YQ=="), []string{"12:15 info check.template"}},
		{"a role", config("ROLE_OF_IT", "/etc/a", "YQ=="), []string{beside, "6:45 info check.template"}},
		{"a role in capitals", config("NODE_ROLE", "/etc/a", "YQ=="), []string{beside, "6:45 info check.template"}},
		{"a name in capitals", strings.Replace(config("worker", "/etc/a", "YQ=="), "50-a", "DC_EAST", 1),
			[]string{beside, "4:9 info check.template"}},
		{"a label in capitals", strings.Replace(config("worker", "/etc/a", "YQ=="), "labels:",
			"labels:\n    site: DC_EAST", 1), []string{"14:21 warning machineConfig.filesystem"}},
		{"a variable of a file", strings.Replace(config("worker", "/etc/a", "http://a/$releasever"), ";base64", "", 1),
			[]string{beside}},
		{"a whole file", strings.Replace(config("worker", "/etc/a", "${FILE}"), ";base64", "", 1),
			[]string{beside, "15:19 info check.template"}},
		{"a part of a role", config("worker-${ROLE}", "/etc/a", "YQ=="), []string{beside, "6:45 info check.template"}},
		{"content that is wrong", config("worker", "/etc/a", "$"), []string{
			"15:19 error machineConfig.source", beside}},
		{"a set of CPUs", profile("  cpu: {reserved: 0-3, isolated: 3-$last}\n" + selector + "  hugepages:\n    pages:\n" +
			"    - {size: 1G, count: 1}\n"), []string{"8:5 error performance.hugePages", "5:34 info check.template"}},
		{"values in comments", profile("  cpu:\n  #  isolated: $isolated\n  nodeSelector:\n  #    role/$mcp: ''\n"),
			[]string{"5:3 info check.template"}},
		{"items in comments", profile("  cpu: {reserved: 0-3, isolated: 4-7}\n" + selector +
			"  additionalKernelArgs:\n  # - nosmt\n"), []string{"7:3 info check.template"}},
		{"remarks", strings.Replace(profile("  cpu: {reserved: 0-3, isolated: 4-7}\n"+selector+
			"  workloadHints:\n  # note: none\n"), "{name: a}", "\n  name: a\n  annotations:\n    # owner: b\n  labels:\n"+
			"    # owner: none yet", 1), nil},
		{"no values", profile("  cpu:\n  nodeSelector: {node-role.kubernetes.io/a: ''}\n"),
			[]string{"5:3 error crd.missing"}},
		{"a label to be filled in", profile("  cpu: {reserved: 0-3, isolated: 4-7}\n  nodeSelector:\n" +
			"    node-role.kubernetes.io/$mcp: ''\n"), []string{"7:5 info check.template"}},
		{"what a cluster is compared with", profile("  cpu: (?<cpu>.*)\n" + selector), []string{"5:8 info check.template"}},
	} {
		a := lint(release.Current, map[string]string{"a.yaml": c.text})
		if d := cmp.Diff(c.want, lines(a.Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if open := strings.Contains(strings.Join(c.want, " "), "check.template"); open != (len(a.Verdict.Open) > 0) {
			t.Errorf("%s: not known: %v", c.name, a.Verdict.Open)
		}
	}
}

// What something adds to objects is not missing in them.
func TestCompleted(t *testing.T) {
	const mc = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: a}\n" +
		"spec: {kernelType: realtime, config: {ignition: {version: 3.2.0}}}\n"
	const top = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
	const generator = "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\npolicies:\n" +
		"- manifests: [{path: %s, patches: []}]\n"
	told, missing := []string{"1:1 info check.completed"}, []string{"3:11 error machineConfig.noRole"}
	for _, c := range []struct {
		name  string
		texts map[string]string
		want  []string
	}{
		{"alone", map[string]string{"a/m.yaml": mc}, missing},
		{"a kustomization that adds nothing", map[string]string{"a/kustomization.yaml": top + "resources: [m.yaml]\n",
			"a/m.yaml": mc}, missing},
		{"one with labels", map[string]string{"a/kustomization.yaml": top + "resources: [m.yaml]\ncommonLabels: {a: b}\n",
			"a/m.yaml": mc}, told},
		{"one that takes another", map[string]string{"a/kustomization.yaml": top + "resources: [m.yaml]\n", "a/m.yaml": mc,
			"b/kustomization.yaml": top + "bases: [../a]\nnamePrefix: x-\n"}, told},
		{"one that takes a file", map[string]string{"a/m.yaml": mc,
			"b/kustomization.yaml": top + "resources: [../a/m.yaml]\nlabels: []\n"}, told},
		{"a policy generator", map[string]string{"a/m.yaml": mc, "g.yaml": fmt.Sprintf(generator, "a/m.yaml")}, told},
		{"one that is deployed elsewhere", map[string]string{"x/a/m.yaml": mc, "y/g.yaml": fmt.Sprintf(generator, "../a")},
			told},
		{"another one", map[string]string{"a/m.yaml": mc, "g.yaml": fmt.Sprintf(generator, "b/m.yaml")}, missing},
		{"a part for a program", map[string]string{"m.yaml": strings.Replace(mc, "metadata: {name: a}\n", "", 1)}, told},
	} {
		a := lint(release.Current, c.texts)
		if d := cmp.Diff(c.want, lines(a.Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if len(a.Verdict.Open) != strings.Count(c.want[0], "completed") {
			t.Errorf("%s: not known: %v", c.name, a.Verdict.Open)
		}
	}
}

// What a kustomization or a policy generator patches is told of each object of the patch's kind, however it is written.
func TestChanged(t *testing.T) {
	const kubelet = "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: a}\nspec:\n" +
		"  machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ''}}\n" +
		"  kubeletConfig: {maxPods: 400}\n"
	const config = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n" +
		"metadata: {name: a, labels: {machineconfiguration.openshift.io/role: worker}}\nspec: {kernelType: default}\n"
	const top = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
	const generator = "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\npolicies:\n" +
		"- manifests: [{path: base/k.yaml, patches: [{%sspec: {kubeletConfig: {maxPods: -5}}}]}]\n"
	const operations = "[{op: replace, path: /spec/kubeletConfig/maxPods, value: -5}]"
	merge := func(kind string) string {
		return "|-\n    apiVersion: machineconfiguration.openshift.io/v1\n    kind: " + kind +
			"\n    metadata: {name: a}\n    spec: {}\n"
	}
	kubelets, all := []string{"base/k.yaml"}, []string{"base/k.yaml", "base/m.yaml"}
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"nothing", "o/kustomization.yaml", top + "resources: [../base]\npatches: []\n", nil},
		{"operations", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patches: [{target: {kind: KubeletConfig}, patch: '" + operations + "'}]\n", kubelets},
		{"an expression", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patches: [{target: {kind: .*Config}, patch: '" + operations + "'}]\n", all},
		{"half a name", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patches: [{target: {kind: Config}, patch: '" + operations + "'}]\n", nil},
		{"of any kind", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patches: [{target: {name: a}, patch: '" + operations + "'}]\n", all},
		{"a file of operations", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patchesJson6902: [{target: {kind: KubeletConfig}, path: p.yaml}]\n", kubelets},
		{"a patch that is no text", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"patchesStrategicMerge: [{kind: KubeletConfig}]\n", all},
		{"a file that is not given", "o/kustomization.yaml", top + "resources: [../base]\npatches: [{path: p.yaml}]\n", all},
		{"a text", "o/kustomization.yaml", top + "resources: [../base]\npatches:\n- patch: " + merge("KubeletConfig"),
			kubelets},
		{"an older text", "o/kustomization.yaml", top + "resources: [../base]\npatchesStrategicMerge:\n- " +
			merge("KubeletConfig"), kubelets},
		{"of another kind", "o/kustomization.yaml", top + "resources: [../base]\npatches:\n- patch: " + merge("Tuned"), nil},
		{"of another root", "o/kustomization.yaml", top + "patches:\n- patch: " + merge("KubeletConfig"), nil},
		{"replacements", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"replacements: [{source: {kind: ConfigMap}, targets: [{select: {kind: KubeletConfig}}]}]\n", kubelets},
		{"replacements of a file", "o/kustomization.yaml", top + "resources: [../base]\n" +
			"replacements: [{path: r.yaml}]\n", all},
		{"transformers", "o/kustomization.yaml", top + "resources: [../base]\ntransformers: [t.yaml]\n", all},
		{"a component that is not given", "o/kustomization.yaml", top + "resources: [../base]\ncomponents: [../c]\n", all},
		{"a policy generator", "g.yaml", fmt.Sprintf(generator, ""), kubelets},
		{"of another kind than its manifest", "g.yaml", fmt.Sprintf(generator, "kind: Tuned, "), nil},
	} {
		a := lint(release.Current, map[string]string{c.file: c.text, "base/k.yaml": kubelet, "base/m.yaml": config,
			"base/kustomization.yaml": top + "resources: [k.yaml, m.yaml]\n"})
		if d := cmp.Diff(c.want, changedIn(a)); d != "" || len(a.Verdict.Open) != min(len(c.want), 1) {
			t.Errorf("%s: %s; not known: %v", c.name, d, a.Verdict.Open)
		}
	}
}

// changedIn are the files with objects of which is told that they are completed or changed.
func changedIn(a v1alpha1.Answer) (files []string) {
	for _, f := range a.Findings {
		if f.ID == completed.ID {
			files = append(files, f.Place.File)
		}
	}
	return files
}

// What is patched is the file that is named, if it is among the files: others that end with its path are not. A
// component changes what takes it.
func TestChangedFiles(t *testing.T) {
	kubelet := func(name string) string {
		return "apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: " + name +
			"}\nspec:\n  machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/" + name +
			": ''}}\n  kubeletConfig: {maxPods: 400}\n"
	}
	manifests := func(path string) string {
		return "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\npolicies:\n" +
			"- manifests: [{path: " + path + ", patches: [{spec: {kubeletConfig: {maxPods: 500}}}]}]\n"
	}
	sources := func(file string) string {
		return "apiVersion: ran.openshift.io/v1\nkind: PolicyGenTemplate\nmetadata: {name: a}\n" +
			"spec: {sourceFiles: [{" + file + "}]}\n"
	}
	const parts = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
	const component = parts + "patches: [{target: {kind: KubeletConfig}, path: p.yaml}]\n"
	x, y, named := "x/k.yaml", "y/k.yaml", "fileName: k.yaml, policyName: a"
	for _, c := range []struct {
		name          string
		by            map[string]string
		worker, infra string
		want          []string
	}{
		{"a file beside the generator", map[string]string{"x/g.yaml": manifests("k.yaml")}, x, y, []string{x}},
		{"a directory beside it", map[string]string{"g.yaml": manifests("./x")}, x, "y/x/k.yaml", []string{x}},
		{"a file of a directory above", map[string]string{"z/g.yaml": manifests("../x/k.yaml")}, x, "y/x/k.yaml",
			[]string{x}},
		{"a file by the generator's kustomization", map[string]string{"x/z/g.yaml": manifests("k.yaml"),
			"x/kustomization.yaml": "generators: [z/g.yaml]\n"}, x, "x/z/k.yaml", []string{x}},
		{"files by several kustomizations of a generator", map[string]string{"x/z/g.yaml": manifests("k.yaml"),
			"x/kustomization.yaml": "generators: [z/g.yaml]\n", "x/z/kustomization.yaml": "generators: [g.yaml]\n"}, x,
			"x/z/k.yaml", []string{x, "x/z/k.yaml"}},
		{"a file by the generator's component", map[string]string{"x/z/g.yaml": manifests("k.yaml"),
			"x/kustomization.yaml": parts + "generators: [z/g.yaml]\n"}, x, "x/z/k.yaml", []string{x}},
		{"a file by a directory of generators", map[string]string{"x/z/g.yaml": manifests("k.yaml"),
			"x/z/kustomization.yaml": "resources: [g.yaml]\n", "x/kustomization.yaml": "generators: [z]\n"}, x,
			"x/z/k.yaml", []string{x}},
		{"a file by a directory that takes another one's", map[string]string{"x/z/w/g.yaml": manifests("k.yaml"),
			"x/z/kustomization.yaml": "resources: [w/g.yaml]\n", "x/kustomization.yaml": "generators: [z]\n"}, x,
			"x/z/w/k.yaml", []string{x}},
		{"a file by a generator in its kustomization", map[string]string{
			"x/kustomization.yaml": "generators:\n- |\n  " + strings.ReplaceAll(manifests("k.yaml"), "\n", "\n  ")}, x, y,
			[]string{x}},
		{"what stands not below", map[string]string{"g.yaml": manifests("./")}, "k.yaml", "../y/k.yaml",
			[]string{"k.yaml"}},
		{"the generator's own directory", map[string]string{"g.yaml": manifests("./")}, "k.yaml", y, []string{"k.yaml", y}},
		{"what a directory takes", map[string]string{"g.yaml": manifests("x"),
			"x/kustomization.yaml": "resources: [../c]\n", "c/kustomization.yaml": "resources: [k.yaml]\n"}, "c/k.yaml", y,
			[]string{"c/k.yaml"}},
		{"a kustomization without a version", map[string]string{"x/kustomization.yaml": "kind: Kustomization\n" +
			"resources: [k.yaml]\npatches: [{target: {kind: KubeletConfig}, patch: '[]'}]\n"}, x, y, []string{x}},
		{"two kustomizations", map[string]string{"x/kustomization.yaml": "resources: [k.yaml]\n" +
			"patches: [{target: {kind: KubeletConfig}, patch: '[]'}]\n", "x/old.yaml": "kind: Kustomization\n" +
			"apiVersion: kustomize.config.k8s.io/v1beta1\nresources: [k.yaml]\n"}, x, y, []string{x}},
		{"a patch of any kind", map[string]string{"x/kustomization.yaml": "resources: [k.yaml]\n" +
			"patches: [{target: {kind: ''}, patch: '[]'}]\n"}, x, y, []string{x}},
		{"files elsewhere", map[string]string{"z/g.yaml": manifests("k.yaml")}, x, y, []string{x, y}},
		{"a file of a template", map[string]string{"x/g.yaml": sources(named + ", spec: {a: b}")}, "x/source-crs/k.yaml",
			"y/source-crs/k.yaml", []string{"x/source-crs/k.yaml"}},
		{"files of a template elsewhere", map[string]string{"z/g.yaml": sources(named + ", data: {a: b}")},
			"x/source-crs/k.yaml", y, []string{"x/source-crs/k.yaml"}},
		{"metadata of a template", map[string]string{"z/g.yaml": sources(named + ", metadata: {name: b}")},
			"x/source-crs/k.yaml", y, []string{"x/source-crs/k.yaml"}},
		{"a file that a template takes as it is", map[string]string{"x/g.yaml": sources(named)}, "x/source-crs/k.yaml", y,
			nil},
		{"a component", map[string]string{"x/kustomization.yaml": "resources: [k.yaml]\ncomponents: [../c]\n",
			"c/kustomization.yaml": component}, x, y, []string{x}},
	} {
		c.by[c.worker], c.by[c.infra] = kubelet("worker"), kubelet("infra")
		a := lint(release.Current, c.by)
		if d := cmp.Diff(c.want, changedIn(a)); d != "" || len(a.Verdict.Open) != min(len(c.want), 1) {
			t.Errorf("%s: %s; not known: %v", c.name, d, a.Verdict.Open)
		}
	}
}

// The kubelet's own file has no name, and a Deployment may get its own of an operator.
func TestWithoutName(t *testing.T) {
	for text, want := range map[string][]string{
		"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 250\n": {"2:7 info check.notRead"},
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {a: b}}\n":                   nil,
		"apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n" +
			"metadata: {labels: {machineconfiguration.openshift.io/role: worker}}\n": {"3:11 error check.noName"},
	} {
		if d := cmp.Diff(want, lines(one(release.Current, text))); d != "" {
			t.Error(d)
		}
	}
}

// A place in any value of what is right is no fault, nor is what stands beside it.
func TestGapInPlaceOfAnyValue(t *testing.T) {
	files, err := filepath.Glob("testdata/clean/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if !goodIn(name, release.Current) {
			continue
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			key, value, ok := strings.Cut(line, ": ")
			if strings.TrimSpace(line) == "kind: Node" { // of which nobody writes templates
				break
			}
			if name := strings.TrimLeft(key, " -"); !ok || value == "|" || value == ">" || strings.ContainsAny(key, "#{") ||
				name == "kind" || name == "apiVersion" {
				continue
			}
			for _, gap := range []string{"'{{ .value }}'", "$value", "${VALUE}", "<a value>"} {
				tried++
				changed := slices.Clone(lines)
				changed[i] = key + ": " + gap
				for _, f := range lint(release.Current, map[string]string{name: strings.Join(changed, "\n")}).Findings {
					if f.Severity != v1alpha1.Info {
						t.Errorf("%s:%d: %s: %s:%d %s", name, i+1, gap, f.ID, f.Place.Line, f.Message)
					}
				}
			}
		}
	}
	if tried < 250 {
		t.Errorf("only %d places were tried", tried)
	}
}
