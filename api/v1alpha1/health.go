package v1alpha1

import "plimsoll.dev/unit"

// KindHealthScenario is what "tune health simulate" plays.
const KindHealthScenario = "HealthScenario"

// HealthScenario describes machines that fail over time, the MachineHealthChecks that
// watch them, and what must come of it. Times count from its beginning, in whole seconds.
type HealthScenario struct {
	// Version of this document's format; always plimsoll.dev/v1alpha1.
	APIVersion string `json:"apiVersion" check:"required,enum=plimsoll.dev/v1alpha1"`
	// Kind of document; always HealthScenario.
	Kind string `json:"kind" check:"required,enum=HealthScenario"`
	// Title says in a few words what the scenario shows.
	Title string `json:"title,omitempty"`
	// Releases in which the expectations hold, in quotes: 4.3 stands for what was before, too, current for all since
	// 4.6. The first is the one that is played. Left out, they hold in all.
	Releases []string `json:"releases,omitempty" check:"enum=4.3|4.4|4.5|current"`
	// Checks that watch the machines.
	Checks []HealthCheck `json:"checks" check:"required"`
	// Machines that there are from the beginning.
	Machines []HealthMachines `json:"machines,omitempty"`
	// Takes says how long things take.
	Takes HealthTimes `json:"takes,omitzero"`
	// Events are what happens; those of one time in the order of the list.
	Events []HealthEvent `json:"events,omitempty"`
	// Until is the end of the scenario.
	Until unit.Duration `json:"until" check:"required,min=1,max=36000000"`
	// Expect is what must come out; an expectation that doesn't hold breaks the scenario.
	Expect []HealthExpectation `json:"expect,omitempty"`
}

// HealthCheck is a MachineHealthCheck, in the words of its manifest or in a file.
type HealthCheck struct {
	// File is a manifest beside the scenario, whose MachineHealthChecks are taken; then no other field is set.
	File string `json:"file,omitempty"`
	// Name of the check.
	Name string `json:"name,omitempty"`
	// Selector has the labels of the machines, all of them when it is left out; role, type and set
	// stand for the long keys.
	Selector map[string]string `json:"selector,omitempty" check:"plain"`
	// UnhealthyConditions say how long a node may have a status of a condition.
	UnhealthyConditions []HealthCondition `json:"unhealthyConditions,omitempty"`
	// MaxUnhealthy is a number, or text such as 40% or "2"; left out, it is 100 %.
	MaxUnhealthy any `json:"maxUnhealthy,omitempty"`
	// NodeStartupTimeout is how long a machine may be without a node.
	NodeStartupTimeout *string `json:"nodeStartupTimeout,omitempty"`
	// External says that the check has the annotation for external remediation.
	External bool `json:"external,omitempty"`
	// Paused says that the check has the annotation that stops it.
	Paused bool `json:"paused,omitempty"`
}

// HealthCondition is a status of a node's condition that may last for a time. The
// timeout is text as in a manifest: it may be one that nobody can read.
type HealthCondition struct {
	// Type of the condition, such as Ready.
	Type string `json:"type" check:"required"`
	// Status of the condition: "False", "True" or Unknown.
	Status string `json:"status" check:"required"`
	// Timeout is how long the node may have the status, such as 300s.
	Timeout string `json:"timeout"`
}

// HealthMachines are machines that are alike.
type HealthMachines struct {
	// Names of the machines, with ranges in brackets and commas between: "worker-[1-25],infra-1".
	Names string `json:"names" check:"required"`
	// Role is the value of the labels of role and type.
	Role string `json:"role,omitempty"`
	// Set is the machine set that owns the machines and replaces them; what it makes is called SET-r1, SET-r2 and so on.
	Set string `json:"set,omitempty"`
	// Owner is the kind of another controller that owns the machines.
	Owner string `json:"owner,omitempty"`
	// Labels are further labels.
	Labels map[string]string `json:"labels,omitempty" check:"plain"`
	// Phase of the machines; Provisioning ones are being made when the scenario begins.
	Phase string `json:"phase,omitempty" default:"Running" check:"enum=Running|Provisioning"`
}

// HealthTimes say how long things take. What takes longer than the scenario never happens.
type HealthTimes struct {
	// Provision is the time from a machine's creation until it has an instance.
	Provision *unit.Duration `json:"provision,omitempty" fact:"tune.health.provision" check:"max=36000000"`
	// Join is the time from a machine's creation until it has a node.
	Join *unit.Duration `json:"join,omitempty" fact:"tune.health.join" check:"max=36000000"`
	// Ready is the time from a node's appearance until it is Ready.
	Ready *unit.Duration `json:"ready,omitempty" check:"max=36000000"`
	// Drain is the time that it takes to evict the pods of a reachable node.
	Drain *unit.Duration `json:"drain,omitempty" fact:"tune.health.drain" check:"max=36000000"`
	// Terminate is the time that it takes to end an instance.
	Terminate *unit.Duration `json:"terminate,omitempty" fact:"tune.health.terminate" check:"max=36000000"`
	// Grace is the time without a word of a kubelet until its node is Ready=Unknown.
	Grace *unit.Duration `json:"grace,omitempty" fact:"tune.health.monitorGrace" check:"max=36000000"`
}

// HealthEvent is something that happens to machines, a machine set or a check, or
// other times that hold from then on.
type HealthEvent struct {
	// At is when it happens.
	At unit.Duration `json:"at" check:"required,min=0,max=36000000"`
	// Machines that it happens to.
	Machines string `json:"machines,omitempty"`
	// Do says what happens to the machines: kubelets fall silent (powerOff) or are back, reboot does
	// both, nodes are gone from the cluster (loseNode), the phase becomes Failed (fail), machines are
	// deleted by hand, their external annotation is taken away (repair), or they never get an instance
	// (stick).
	Do string `json:"do,omitempty" check:"enum=powerOff|powerOn|reboot|loseNode|fail|delete|repair|stick"`
	// For is how long each reboot takes.
	For unit.Duration `json:"for,omitempty" check:"max=36000000"`
	// Every is the time from one machine's reboot to the next one's; left out, all reboot at once.
	Every *unit.Duration `json:"every,omitempty" check:"max=36000000"`
	// Conditions that the nodes of the machines get: {Ready: Unknown}.
	Conditions map[string]string `json:"conditions,omitempty" check:"plain"`
	// Set is a machine set that is scaled.
	Set string `json:"set,omitempty"`
	// Replicas of the machine set from then on.
	Replicas *int `json:"replicas,omitempty" check:"min=0,max=20000"`
	// Check that is edited.
	Check string `json:"check,omitempty"`
	// Paused puts the annotation that stops the check, or takes it away.
	Paused *bool `json:"paused,omitempty"`
	// MaxUnhealthy of the check from then on.
	MaxUnhealthy any `json:"maxUnhealthy,omitempty"`
	// Takes are other times, for what begins from then on.
	Takes *HealthTimes `json:"takes,omitempty"`
}

// HealthExpectation is a statement about what comes out: an event of machines or of a
// check; the state of machines, or the status of a check, at a time; how often an event
// happens; or a finding.
type HealthExpectation struct {
	// Releases that it is for, in quotes; left out, all.
	Releases []string `json:"releases,omitempty" check:"enum=4.3|4.4|4.5|current"`
	// Machines that it is about.
	Machines string `json:"machines,omitempty"`
	// Check that it is about.
	Check string `json:"check,omitempty"`
	// Event that happens to each of the machines, or to the check.
	Event string `json:"event,omitempty" check:"enum=MachineDeleted|DetectedUnhealthy|RemediationRestricted|RemediationAllowed|SkippedMaster|SkippedNoController|ExternalAnnotationAdded|RemediationRequested|Joined|Created|Drained|Gone"`
	// At is the time of the event, the state or the status.
	At *unit.Duration `json:"at,omitempty" check:"max=36000000"`
	// By is the latest time of the event.
	By *unit.Duration `json:"by,omitempty" check:"max=36000000"`
	// After is the time after which the event comes.
	After *unit.Duration `json:"after,omitempty" check:"max=36000000"`
	// Never says that the event does not come.
	Never bool `json:"never,omitempty"`
	// Count is how often the event happens in all.
	Count *int `json:"count,omitempty" check:"min=0"`
	// State of the machines.
	State string `json:"state,omitempty" check:"enum=ready|not-ready|waiting|due|deleting|provisioning|starting|failed|no-node|external|gone"`
	// Total is how many machines the check watches.
	Total *int `json:"total,omitempty"`
	// Healthy is how many of them count as healthy.
	Healthy *int `json:"healthy,omitempty"`
	// Unhealthy is how many don't.
	Unhealthy *int `json:"unhealthy,omitempty"`
	// Max is how many may be unhealthy.
	Max *int `json:"max,omitempty"`
	// Remediation by the check: allowed or restricted.
	Remediation string `json:"remediation,omitempty" check:"enum=allowed|restricted"`
	// Finding is the id of something that the simulation finds.
	Finding string `json:"finding,omitempty"`
}
