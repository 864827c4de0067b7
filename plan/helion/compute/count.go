package compute

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// Fleet is a number of equal compute hosts that carry all VMs.
type Fleet struct {
	// Type is the index of the node type.
	Type int
	// Pool of the hosts as planned: cores, pages and Count.
	Pool cloud.Pool
	// Split of each host's memory into pages; Fixed says that the scenario fixes it.
	// Tried is the number of splits that were placed, and Sampled the number of VMs with
	// which they were; 0 is all.
	Split          Split
	Fixed          bool
	Tried, Sampled int
	// Host is an empty host of the pool; nil when there are problems.
	Host *nova.Host
	// Base is the number of hosts that hold all VMs, Floor one that no placement can do
	// with fewer of, whatever the split; Method what proves it.
	Base, Floor int
	Method      string
	// Least is Base, or more where so many VMs on a host were never tested.
	Least int
	// Spares are the hosts that the policy keeps spare, Beyond those that are needed
	// besides: with fewer, the order of arrival, a loss or the tested number of VMs on a
	// host can't be kept.
	Spares, Beyond int
	// Enough is the fewest hosts found on which all holds, 0 for none or where nobody
	// looked; Each says that every smaller one from the floor on was tried.
	Enough int
	Each   bool
	// Given is the number that the scenario states, 0 for none; Total what is planned:
	// Given, else Needed.
	Given, Total int
	// Loads are the hosts with VMs, when they are placed on Total hosts; After what hosts
	// run that took VMs of the spare number of lost hosts. Both are nil when not all VMs
	// find a host.
	Loads, After []cloud.Load
	// Resources of all hosts, and what is in use.
	Resources []v1alpha1.ClusterResource
	// Fits says that all VMs run, and that those which hold them are left when the spare
	// hosts are lost; on a CPE, that one host carries what both carried. Evacuates says
	// that each VM of lost hosts finds one beside those that run. Why not, or what else
	// is to be said.
	Fits, Evacuates bool
	Why             string
	// Every says that each loss of the spare number of hosts was tried, not a sample.
	Every bool
	// ZoneLost says that a zone can't be lost, which the policy asks for.
	ZoneLost bool
	// Housing is what would give VMs that find no host a place on one, each tried; homeless are the
	// servers with such VMs.
	Housing []cloud.Remedy
	// Open is what is not known about VMs that find no host.
	Open     []string
	homeless []int
	// Setting is a setting of the scheduling with which the plan is made, since all
	// holds with it alone; empty for the scenario's own.
	Setting string
	// Problems are what is wrong with flavors or hosts; nothing is counted then.
	Problems []cloud.Problem
}

// CPEHosts are the hosts of a CPE.
const CPEHosts = 2

// Needed is the number of hosts that the VMs need with the spare ones, whatever the
// scenario states.
func (f *Fleet) Needed() int { return f.Least + f.Spares + f.Beyond }

// Most is the number of VMs on the fullest host.
func (f *Fleet) Most() int { return most(f.Loads) }

// MostAfter is the number of VMs on the fullest host when the spare number of hosts
// are lost.
func (f *Fleet) MostAfter() int { return max(most(f.Loads), most(f.After)) }

func most(loads []cloud.Load) int {
	n := 0
	for _, l := range loads {
		n = max(n, l.Count())
	}
	return n
}

// Count finds how many hosts of the node type hold the VMs. It records nothing.
func Count(in Input, index int) Fleet {
	f := Fleet{Type: index, Pool: in.pool(index, 0)}
	t := &in.Scenario.Hardware.NodeTypes[index]
	if t.Count != nil {
		f.Given = *t.Count
	}
	f.Fixed = t.HugePages != nil || t.HugePagesPerNUMANode != nil
	needed, problems := f.split(in)
	if f.Problems = problems; len(problems) > 0 {
		f.Why = problems[0].Error()
		return f
	}
	f.Host, _ = cloud.Host(in.Scenario, f.Pool)
	f.Base = needed.Hosts
	if !needed.OK {
		f.Base, f.Floor, f.Total = 0, 0, f.Given
		f.Why = homeless(in.Scenario, needed)
		f.splitForRest(in)
		f.housing(in.Scenario, needed.Homeless)
		return f
	}
	f.provide(in)
	return f
}

// splitForRest splits the memory for the VMs that fit on a host at all, where others
// don't and the split of all is none for them.
func (f *Fleet) splitForRest(in Input) {
	_, _, nowhere, _ := f.floor(in.Scenario)
	if len(nowhere) == 0 || f.Fixed {
		return
	}
	some := *in.Scenario
	some.Workload.Servers = slices.Clone(some.Workload.Servers)
	for _, i := range nowhere {
		some.Workload.Servers[i].Count = 0
	}
	if n, problems := cloud.HostsNeeded(&some, f.Pool); n.OK || len(problems) > 0 {
		return
	}
	in.Scenario = &some
	rest := *f
	if _, problems := rest.split(in); len(problems) == 0 {
		f.Split, f.Tried, f.Sampled, f.Pool.Pages = rest.Split, rest.Tried, rest.Sampled, rest.Pool.Pages
	}
}

// split finds the split of the memory with which the VMs need the fewest hosts, and
// the floor.
func (f *Fleet) split(in Input) (cloud.Needed, []cloud.Problem) {
	if f.Fixed {
		n, problems := cloud.HostsNeeded(in.Scenario, f.Pool)
		f.Floor, f.Method, f.Tried = n.Floor, n.Method, 1
		return n, problems
	}
	memory, d := vmMemory(in.Nodes(f.Type)), DemandOf(in.Scenario)
	splits := Splits(memory, d)
	f.Split, f.Tried = splits[0], 1
	if len(splits) > 1 {
		f.bestSplit(in, memory, d)
	}
	f.Pool.Pages = f.Split.Pages()
	n, problems := cloud.HostsNeeded(in.Scenario, f.Pool)
	if len(splits) == 1 {
		f.Floor, f.Method = n.Floor, n.Method
	} else if len(problems) == 0 {
		f.Floor, f.Method, _, _ = f.floor(in.Scenario)
	}
	return n, problems
}

// bestSplit chooses among the splits, with a sample of the VMs where they are many.
func (f *Fleet) bestSplit(in Input, memory []unit.Bytes, d Demand) {
	s, sampled := sample(in.Scenario)
	if sampled {
		f.Sampled = vmsOf(s)
	}
	floor, _, _, _ := f.floor(s)
	best, tries := Best(memory, d, floor, splitTries(s), func(split Split) (int, bool) {
		p := f.Pool
		p.Pages = split.Pages()
		n, problems := cloud.HostsNeeded(s, p)
		return n.Hosts, n.OK && len(problems) == 0
	})
	f.Split, f.Tried = best.Split, tries
}

// floor is a number of hosts below which no split of the memory helps: it is proven
// for VMs that take memory of any page size. nowhere are the servers whose VMs fit on no
// host with any split.
func (f *Fleet) floor(s *v1alpha1.Scenario) (n int, method string, nowhere []int, problems []cloud.Problem) {
	p := f.Pool
	p.Pages = map[string][]int64{}
	return cloud.HostsFloor(anyPages(s), p)
}

// anyPages is the scenario with VMs that ask for no page size but the smallest, which
// divides all others: what they need, they need with every split.
func anyPages(s *v1alpha1.Scenario) *v1alpha1.Scenario {
	out := *s
	out.Workload.Flavors = slices.Clone(s.Workload.Flavors)
	for i := range out.Workload.Flavors {
		f := &out.Workload.Flavors[i]
		f.Properties = maps.Clone(f.Properties)
		if f.Properties == nil {
			f.Properties = map[string]string{}
		}
		f.Properties["hw:mem_page_size"] = "small"
	}
	out.Workload.Images = slices.Clone(s.Workload.Images)
	for i := range out.Workload.Images {
		m := &out.Workload.Images[i]
		m.Properties = maps.Clone(m.Properties)
		delete(m.Properties, "hw_mem_page_size")
	}
	return &out
}

// housing tries what would give the VMs of a server a place on one host.
func (f *Fleet) housing(s *v1alpha1.Scenario, server int) {
	some, pool := *s, f.Pool
	some.Workload.Servers = slices.Clone(s.Workload.Servers)
	for i := range some.Workload.Servers {
		sv := &some.Workload.Servers[i]
		if sv.Host, sv.AvailabilityZone = "", ""; i != server {
			sv.Count = 0
		}
	}
	pool.Count = 1
	if c, problems := cloud.New(&some, []cloud.Pool{pool}); len(problems) == 0 {
		f.keepHousing(c)
	}
	f.homeless = []int{server}
}

func vmMemory(nodes []Node) []unit.Bytes {
	var out []unit.Bytes
	for _, n := range nodes {
		out = append(out, n.VMMemory())
	}
	return out
}

// homeless says which VMs fit on no such host, and why.
func homeless(s *v1alpha1.Scenario, n cloud.Needed) string {
	name := ""
	if n.Homeless >= 0 && n.Homeless < len(s.Workload.Servers) {
		name = s.Workload.Servers[n.Homeless].Name
	}
	why := "no host of this type takes VMs of " + name
	if n.Why != "" {
		return why + ": " + n.Why
	}
	for i, r := range n.Reasons {
		if i == 0 {
			why += ": "
		} else {
			why += "; "
		}
		if r.Node >= 0 {
			why += fmt.Sprintf("node %d: ", r.Node)
		}
		why += r.Text
	}
	return why
}
