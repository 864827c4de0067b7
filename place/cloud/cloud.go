// Package cloud places the VMs of a whole cloud: it builds compute hosts from the
// scenario, chooses a host for each VM as Nova's filters and weighers do, and
// tries what happens when hosts fail. It does not decide where on a host a VM goes
// (package nova does), nor which hosts to buy (package plan does).
//
//	c, problems := cloud.New(scenario, []cloud.Pool{{Type: 0, Count: 10}})
//	p := cloud.Make(c, cloud.Options{Failures: 1})
//	p.Verdict.Summary // "86 of 86 VMs run on 8 hosts"
package cloud

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/topo"
)

// Pool is a number of equal compute hosts.
type Pool struct {
	// Type is the index in the scenario's hardware.nodeTypes, Count the number of hosts.
	Type, Count int
	// CPE adds the controller's share to what each host keeps back.
	CPE bool
	// Reserve replaces the node type's compute section: the cores, memory and ratios that a plan chose; nil keeps it.
	Reserve *v1alpha1.Compute
	// Pages are the numbers of huge pages for VMs on each NUMA node, by page size ("2Mi"), in place of those of the
	// node type; nil keeps them.
	Pages map[string][]int64
	// Machine is the machine that was read from the node type's topologyFile; nil without one.
	Machine *topo.Machine
}

// Problem is a server, flavor or host that can't be understood.
type Problem struct {
	// Field of the scenario, Text what is wrong, Fix what would be right.
	Field, Text, Fix string
}

// Error is the problem in one line.
func (p Problem) Error() string {
	if p.Fix == "" {
		return p.Field + ": " + p.Text
	}
	return fmt.Sprintf("%s: %s (%s)", p.Field, p.Text, p.Fix)
}

// Options say what is tried.
type Options struct {
	// Failures is how many hosts fail together: all cases up to that number are tried, pairs and more
	// by classes of equal hosts.
	Failures int
	// Stated is what the policy states that must be survived: so many hosts that fail together,
	// and any zone. What is tried beyond that is a warning at most.
	Stated struct {
		Failures int
		Zones    bool
	}
	// Compare also finds the packed order and the floor.
	Compare bool
	// Progress is told how many VMs are placed; nil is not.
	Progress func(done int)
	// Watch is told of the cases of failure, and may end all the work.
	whatif.Watch
}

// Cloud is a cloud to be placed on.
type Cloud struct {
	s     *v1alpha1.Scenario
	rules nova.Rules
	// hostTypes are the types of host, one for each pool; typesInZones the types in their availability zones.
	hostTypes    []hostType
	typesInZones []typeInZone
	// hosts in Nova's order: pool by pool.
	hosts []host
	// servers are the scenario's entries; specs what they ask of a host, each once.
	servers []serverType
	specs   []requestSpec
	// equivalences is the number of different pairs of a spec and a group.
	equivalences int
	// groups of the scenario, in its order.
	groups []v1alpha1.ServerGroup
	// remarks on flavors and hosts, assumptions about what is left open.
	findings    []v1alpha1.Finding
	assumptions []v1alpha1.Assumption
	notes       []string
	// skipped are servers of an export that run on hosts which are not counted.
	skipped []v1alpha1.Skipped
}

// typeInZone is what does not change about a host: its type and its availability zone.
type typeInZone struct {
	hostType int
	zone     string
}

// host is a compute host.
type host struct {
	name       string
	typeInZone int32
}

// serverType is an entry of workload.servers.
type serverType struct {
	server *v1alpha1.Server
	flavor *v1alpha1.Flavor
	// image of the server; nil is none.
	image *v1alpha1.Image
	// spec is the index in Cloud.specs, group that in Cloud.groups or -1.
	spec, group int
	// equivalence is the same for server types with the same spec and group: they find the same hosts.
	equivalence int
	// host that the VMs run on already; -1 is none.
	host int
}

// Wanted is the number of VMs of all types.
func (c *Cloud) Wanted() int {
	n := 0
	for i := range c.servers {
		n += c.servers[i].server.Count
	}
	return n
}
