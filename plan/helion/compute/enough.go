package compute

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/place/cloud"
	"plimsoll.dev/topo"
)

// searchEffort bounds the numbers of hosts that are tried one by one, in VMs that are
// placed; so many are tried whatever the VMs are.
const (
	searchEffort = 150_000
	leastSearch  = 8
)

// search is the fewest hosts found, from a number on, on which all VMs run in the order
// of arrival, also after a loss, with no more on one host than were tested; 0 when none
// is. each says that all smaller ones were tried; more hosts may hold less, so that
// nothing else shows it.
func (f *Fleet) search(in Input, from int) (n int, each bool) {
	vms := vmsOf(in.Scenario)
	most := max(from, vms+f.Spares) // a host for each VM
	t, problems := f.trials(in, most)
	if len(problems) > 0 {
		return 0, false
	}
	holds := func(n int) bool { return f.try(in, t, n, mostLosses).ok() }
	end := min(most, from+max(leastSearch, searchEffort/max(1, vms)))
	for n := from; n <= end; n++ {
		if holds(n) {
			return n, true
		}
	}
	return fewest(end, most, holds), false
}

// fewest is a number beyond from, up to most, that holds while a smaller one near it
// doesn't; 0 when the largest does not hold. Steps grow until a number holds; then the
// gap is halved, down to the first step, which is some percent of large numbers: every
// try places all VMs.
func fewest(from, most int, holds func(n int) bool) int {
	if from >= most || !holds(most) {
		return 0
	}
	first := max(1, from/32)
	fails, works := from, most
	for step := first; fails+step < works; step *= 4 {
		if holds(fails + step) {
			works = fails + step
		} else {
			fails += step
		}
	}
	for works-fails > first {
		if n := (fails + works) / 2; holds(n) {
			works = n
		} else {
			fails = n
		}
	}
	return works
}

// leastCures is how many settings are tried, however many the VMs are.
const leastCures = 2

// cure is a choice of the order of hosts, NUMA nodes or VMs with which all holds on
// Total hosts, in words and as the input to place with; empty when none is.
func (f *Fleet) cure(in Input) (words string, with Input) {
	if f.Spares > mostLosses { // which a trial does not lose
		return "", in
	}
	const pack, spread = "pack", "spread"
	was := in.Scenario.Scheduling
	tries := max(leastCures, effort/max(1, vmsOf(in.Scenario)))
	for _, c := range []struct{ host, numa, order, words string }{
		{spread, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: spread"},
		{pack, was.NUMAStrategy, was.Order, "scheduling.hostStrategy: pack"},
		{was.HostStrategy, pack, was.Order, "scheduling.numaStrategy: pack"},
		{was.HostStrategy, was.NUMAStrategy, "largestFirst", "the largest VMs first (scheduling.order: largestFirst)"},
		{pack, pack, "largestFirst",
			"hostStrategy and numaStrategy: pack and the largest VMs first (scheduling.order: largestFirst)"},
	} {
		s := *in.Scenario
		s.Scheduling.HostStrategy, s.Scheduling.NUMAStrategy, s.Scheduling.Order = c.host, c.numa, c.order
		if c.host == was.HostStrategy && c.numa == was.NUMAStrategy && c.order == was.Order || tries == 0 {
			continue
		}
		tries--
		with = in
		with.Scenario = &s
		if t, problems := f.trials(with, f.Total); len(problems) == 0 && f.try(with, t, f.Total, mostLosses).ok() {
			return c.words, with
		}
	}
	return "", in
}

// Remedy is a setting, a number of hosts, a policy of server groups or a size of hosts with which
// all holds, or what gives VMs that fit nowhere a host; all were tried. It is empty when none
// was found.
func (f *Fleet) Remedy(in Input) string {
	if in.Trial {
		return ""
	}
	if f.Base == 0 {
		return f.housed(in.Scenario)
	}
	if words, _ := f.cure(in); words != "" {
		return "place with " + words + ": then all holds on " + hosts(f.Total)
	}
	var ways []string
	if n := f.Enough; n > f.Total && !in.CPE {
		if most := in.Facts.Must("hcg.model.computes/dedicated-storage").Value(); float64(n) > most.Number {
			return fmt.Sprintf("list the VMs in another order, take larger hosts or more regions: all holds on %s, "+
				"and no region has more than %s", hosts(n), most)
		}
		ways = append(ways, "take "+hosts(n)+": then all holds"+f.withFewer(in, n-1))
	}
	if vmsOf(in.Scenario) <= mostRedone && f.Spares <= mostLosses {
		ways = append(ways, f.softer(in)...)
		if s := in.Scenario.Scheduling; f.Enough == 0 && s.HostStrategy == "pack" {
			ways = append(ways, f.spread(in)...)
		}
		if len(ways) == 0 {
			ways = f.larger(in)
		}
	}
	return cmp.Or(strings.Join(ways, "; or "), f.housed(in.Scenario))
}

// withFewer says why it takes more hosts than the VMs need and are spare; what does not hold on
// the planned number is told anyway.
func (f *Fleet) withFewer(in Input, n int) string {
	if n <= f.Total || n < f.Least+f.Spares {
		return ""
	}
	return fmt.Sprintf("; with %s, %s", hosts(n), f.breaks(in, n))
}

// mostRedone is the most VMs for which remedies are tried that count all hosts anew.
const mostRedone = 1000

// redone says that all holds, on as many hosts as are planned, with a changed input.
func (f *Fleet) redone(in Input) bool {
	g := Count(in, f.Type)
	return len(g.Problems) == 0 && g.Base > 0 && g.holds(in) && g.Total <= f.Total
}

// spread is the number of hosts on which all holds where VMs go to the emptiest host; packed, the
// first ones may run more than are tested however many there are.
func (f *Fleet) spread(in Input) []string {
	s := *in.Scenario
	s.Scheduling.HostStrategy = "spread"
	with := in
	with.Scenario = &s
	g := Count(with, f.Type)
	if g.Enough > 0 {
		return []string{"place with scheduling.hostStrategy: spread: then all holds on " + hosts(g.Enough)}
	}
	return nil
}

// softer are the server groups whose VMs need not all be apart, or together, for all to hold.
func (f *Fleet) softer(in Input) []string {
	var out []string
	for i, g := range in.Scenario.Workload.ServerGroups {
		soft := cloud.Softer(g.Policy)
		if soft == "" {
			continue
		}
		s := *in.Scenario
		s.Workload.ServerGroups = slices.Clone(s.Workload.ServerGroups)
		s.Workload.ServerGroups[i].Policy = soft
		with := in
		if with.Scenario = &s; f.redone(with) {
			out = append(out, fmt.Sprintf("%s in place of %s in the server group %s", soft, g.Policy, g.Name))
		}
	}
	return out
}

// larger is the host of twice the cores and the memory, where all holds with it.
func (f *Fleet) larger(in Input) []string {
	t := in.Scenario.Hardware.NodeTypes[f.Type]
	with := in
	with.Machines = maps.Clone(in.Machines)
	if with.Machines == nil {
		with.Machines = map[string]topo.Machine{}
	}
	with.Machines[t.Name] = twice(in.Machine(f.Type))
	if !f.redone(with) {
		return nil
	}
	return []string{"take larger hosts: all holds on those with twice the cores and memory"}
}

// twice is a machine with twice the cores and memory on each NUMA node.
func twice(m topo.Machine) topo.Machine {
	next := 0
	for _, c := range m.CPUs {
		next = max(next, c.ID+1)
	}
	out := topo.Machine{CPUs: slices.Clone(m.CPUs), Nodes: slices.Clone(m.Nodes), Devices: m.Devices}
	for _, c := range m.CPUs {
		c.ID, c.Core = c.ID+next, c.Core+next
		out.CPUs = append(out.CPUs, c)
	}
	for i := range out.Nodes {
		out.Nodes[i].Memory *= 2
	}
	return out
}
