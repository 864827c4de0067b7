package helion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/control"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/plan/helion/neutron"
	"plimsoll.dev/plan/part"
	"plimsoll.dev/unit"
)

// maxRounds bounds the rounds in which the vSwitch's cores and the places of VMs
// settle on one another. Cores only grow, to a cap, so few are needed.
const maxRounds = 8

// decide finds the deployment model and the compute hosts.
func (p *planner) decide() {
	fleets, nets := p.fleetsOf(false)
	chosen := choose(p.s, fleets)
	limits := model.LimitsOf(p.c)
	needs := p.needs(fleets, chosen)
	var pairs []compute.Fleet
	var pairNets network
	pair := -1
	wanted := p.s.Policy.Model
	if wanted == control.CPE || wanted == "" && p.load.vms.Number <= limits.VMs[control.CPE].Number {
		pairs, pairNets = p.fleetsOf(true)
		pair = choose(p.s, pairs)
		needs.Alone, needs.AloneWhy = alone(pairs, pair)
	}
	d, shown := model.Plan(&p.b, needs, limits, wanted)
	p.model = d
	p.put(shown)
	switch {
	case d.Chosen == control.CPE:
		fleets, nets, chosen = pairs, pairNets, pair
	case d.Regions > 1:
		p.regions = d.Regions
		p.count()
		fleets, nets = p.fleetsOf(false)
		chosen = choose(p.s, fleets)
	}
	p.fleets, p.chosen = fleets, chosen
	p.computeHosts(nets)
}

// alone says whether all VMs fit on one host of a CPE, and else why not.
func alone(pairs []compute.Fleet, chosen int) (bool, string) {
	if chosen < 0 {
		return false, "no node type has the role compute"
	}
	f := &pairs[chosen]
	return f.Fits && f.Base <= 1, f.Why
}

// network is the cores that the vSwitch needs, by node type index and NUMA node.
type network map[int][]int

// fleetsOf counts the hosts of every node type. The vSwitch's cores and the hosts are
// found in turn: more VMs on a host send more packets through its vSwitch.
func (p *planner) fleetsOf(cpe bool) ([]compute.Fleet, network) {
	var fleets []compute.Fleet
	cores := network{}
	in := p.computeInput(cpe, cores)
	for _, index := range in.Types() {
		f := compute.Count(in, index)
		for range maxRounds {
			need := neutron.Needs(p.networkInput(&f, doubt.New(p.doubts.Mode(), p.c), nil))
			if len(need) == 0 || slices.Equal(trim(need[0]), trim(p.reserved(in, index))) {
				break
			}
			cores[index] = need[0]
			f = compute.Count(in, index)
		}
		fleets = append(fleets, f)
	}
	return fleets, cores
}

// reserved are the cores of the vSwitch that hosts of a type keep now.
func (p *planner) reserved(in compute.Input, index int) []int {
	var out []int
	for _, n := range in.Nodes(index) {
		out = append(out, n.VSwitchCores)
	}
	return out
}

// trim leaves zeros at the end out.
func trim(list []int) []int {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// computeInput is what compute hosts are counted from.
func (p *planner) computeInput(cpe bool, cores network) compute.Input {
	return compute.Input{Book: &p.b, Facts: p.c, Doubts: p.doubts, Origin: p.o, Scenario: p.load.s, Machines: p.machines, CPE: cpe,
		Spares: p.spares(), Margin: p.margin(), VMs: p.load.vms, Choices: p.load.choices, VSwitchCores: cores}
}

// networkInput is one node type with its hosts, for the check of the network. Hosts
// are those of the placement, or a mean host where nothing is placed.
func (p *planner) networkInput(f *compute.Fleet, log *doubt.Log, book *derive.Book) neutron.Input {
	in := neutron.Input{Book: book, Facts: p.c, Doubts: log, Origin: p.o, Neutron: p.s.Network.Neutron, Storage: "controller", Computes: p.computes}
	if book == nil {
		in.Book = &derive.Book{}
	}
	if p.withCeph() {
		in.Storage = "dedicated"
	}
	t := p.s.Hardware.NodeTypes[f.Type]
	m := p.computeInput(false, nil).Machine(f.Type)
	typ := neutron.Type{Name: t.Name, Path: fmt.Sprintf("hardware.nodeTypes[%d]", f.Type), NUMANodes: len(m.Nodes), CPUGHz: t.CPUGHz, NICs: t.NICs}
	if t.Compute != nil {
		typ.VSwitchCores, typ.VSwitchMemory = t.Compute.VSwitchCores, t.Compute.VSwitchMemory
	}
	in.Types = []neutron.Type{typ}
	for i := range p.load.s.Workload.Servers {
		sv := &p.load.s.Workload.Servers[i]
		in.Servers = append(in.Servers, neutron.Server{Name: sv.Name, Path: fmt.Sprintf("workload.servers[%d]", i), Count: p.load.servers[i],
			Ports: sv.Ports, SmallPages: p.smallPages(sv), Local: p.s.Workload.Servers[i].BootFrom == "image"})
	}
	in.Hosts = p.hostsOf(f)
	return in
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
	if f.Placed == nil || len(f.Placed.Servers) == 0 {
		return p.meanHost()
	}
	on := map[string]map[int]int{}
	var names []string
	for _, s := range f.Placed.Servers {
		if on[s.Host] == nil {
			on[s.Host] = map[int]int{}
			names = append(names, s.Host)
		}
		on[s.Host][s.ServerType]++
	}
	slices.Sort(names)
	seen := map[string]bool{}
	var out []neutron.Host
	for _, name := range names {
		if key := fmt.Sprint(on[name]); !seen[key] {
			seen[key] = true
			out = append(out, neutron.Host{Name: name, VMs: on[name]})
		}
	}
	return out
}

// meanHost is a host with policy.vmsPerCompute VMs of the mix, rounded up.
func (p *planner) meanHost() []neutron.Host {
	all := p.load.vms.Number
	if all == 0 {
		return nil
	}
	h := neutron.Host{Name: "a mean compute", VMs: map[int]int{}}
	for i, n := range p.load.servers {
		h.VMs[i] = int(derive.Ceil(n.Number * float64(p.s.Policy.VMsPerCompute) / all))
	}
	return []neutron.Host{h}
}

// choose is the index of the fleet to plan with: the one that policy.node names, else
// one that fits before one that does not, the cheaper, the one with fewer CPUs, the
// one with fewer hosts; -1 without any.
func choose(s *v1alpha1.Scenario, fleets []compute.Fleet) int {
	best := -1
	for i := range fleets {
		t := s.Hardware.NodeTypes[fleets[i].Type]
		if s.Policy.Node != "" && s.Policy.Node != t.Name {
			continue
		}
		if best < 0 || cheaper(s, &fleets[i], &fleets[best]) {
			best = i
		}
	}
	return best
}

func cheaper(s *v1alpha1.Scenario, a, b *compute.Fleet) bool {
	if a.Fits != b.Fits {
		return a.Fits
	}
	if (a.Base > 0) != (b.Base > 0) {
		return a.Base > 0
	}
	x, y := s.Hardware.NodeTypes[a.Type], s.Hardware.NodeTypes[b.Type]
	price := func(t v1alpha1.NodeType, f *compute.Fleet) float64 { return t.Price * float64(f.Total) }
	if x.Price > 0 && y.Price > 0 && price(x, a) != price(y, b) {
		return price(x, a) < price(y, b)
	}
	return cmp.Or(cmp.Compare(x.CPUs*a.Total, y.CPUs*b.Total), cmp.Compare(a.Total, b.Total)) < 0
}

// computeHosts records the compute hosts, their network and the options.
func (p *planner) computeHosts(nets network) {
	cpe := p.model.Chosen == control.CPE
	if p.chosen < 0 {
		s := part.New(compute.Section, "Compute hosts")
		s.Find(v1alpha1.Error, "compute.none", "no node type can be chosen for the compute hosts", "list a node type with role compute under hardware.nodeTypes").Field = "hardware.nodeTypes"
		p.put(s)
		return
	}
	f := &p.fleets[p.chosen]
	p.computes = derive.Of(float64(f.Total), "computes")
	r, shown := compute.Plan(p.computeInput(cpe, nets), p.fleets, p.chosen)
	p.computes = r.Hosts
	p.plan.Options, p.cut = r.Options, r.Layers
	_, net := neutron.Plan(p.networkInput(f, p.doubts, &p.b))
	p.ignored(shown)
	p.put(shown, net)
}

// ignored says what of the hardware the plan does not count with.
func (p *planner) ignored(s *part.Part) {
	var others []string
	for i := range p.fleets {
		if t := p.s.Hardware.NodeTypes[p.fleets[i].Type]; i != p.chosen && t.Count != nil && *t.Count > 0 {
			others = append(others, t.Name)
		}
	}
	if len(others) > 0 {
		s.Find(v1alpha1.Warning, "compute.mixed", "the plan counts with one type of compute host alone, not with those of "+strings.Join(others, ", "),
			"place the VMs on all of them with plimsoll place, which takes the hosts as they are counted").Field = "hardware.nodeTypes"
	}
	if len(p.s.Hardware.Options) > 0 {
		s.Find(v1alpha1.Warning, "compute.options", "mixes of node types are not planned on this platform: each type of role compute is an option of its own",
			"leave hardware.options out").Field = "hardware.options"
	}
}
