package sample

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Server types of Cloud.
const (
	vdu = iota
	upf
	cucp
	oam
	wide
)

// cloudHost is a host of Cloud: the VMs that run on it, by pattern.
type cloudHost struct {
	zone    string
	pattern int
	// same is how many further hosts are told with it.
	same int
}

// Cloud is twelve hosts with threads in three zones by the rules of StarlingX: some
// VMs find no host, and others none after a loss.
func Cloud() *v1alpha1.ServerPlacement {
	types := []v1alpha1.ServerOutcome{
		{Name: "vdu", Flavor: "ran.vdu", VCPUs: 4, RAM: 8 * unit.GiB, Policy: "dedicated, isolate, 1Gi pages", Wanted: 13, More: 6},
		{Name: "upf", Flavor: "core.upf", VCPUs: 8, RAM: 16 * unit.GiB, Policy: "dedicated, require, 2 NUMA nodes, 1Gi pages, pci prefer", Wanted: 8, Bound: 2, More: 6, NovaRefuses: 1},
		{Name: "cucp", Flavor: "ran.cucp", VCPUs: 4, RAM: 8 * unit.GiB, Policy: "dedicated, prefer, 2Mi pages", Wanted: 14, More: 13},
		{Name: "oam", Flavor: "small", VCPUs: 2, RAM: 2 * unit.GiB, Policy: "shared, 2Mi pages", Wanted: 35, Bound: 8, More: 100, AtLeast: true},
		{Name: "wide", Flavor: "core.wide", VCPUs: 12, RAM: 24 * unit.GiB, Policy: "dedicated, isolate, 1Gi pages, emulator isolate", Wanted: 2},
	}
	var servers []v1alpha1.PlacedServer
	var hosts []v1alpha1.PlacedHost
	var machines []v1alpha1.MachineMap
	number := make([]int, len(types))
	next := 1
	for _, c := range []cloudHost{{"a", 0, 0}, {"a", 0, 3}, {"b", 1, 0}, {"b", 1, 2}, {"c", 2, 0}, {"c", 2, 1}} {
		for i := range c.same + 1 {
			m := cloudMachine(fmt.Sprintf("compute-%d", next))
			next++
			for _, s := range patternOf(c.pattern) {
				number[s.ServerType]++
				s.Name, s.Host = fmt.Sprintf("%s-%d", types[s.ServerType].Name, number[s.ServerType]), m.Node
				if s.Name == "upf-3" {
					s.NovaRefuses = "its search takes cell 1 for cell 0 and finds no CPUs"
				}
				m.run(s)
				servers = append(servers, s)
			}
			m.float(1)
			if i > 0 {
				continue
			}
			h := m.host(c.zone, c.same+1)
			h.Nodes[1].VCPUs, h.Full = 2*floatingOf(c.pattern), c.pattern == 0
			if c.same == 0 {
				machines = append(machines, m.MachineMap)
				h.Machine = len(machines)
			}
			hosts = append(hosts, h)
		}
	}
	p := serverPlacement("edge-cloud", "Radio and core functions on twelve hosts", "starlingx: the rules of the public fork of Nova, 2018", types, servers, hosts)
	p.Rules = append(p.Rules, "hosts: spread; RAM, CPU and PCI weighers; zones a, b and c")
	p.Machines = machines
	cloudStory(p)
	return p
}

// cloudMachine is an empty host: two sockets of 8 cores with two threads.
func cloudMachine(name string) *machine {
	m := newMachine(name, "hp-2s16", shape{2, 1, 8, 2, 1}, "platform on core 0, vSwitch on cores 1 and 8")
	m.use("free", "0-31")
	m.use("platform", "0,16")
	m.use("vswitch", "1,17,8,24")
	for node := range 2 {
		m.pool(node, "hugepages-2Mi", []unit.Bytes{24 * unit.GiB, 22 * unit.GiB}[node], 0)
		m.pool(node, "hugepages-1Gi", 32*unit.GiB, 2*unit.GiB)
	}
	m.port(0, "ens1f0")
	m.port(1, "ens2f0")
	for i := range 16 {
		m.device(0, "sriov-n3", fmt.Sprintf("0000:3b:02.%d", i))
	}
	return m
}

// floatingOf is the number of oam on a host of a pattern.
func floatingOf(pattern int) int { return []int{3, 2, 4}[pattern] }

// patternOf are the VMs of a host: a full one, one with two isolated VMs, and one
// with room.
func patternOf(pattern int) []v1alpha1.PlacedServer {
	isolated := func(node int, idle string, cpus ...int) v1alpha1.PlacedServer {
		c := cell(0, node, 0, 8*unit.GiB, cpus...)
		c.Idle, c.PageSize = cpusOf(idle), unit.GiB
		return v1alpha1.PlacedServer{ServerType: vdu, Cells: []v1alpha1.PlacedCell{c},
			Why: []string{fmt.Sprintf("node %d has the most free memory, and 4 cores of which nobody has a thread", node), "isolate: no other VM gets the siblings"}}
	}
	pair := v1alpha1.PlacedServer{ServerType: upf, Cells: []v1alpha1.PlacedCell{cell(0, 0, 0, 8*unit.GiB, 6, 22, 7, 23), cell(1, 1, 4, 8*unit.GiB, 10, 26, 11, 27)},
		Devices: []v1alpha1.PlacedDevice{{Kind: "sriov-n3", Node: 0, Count: 2}},
		Why:     []string{"2 NUMA nodes: a cell on each, both siblings of each core", "pci prefer: cell 0 is beside sriov-n3, cell 1 is not"}}
	for i := range pair.Cells {
		pair.Cells[i].PageSize = unit.GiB
	}
	pinned := func(cpus ...int) v1alpha1.PlacedServer {
		return v1alpha1.PlacedServer{ServerType: cucp, Cells: []v1alpha1.PlacedCell{cell(0, 1, 0, 8*unit.GiB, cpus...)}, Why: []string{"node 1 is the first with 4 free CPUs"}}
	}
	float := cell(0, 1, 0, 2*unit.GiB)
	float.VCPUs = cpusOf("0-1")
	var out []v1alpha1.PlacedServer
	switch pattern {
	case 0:
		out = append(out, isolated(0, "18-21", 2, 3, 4, 5), pair, pinned(12, 28, 13, 29), pinned(14, 30, 15, 31))
	case 1:
		out = append(out, isolated(0, "18-21", 2, 3, 4, 5), isolated(1, "26-29", 10, 11, 12, 13), pinned(14, 30, 15, 31))
	case 2:
		out = append(out, pair)
	}
	for range floatingOf(pattern) {
		out = append(out, v1alpha1.PlacedServer{ServerType: oam, Cells: []v1alpha1.PlacedCell{float}, Why: []string{"floats over the CPUs of node 1 that no VM has for itself, at most 16 vCPUs on each"}})
	}
	return out
}

// cloudStory adds what does not follow from the hosts.
func cloudStory(p *v1alpha1.ServerPlacement) {
	p.Verdict.Problem = "2 VMs of wide: 12 isolated vCPUs need 12 cores, no NUMA node has more than 6"
	p.Verdict.Tightest = "dedicated CPUs are the fullest resource, and 5 of 12 hosts take no VM any more"
	p.Refusals = []v1alpha1.ServerRefusal{{ServerType: wide, Count: 2,
		Reasons: []v1alpha1.UnfitReason{{Reason: "not enough free cores for isolated vCPUs on any NUMA node", Nodes: 12}},
		Nearest: "compute-10", Nodes: []string{"node 0: 4 free cores < 13 (12 isolated vCPUs, 1 for the emulator)", "node 1: 5 free cores < 13 (12 isolated vCPUs, 1 for the emulator)"},
		Remedies: []string{"hw:cpu_thread_policy=require in place of isolate, with hw:numa_nodes=2", "4 vCPUs in place of 12"}}}
	p.Comparison = &v1alpha1.HostComparison{Floor: 10, Method: "patterns", Packed: 11, Nova: 12, AtLeast: true, Given: 12,
		Advice: "the packed order leaves 1 host free; wide fits on no host of this type"}
	classes, noCores := "one of each class of equal hosts", "no host has 2 free cores on both NUMA nodes"
	p.Losses = []v1alpha1.ServerLoss{
		{What: "any 1 host", Tried: 12, How: "all", Survived: 12},
		{What: "any 2 hosts", Tried: 6, How: classes, Of: 66, Survived: 66},
		{What: "any 3 hosts", Tried: 10, How: classes, Of: 220, Survived: 219, Worst: "compute-10, compute-11, compute-12",
			Homeless: []v1alpha1.ServerCount{{ServerType: upf, Count: 3, Reason: noCores}}},
		{What: "zone a", Tried: 1, How: "all", Worst: "compute-1 and 4 more",
			Homeless: []v1alpha1.ServerCount{{ServerType: upf, Count: 5, Reason: noCores}, {ServerType: cucp, Count: 3, Reason: "not enough free 2Mi pages on any NUMA node with 4 free CPUs"}}},
	}
	p.Stranding = []v1alpha1.Stranding{
		{Resource: "threads beside isolated vCPUs", Amount: 52, Unit: "threads", Why: "isolate with 4 vCPUs keeps 4 siblings idle on 13 VMs"},
		{Resource: "2Mi pages on node 0", Amount: int64(120 * unit.GiB), Unit: unit.ByteUnit, Why: "the 5 full hosts have no CPU left on the node"},
	}
	p.Findings = []v1alpha1.Finding{
		{Severity: v1alpha1.Error, ID: "place.refused[wide]", Message: "wide: 2 VMs find no host", Remedy: "see what found no host, and why"},
		{Severity: v1alpha1.Warning, ID: "place.loss[zone a]", Message: "the cloud does not survive the loss of zone a", Remedy: "add 3 hosts, or spread upf over the zones"},
		{Severity: v1alpha1.Info, ID: "place.isolate", Message: "Nova of today refuses isolate on hosts with threads that are configured with cpu_dedicated_set"},
	}
	p.Assumptions = []v1alpha1.Assumption{{Field: "hardware.nodeTypes[0].compute.cpuAllocationRatio", Value: "16", Why: "the default of the fork", Fact: "hcg.cpu.overcommit"}}
	p.Skipped = []v1alpha1.Skipped{{Place: "flavors.json:12", What: "hw:watchdog_action", Why: "it places nothing", Count: 3}}
}

// HostileServers is Cloud with Nasty behind every text, and with numbers that
// point nowhere.
func HostileServers() *v1alpha1.ServerPlacement {
	p := Cloud()
	p.Losses[2].Homeless = append(p.Losses[2].Homeless, v1alpha1.ServerCount{ServerType: 99, Count: 1})
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindServerPlacement
	p.Machines[0].NUMANodes[0].Cores[1].Threads[0] = v1alpha1.ThreadMap{CPU: 999, Use: "exclusive", Owner: 99}
	p.Machines[0].NUMANodes[0].Cores[2].Threads[0] = v1alpha1.ThreadMap{CPU: -1, Use: "warp", Owner: -4}
	p.Refusals = append(p.Refusals, v1alpha1.ServerRefusal{ServerType: -1, Count: 0, Nodes: []string{"<b>"}})
	p.Servers[0].ServerType, p.Servers[1].Devices = 42, []v1alpha1.PlacedDevice{{Kind: "x", Node: -1, Count: 1}}
	return p
}
