package health

import (
	"time"

	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// mao is the Machine API Operator's source, at a part of it.
func mao(part string) derive.Source { return derive.Source{Code: "MAO source", Section: part} }

var (
	checker = mao("pkg/controller/machinehealthcheck")
	maker   = mao("pkg/controller/machine")
	schema  = mao("MachineHealthCheck CRD")
)

// strategy is how a check asks somebody else to remediate, by annotations.
type strategy struct {
	// key and value of the check's annotation.
	key, value string
	// mark is the annotation that the machine gets; in 4.3 its node.
	mark string
}

// String is the strategy as the check is annotated.
func (s strategy) String() string { return s.key + "=" + s.value }

var (
	reboots = strategy{"healthchecking.openshift.io/strategy", "reboot", "healthchecking.openshift.io/machine-remediation-reboot"}
	metal   = strategy{"machine.openshift.io/remediation-strategy", "external-baremetal", "host.metal3.io/external-remediation"}
)

// How targets are judged, by era.
var (
	readsStartup = era.Rule[bool]{ID: "health.readsStartupTimeout",
		Title: "nodeStartupTimeout is read; before, 10 min are fixed", At: era.Since(era.V45), Source: checker}
	zeroDisables = era.Rule[bool]{ID: "health.zeroDisablesStartup",
		Title: "a nodeStartupTimeout of 0 lets machines without a node be", At: era.Since(era.Current), Source: checker}
	typedDurations = era.Rule[bool]{ID: "health.typedDurations",
		Title: "durations are checked by the API server; before, an unreadable timeout is an error for each target that has a node", At: era.Since(era.Current), Source: schema}
	healthyNeedsNode = era.Rule[bool]{ID: "health.healthyNeedsNode",
		Title: "a machine counts as healthy only with a node and without the annotation of external remediation", At: era.Since(era.Current), Source: checker}
)

// How many may be unhealthy, by era.
var (
	textIsPercent = era.Rule[bool]{ID: "health.textIsPercent",
		Title: `maxUnhealthy "2" as text means 2 %; later, 2 machines`, At: era.Until(era.V43), Source: checker}
	percentAnywhere = era.Rule[bool]{ID: "health.percentAnywhere",
		Title: `a percent sign may stand anywhere in maxUnhealthy; later, only at its end`, At: era.Until(era.V44), Source: checker}
	negativeIsZero = era.Rule[bool]{ID: "health.negativeIsZero",
		Title: "a negative maxUnhealthy counts as 0; before, it restricts even when all machines are healthy", At: era.Since(era.Current), Source: checker}
	backsOff = era.Rule[bool]{ID: "health.restrictedBacksOff",
		Title: "a restricted check is looked at again after a growing pause of 5 ms to 1000 s; later, after 1 ms", At: era.Until(era.V45), Source: checker}
	allowedCondition = era.Rule[bool]{ID: "health.remediationAllowed",
		Title: "the status has remediationsAllowed and the condition RemediationAllowed", At: era.Since(era.Current), Source: checker}
	metrics = era.Rule[bool]{ID: "health.metrics",
		Title: "there are metrics mapi_machinehealthcheck_nodes_covered, _remediation_success_total and _short_circuit, and an alert on the last after 30 min", At: era.Since(era.Current), Source: mao("pkg/metrics")}
)

// What is done about a machine, by era.
var (
	ownerKind = era.Rule[string]{ID: "health.ownerKind",
		Title: "which owner a machine must have to be remediated", At: [4]string{"MachineSet", "MachineSet", "any controller", "any controller"}, Source: checker}
	skipsMasters = era.Rule[bool]{ID: "health.skipsMasters",
		Title: "machines of the control plane are passed over", At: era.Until(era.V44), Source: checker}
	ownerFirst = era.Rule[bool]{ID: "health.ownerFirst",
		Title: "the owner is asked for before the external strategy; later, only before a deletion", At: era.Until(era.V45), Source: checker}
	failedExternal = era.Rule[bool]{ID: "health.failedExternal",
		Title: "machines in phase Failed go to the external strategy too; later, they are deleted", At: era.Until(era.V45), Source: checker}
	external = era.Rule[strategy]{ID: "health.externalStrategy",
		Title: "the annotation of a check that asks for external remediation", At: [4]strategy{reboots, metal, metal, metal}, Source: checker}
	templates = era.Rule[bool]{ID: "health.remediationTemplate",
		Title: "remediationTemplate hands machines to another controller", At: era.Since(era.Current), Source: checker}
	deletesAgain = era.Rule[bool]{ID: "health.deletesAgain",
		Title: "a machine that is being deleted is deleted again at each pass, with an event each time", At: era.Until(era.V45), Source: checker}
	emitsEvents = era.Rule[bool]{ID: "health.events",
		Title: "the check emits events", At: era.Since(era.V44), Source: checker}
	skipEvent = era.Rule[bool]{ID: "health.skippedNoController",
		Title: "a machine without an owner is skipped with the event SkippedNoController; before, silently", At: era.Since(era.Current), Source: checker}
	pauses = era.Rule[bool]{ID: "health.pauseAnnotation",
		Title: "the annotation cluster.x-k8s.io/paused stops a check", At: era.Since(era.Current), Source: checker}
	emptyHears = era.Rule[bool]{ID: "health.emptySelectorHears",
		Title: "a check with an empty selector reacts to changes of machines and nodes; before, it counts them at its own passes only", At: era.Since(era.V45), Source: checker}
)

// What the API server takes, by era.
var (
	requires = era.Rule[bool]{ID: "health.requiredFields",
		Title: "selector, unhealthyConditions, type, status and timeout are required; later, a missing timeout is 0 s", At: era.Until(era.V45), Source: schema}
	patterns = era.Rule[bool]{ID: "health.patterns",
		Title: "maxUnhealthy and durations must match patterns", At: era.Since(era.Current), Source: schema}
)

// What the machine controller does, by era. It works on one machine at a time.
var (
	unreachableWait = era.Rule[time.Duration]{ID: "health.unreachableWait",
		Title: "how long pods of an unreachable node are waited for after their eviction: their grace period of 30 s and 300 s; later, 1 s and 1 s; at the next look",
		At:    [4]time.Duration{331 * time.Second, 331 * time.Second, 331 * time.Second, 3 * time.Second}, Source: maker}
	drainPause = era.Rule[time.Duration]{ID: "health.drainPause",
		Title: "the pause after a slice of 20 s in which a drain did not end", At: [4]time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second, 5 * time.Second}, Source: maker}
	drainPauseGrows = era.Rule[bool]{ID: "health.drainPauseGrows",
		Title: "that pause doubles each time, up to 1000 s", At: era.Since(era.Current), Source: maker}
	drainsApart = era.Rule[bool]{ID: "health.drainsApart",
		Title: "drains are a controller of their own, so that one does not hold up the end of another machine", At: era.Since(era.Current), Source: maker}
	mastersInTurn = era.Rule[bool]{ID: "health.mastersInTurn",
		Title: "a node of the control plane is drained only while no other one is cordoned", At: era.Since(era.Current), Source: maker}
	controlPlaneSets = era.Rule[bool]{ID: "health.controlPlaneMachineSet",
		Title: "control plane machines can belong to a ControlPlaneMachineSet, which replaces them", At: era.Since(era.Current), Source: mao("ControlPlaneMachineSet")}
)

// Eras are the rules that differ by era.
func Eras() []era.Row {
	return []era.Row{readsStartup.Row(), zeroDisables.Row(), typedDurations.Row(), healthyNeedsNode.Row(),
		textIsPercent.Row(), percentAnywhere.Row(), negativeIsZero.Row(), backsOff.Row(), allowedCondition.Row(), metrics.Row(),
		ownerKind.Row(), skipsMasters.Row(), ownerFirst.Row(), failedExternal.Row(), external.Row(), templates.Row(), deletesAgain.Row(),
		emitsEvents.Row(), skipEvent.Row(), pauses.Row(), emptyHears.Row(), requires.Row(), patterns.Row(),
		unreachableWait.Row(), drainPause.Row(), drainPauseGrows.Row(), drainsApart.Row(), mastersInTurn.Row(), controlPlaneSets.Row()}
}
