// Package health answers what a MachineHealthCheck does: which machines it takes
// for healthy, which it has replaced, when, and why it leaves others alone; what
// is wrong in its manifest; and how a scenario of failing nodes plays out.
//
// A Policy is the operator's reconcile of one check at one instant, by release, pure
// and without a clock. Check judges manifests. Read and Play run scenarios on a
// virtual clock, together with what the machine controller and the machine sets
// do to the machines; times are whole seconds, and controllers need no time of
// their own. It talks to no API server, and knows no cloud: how long machines take
// to be made, to join and to be drained is an input.
//
// A scenario is a v1alpha1.HealthScenario: the checks, the machines, what happens to
// them and what must come of it. Here ten of 25 workers lose power, and are deleted
// all at once:
//
//	apiVersion: plimsoll.dev/v1alpha1
//	kind: HealthScenario
//	releases: ["4.4"]
//	checks:
//	- name: workers
//	  selector: {role: worker}
//	  maxUnhealthy: 40%
//	  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 300s}]
//	machines:
//	- {names: "worker-[1-25]", role: worker, set: us-east-1a}
//	takes: {provision: 2m, join: 5m, drain: 1m, terminate: 1m}
//	events:
//	- {at: 10m, machines: "worker-[1-10]", do: powerOff}
//	until: 1h
//	expect:
//	- {machines: "worker-[1-10]", event: MachineDeleted, at: 15m41s}
//	- {at: 15m40s, check: workers, healthy: 15, unhealthy: 10, max: 10, remediation: allowed}
package health
