package monitoring

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/unit"
)

var infra = map[string]string{openshift.LabelInfra: ""}

func TestGenerate(t *testing.T) {
	cm := Generate(Options{Release: 4, NodeSelector: infra, Prometheus: Size{Retention: 15 * 86400, Storage: 2000 * unit.GiB, StorageClass: "gp2"},
		Alertmanager: Size{Storage: 20 * unit.GiB}})
	var got map[string]map[string]any
	if err := yaml.UnmarshalStrict([]byte(cm.Data[ConfigKey]), &got); err != nil {
		t.Fatal(err)
	}
	if cm.Metadata.Name != "cluster-monitoring-config" || cm.Metadata.Namespace != "openshift-monitoring" {
		t.Error(cm.Metadata)
	}
	if got["prometheusK8s"]["retention"] != "15d" || len(got) != 8 || got["telemeterClient"] == nil || got["thanosQuerier"] != nil {
		t.Error(got)
	}
	want := map[string]any{"spec": map[string]any{"resources": map[string]any{"requests": map[string]any{"storage": "20Gi"}}}}
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
	if cm.Metadata.Name != UserName || cm.Metadata.Namespace != UserNamespace || got["thanosRuler"] == nil || got["prometheus"] == nil {
		t.Error(cm.Metadata, got)
	}
	for _, o := range []Options{{Release: 5, NodeSelector: infra, Users: true}, {Release: 20, NodeSelector: infra}, {Release: 20, Users: true}} {
		if _, ok := GenerateUser(o); ok {
			t.Errorf("%+v", o)
		}
	}
}

// options are any options.
func options(t *rapid.T) Options {
	size := func(name string) Size {
		return Size{Retention: unit.Duration(rapid.Int64Range(0, 1e7).Draw(t, name+" retention")), RetentionSize: unit.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, name+" limit")),
			Storage: unit.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, name+" storage")), StorageClass: rapid.SampledFrom([]string{"", "gp2", "yes"}).Draw(t, name+" class"),
			CPU: unit.CPU(rapid.Int64Range(0, 10000).Draw(t, name+" cpu")), Memory: unit.Bytes(rapid.Int64Range(0, 1<<38).Draw(t, name+" memory"))}
	}
	return Options{Release: release.Release(rapid.IntRange(3, int(release.Newest)).Draw(t, "release")),
		NodeSelector: rapid.MapOf(rapid.SampledFrom([]string{openshift.LabelInfra, "disk", "on"}), rapid.SampledFrom([]string{"", "true", "1", "no", "~", "a: b"})).Draw(t, "selector"),
		Tolerations:  rapid.SampledFrom([][]openshift.Toleration{nil, {{Key: "infra", Operator: "Exists", Effect: "NoSchedule"}, {Key: "n", Value: "1"}}}).Draw(t, "tolerations"),
		Users:        rapid.Bool().Draw(t, "users"), Prometheus: size("prometheus"), Alertmanager: size("alertmanager")}
}

// What is generated has no findings, in its release, and Kubernetes' own types
// read it.
func TestGeneratedIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(t)
		list := []openshift.ConfigMap{Generate(o)}
		if cm, ok := GenerateUser(o); ok {
			list = append(list, cm)
		}
		for _, cm := range list {
			text, err := yaml.Marshal(cm)
			if err != nil {
				t.Fatal(err)
			}
			objects, problems := object.Split("f.yaml", text)
			if found := Check(objects, o.Release); len(problems) > 0 || len(found) > 0 {
				t.Fatalf("%s\n%v\n%v", text, problems, found)
			}
			var parts map[string]any
			var typed map[string]struct {
				NodeSelector        map[string]string             `json:"nodeSelector"`
				Tolerations         []corev1.Toleration           `json:"tolerations"`
				Resources           corev1.ResourceRequirements   `json:"resources"`
				VolumeClaimTemplate *corev1.PersistentVolumeClaim `json:"volumeClaimTemplate"`
			}
			if err := yaml.Unmarshal([]byte(cm.Data[ConfigKey]), &parts); err != nil {
				t.Fatal(err)
			}
			delete(parts, "enableUserWorkload")
			rest, _ := yaml.Marshal(parts)
			if err := yaml.Unmarshal(rest, &typed); err != nil {
				t.Fatalf("%s\n%v", rest, err)
			}
			if want := o.Prometheus.Storage; cm.Metadata.Name == Name && want > 0 {
				storage := typed["prometheusK8s"].VolumeClaimTemplate.Spec.Resources.Requests[corev1.ResourceStorage]
				if got := unit.Bytes(storage.Value()); got < want || got-want >= unit.MiB {
					t.Fatalf("%v of storage, not %v", got, want)
				}
			}
		}
	})
}

// An amount is good exactly when Kubernetes reads it; thousandths of bytes and exbibytes apart.
func TestAmountAsKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace(rapid.StringMatching(`[0-9]{1,4}(\.[0-9])?( ?(K|k|Ki|M|Mi|Gi|GB|gi|m|E|e3|n|u))?`).Draw(t, "amount"))
		var list corev1.ResourceList
		err := yaml.Unmarshal([]byte("memory: ' "+text+" '"), &list) // blanks don't matter
		what, fix := Amount("memory", text)
		if (what == "") != (fix == "") {
			t.Fatalf("%q: %q, %q", text, what, fix)
		}
		beyond := err == nil && (strings.HasSuffix(text, "m") || strings.HasSuffix(fix, "8Ei"))
		if (what == "") != (err == nil) && !beyond {
			t.Fatalf("%q: %q, but Kubernetes says %v", text, what, err)
		}
	})
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
		literal, err := yaml.Marshal(openshift.ConfigMap{Kind: "ConfigMap", Metadata: openshift.ObjectMeta{Name: Name}, Data: map[string]string{ConfigKey: config}})
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
