package neutron

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// Plan checks the network and records the figures "neutron.*".
func Plan(in Input) (Result, *part.Part) {
	p := newPlanner(in)
	p.settings()
	p.system()
	p.stacks()
	p.servers()
	p.unwired()
	for i := range in.Types {
		p.hosts(i)
	}
	p.show()
	return p.r, p.Part
}

// Needs are the vSwitch's cores of each node type by NUMA node, as Result has them,
// without figures and findings: for finding the cores and the hosts in turn.
func Needs(in Input) [][]int {
	p := newPlanner(in)
	out := make([][]int, len(in.Types))
	for i := range in.Types {
		out[i], _ = p.cores(i, p.loads(i))
	}
	return out
}

type planner struct {
	part.Sheet
	in Input
	r  Result

	flow flow
	// mix is the figure of the mean frame of IMIX.
	mix derive.Value
	// tenants and physicals are the names of networks that ports and NICs mention.
	tenants, physicals map[string]bool
	// shared are subnets, routers and DHCP servers of one compute host, hostPorts the
	// ports that they take there.
	subnets, services, hostPorts derive.Value
	// busiest is one entry a type.
	busiest []busy
	// portsPerVM and rulesPerPort are the most of any server.
	portsPerVM, rulesPerPort derive.Value
	// ruleLimit is that of a vSwitch by the doubtful row.
	ruleLimit derive.Value
}

// flow are the constants of packet arithmetic.
type flow struct {
	// imix is the mean frame of the mix, gap the bytes between frames.
	imix, gap float64
	// cycles of a packet, factor of one that crosses NUMA nodes, utilisation of a core.
	cycles, factor, utilisation derive.Value
	// sample says that the cycles are the published sample.
	sample bool
}

func newPlanner(in Input) *planner {
	if in.Doubts == nil {
		in.Doubts = doubt.New(doubt.Careful, in.Facts)
	}
	p := &planner{Sheet: part.On(in.Book, in.Facts, in.Origin, part.New("neutron", "Networks and vSwitch"),
		"network.neutron"), in: in,
		tenants: map[string]bool{}, physicals: map[string]bool{}}
	sizes, numbers := p.imix()
	p.flow.imix, p.flow.gap = MeanFrame(sizes, numbers), p.Fact("net.frame.gap").Number
	p.flow.factor = p.Fact("hcg.vswitch.crossFactor")
	p.flow.cycles = p.Fact("vswitch.cyclesPerPacket")
	p.flow.sample = p.flow.cycles.From.Source.Code != part.OwnMeasurement
	if n := in.Neutron.CyclesPerPacket; n > 0 && !p.Origin.Assumed("network.neutron.cyclesPerPacket") {
		p.flow.cycles, p.flow.sample = p.Field("cyclesPerPacket", n, "cycles"), false
	}
	load := float64(in.Neutron.Utilisation)
	if load <= 0 {
		load = 1
	}
	p.flow.utilisation = p.Field("utilisation", load, unit.Ratio)
	return p
}

// limitOf is a row of table 12.
func (p *planner) limitOf(name string) facts.Fact { return p.Facts.Must("hcg.max." + name + "/4.0") }

// imix are the sizes of the mix and how many frames of each are in it, by size.
func (p *planner) imix() (sizes, numbers []float64) {
	rows := slices.Clone(p.Facts.Quantity("net.imix.share"))
	size := func(f facts.Fact) float64 { n, _ := ParseFrame(f.Dim("frame"), 0); return n }
	slices.SortFunc(rows, func(a, b facts.Fact) int { return cmp.Compare(size(a), size(b)) })
	for _, f := range rows {
		sizes, numbers = append(sizes, size(f)), append(numbers, f.Number)
	}
	return sizes, numbers
}

// frame is the size of a port's frames; a size that can't be read counts as the mix
// (the reader of the scenario refuses it).
func (f flow) frame(port v1alpha1.Port) float64 {
	if n, err := ParseFrame(port.FrameSize, f.imix); err == nil {
		return n
	}
	return f.imix
}

// packets of a port in packets/s.
func (f flow) packets(port v1alpha1.Port) float64 { return Packets(port, f.frame(port), f.gap) }

// settings records the mix and collects the names of networks.
func (p *planner) settings() {
	sizes, numbers := p.imix()
	f := derive.Figure{ID: "neutron.imix", Title: "Mean frame of IMIX",
		Value: derive.Of(p.flow.imix, unit.ByteUnit).WithText(derive.Of(p.flow.imix, "").Text + " bytes")}
	var bytes, frames derive.Terms
	for i, size := range sizes {
		name := fmt.Sprintf("n%.0f", size)
		bytes.Add(fmt.Sprintf("%s * %.0f", name, size))
		frames.Product(derive.In(name,
			p.Fact(fmt.Sprintf("net.imix.share/%.0f", size)).WithText(derive.Of(numbers[i], "").Text)))
	}
	f.Formula, f.Inputs = "("+bytes.Sum()+") / ("+frames.Sum()+")", frames.In
	f.Notes = p.Facts.Must("net.imix.share/64").Notes
	p.mix = p.Record(f)
	p.Detail(p.mix)
	for _, s := range p.in.Servers {
		for _, port := range s.Ports {
			p.name(p.tenants, port.Network)
			p.name(p.physicals, port.PhysicalNetwork)
		}
	}
	for _, t := range p.in.Types {
		for _, nic := range t.NICs {
			for _, n := range nic.PhysicalNetworks {
				p.name(p.physicals, n)
			}
		}
	}
}

func (p *planner) name(set map[string]bool, name string) {
	if name != "" {
		set[name] = true
	}
}

// find adds a finding with its place and sources; HCG 5 when none are given.
func (p *planner) find(severity v1alpha1.Severity, id, field, message, remedy string,
	sources ...derive.Source) *v1alpha1.Finding {
	if len(sources) == 0 {
		sources = []derive.Source{hcg}
	}
	return p.FindAt(severity, "neutron."+id, field, message, remedy, sources...)
}

// hcg is the document's chapter on networking.
var hcg = derive.Source{Code: "HCG", Section: "5"}
