// Package monitoring knows the configuration of OpenShift's monitoring: which keys
// config.yaml has in which release, what their values may be, what the operator
// does with the others, and how all parts are moved to nodes of choice.
//
// It does not size Prometheus (plan/prometheus does) and reads no alerting rules.
//
//	found := monitoring.Check(objects, release.V44)
//	cm := monitoring.Generate(monitoring.Options{Release: 5, NodeSelector: infra})
package monitoring

import (
	"plimsoll.dev/release"
)

// The ConfigMaps that the operator reads, the key that holds the configuration,
// and the namespace of the second; that of the first is openshift.NamespaceMonitoring.
const (
	Name          = "cluster-monitoring-config"
	UserName      = "user-workload-monitoring-config"
	UserNamespace = "openshift-user-workload-monitoring"
	ConfigKey     = "config.yaml"
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
func HandlingOf(r release.Release) Handling { return unknownKeys.In(r) }
