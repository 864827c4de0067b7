package compute

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// biosSettings are the rows of table 8 in its order, with what each is for.
var biosSettings = []struct{ name, title string }{
	{"mode", "Firmware"}, {"hyperthreading", "Hyperthreading"}, {"virtualisation", "Virtualisation"},
	{"power", "Power profile"}, {"idle", "Idle states"}, {"turbo", "Turbo Boost"}, {"boot", "Boot order"},
}

// bios lists the settings to check on each compute host (table 8).
func (p *planner) bios() {
	t := p.Table("compute.bios", "BIOS or UEFI settings of compute hosts, to be checked on each", part.Left("Setting"),
		part.Left("Required"))
	t.Wide = true
	for _, s := range biosSettings {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(s.title), part.Text(p.in.fact("bios." + s.name).Text)})
	}
}

// machine checks the hosts against the document's minimum.
func (p *planner) machine(f *Fleet) {
	t := p.in.Scenario.Hardware.NodeTypes[f.Type]
	least := p.in.fact("memoryMin")
	find := func(severity v1alpha1.Severity, id, field, message, remedy string) {
		p.FindAt(severity, id, path(f)+field, t.Name+": "+message, remedy, source)
	}
	if float64(t.Memory) < least.Number {
		find(v1alpha1.Error, "compute.memoryMin", ".memory", fmt.Sprintf("%s of memory, at least %s are mandatory",
			unit.FormatBytes(t.Memory), least), "take a host with more memory")
	}
	sockets := map[int]bool{}
	cores := map[int]bool{}
	m := p.in.Machine(f.Type)
	for _, c := range m.CPUs {
		sockets[c.Socket], cores[c.Core] = true, true
	}
	needSockets, each := p.in.fact("sockets"), p.in.fact("coresPerSocket")
	if want := needSockets.Number * each.Number; float64(len(cores)) < want {
		find(v1alpha1.Error, "compute.coresMin", ".topology", fmt.Sprintf("%d cores, at least %s with %s each are required",
			len(cores), needSockets, each), "take a host with more cores")
	} else if float64(len(sockets)) < needSockets.Number {
		find(v1alpha1.Error, "compute.sockets", ".topology", fmt.Sprintf("%d socket, at least %s with %s each are required",
			len(sockets), needSockets, each), "take a host with two sockets, as controllers are")
	}
	for _, n := range m.Nodes[min(1, len(m.Nodes)):] {
		if n.Memory < m.Nodes[0].Memory-unit.GiB || n.Memory > m.Nodes[0].Memory+unit.GiB {
			find(v1alpha1.Warning, "compute.uneven", ".memory", "the memory is not spread evenly over the NUMA nodes",
				"populate all channels of all sockets alike")
			break
		}
	}
	p.vSwitchLimits(f, find)
}

// vSwitchLimits checks the cores that are kept for the vSwitch and for shared vCPUs.
func (p *planner) vSwitchLimits(f *Fleet, find func(severity v1alpha1.Severity, id, field, message, remedy string)) {
	vswitch, platform := 0, 0
	var nothing unit.CPUSet // numbers of NUMA nodes
	for i, n := range p.in.Nodes(f.Type) {
		vswitch, platform = vswitch+n.VSwitchCores, platform+n.PlatformCores
		if most := p.in.fact("sharedCoresMax"); float64(n.SharedCores) > most.Number {
			find(v1alpha1.Error, "compute.sharedCores", ".compute.sharedCores",
				fmt.Sprintf("%d shared cores on node %d, at most %s of a socket can be", n.SharedCores, i, most), "share one")
		}
		if n.VMCores() == 0 || n.VMMemory() == 0 {
			nothing.Add(i)
		}
	}
	if platform == 0 && p.in.Rules() == nova.HCG40 {
		find(v1alpha1.Error, "compute.platformCores", ".compute.platformCores", "no core is left to the platform",
			"keep "+p.in.fact("platformCores").Text+" on socket 0, as by default")
	}
	page := p.in.fact("vswitchMemoryPerNode")
	if c := p.stated(f); c != nil && p.in.Rules() == nova.HCG40 && slices.ContainsFunc(c.VSwitchMemory,
		func(b unit.Bytes) bool { return float64(b) != page.Number }) {
		find(v1alpha1.Error, "compute.vSwitchMemory", ".compute.vSwitchMemory",
			fmt.Sprintf("the vSwitch's memory is not configurable: %s on each NUMA node", page), "leave it out")
	}
	ratio := p.in.Facts.Must("hcg.cpu.overcommit").Value()
	if c := p.stated(f); c != nil && p.in.Rules() != nova.Nova && c.CPUAllocationRatio != 0 &&
		float64(c.CPUAllocationRatio) != ratio.Number {
		find(v1alpha1.Error, "compute.cpuAllocationRatio", ".compute.cpuAllocationRatio",
			fmt.Sprintf("the ratio of shared vCPUs to CPUs is not configurable with the rules of %s: it is %g",
				p.in.Rules(), ratio.Number), "leave it out, or set scheduling.rules to nova")
	}
	if nothing.Len() > 0 {
		find(v1alpha1.Warning, "compute.nothingLeft", ".compute",
			fmt.Sprintf("no cores or no memory are left for VMs on NUMA node %s", nothing), "keep back less there")
	}
	if most := p.in.fact("vswitchCoresMax"); float64(vswitch) > most.Number {
		find(v1alpha1.Error, "compute.vSwitchCores", ".compute.vSwitchCores",
			fmt.Sprintf("%d cores for the vSwitch, at most %s can be", vswitch, most),
			"spread the traffic over more hosts, or use SR-IOV")
	}
}

// doubts notes the doubtful rows that compute hosts meet, with their effects.
func (p *planner) doubts(f *Fleet) {
	log := p.in.Doubts
	nodes := p.in.Nodes(f.Type)
	if printed := p.in.fact("platformMemoryPrinted"); len(nodes) != 2 && p.ownPlatformMemory(f) == nil {
		formula := p.in.fact("platformMemoryBase").Number + p.in.fact("platformMemoryPerNode").Number*float64(len(nodes))
		log.Met(15)
		log.Effect(15, fmt.Sprintf("%s instead of %s on hosts of %s", derive.Of(formula, unit.ByteUnit), printed,
			derive.Of(float64(len(nodes)), "NUMA nodes")))
	}
	if p.in.CPE {
		log.Met(23)
		log.Effect(23, fmt.Sprintf("%s in place of the platform's %s, and %s less for VMs on each host",
			p.Fact("hcg.cpe.controllerMemory"), p.in.fact("platformMemoryBase"), p.Fact("hcg.cpe.controllerCPUs")))
	}
	p.flavorDoubts(nodes)
}

// ownPlatformMemory is the scenario's list of the platform's memory; nil without one.
func (p *planner) ownPlatformMemory(f *Fleet) []unit.Bytes {
	if c := p.in.Scenario.Hardware.NodeTypes[f.Type].Compute; c != nil {
		return c.PlatformMemory
	}
	return nil
}

// flavorDoubts are the rows that flavors in use meet.
func (p *planner) flavorDoubts(nodes []Node) {
	log := p.in.Doubts
	threads, shared := 1, 0
	for _, n := range nodes {
		threads = max(threads, n.Threads)
	}
	for i := range p.in.Scenario.Workload.Servers {
		sv := &p.in.Scenario.Workload.Servers[i]
		f, _ := FlavorOf(p.in.Scenario, sv)
		if f == nil || sv.Count == 0 {
			continue
		}
		if f.Properties["hw:pci_numa_affinity_policy"] == "prefer" || f.Properties["hw:wrs:pci_numa_affinity"] == "prefer" {
			log.Met(16)
		}
		if f.Properties["hw:mem_page_size"] == "any" && p.in.Rules() == nova.HCG40 {
			log.Met(17)
			log.Effect(17,
				fmt.Sprintf("VMs of %s take large pages only, as the document has it; Nova would fall back to small ones", f.Name))
		}
		if policy := f.Properties["hw:cpu_policy"]; policy == "" || policy == nova.Shared {
			shared += sv.Count * f.VCPUs
		}
	}
	if shared > 0 && threads > 1 {
		ratio := p.Fact("hcg.cpu.overcommit")
		log.Met(21)
		log.Effect(21, fmt.Sprintf("%s of shared VMs take at least %s at %s to each, or as many physical cores",
			derive.Of(float64(shared), "vCPUs"), derive.Of(derive.Ceil(float64(shared)/ratio.Number), "logical CPUs"), ratio))
	}
}
