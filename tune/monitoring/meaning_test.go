package monitoring

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// userMap wraps a config.yaml of the users' monitoring as cm does that of the platform.
func userMap(config string) string { return strings.Replace(cm(config), Name, UserName, 1) }

// What the operator refuses of values that have the right type, and from when on.
func TestMeaning(t *testing.T) {
	const today = release.Newest
	for _, c := range []struct {
		name, text string
		without    release.Release // the last release that doesn't mind; 0 where there is none
		with       release.Release
		want       string
	}{
		{"audit in small letters", cm("metricsServer: {audit: {profile: metadata}}\n"), 0, 16, "7:38 monitoring.badValue"},
		{"audit of the adapter", cm("k8sPrometheusAdapter: {audit: {profile: Meta}}\n"), 0, 10, "7:45 monitoring.badValue"},
		{"log beside Prometheus", cm("prometheusK8s: {queryLogFile: logs/q.log}\n"), 10, 11, "7:35 monitoring.badValue"},
		{"log in the root", cm("prometheusK8s: {queryLogFile: /q.log}\n"), 10, today, "7:35 monitoring.badValue"},
		{"log as a device", userMap("prometheus: {queryLogFile: /dev/q}\n"), 10, today, "7:32 monitoring.badValue"},
		{"devices", cm("nodeExporter: {ignoredNetworkDevices: [veth.*, '*']}\n"), 0, 14, "7:52 monitoring.badValue"},
		{"units", cm("nodeExporter: {collectors: {systemd: {enabled: true, units: ['(a']}}}\n"), 0, 14,
			"7:66 monitoring.badValue"},
		{"too often", userMap("prometheus: {scrapeInterval: 4s999ms}\n"), 0, 18, "7:34 monitoring.badValue"},
		{"too seldom", userMap("thanosRuler: {evaluationInterval: 5m1ms}\n"), 0, 18, "7:39 monitoring.badValue"},
		{"no interval", userMap("prometheus: {evaluationInterval: often}\n"), 0, today, "7:38 monitoring.badValue"},
		{"Alertmanager v1", cm("prometheusK8s: {additionalAlertmanagerConfigs: [{apiVersion: v1}]}\n"), 17, 18,
			"7:66 monitoring.badValue"},
		{"a label of the operator", cm("prometheusK8s: {externalLabels: {cluster: a}}\n"), 18, 20,
			"7:38 monitoring.badValue"},
		{"the users' too", userMap("prometheus: {externalLabels: {prometheus: a}}\n"), 18, today, "7:35 monitoring.badValue"},
		{"the users' too", userMap("prometheus: {externalLabels: {prometheus: a}}\n"), 18, 19,
			"7:35 monitoring.reservedLabel"},
		{"messages", cm("prometheusK8s: {remoteWrite: [{url: x, messageVersion: v2}]}\n"), 0, 23, "7:60 monitoring.badValue"},
		{"resource", cm("kubeStateMetrics: {additionalResourceLabels: [{resource: pods, labels: [a]}]}\n"), 0, 23,
			"7:62 monitoring.badValue"},
		{"resource twice", cm("kubeStateMetrics: {additionalResourceLabels: [{resource: jobs, labels: " +
			"[a]}, {resource: jobs, labels: [b]}]}\n"), 0, 23, "7:82 monitoring.badValue"},
		{"no resource", cm("kubeStateMetrics: {additionalResourceLabels: [{labels: [a]}]}\n"), 0, 23,
			"7:51 monitoring.badValue"},
		{"no labels", cm("kubeStateMetrics: {additionalResourceLabels: [{resource: jobs}]}\n"), 0, 23,
			"7:51 monitoring.badValue"},
		{"label twice", cm("kubeStateMetrics: {additionalResourceLabels: [{resource: jobs, labels: [a, a]}]}\n"), 0, 23,
			"7:80 monitoring.badValue"},
		{"no size of Prometheus", cm("prometheusK8s: {enforcedBodySizeLimit: 40Mi}\n"), 0, 11, "7:44 monitoring.noBodyLimit"},
		{"a preview", cm("prometheusK8s: {collectionProfile: minimal}\n"), 22, 21, "7:40 monitoring.techPreview"},
	} {
		if d := cmp.Diff([]string{c.want}, lines(Check(split(t, c.text), c.with))); d != "" {
			t.Errorf("%s in %v: %s", c.name, c.with, d)
		}
		if c.without != 0 {
			if found := Check(split(t, c.text), c.without); len(found) > 0 {
				t.Errorf("%s in %v: %v", c.name, c.without, lines(found))
			}
		}
	}
}

// Values at the bounds, and the defaults, are not minded.
func TestMeaningOfGoodValues(t *testing.T) {
	for _, text := range []string{
		cm("metricsServer: {audit: {profile: RequestResponse}}\n"), cm("metricsServer: {audit: {profile: ''}}\n"),
		cm("prometheusK8s: {queryLogFile: q.log, enforcedBodySizeLimit: 40MB, collectionProfile: " +
			"minimal, externalLabels: {site: a}}\n"),
		cm("prometheusK8s: {queryLogFile: /dev/stdout, enforcedBodySizeLimit: " +
			"automatic, additionalAlertmanagerConfigs: [{apiVersion: v2}]}\n"),
		cm("prometheusK8s: {queryLogFile: /tmp/q.log, remoteWrite: [{url: x, messageVersion: V2.0}]}\n"),
		cm("nodeExporter: {ignoredNetworkDevices: [], collectors: {systemd: {enabled: true, units: [kubelet.service]}}}\n"),
		cm("nodeExporter: {collectors: {systemd: {units: ['(a']}}}\n"), // which is off
		cm("kubeStateMetrics: {additionalResourceLabels: [{resource: jobs, labels: [a, b]}, {resource: " +
			"cronjobs, labels: [a]}]}\n"),
		userMap("prometheus: {scrapeInterval: 5s, evaluationInterval: 4m60s}\nthanosRuler: {evaluationInterval: ''}\n"),
	} {
		if found := Check(split(t, text), release.Current); len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// The operator makes the users' ConfigMap without a config.yaml: the defaults hold.
func TestUserConfigMayBeMissing(t *testing.T) {
	const head = "kind: ConfigMap\nmetadata: {name: " + UserName + "}\n"
	for _, data := range []string{"", "data: {}\n", "data:\n", "data: {config.yaml: ''}\n"} {
		if found := Check(split(t, head+data), release.Current); len(found) > 0 {
			t.Errorf("%s: %v", data, found)
		}
	}
	found := Check(split(t, head+"data: {config.yml: ''}\n"), release.Current)
	if len(found) != 1 || found[0].ID != noConfig.ID || found[0].Severity != v1alpha1.Warning ||
		found[0].Remedy != "rename config.yml to config.yaml" {
		t.Error(found)
	}
}
