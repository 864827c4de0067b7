// Package cloud places the VMs of a whole cloud: it builds compute hosts from the
// scenario, chooses a host for each VM as Nova's filters and weighers do, and
// tries what happens when hosts fail. The place on one host is that of package
// nova; how many hosts to buy is decided by package plan.
//
//	c, problems := cloud.New(scenario, cloud.Hosts(scenario))
//	p := cloud.Make(c, cloud.Options{Failures: 1})
//	p.Verdict.Summary // "86 of 86 VMs run on 8 hosts"
package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// Pool is a number of equal compute hosts.
type Pool struct {
	// Type is the index in the scenario's hardware.nodeTypes, Count the number of hosts.
	Type, Count int
	// CPE adds the controller's share to what each host keeps back.
	CPE bool
	// Reserve replaces the node type's compute section: the page pools and cores that a plan chose; nil keeps it.
	Reserve *v1alpha1.Compute
	// Pages replaces hugePagesPerNUMANode; nil keeps it.
	Pages map[string][]int64
}

// Pools are the compute hosts as the scenario counts them: node types of role
// compute with their count, available, or else 1.
func Pools(s *v1alpha1.Scenario) []Pool { return nil }

// Cloud is a cloud to be placed on.
type Cloud struct{ _ struct{} }

// Problem is a server, flavor or host that can't be understood.
type Problem struct {
	// Field of the scenario, Text what is wrong, Fix what would be right.
	Field, Text, Fix string
}

// New builds the hosts and reads the flavors of the servers.
func New(s *v1alpha1.Scenario, pools []Pool) (*Cloud, []Problem) { return nil, nil }

// Host is one host of the pool, empty, as package nova sees it: what is left for VMs.
func Host(s *v1alpha1.Scenario, p Pool) (*nova.Host, error) { return nil, nil }

// Options say what is tried.
type Options struct {
	// Failures is how many hosts fail together: all cases up to that number are tried, pairs and more by classes of equal hosts.
	Failures int
	// Compare also finds the packed order and the floor.
	Compare bool
	// Progress is told how many VMs are placed, Trying how many cases of failure of how many; both may be nil.
	Progress func(done int)
	Trying   func(done, total int)
	// Stop ends the work early when it says so; may be nil.
	Stop func() bool
}

// Make places the VMs and tries what may happen.
func Make(c *Cloud, opt Options) *v1alpha1.ServerPlacement { return nil }

// Needed is the fewest equal hosts found (the packed order) that hold all VMs, and
// a proven lower bound, for a pool whose count is ignored. spares hosts may be
// lost without a VM losing its place. ok is false when some VM fits on no such host.
type Needed struct {
	Hosts, Floor int
	Method       string
	// Homeless is the index of the first server that fits on no host, with the reasons.
	Homeless int
	Reasons  []nova.Reason
	OK       bool
}

// HostsNeeded finds how many hosts of the pool the scenario's servers need.
func HostsNeeded(s *v1alpha1.Scenario, p Pool) (Needed, []Problem) { return Needed{}, nil }
