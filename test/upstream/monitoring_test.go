package upstream

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/monitoring"
	"plimsoll.dev/unit"
)

// The record of keys, which tune/monitoring's table is compared with, has those of
// Kubernetes' own types.
func TestMonitoringKeysAreThoseOfKubernetes(t *testing.T) {
	want := slices.Concat(fieldsOf[corev1.Toleration]("Toleration "),
		fieldsOf[corev1.ResourceRequirements]("ResourceRequirements "),
		fieldsOf[corev1.PersistentVolumeClaimSpec]("PersistentVolumeClaimSpec "))
	slices.Sort(want)
	if d := cmp.Diff(want, record(t, "testdata/monitoring.txt")); d != "" {
		t.Error(d)
	}
}

// options are any options.
func options(t *rapid.T) monitoring.Options {
	size := func(name string) monitoring.Size {
		return monitoring.Size{Retention: unit.Duration(rapid.Int64Range(0, 1e7).Draw(t, name+" retention")),
			RetentionSize: unit.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, name+" limit")),
			Storage:       unit.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, name+" storage")),
			StorageClass:  rapid.SampledFrom([]string{"", "gp2", "yes"}).Draw(t, name+" class"),
			CPU:           unit.CPU(rapid.Int64Range(0, 10000).Draw(t, name+" cpu")),
			Memory:        unit.Bytes(rapid.Int64Range(0, 1<<38).Draw(t, name+" memory"))}
	}
	return monitoring.Options{Release: release.Release(rapid.IntRange(3, int(release.Newest)).Draw(t, "release")),
		NodeSelector: rapid.MapOf(rapid.SampledFrom([]string{openshift.LabelInfra, "disk", "on"}),
			rapid.SampledFrom([]string{"", "true", "1", "no", "~", "a: b"})).Draw(t, "selector"),
		Tolerations: rapid.SampledFrom([][]openshift.Toleration{nil,
			{{Key: "infra", Operator: "Exists", Effect: "NoSchedule"}, {Key: "n", Value: "1"}}}).Draw(t, "tolerations"),
		Users: rapid.Bool().Draw(t, "users"), Prometheus: size("prometheus"), Alertmanager: size("alertmanager")}
}

// What is generated has no findings, in its release, and Kubernetes' own types
// read it.
func TestGeneratedMonitoringIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := options(t)
		list := []openshift.ConfigMap{monitoring.Generate(o)}
		if cm, ok := monitoring.GenerateUser(o); ok {
			list = append(list, cm)
		}
		for _, cm := range list {
			text, err := yaml.Marshal(cm)
			if err != nil {
				t.Fatal(err)
			}
			objects, problems := object.Split("f.yaml", text)
			if found := monitoring.Check(objects, o.Release); len(problems) > 0 || len(found) > 0 {
				t.Fatalf("%s\n%v\n%v", text, problems, found)
			}
			var parts map[string]any
			var typed map[string]struct {
				NodeSelector        map[string]string             `json:"nodeSelector"`
				Tolerations         []corev1.Toleration           `json:"tolerations"`
				Resources           corev1.ResourceRequirements   `json:"resources"`
				VolumeClaimTemplate *corev1.PersistentVolumeClaim `json:"volumeClaimTemplate"`
			}
			if err := yaml.Unmarshal([]byte(cm.Data[monitoring.ConfigKey]), &parts); err != nil {
				t.Fatal(err)
			}
			delete(parts, "enableUserWorkload")
			rest, _ := yaml.Marshal(parts)
			if err := yaml.Unmarshal(rest, &typed); err != nil {
				t.Fatalf("%s\n%v", rest, err)
			}
			if want := o.Prometheus.Storage; cm.Metadata.Name == monitoring.Name && want > 0 {
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
		text := strings.TrimSpace(rapid.StringMatching(`[0-9]{1,4}(\.[0-9])?( ?(K|k|Ki|M|Mi|Gi|GB|gi|m|E|e3|n|u))?`).Draw(t,
			"amount"))
		var list corev1.ResourceList
		err := yaml.Unmarshal([]byte("memory: ' "+text+" '"), &list) // blanks don't matter
		what, fix := monitoring.Amount("memory", text)
		if (what == "") != (fix == "") {
			t.Fatalf("%q: %q, %q", text, what, fix)
		}
		beyond := err == nil && (strings.HasSuffix(text, "m") || strings.HasSuffix(fix, "8Ei"))
		if (what == "") != (err == nil) && !beyond {
			t.Fatalf("%q: %q, but Kubernetes says %v", text, what, err)
		}
	})
}
