package compute

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// Fleet is a number of equal compute hosts that carry all VMs.
type Fleet struct {
	// Type is the index of the node type.
	Type int
	// Pool of the hosts as planned: cores, pages and Count.
	Pool cloud.Pool
	// Split of each host's memory into pages; Fixed says that the scenario fixes it.
	// Tried is the number of splits that were placed.
	Split Split
	Fixed bool
	Tried int
	// Base is the number of hosts that hold all VMs, Floor one that no placement can do
	// with fewer of, whatever the split; Method what proves it.
	Base, Floor int
	Method      string
	// Least is Base, or more where so many VMs on a host were never tested.
	Least int
	// Given is the number that the scenario states, 0 for none; Total what is planned.
	Given, Total int
	// Placed is the placement on Total hosts, nil when there is none.
	Placed *v1alpha1.ServerPlacement
	// Fits says that all VMs run, and that those which hold them are left when the spare
	// hosts are lost; Evacuates that each VM of lost hosts finds one beside those that
	// run. Why not, or what else is to be said.
	Fits, Evacuates bool
	Why             string
	// Problems are what is wrong with flavors or hosts; nothing is counted then.
	Problems []cloud.Problem
}

// CPEHosts are the hosts of a CPE.
const CPEHosts = 2

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
	f.Base = needed.Hosts
	if !needed.OK {
		f.Base, f.Floor = 0, 0
		f.Why = homeless(in.Scenario, needed)
		return f
	}
	f.provide(in)
	return f
}

// split finds the split of the memory with which the VMs need the fewest hosts, and
// the floor.
func (f *Fleet) split(in Input) (cloud.Needed, []cloud.Problem) {
	best, problems := cloud.HostsNeeded(in.Scenario, f.Pool)
	f.Floor, f.Method, f.Tried = best.Floor, best.Method, 1
	memory := vmMemory(in.Nodes(f.Type))
	d := DemandOf(in.Scenario)
	if f.Fixed || len(problems) > 0 {
		return best, problems
	}
	splits := Splits(memory, d)
	if len(splits) > 1 {
		f.Floor, f.Method = f.floor(in)
	}
	results := map[string]cloud.Needed{}
	tried, tries := Best(memory, d, f.Floor, func(s Split) (int, bool) {
		p := f.Pool
		p.Pages = s.Pages()
		n, wrong := cloud.HostsNeeded(in.Scenario, p)
		results[fmt.Sprint(s)] = n
		return n.Hosts, n.OK && len(wrong) == 0
	})
	f.Split, f.Tried = tried.Split, tries
	f.Pool.Pages = tried.Pages()
	needed := results[fmt.Sprint(tried.Split)]
	if len(splits) == 1 {
		f.Floor, f.Method = needed.Floor, needed.Method
	}
	return needed, nil
}

// floor is a number of hosts below which no split of the memory helps: it is proven
// for VMs that take memory of any page size.
func (f *Fleet) floor(in Input) (int, string) {
	p := f.Pool
	p.Pages = map[string][]int64{}
	n, problems := cloud.HostsNeeded(anyPages(in.Scenario), p)
	if len(problems) > 0 || !n.OK {
		return 0, ""
	}
	return n.Floor, n.Method
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

// provide finds the number of hosts with the spare ones, and loses hosts to see
// whether the VMs still fit.
func (f *Fleet) provide(in Input) {
	spares := int(in.Spares.Number)
	f.Least = max(f.Base, int(derive.Ceil(in.VMs.Number/in.mostVMs().Number)))
	switch {
	case in.CPE:
		f.cpe(in)
		return
	case f.Given > 0:
		f.Total = f.Given
		f.try(in, spares)
		if f.Base+spares > f.Given {
			f.Evacuates, f.Why = false, fmt.Sprintf("stated are %s, and the VMs need %d and %d spare", hosts(f.Given), f.Base, spares)
			// Spare hosts are advice, unless the scenario asks for them.
			f.Fits = f.Base <= f.Given && f.Fits && in.Origin.OrWritten(in.Facts).Assumed("policy.spareNodes")
		}
		return
	}
	f.Total = f.Least + spares
	for f.try(in, spares); !(f.Fits && f.Evacuates) && f.Total < f.Least+spares+mostExtra(f.Base); {
		f.Total++
		f.try(in, spares)
	}
	if extra := f.Total - f.Least - spares; extra > 0 && f.Evacuates {
		f.Why = fmt.Sprintf("%s beyond those that the VMs and the spare ones need: with fewer, VMs find no host in the order of arrival or beside those that run", hosts(extra))
	} else if extra > 0 {
		f.Total = f.Least + spares
		f.try(in, spares)
	}
	if t := &in.Scenario.Hardware.NodeTypes[f.Type]; t.Available != nil && f.Total > *t.Available {
		f.Fits, f.Why = false, fmt.Sprintf("%s are needed with the spare ones, %d are in stock", hosts(f.Total), *t.Available)
	}
}

// cpe counts the two hosts of a CPE, each of which must carry all VMs.
func (f *Fleet) cpe(in Input) {
	f.Total, f.Least = CPEHosts, CPEHosts
	f.try(in, 1)
	if f.Base > 1 {
		f.Fits, f.Why = false, fmt.Sprintf("the VMs need %s, and each of the two has to carry all of them", hosts(f.Base))
	}
}

// mostExtra is how many hosts beyond the spare ones are tried.
func mostExtra(base int) int { return 4 + base/10 }

// mostLosses is the largest number of hosts that are lost together in a trial; more
// of them are too many cases to try.
const mostLosses = 2

// try places the VMs on Total hosts and loses as many as are spare.
func (f *Fleet) try(in Input, spares int) {
	f.Pool.Count = f.Total
	f.Fits, f.Evacuates, f.Why = true, true, ""
	c, problems := cloud.New(in.Scenario, []cloud.Pool{f.Pool})
	if len(problems) > 0 {
		f.Fits, f.Evacuates, f.Why = false, false, problems[0].Error()
		return
	}
	f.Placed = cloud.Make(c, cloud.Options{Failures: min(spares, mostLosses)})
	refused := 0
	for _, o := range f.Placed.ServerTypes {
		refused += o.Refused
	}
	if refused > 0 {
		f.Fits, f.Evacuates = false, false
		f.Why = fmt.Sprintf("%s find no host on %s in the order in which they are listed", vms(refused), hosts(f.Total))
		return
	}
	for _, l := range f.Placed.Losses {
		of := l.Of
		if of == 0 {
			of = int64(l.Tried)
		}
		if l.Survived < of && f.Evacuates {
			f.Evacuates = false
			f.Why = fmt.Sprintf("after the loss of %s, in %d of %d cases, VMs find no host beside those that run%s", l.What, of-l.Survived, of, f.worst(l))
		}
	}
}

// setting is a choice of the order of hosts, NUMA nodes or VMs with which the VMs of
// lost hosts do find one; empty when none does.
func (f *Fleet) setting(in Input) string {
	const pack = "pack"
	s := *in.Scenario
	in.Scenario = &s
	host, numa, order := s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order
	for _, c := range []struct{ host, numa, order, words string }{
		{pack, numa, order, "scheduling.hostStrategy: pack"},
		{host, pack, order, "scheduling.numaStrategy: pack"},
		{host, numa, "largestFirst", "the largest VMs first (scheduling.order: largestFirst)"},
		{pack, pack, "largestFirst", "hostStrategy and numaStrategy: pack and the largest VMs first (scheduling.order: largestFirst)"},
	} {
		s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order = c.host, c.numa, c.order
		other := *f
		if other.try(in, int(in.Spares.Number)); other.Fits && other.Evacuates {
			return c.words
		}
	}
	return ""
}

// worst tells the worst case of a loss.
func (f *Fleet) worst(l v1alpha1.ServerLoss) string {
	out := ""
	for _, h := range l.Homeless {
		out += fmt.Sprintf("; %s lost: %s of %s: %s", l.Worst, vms(h.Count), f.Placed.ServerTypes[h.ServerType].Name, h.Reason)
		break
	}
	return out
}

func vms(n int) string { return unit.Format(float64(n), "VMs") }

func hosts(n int) string { return unit.Format(float64(n), "hosts") }

// mostVMs is how many VMs on one host were tested.
func (in Input) mostVMs() derive.Value {
	f, _, _, _ := in.Facts.ForRelease("hcg.max.vmsPerCompute", in.Scenario.Platform.Release)
	if f.Number == 0 {
		f = in.Facts.Must("hcg.max.vmsPerCompute/4.0")
	}
	return f.Value()
}
