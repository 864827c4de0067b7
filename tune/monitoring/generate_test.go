package monitoring

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

var infra = map[string]string{openshift.LabelInfra: ""}

func TestGenerate(t *testing.T) {
	cm := Generate(Options{Release: 4, NodeSelector: infra,
		Prometheus:   Size{Retention: 15 * 86400, Storage: 2000 * unit.GiB, StorageClass: "gp2"},
		Alertmanager: Size{Storage: 20 * unit.GiB}})
	var got map[string]map[string]any
	if err := yaml.UnmarshalStrict([]byte(cm.Data[ConfigKey]), &got); err != nil {
		t.Fatal(err)
	}
	if cm.Metadata.Name != "cluster-monitoring-config" || cm.Metadata.Namespace != "openshift-monitoring" {
		t.Error(cm.Metadata)
	}
	if got["prometheusK8s"]["retention"] != "15d" || len(got) != 8 || got["telemeterClient"] == nil ||
		got["thanosQuerier"] != nil {
		t.Error(got)
	}
	want := map[string]any{
		"spec": map[string]any{"resources": map[string]any{"requests": map[string]any{"storage": "20Gi"}}},
	}
	if d := cmp.Diff(want, got["alertmanagerMain"]["volumeClaimTemplate"]); d != "" {
		t.Error(d)
	}
}

func TestGenerateUser(t *testing.T) {
	o := Options{Release: 20, NodeSelector: infra, Users: true}
	cm, ok := GenerateUser(o)
	var got map[string]any
	if err := yaml.UnmarshalStrict([]byte(cm.Data[ConfigKey]), &got); err != nil || !ok {
		t.Fatal(err, ok)
	}
	if cm.Metadata.Name != UserName || cm.Metadata.Namespace != UserNamespace || got["thanosRuler"] == nil ||
		got["prometheus"] == nil {
		t.Error(cm.Metadata, got)
	}
	for _, o := range []Options{{Release: 5, NodeSelector: infra, Users: true}, {Release: 20, NodeSelector: infra},
		{Release: 20, Users: true}} {
		if _, ok := GenerateUser(o); ok {
			t.Errorf("%+v", o)
		}
	}
}

// No text makes Check panic, and positions lie within the file.
func FuzzCheck(f *testing.F) {
	for _, name := range []string{"ztip-3-monitoring.yaml", "ocp-8.2-monitoring.yaml"} {
		o := document(f, name)[0]
		f.Add(o.Tree.Root.Get("data").Get(ConfigKey).Text, 5)
	}
	f.Add("a: {{x}}\na: |\n  b\n\"a\": 'c'\n", 20)
	f.Fuzz(func(t *testing.T, config string, minor int) {
		if minor < 1 || minor > int(release.Newest) {
			return
		}
		literal, err := yaml.Marshal(openshift.ConfigMap{Kind: "ConfigMap", Metadata: openshift.ObjectMeta{Name: Name},
			Data: map[string]string{ConfigKey: config}})
		if err != nil {
			return
		}
		objects, _ := object.Split("f.yaml", literal)
		lines := 1
		for _, c := range literal {
			if c == '\n' {
				lines++
			}
		}
		for _, found := range Check(objects, release.Release(minor)) {
			if p := found.Place; p.Line < 1 || p.Line > lines || p.Col < 1 || found.Message == "" {
				t.Errorf("%+v of %d lines", found, lines)
			}
		}
	})
}
