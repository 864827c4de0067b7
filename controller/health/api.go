package health

import (
	"context"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/health"
)

// Ref names an object as it was read.
type Ref = cluster.Ref

// World is what there is at one instant.
type World struct {
	// Now is the API server's time, and Skew how far this machine's clock is ahead of it.
	Now  time.Time
	Skew time.Duration
	// Check, or nil where it is gone.
	Check *openshift.MachineHealthCheck
	// Machines of the check's namespace, each with its reference.
	Machines []Machine
	// Nodes of the cluster, by their names.
	Nodes map[string]*health.Node
	// Leases are when each node's kubelet has renewed its lease last.
	Leases map[string]time.Time
	// Requests are the objects that the check's remediationTemplate made, by the names of their machines.
	Requests map[string]Ref
	// TemplateErr says why they are not known.
	TemplateErr error
	// Leads says that this process holds the lease of its leader election, as the server has it.
	Leads bool
	// Other is the holder of the lease of the operator's own controller, where that is alive.
	Other string
}

// Machine is one with its reference.
type Machine struct {
	Ref Ref
	health.Machine
}

// Status is what a check's status says.
type Status struct {
	Expected, Healthy int
	// Allowed is how many more machines may become unhealthy; nil where the release has neither such a field nor the
	// condition that says what is held.
	Allowed *int
	// Held says why nothing is remediated though machines are due, with a reason in one word; empty otherwise.
	Held, Reason string
}

// API is a cluster as the keeper needs it. Errors of a call that found the object changed or gone are
// [cluster.ErrChanged].
type API interface {
	// Cached is the world as it was watched, which may be old; it has neither leases nor who leads.
	Cached(ctx context.Context, check Ref) (World, error)
	// Live asks the server for all of it.
	Live(ctx context.Context, check Ref) (World, error)
	// Node asks the server for one node; nil where it is gone.
	Node(ctx context.Context, name string) (*health.Node, error)
	// Delete a machine, if it is the one that was read.
	Delete(ctx context.Context, m Ref) error
	// Annotate a machine, if it is the one that was read.
	Annotate(ctx context.Context, m Ref, key string) error
	// Request an external remediation of a machine by the check's template.
	Request(ctx context.Context, check *openshift.MachineHealthCheck, m Ref) error
	// Withdraw a request.
	Withdraw(ctx context.Context, check *openshift.MachineHealthCheck, request Ref) error
	// Tell writes the status of a check.
	Tell(ctx context.Context, check Ref, s Status) error
	// Event is told of a check, or of a machine of it.
	Event(check Ref, machine *Ref, name health.EventName, note string)
}
