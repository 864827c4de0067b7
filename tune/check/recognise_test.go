package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// What only looks like an object is told in one line, and nothing else of it.
func TestRecognise(t *testing.T) {
	const mc = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: a}\n"
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
			"b/x/g.yaml": gate}, nil},
		{"one overlay", map[string]string{"a/kustomization.yaml": top, "a/g.yaml": gate, "a/x/g.yaml": gate},
			[]string{"3:18 warning check.listedTwice"}},
		{"a validator", map[string]string{"a.yaml": pool + "status: {conditions: [{type: Updated, status: 'True'}]}\n"},
			[]string{"1:1 info check.statusAlone"}},
	} {
		if d := cmp.Diff(c.want, lines(lint(release.Current, c.texts).Findings)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
