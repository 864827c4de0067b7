package helion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/plan/helion/neutron"
	"plimsoll.dev/unit"
)

// networkInput is one node type with its hosts, for the check of the network. Hosts
// are those of the placement, or a mean host where nothing is placed; of a CPE one
// host with all VMs, for the other may fail. The cores in nets are kept at least.
func (p *planner) networkInput(f *compute.Fleet, nets network, cpe bool, log *doubt.Log,
	book *derive.Book) neutron.Input {
	in := neutron.Input{Book: book, Facts: p.c, Doubts: log, Origin: p.o, Neutron: p.s.Network.Neutron,
		Storage: "controller", Computes: p.computes}
	if book == nil {
		in.Book = &derive.Book{}
	}
	if p.withCeph() {
		in.Storage = "dedicated"
	}
	t := p.s.Hardware.NodeTypes[f.Type]
	m := p.computeInput(false, nil).Machine(f.Type)
	typ := neutron.Type{Name: t.Name, Path: fmt.Sprintf("hardware.nodeTypes[%d]", f.Type), NUMANodes: len(m.Nodes),
		CPUGHz: t.CPUGHz, NICs: t.NICs, Kept: nets[f.Type]}
	if t.Compute != nil {
		typ.VSwitchCores = t.Compute.VSwitchCores
		if p.s.Scheduling.Rules != string(nova.HCG40) { // whose vSwitch has a fixed amount
			typ.VSwitchMemory = t.Compute.VSwitchMemory
		}
	}
	for _, n := range p.computeInput(cpe, nil).Nodes(f.Type) {
		typ.Room = append(typ.Room, max(0, n.Cores-n.PlatformCores-n.SharedCores))
	}
	in.Types = []neutron.Type{typ}
	for i := range p.load.s.Workload.Servers {
		sv := &p.load.s.Workload.Servers[i]
		in.Servers = append(in.Servers, neutron.Server{Name: sv.Name, Path: fmt.Sprintf("workload.servers[%d]", i),
			Count: p.load.servers[i],
			Ports: sv.Ports, SmallPages: p.smallPages(sv), NUMANodes: p.bound(sv),
			Local: p.s.Workload.Servers[i].BootFrom == "image"})
	}
	in.Hosts = p.hostsOf(f)
	if cpe {
		in.Hosts = p.oneHost(f)
	}
	return in
}

// bound are the NUMA nodes of the host that flavor or image bind a server's VMs to.
func (p *planner) bound(sv *v1alpha1.Server) []int {
	f, image := p.flavorOf(sv)
	if f == nil {
		return nil
	}
	properties := []map[string]string{f.Properties}
	if image != nil {
		properties = append(properties, image.Properties)
	}
	var nodes []int
	for _, from := range properties {
		for _, key := range slices.Sorted(maps.Keys(from)) {
			if n, err := strconv.Atoi(from[key]); err == nil && (strings.HasPrefix(key, "hw:numa_node.") ||
				strings.HasPrefix(key, "hw_numa_node.")) {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// smallPages says that a server's flavor asks for pages of 4 KiB.
func (p *planner) smallPages(sv *v1alpha1.Server) bool {
	f, _ := p.flavorOf(sv)
	if f == nil {
		return false
	}
	size := f.Properties["hw:mem_page_size"]
	n, err := unit.ParseBytes(size + "Ki")
	return size == "small" || err == nil && n == 4*unit.KiB
}

// hostsOf are the hosts of a fleet with the VMs on each; equal ones are one entry.
func (p *planner) hostsOf(f *compute.Fleet) []neutron.Host {
	if len(f.Loads) == 0 {
		return p.meanHost()
	}
	var out []neutron.Host
	for _, l := range f.Loads {
		out = append(out, neutron.Host{Name: l.Host, VMs: l.VMs, On: l.On})
	}
	for _, l := range f.After {
		out = append(out, neutron.Host{Name: l.Host + " after a loss", VMs: l.VMs, On: l.On})
	}
	return out
}

// oneHost is a host of a CPE when the other is lost: all VMs are on it.
func (p *planner) oneHost(f *compute.Fleet) []neutron.Host {
	h := neutron.Host{Name: "one host alone, the other being lost", VMs: map[int]int{}}
	for i, n := range p.load.servers {
		h.VMs[i] = int(n.Int())
	}
	all := int(p.load.vms.Int())
	if i := slices.IndexFunc(f.After, func(l cloud.Load) bool { return l.Count() == all }); i >= 0 {
		h.On = f.After[i].On
	}
	return []neutron.Host{h}
}

// meanHost is a host with policy.vmsPerCompute VMs of the mix, each kind rounded up.
func (p *planner) meanHost() []neutron.Host {
	all := p.load.vms.Number
	if all == 0 {
		return nil
	}
	h := neutron.Host{Name: "a mean compute", Mean: true, VMs: map[int]int{}}
	for i, n := range p.load.servers {
		h.VMs[i] = int(derive.Ceil(n.Number * float64(p.s.Policy.VMsPerCompute) / all))
	}
	return []neutron.Host{h}
}
