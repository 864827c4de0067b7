package monitoring

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// kubernetes are the keys below which the record lists nothing.
var kubernetes = []string{resources, claim, tolerations}

// record reads the lines of a file, but for comments.
func record(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// The table has every key of the operator's own types, with the releases in which
// the branches have it.
func TestKeysAreThoseOfTheOperator(t *testing.T) {
	want := record(t, "testdata/keys.txt")
	got := slices.Concat(flat("platform ", platform), flat("user ", user))
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 250 {
		t.Fatalf("the record has %d keys", len(want))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// flat lists the keys with their releases, those of one name joined.
func flat(prefix string, keys []key) []string {
	spans := map[string]release.Span{}
	var order []string
	var walk func(prefix string, keys []key)
	walk = func(prefix string, keys []key) {
		for _, k := range keys {
			path := prefix + k.name
			s, known := spans[path]
			if !known {
				order, s = append(order, path), k.Span
			}
			spans[path] = release.Span{Since: min(s.Since, k.Since), Until: k.Until}
			if !slices.Contains(kubernetes, k.name) {
				walk(path+".", k.keys)
			}
		}
	}
	walk(prefix, keys)
	var out []string
	for _, path := range order {
		until := "-"
		if u := spans[path].Until; u != 0 {
			until = u.String()
		}
		out = append(out, path+" "+spans[path].Since.String()+" "+until)
	}
	return out
}

// A key within another is not older than it, nor does it outlive it.
func TestKeysWithinKeys(t *testing.T) {
	var walk func(path string, outer release.Span, keys []key)
	walk = func(path string, outer release.Span, keys []key) {
		for _, k := range keys {
			if slices.Contains(kubernetes, k.name) {
				continue
			}
			if k.Since < outer.Since || outer.Until != 0 && (k.Until == 0 || k.Until > outer.Until) {
				t.Errorf("%s.%s: %v within %v", path, k.name, k.Span, outer)
			}
			walk(path+"."+k.name, k.Span, k.keys)
		}
	}
	walk("platform", release.Span{Since: 1}, platform)
	walk("user", release.Span{Since: 6}, user)
}

func TestMovable(t *testing.T) {
	v44 := []string{"prometheusOperator", "prometheusK8s", "alertmanagerMain", "kubeStateMetrics", "openshiftStateMetrics",
		"telemeterClient", "grafana", "k8sPrometheusAdapter"}
	today := []string{"prometheusOperator", "prometheusK8s", "alertmanagerMain", "kubeStateMetrics",
		"openshiftStateMetrics", "telemeterClient", "metricsServer", "thanosQuerier", "monitoringPlugin"}
	for r, want := range map[release.Release][]string{
		3: v44, 4: v44, 5: append(slices.Clone(v44), "thanosQuerier"), release.Newest: today, 16: today,
	} {
		if d := cmp.Diff(want, movable(platform, r, false)); d != "" {
			t.Errorf("%v: %s", r, d)
		}
	}
	if got := movable(platform, 5, true); !slices.Contains(got, "thanosRuler") ||
		!slices.Contains(got, "prometheusUserWorkload") {
		t.Error(got)
	}
}

func TestKnows(t *testing.T) {
	for path, want := range map[string][2]release.Release{ // the last release without it, the first with it
		"thanosQuerier": {4, 5}, "prometheusK8s.tolerations": {1, 2}, "metricsServer": {15, 16}, "monitoringPlugin": {13, 14},
		"nodeExporter.collectors.ksmd.enabled": {13, 14},
	} {
		if Knows(want[0], path) || !Knows(want[1], path) {
			t.Errorf("%s is not known since %v", path, want[1])
		}
	}
	if !Knows(10, "grafana") || Knows(11, "grafana") || !Knows(15, "k8sPrometheusAdapter") ||
		Knows(16, "k8sPrometheusAdapter") {
		t.Error("grafana ends with 4.10, k8sPrometheusAdapter with 4.15")
	}
	if KnowsUser(5, "prometheus") || !KnowsUser(6, "thanosRuler.nodeSelector") || KnowsUser(10, "alertmanager") {
		t.Error("the users' monitoring has a configuration since 4.6")
	}
}

// What Kubernetes defines itself has the keys of the record, and test/upstream compares
// that with Kubernetes' own types.
func TestKeysAreThoseOfKubernetes(t *testing.T) {
	spec := has(claimKeys, "spec", release.Newest)
	var got []string
	for typ, keys := range map[string][]key{"Toleration": tolerationKeys, "ResourceRequirements": resourceKeys,
		"PersistentVolumeClaimSpec": spec.keys} {
		for _, name := range names(keys, release.Newest) {
			got = append(got, typ+" "+name)
		}
	}
	slices.Sort(got)
	if d := cmp.Diff(record(t, "../../test/upstream/testdata/monitoring.txt"), got); d != "" {
		t.Error(d)
	}
}
