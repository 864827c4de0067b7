// Package monitoring knows the configuration of OpenShift's monitoring: which keys
// config.yaml has in which release, what their values may be, what the operator
// does with the others, and how all parts are moved to nodes of choice.
//
// It does not size Prometheus (plan/prometheus does) and reads no alerting rules.
//
//	found := monitoring.Check(objects, era.V44)
//	cm := monitoring.Generate(monitoring.Options{Release: 5, NodeSelector: infra})
package monitoring

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/era"
)

// The ConfigMaps that the operator reads, the key that holds the configuration,
// and the namespace of the second; that of the first is openshift.NamespaceMonitoring.
const (
	Name          = "cluster-monitoring-config"
	UserName      = "user-workload-monitoring-config"
	UserNamespace = "openshift-user-workload-monitoring"
	ConfigKey     = "config.yaml"
)

// cmo is the Cluster Monitoring Operator's source, at a file of it.
func cmo(file string) derive.Source {
	return derive.Source{Code: "cluster-monitoring-operator source", Section: file}
}

var (
	parser = cmo("pkg/manifests/config.go")
	types  = cmo("pkg/manifests/types.go")
	guide  = derive.Source{Code: "OCP", Section: "8.2"}
	slides = derive.Source{Code: "ZTIP", Section: "recommendation 3"}
)

// Handling is what the operator does with a key that it doesn't know.
type Handling uint8

// The ways of the operator, from the oldest.
const (
	// Ignored: unknown keys are passed over, of two equal ones the last counts, and
	// upper and lower case are the same.
	Ignored Handling = iota
	// Warned: the same, but the operator warns and blocks the upgrade.
	Warned
	// Refused: unknown and double keys have the whole configuration refused; wrong
	// case is warned of.
	Refused
	// Exact: wrong case is refused too.
	Exact
)

// String names the way for people.
func (h Handling) String() string {
	return [...]string{"ignored", "ignored with a warning, no upgrade", "refused", "refused, wrong case too"}[h]
}

// HandlingOf is what a release does with unknown keys.
func HandlingOf(r era.Release) Handling {
	switch {
	case r <= 16:
		return Ignored
	case r == 17:
		return Warned
	case r == 18:
		return Refused
	}
	return Exact
}

// What differs by era.
var (
	unknownKeys = era.Rule[Handling]{ID: "monitoring.unknownKeys",
		Title: "what the operator does with keys of config.yaml that it doesn't know (4.17 warns, 4.18 refuses, 4.19 minds the case)",
		At:    era.In(HandlingOf), Source: parser}
	compoundRetention = era.Rule[bool]{ID: "monitoring.compoundRetention",
		Title: "a retention may have several units: 1d12h (Prometheus 2.21, OpenShift 4.6)",
		At:    era.In(compound), Source: derive.Source{Code: "Prometheus changelog", Section: "2.21.0"}}
	thanosMoves = era.Rule[bool]{ID: "monitoring.thanosQuerierMoves",
		Title: "thanosQuerier can be put on nodes of choice; before, its pods stay on the workers",
		At:    era.In(func(r era.Release) bool { return Knows(r, "thanosQuerier.nodeSelector") }), Source: types}
	grafanaRuns = era.Rule[bool]{ID: "monitoring.grafana",
		Title: "grafana is a part of the monitoring, with a key of its own (until 4.10)",
		At:    era.In(func(r era.Release) bool { return Knows(r, "grafana") }), Source: types}
	userConfig = era.Rule[bool]{ID: "monitoring.userConfigMap",
		Title: "the monitoring of users' projects has a ConfigMap of its own, user-workload-monitoring-config (from 4.6)",
		At:    era.In(func(r era.Release) bool { return KnowsUser(r, "prometheus") }), Source: types}
)

// What the operator checks of values, beyond their types, by era.
var (
	auditLevels = era.Rule[bool]{ID: "monitoring.auditLevels",
		Title: "the audit profile must be None, Metadata, Request or RequestResponse (k8sPrometheusAdapter from 4.10, metricsServer from 4.16)",
		At:    era.In(func(r era.Release) bool { return r >= 10 }), Source: parser}
	logFiles = era.Rule[bool]{ID: "monitoring.queryLogFile",
		Title: "the file of the log of queries must not be a relative path, in the root directory or a new one in /dev (from 4.11)",
		At:    era.In(func(r era.Release) bool { return r >= 11 }), Source: parser}
	expressions = era.Rule[bool]{ID: "monitoring.regularExpressions",
		Title: "devices and units of the node exporter must be regular expressions (from 4.14)",
		At:    era.In(func(r era.Release) bool { return r >= 14 }), Source: parser}
	intervals = era.Rule[bool]{ID: "monitoring.intervals",
		Title: "intervals of the users' monitoring must be 5s to 5m (from 4.18)",
		At:    era.In(func(r era.Release) bool { return r >= 18 }), Source: parser}
	alertmanagerV1 = era.Rule[bool]{ID: "monitoring.alertmanagerV1",
		Title: "apiVersion v1 of additional Alertmanagers is not taken any more (from 4.18)",
		At:    era.In(func(r era.Release) bool { return r >= 18 }), Source: parser}
	reservedLabels = era.Rule[bool]{ID: "monitoring.reservedLabels",
		Title: "externalLabels must not have prometheus, prometheus_replica or cluster (from 4.20)",
		At:    era.In(func(r era.Release) bool { return r >= 20 }), Source: parser}
)

// compound says whether a release's Prometheus reads durations of several units.
func compound(r era.Release) bool { return r >= 6 }

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{unknownKeys.Row(), compoundRetention.Row(), thanosMoves.Row(), grafanaRuns.Row(), userConfig.Row(),
		auditLevels.Row(), logFiles.Row(), expressions.Row(), intervals.Row(), alertmanagerV1.Row(), reservedLabels.Row()}
}

// What Check finds.
var (
	noConfig = object.Rule{ID: "monitoring.noConfig", Severity: v1alpha1.Error,
		Title: "the ConfigMap has no text config.yaml: the operator is degraded, or takes the defaults for the users' monitoring", Sources: []derive.Source{cmo("pkg/operator/operator.go")}}
	unreadable = object.Rule{ID: "monitoring.unreadable", Severity: v1alpha1.Error,
		Title: "config.yaml is no YAML: the operator applies nothing of it", Sources: []derive.Source{parser}}
	notFilledIn = object.Rule{ID: "monitoring.notFilledIn", Severity: v1alpha1.Error,
		Title: "a value in double braces was not filled in: YAML takes it for a mapping", Sources: []derive.Source{guide}}
	unknownKey = object.Rule{ID: "monitoring.unknownKey", Severity: v1alpha1.Warning,
		Title: "a key that the operator doesn't know: ignored up to 4.17, refused from 4.18 on", Sources: []derive.Source{parser, slides}}
	oldKey = object.Rule{ID: "monitoring.oldKey", Severity: v1alpha1.Warning,
		Title: "a key of OpenShift 3.11, which no release of 4 reads", Sources: []derive.Source{guide, types}}
	otherRelease = object.Rule{ID: "monitoring.otherRelease", Severity: v1alpha1.Warning,
		Title: "a key that other releases know", Sources: []derive.Source{types}}
	idleKey = object.Rule{ID: "monitoring.idleKey", Severity: v1alpha1.Warning,
		Title: "a key that is accepted and has no effect", Sources: []derive.Source{types}}
	wrongCase = object.Rule{ID: "monitoring.wrongCase", Severity: v1alpha1.Info,
		Title: "a key in wrong case: applied up to 4.18, refused from 4.19 on", Sources: []derive.Source{parser}}
	doubleKey = object.Rule{ID: "monitoring.doubleKey", Severity: v1alpha1.Warning,
		Title: "a key that stands twice: the last one counts up to 4.17, refused from 4.18 on", Sources: []derive.Source{parser}}
	wrongType = object.Rule{ID: "monitoring.wrongType", Severity: v1alpha1.Error,
		Title: "a value of the wrong type: the operator applies nothing of config.yaml", Sources: []derive.Source{parser}}
	badQuantity = object.Rule{ID: "monitoring.badQuantity", Severity: v1alpha1.Error,
		Title: "an amount that Kubernetes can't read, as with the suffix K: the operator applies nothing of config.yaml", Sources: []derive.Source{guide, parser}}
	badRetention = object.Rule{ID: "monitoring.badRetention", Severity: v1alpha1.Error,
		Title: "a retention that Prometheus can't read", Sources: []derive.Source{guide}}
	badValue = object.Rule{ID: "monitoring.badValue", Severity: v1alpha1.Error,
		Title: "a value that is none of those that the key takes", Sources: []derive.Source{types}}
	techPreview = object.Rule{ID: "monitoring.techPreview", Severity: v1alpha1.Info,
		Title: "a value that the release takes with a feature gate only", Sources: []derive.Source{parser}}
	noBodyLimit = object.Rule{ID: "monitoring.noBodyLimit", Severity: v1alpha1.Warning,
		Title: "a limit of the size of answers that can't be read: there is none", Sources: []derive.Source{cmo("pkg/operator/operator.go")}}
	limitBelow = object.Rule{ID: "monitoring.limitBelowRequest", Severity: v1alpha1.Error,
		Title: "a limit is below the request: Kubernetes refuses the pod", Sources: []derive.Source{{Code: "kubernetes.io", Section: "Resource Management for Pods and Containers"}}}
	noStorage = object.Rule{ID: "monitoring.noStorage", Severity: v1alpha1.Error,
		Title: "a volume claim without an amount of storage: Kubernetes refuses it", Sources: []derive.Source{types}}
	staysBehind = object.Rule{ID: "monitoring.staysBehind", Severity: v1alpha1.Warning,
		Title: "some parts are put on nodes of choice, others stay where they are", Sources: []derive.Source{slides, types}}
	noNode = object.Rule{ID: "monitoring.noNode", Severity: v1alpha1.Error,
		Title: "no node takes the pods of a part: they stay Pending", Sources: []derive.Source{types}}
)

// Rules are all rules of this package.
func Rules() []object.Rule {
	return []object.Rule{noConfig, unreadable, notFilledIn, unknownKey, oldKey, otherRelease, idleKey, wrongCase, doubleKey, wrongType,
		badQuantity, badRetention, badValue, techPreview, noBodyLimit, limitBelow, noStorage, staysBehind, noNode}
}
