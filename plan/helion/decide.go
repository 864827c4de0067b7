package helion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/plan/helion/neutron"
)

// maxRounds bounds the rounds in which the vSwitch's cores and the places of VMs
// settle on one another. Cores grow to a cap and then shrink, so few are needed.
const maxRounds = 8

// candidates are the node types for compute hosts, each with as many hosts as it
// takes, and the cores of their vSwitches.
type candidates struct {
	fleets []compute.Fleet
	nets   network
	// chosen is an index in fleets; -1 is none.
	chosen int
}

// candidates counts the hosts of every node type and chooses one.
func (p *planner) candidates(cpe bool) candidates {
	c := candidates{}
	c.fleets, c.nets = p.fleetsOf(cpe)
	c.chosen = choose(p.s, c.fleets)
	return c
}

// total is the number of hosts of the chosen type, 0 when nothing could be placed.
func (c candidates) total() derive.Value {
	if c.chosen < 0 {
		return derive.Of(0, "computes")
	}
	return derive.Of(float64(c.fleets[c.chosen].Total), "computes")
}

// decide finds the deployment model and the compute hosts.
func (p *planner) decide() {
	limits, wanted := model.LimitsOf(p.c), p.s.Policy.Model
	hosts, pairs := p.candidates(false), candidates{chosen: -1}
	if wanted == controller.CPE || p.isPair() || p.load.vms.Number <= limits.VMs[controller.CPE].Number {
		pairs = p.candidates(true)
		if pairs.chosen >= 0 {
			p.pair = pairs.fleets[pairs.chosen].Type
		}
	}
	needs := p.needs(hosts)
	needs.Alone, needs.AloneWhy = alone(pairs)
	if wanted == controller.Regions || wanted == "" && model.Decide(needs, limits).Chosen == controller.Regions {
		hosts = p.divide(&needs, limits, hosts)
	}
	d, shown := model.Plan(&p.b, needs, limits, wanted)
	p.model = d
	p.put(shown)
	if d.Chosen == controller.CPE {
		hosts = pairs
	}
	p.fleets, p.chosen, p.nets = hosts.fleets, hosts.chosen, hosts.nets
	p.computeHosts()
}

// alone says whether all VMs fit on one host of a CPE, and else why not; without a
// reason when nobody has looked, for there are too many VMs.
func alone(pairs candidates) (bool, string) {
	switch {
	case len(pairs.fleets) == 0:
		return false, ""
	case pairs.chosen < 0:
		return false, "no node type has the role compute"
	}
	f := &pairs.fleets[pairs.chosen]
	return f.Fits && f.Evacuates && f.Base == 1, cmp.Or(f.Why, "no number of such hosts holds them")
}

// network is the cores that the vSwitch needs, by node type index and NUMA node.
type network map[int][]int

// fleetsOf counts the hosts of every node type, each with the vSwitch's cores that
// settle.
func (p *planner) fleetsOf(cpe bool) ([]compute.Fleet, network) {
	var fleets []compute.Fleet
	cores := network{}
	in := p.computeInput(cpe, cores)
	for _, index := range in.Types() {
		fleets = append(fleets, p.settle(in, index))
	}
	return fleets, cores
}

// settle finds the vSwitch's cores of a node type, which it leaves in the input, and
// its hosts in turn: more VMs on a host send more packets through its vSwitch. Cores
// that were needed once are kept, so that the two settle: with more cores fewer VMs
// are on a host, and they send less. Cores that were one too many are given back.
func (p *planner) settle(in compute.Input, index int) compute.Fleet {
	f := compute.Count(in, index)
	for range maxRounds {
		need := p.vswitchCores(&f, in, in.VSwitchCores)
		if slices.Equal(trim(need), trim(p.reserved(in, index))) {
			break
		}
		in.VSwitchCores[index] = need
		f = compute.Count(in, index)
	}
	for range maxRounds {
		fewer, ok := p.oneFewer(in, index)
		if !ok {
			break
		}
		f = fewer
	}
	return f
}

// vswitchCores are those that the hosts need by NUMA node, and at least those kept.
func (p *planner) vswitchCores(f *compute.Fleet, in compute.Input, kept network) []int {
	return neutron.Needs(p.networkInput(f, kept, in.CPE, doubt.New(p.doubts.Mode(), p.c), nil))[0]
}

// oneFewer counts the hosts with one core less for the vSwitch, on the first NUMA
// node where that is enough for the VMs that are then on a host: they may even need
// fewer, for more of them are beside the vSwitch. The input keeps the cores that hold.
func (p *planner) oneFewer(in compute.Input, index int) (compute.Fleet, bool) {
	kept := in.VSwitchCores[index]
	for node := range kept {
		if kept[node] == 0 {
			continue
		}
		less := slices.Clone(kept)
		less[node]--
		in.VSwitchCores[index] = less
		fleet := compute.Count(in, index)
		if within(p.vswitchCores(&fleet, in, nil), less) {
			return fleet, true
		}
		in.VSwitchCores[index] = kept
	}
	return compute.Fleet{}, false
}

// within says that no number is above the one beside it.
func within(numbers, most []int) bool {
	for i, n := range numbers {
		if n > 0 && (i >= len(most) || n > most[i]) {
			return false
		}
	}
	return true
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
	return compute.Input{Book: &p.b, Facts: p.c, Doubts: p.doubts, Origin: p.o, Scenario: p.load.s, Machines: p.machines,
		CPE:    cpe,
		Spares: p.spares(), Margin: p.margin(), VMs: p.load.vms, Images: p.load.images, Choices: p.load.choices,
		VSwitchCores: cores, Trial: p.trial}
}

// choose is the index of the fleet to plan with: the one that policy.node names, else
// one that fits before one that does not, the cheaper, the one with fewer CPUs, the
// one with fewer hosts; -1 without any.
func choose(s *v1alpha1.Scenario, fleets []compute.Fleet) int {
	best := -1
	priced := !slices.ContainsFunc(fleets, func(f compute.Fleet) bool { return s.Hardware.NodeTypes[f.Type].Price == 0 })
	for i := range fleets {
		t := s.Hardware.NodeTypes[fleets[i].Type]
		if s.Policy.Node != "" && s.Policy.Node != t.Name {
			continue
		}
		if best < 0 || cheaper(s, priced, &fleets[i], &fleets[best]) {
			best = i
		}
	}
	return best
}

// cheaper compares by price where all fleets have one: where some have, no order of three would be sure.
func cheaper(s *v1alpha1.Scenario, priced bool, a, b *compute.Fleet) bool {
	if a.Fits != b.Fits {
		return a.Fits
	}
	if (a.Base > 0) != (b.Base > 0) {
		return a.Base > 0
	}
	x, y := s.Hardware.NodeTypes[a.Type], s.Hardware.NodeTypes[b.Type]
	price := func(t v1alpha1.NodeType, f *compute.Fleet) float64 { return t.Price * float64(f.Total) }
	if priced && price(x, a) != price(y, b) {
		return price(x, a) < price(y, b)
	}
	return cmp.Or(cmp.Compare(x.CPUs*a.Total, y.CPUs*b.Total), cmp.Compare(a.Total, b.Total)) < 0
}

// computeHosts records the compute hosts, their network and the options.
func (p *planner) computeHosts() {
	nets, cpe := p.nets, p.model.Chosen == controller.CPE
	if p.chosen < 0 {
		s := part.New(compute.Section, "Compute hosts")
		s.Find(v1alpha1.Error, "compute.none", "no node type can be chosen for the compute hosts",
			"list a node type with role compute under hardware.nodeTypes").Field = "hardware.nodeTypes"
		p.put(s)
		return
	}
	f := &p.fleets[p.chosen]
	p.computes = derive.Of(float64(f.Total), "computes")
	r, shown := compute.Plan(p.computeInput(cpe, nets), p.fleets, p.chosen)
	p.computes = r.Hosts
	p.plan.Options, p.cut = r.Options, r.Layers
	p.ofAllRegions(f)
	wires, net := neutron.Plan(p.networkInput(f, nets, cpe, p.doubts, &p.b))
	p.lacking = slices.Concat(wires.Open, f.Open)
	p.ignored(shown)
	adopt(shown, f.Placement(p.computeInput(cpe, nets)))
	if !cpe { // as a controller they are judged there
		p.interfaces(shown, compute.Section, f.Type)
	}
	p.put(shown, net)
}

// adopted are the findings of a placement, by the beginning of their ids, that hold for
// the plan as well: what Nova itself would do otherwise.
var adopted = []string{"place.novaRefuses", "place.evacuate"}

// adopt tells what the placement found that the plan does not find itself.
func adopt(s *part.Part, placed *v1alpha1.ServerPlacement) {
	if placed == nil {
		return
	}
	for _, f := range placed.Findings {
		if slices.ContainsFunc(adopted, func(id string) bool { return strings.HasPrefix(f.ID, id) }) {
			s.FindAt(f.Severity, f.ID, f.Field, f.Message, f.Remedy, f.Sources...)
		}
	}
}

// interfaces judges the management and infrastructure ports of hosts of a type.
func (p *planner) interfaces(s *part.Part, section string, index int) {
	t := &p.s.Hardware.NodeTypes[index]
	if r := controller.JudgeInterfaces(t.NICs, p.c); r.Problem != "" {
		s.FindAt(v1alpha1.Warning, section+".interfaces["+t.Name+"]", fmt.Sprintf("hardware.nodeTypes[%d].nics", index),
			t.Name+": "+r.Problem, "use one of the supported combinations, best "+
				p.c.Must("hcg.net.interfaces/single").Printed(), derive.Source{Code: "HCG", Section: "3"})
	}
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
		f := s.Find(v1alpha1.Warning, "compute.mixed",
			"the plan counts with one type of compute host alone, not with those of "+strings.Join(others, ", "),
			"place the VMs on all of them with plimsoll place, which takes the hosts as they are counted")
		f.Field = "hardware.nodeTypes"
	}
	if len(p.s.Hardware.Options) > 0 {
		s.Find(v1alpha1.Warning, "compute.options",
			"mixes of node types are not planned on this platform: each type of role compute is an option of its own",
			"leave hardware.options out").Field = "hardware.options"
	}
}
