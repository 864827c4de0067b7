package monitoring

import (
	"slices"

	"plimsoll.dev/release"
	"plimsoll.dev/tune/infra/placement"
)

// Names that the rules and the generator use.
const (
	nodeSelector = "nodeSelector"
	tolerations  = "tolerations"
	resources    = "resources"
	claim        = "volumeClaimTemplate"
	systemd      = "systemd"
	// resourceLabels are the labels of jobs that become labels of metrics.
	resourceLabels = "additionalResourceLabels"
)

func since(r release.Release) release.Span { return release.Span{Since: r} }
func between(first, last release.Release) release.Span {
	return release.Span{Since: first, Until: last}
}

// of makes keys of one kind.
func of(is kind, s release.Span, names ...string) []key {
	var out []key
	for _, n := range names {
		out = append(out, key{name: n, Span: s, is: is})
	}
	return out
}

// join joins keys in one list.
func join(lists ...[]key) []key { return slices.Concat(lists...) }

// The parts of Kubernetes' own types, which are older than 4.1 as far as they
// matter here.
var (
	tolerationKeys = join(of(text, since(1), "key", "value"), of(number, since(1), "tolerationSeconds"),
		[]key{{name: "operator", Span: since(1), is: text, oneOf: []string{"", "Equal", "Exists"}},
			{name: "effect", Span: since(1), is: text, oneOf: append([]string{""}, placement.Effects...)}})
	resourceKeys = join(of(quantities, since(1), "requests", "limits"), of(free, since(13), "claims"))
	claimKeys    = []key{
		{name: "apiVersion", Span: since(1), is: text}, {name: "kind", Span: since(1), is: text},
		{name: "status", Span: since(1), is: free},
		{name: "metadata", Span: since(1), keys: join(of(text, since(1), "name"),
			of(textMap, since(1), "labels", "annotations"),
			of(free, between(1, 4), "namespace", "creationTimestamp"))}, // the rest of the metadata was dropped in 4.5
		{name: "spec", Span: since(1), keys: join(of(textList, since(1), "accessModes"),
			of(text, since(1), "storageClassName", "volumeName", "volumeMode"),
			of(free, since(1), "selector", "dataSource"), of(free, since(10), "dataSourceRef"),
			of(text, since(16), "volumeAttributesClassName"), []key{{name: resources, Span: since(1), keys: resourceKeys}})},
	}
	levels = []string{"", "debug", "info", "warn", "error"}
)

func level(s release.Span) key { return key{name: "logLevel", Span: s, is: text, oneOf: levels} }

// place are the keys that put pods on nodes.
func place(s release.Span) []key {
	return []key{{name: nodeSelector, Span: s, is: textMap},
		{name: tolerations, Span: later(s, 2), is: items, keys: tolerationKeys}}
}

// later is a span that begins at a release at the earliest.
func later(s release.Span, r release.Release) release.Span {
	s.Since = max(s.Since, r)
	return s
}

func size(s release.Span) []key {
	return []key{{name: resources, Span: s, keys: resourceKeys}}
}
func spread(r release.Release) []key { return of(free, since(r), "topologySpreadConstraints") }
func volume(s release.Span) []key    { return []key{{name: claim, Span: s, keys: claimKeys}} }

// audit is the audit policy of a server of metrics; the levels are those of Kubernetes.
func audit(r release.Release) []key {
	return []key{
		{name: "audit", Span: since(r), keys: []key{
			{name: "profile", Span: since(r), is: text, oneOf: []string{"", "None", "Metadata", "Request", "RequestResponse"}},
		}},
	}
}

// secretKey is a reference to a key of a secret.
func secretKeys(s release.Span, names ...string) []key { return of(free, s, names...) }

// alertmanagers are the other Alertmanagers that get alerts as well.
func alertmanagers(name string, s release.Span) []key {
	tls := join(secretKeys(s, "ca", "cert", "key"), of(boolean, s, "insecureSkipVerify"),
		of(text, later(s, 9), "serverName"))
	if s.Until == 8 {
		tls = join(secretKeys(s, "ca", "cert", "key"), of(boolean, s, "insecureSkipVerify"))
	}
	version := of(text, s, "apiVersion")
	if s.Until == 0 {
		version = append(of(text, between(s.Since, 17), "apiVersion"),
			key{name: "apiVersion", Span: since(18), is: text, not: "v1"})
	}
	return []key{{name: name, Span: s, is: items,
		keys: join(version, of(text, s, "pathPrefix", "scheme", "timeout"), secretKeys(s, "bearerToken"),
			of(textList, s, "staticConfigs"), []key{{name: "tlsConfig", Span: s, keys: tls}})}}
}

// labelsOf are the labels that Prometheus adds to samples; the operator looks for its
// own among them from 4.19 on.
func labelsOf(r release.Release) []key {
	return append(of(textMap, between(r, 18), "externalLabels"), of(ownLabels, since(19), "externalLabels")...)
}

// queryLog is the file of a log of queries, which the operator judges from 4.11 on.
func queryLog() []key {
	return append(of(text, between(10, 10), "queryLogFile"), of(logFile, since(11), "queryLogFile")...)
}

// remoteWrite has keys of the operator's own from 4.9 on.
func remoteWrite(s release.Span) []key {
	if s.Until != 0 {
		return of(free, s, "remoteWrite")
	}
	return append(of(free, release.Span{Since: s.Since, Until: 8}, "remoteWrite"),
		key{name: "remoteWrite", Span: since(9), is: items, keys: join(
			of(text, since(9), "url", "name", "remoteTimeout", "proxyUrl", "bearerTokenFile"),
			[]key{{name: "messageVersion", Span: since(23), is: text, oneOf: []string{"", "V1.0", "V2.0"}}},
			of(textMap, since(9), "headers"), of(boolean, since(15), "sendExemplars"),
			of(free, since(9), "basicAuth", "metadataConfig", "queueConfig", "tlsConfig", "writeRelabelConfigs"),
			of(free, since(11), "authorization", "oauth2", "sigv4"))})
}

// platform are the keys of cluster-monitoring-config.
var platform = []key{
	{name: "prometheusOperator", Span: since(1),
		keys: join(place(since(1)), size(since(14)), spread(14), []key{level(since(6))})},
	{name: "prometheusOperatorAdmissionWebhook", Span: since(14), keys: join(size(since(14)), spread(14))},
	{name: "prometheusK8s", Span: since(1), keys: prometheus},
	{name: "alertmanagerMain", Span: since(1), keys: join(place(since(1)), size(since(1)), volume(since(1)), spread(12),
		[]key{level(since(9))},
		of(boolean, since(9), "enabled"), of(boolean, since(10), "enableUserAlertmanagerConfig"),
		of(textList, since(13), "secrets"), of(text, between(1, 5), "hostport"))},
	{name: "kubeStateMetrics", Span: since(1),
		keys: join(place(since(1)), size(since(14)), spread(14), []key{{name: resourceLabels, Span: since(23), is: items,
			keys: join([]key{{name: "resource", Span: since(23), is: text, oneOf: []string{"", "jobs", "cronjobs"}}},
				of(textList, since(23), "labels"))}})},
	{name: "openshiftStateMetrics", Span: since(2), keys: join(place(since(2)), size(since(14)), spread(14))},
	{name: "telemeterClient", Span: since(1), keys: join(place(since(1)), size(since(14)), spread(14),
		of(text, since(1), "clusterID", "telemeterServerURL", "token"), of(boolean, since(1), "enabled"))},
	{name: "grafana", Span: between(1, 10),
		keys: join(place(between(1, 10)), of(text, between(1, 5), "hostport"), of(boolean, between(9, 10), "enabled"))},
	{name: "k8sPrometheusAdapter", Span: since(1), idle: since(16),
		keys: join(place(since(1)), size(since(14)), spread(14), audit(10),
			[]key{{name: "dedicatedServiceMonitors", Span: since(10), keys: of(boolean, since(10), "enabled")}})},
	{name: "metricsServer", Span: since(15), idle: between(15, 15),
		keys: join(place(since(15)), size(since(15)), spread(15), audit(16), of(number, since(20), "verbosity"))},
	{name: "thanosQuerier", Span: since(5), keys: join(place(since(5)), size(since(5)), spread(14), []key{level(since(7))},
		of(boolean, since(10), "enableRequestLogging"), of(boolean, since(14), "enableCORS"))},
	{name: "monitoringPlugin", Span: since(14), keys: join(place(since(14)), size(since(14)), spread(14))},
	{name: "nodeExporter", Span: since(13), keys: nodeExporter},
	{name: "http", Span: since(1), keys: of(text, since(1), "httpProxy", "httpsProxy", "noProxy")},
	{name: "techPreviewUserWorkload", Span: between(3, 7), keys: of(boolean, between(3, 7), "enabled")},
	{name: "enableUserWorkload", Span: since(6), is: boolean},
	{name: "userWorkload", Span: since(18), keys: of(boolean, since(18), "rulesWithoutLabelEnforcementAllowed")},
	{name: "prometheusOperatorUserWorkload", Span: between(3, 6), on: preview,
		keys: join(place(between(3, 6)), []key{level(between(6, 6))})},
	{name: "prometheusUserWorkload", Span: between(3, 6), on: preview,
		keys: join(place(between(3, 6)), size(between(3, 6)), volume(between(3, 6)), []key{level(between(6, 6))},
			of(retention, between(3, 6), "retention"), of(textMap, between(3, 6), "externalLabels"),
			of(text, between(3, 5), "hostport"), remoteWrite(between(3, 6)))},
	{name: "thanosRuler", Span: between(5, 6), on: preview,
		keys: join(place(between(5, 6)), size(between(5, 6)), volume(between(5, 6)), []key{level(between(6, 6))})},
}

// preview has the monitoring of users' projects run, where the platform's own
// configuration has its parts.
const preview = "techPreviewUserWorkload.enabled"

var prometheus = join(place(since(1)), size(since(1)), volume(since(1)), spread(12), remoteWrite(since(2)),
	[]key{level(since(6))},
	of(retention, since(1), "retention"), of(diskLimit, since(11), "retentionSize"), labelsOf(1),
	of(text, between(1, 5), "hostport"), queryLog(), of(bodyLimit, since(11), "enforcedBodySizeLimit"),
	[]key{{name: "collectionProfile", Span: since(13), is: text, oneOf: []string{"", "full", "minimal"},
		preview: between(13, 21)}},
	alertmanagers("additionalAlertManagerConfigs", between(8, 8)),
	alertmanagers("additionalAlertmanagerConfigs", since(9)))

// collector is a collector of the node exporter.
func collector(r release.Release, name string, more ...key) key {
	return key{name: name, Span: since(r), keys: append(of(boolean, since(r), "enabled"), more...)}
}

var nodeExporter = join(size(since(14)), of(number, since(14), "maxProcs"),
	of(patterns, since(14), "ignoredNetworkDevices"), []key{{name: "collectors", Span: since(13), keys: []key{
		collector(13, "buddyinfo"), collector(13, "cpufreq"), collector(13, "netdev"), collector(13, "tcpstat"),
		collector(13, "netclass", of(boolean, since(13), "useNetlink")...),
		collector(14, "ksmd"), collector(14, "mountstats"), collector(14, "processes"),
		collector(14, systemd, of(textList, since(14), "units")...),
		collector(22, "ethtool"), collector(23, "dmMultipath"), collector(23, "nvmeSubsystem"), collector(23, "softirqs"),
		collector(23, "zoneinfo"),
		{name: "interrupts", Span: since(23), keys: of(patterns, since(23), "include")}}}})

// user are the keys of user-workload-monitoring-config.
var user = []key{
	{name: "prometheusOperator", Span: since(6),
		keys: join(place(since(6)), size(since(14)), spread(14), []key{level(since(6))})},
	{name: "prometheus", Span: since(6), keys: join(place(since(6)), size(since(6)), volume(since(6)), spread(14),
		remoteWrite(since(6)), []key{level(since(6))},
		of(retention, since(6), "retention"), of(diskLimit, since(11), "retentionSize"), labelsOf(6), queryLog(),
		of(interval, since(18), "scrapeInterval", "evaluationInterval"), of(number, since(6), "enforcedSampleLimit"),
		of(number, since(9), "enforcedTargetLimit"),
		of(number, since(11), "enforcedLabelLimit", "enforcedLabelNameLengthLimit", "enforcedLabelValueLengthLimit"),
		alertmanagers("additionalAlertmanagerConfigs", since(9)))},
	{name: "thanosRuler", Span: since(6), keys: join(place(since(6)), size(since(6)), volume(since(6)), spread(12),
		[]key{level(since(6))},
		of(retention, since(10), "retention"), of(interval, since(18), "evaluationInterval"),
		alertmanagers("additionalAlertmanagerConfigs", since(9)))},
	{name: "alertmanager", Span: since(11), on: "alertmanager.enabled",
		keys: join(place(since(11)), size(since(11)), volume(since(11)), spread(14), []key{level(since(11))},
			of(boolean, since(11), "enabled", "enableAlertmanagerConfig"), of(textList, since(13), "secrets"))},
	{name: "namespacesWithoutLabelEnforcement", Span: since(18), is: textList},
}
