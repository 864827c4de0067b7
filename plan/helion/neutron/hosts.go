package neutron

import (
	"fmt"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// busy are the figures of a node type's fullest hosts.
type busy struct {
	physical, ports, vnics, rules, packets, needed, cores, budget derive.Value
	// exact and node are cores by NUMA node, crossed the share of packets that cross.
	exact []float64
	// over is how many cores too many the packets need.
	over int
	// host names the hosts with the most ports, rules and packets.
	portsHost, rulesHost, packetsHost string
	memory                            []derive.Value
}

// hosts sizes and checks the hosts of a node type.
func (p *planner) hosts(i int) {
	t := p.in.Types[i]
	loads := p.loads(i)
	var q busy
	r := TypeResult{}
	r.Cores, q.over = p.cores(i, loads)
	n, _ := capacity(t.carrying("data", ""))
	q.physical = p.Record(derive.Figure{ID: "neutron.physicalPorts[" + t.Name + "]",
		Title: "Physical ports of the vSwitch of a " + t.Name + " host", Value: derive.Of(float64(n), "ports"),
		Method: "the node type's ports of use data",
		Inputs: []derive.Input{derive.In("nics", derive.Given(t.Path+".nics", n, "ports"))}, Sources: []derive.Source{hcg}})
	p.countPorts(t, loads, &q)
	p.countRules(t, loads, &q)
	p.countPackets(t, loads, r.Cores, &q)
	p.memory(t, &q)
	r.Needed, r.Ports, r.Rules = q.needed, q.ports, q.rules
	for _, v := range q.memory {
		r.Memory = append(r.Memory, unit.Bytes(unit.Whole(v.Number)))
	}
	p.r.Types = append(p.r.Types, r)
	p.busiest = append(p.busiest, q)
	p.typeGauges(t, r, q)
	p.typeFindings(t, loads, r, q)
}

// fullest is the host of a list with the most of something, nil without hosts.
func (p *planner) fullest(loads []hostLoad, of func(Server) float64) (*Host, float64) {
	var best *Host
	most := -1.0
	for _, l := range loads {
		h := &p.in.Hosts[l.host]
		total := 0.0
		for _, s := range h.servers(len(p.in.Servers)) {
			total += float64(h.VMs[s]) * of(p.in.Servers[s])
		}
		if total > most {
			best, most = h, total
		}
	}
	return best, max(0, most)
}

// manyKinds is from how many kinds of VM on a host on a sum is told in words.
const manyKinds = 40

// terms is the sum over the VMs of a host as a formula with inputs; the numbers of
// VMs are those that were placed there. ok is false when there are too many kinds.
func (p *planner) terms(h *Host, of func(Server) derive.Value) (formula string, in []derive.Input, ok bool) {
	if h == nil {
		return "0", nil, true
	}
	var t derive.Terms
	for _, s := range h.servers(len(p.in.Servers)) {
		v := of(p.in.Servers[s])
		if v.Number == 0 {
			continue
		}
		name := "vm" + strconv.Itoa(s+1)
		t.Add(strconv.Itoa(h.VMs[s])+" * "+name, derive.In(name, v))
	}
	return t.Sum(), t.In, len(t.In) <= manyKinds
}

// total records a sum over the VMs of a host.
func (p *planner) total(id, title string, number float64, unitName string, h *Host,
	of func(Server) derive.Value) derive.Value {
	f := derive.Figure{ID: id, Title: title, Value: derive.Of(number, unitName), Sources: []derive.Source{hcg}}
	var ok bool
	if f.Formula, f.Inputs, ok = p.terms(h, of); !ok {
		f.Formula, f.Method, f.Inputs = "", "the sum over the VMs on the host", nil
	}
	switch {
	case h == nil:
	case h.Mean:
		f.Notes = []string{"nothing is placed: on " + h.Name +
			" with policy.vmsPerCompute VMs of the mix, each kind rounded up"}
	default:
		f.Notes = []string{"on " + h.Name + ", with the VMs that run there"}
	}
	return p.Record(f)
}

// words name the host by what it is the most of; a mean host is that.
func (h *Host) words(most string, t Type) string {
	if h != nil && h.Mean {
		return "a mean " + t.Name + " host"
	}
	return most + " " + t.Name + " host"
}

// named is the name of a host for findings.
func named(h *Host) string {
	if h == nil {
		return "no host"
	}
	return h.Name
}

// countPorts records the vSwitch ports of the host with the most vNICs.
func (p *planner) countPorts(t Type, loads []hostLoad, q *busy) {
	h, most := p.fullest(loads, func(s Server) float64 { return float64(s.count(normal)) })
	q.portsHost = named(h)
	q.vnics = p.total("neutron.vnics["+t.Name+"]", "vNICs on the vSwitch of "+h.words("the fullest", t), most, "vNICs", h,
		func(s Server) derive.Value { return derive.Given(s.Path+".ports", s.count(normal), "vNICs") })
	q.ports = p.Calc("neutron.ports["+t.Name+"]", "Ports of the vSwitch of "+h.words("the fullest", t), "ports",
		"physical + vnics + host", derive.In("physical", q.physical), derive.In("vnics", q.vnics),
		derive.In("host", p.hostPorts))
}

// countRules records the security rules of the host with the most.
func (p *planner) countRules(t Type, loads []hostLoad, q *busy) {
	const row = 6
	h, most := p.fullest(loads, func(s Server) float64 { return float64(s.rules()) })
	q.rulesHost = named(h)
	q.rules = p.total("neutron.rules["+t.Name+"]", "Security rules on "+h.words("the fullest", t), most, "rules", h,
		func(s Server) derive.Value { return derive.Given(s.Path+".ports", s.rules(), "rules") })
	text, table := p.limitOf("securityRules").Value(), p.limitOf("securityRulesTheoretical").Value()
	if most == 0 {
		p.ruleLimit = text
		return
	}
	p.ruleLimit = p.in.Doubts.Pick(row, "hcg.max.securityRules/4.0", "hcg.max.securityRulesTheoretical/4.0")
	p.in.Doubts.Effect(row, fmt.Sprintf("%s: %s on the fullest host, of %s by the text or of %s by table 12", t.Name,
		q.rules.Text, derive.Of(text.Number, "").Text, derive.Of(table.Number, "").Text))
}

// countPackets records the packets of the busiest host and the cores that they take.
func (p *planner) countPackets(t Type, loads []hostLoad, cores []int, q *busy) {
	q.cores = p.coresOf(t, cores)
	var top *hostLoad
	for i := range loads {
		if top == nil || sum(loads[i].exact) > sum(top.exact) {
			top = &loads[i]
		}
	}
	if top == nil || sum(top.load.packets) == 0 {
		return
	}
	h := &p.in.Hosts[top.host]
	q.packetsHost, q.exact = h.Name, top.exact
	q.packets = p.total("neutron.packets["+t.Name+"]", "Packets through the vSwitch of "+h.words("the busiest", t),
		sum(top.load.packets), pps, h, p.packetsPerVM)
	p.Note("neutron.packets["+t.Name+"]", "each packet that a port receives or sends counts once, so one that passes "+
		"through a VM counts twice; between two VMs of the host it is counted at both although it crosses once")
	crossed := p.Record(derive.Figure{ID: "neutron.crossed[" + t.Name + "]",
		Title: "Packets of them that cross NUMA nodes", Value: derive.Of(sum(top.load.crossed), pps),
		Method: "those of VMs on NUMA nodes without a NIC of their network, as they are placed, of ports that say so, " +
			"and of NICs on nodes where the vSwitch has no core",
		Inputs: []derive.Input{derive.In("packets", q.packets)}, Sources: []derive.Source{hcg}})
	clock := p.Origin.Value(t.Path+".cpuGHz", t.ghz(), "GHz")
	q.needed = p.Found("neutron.coresNeeded["+t.Name+"]", "Cores that the packets of "+h.words("the busiest", t)+" take",
		sum(top.exact), "cores",
		"(packets + (factor - 1) * crossed) * cycles / (clock * 1000000000 * utilisation)", derive.In("packets", q.packets),
		derive.In("factor", p.flow.factor),
		derive.In("crossed", crossed), derive.In("cycles", p.flow.cycles), derive.In("clock", clock),
		derive.In("utilisation", p.flow.utilisation))
	p.Note("neutron.coresNeeded["+t.Name+"]", p.cyclesNote(), *p.Fact("vswitch.cyclesPerPacket").From.Source)
	q.budget = p.Calc("neutron.cyclesLeft["+t.Name+"]", "Cycles that the vSwitch's cores have for each packet", "cycles",
		"cores * clock * 1000000000 / packets", derive.In("cores", q.cores), derive.In("clock", clock),
		derive.In("packets", q.packets))
	p.Detail(crossed)
}

// pps is the unit of packet rates.
const pps = "packets/s"

func (p *planner) cyclesNote() string {
	if p.flow.sample {
		return "the cycles of a packet are a published sample, not of this vSwitch: measure yours"
	}
	return "with the cycles of a packet that the scenario gives"
}

// coresOf records the vSwitch's cores in all.
func (p *planner) coresOf(t Type, cores []int) derive.Value {
	all := 0
	for _, n := range cores {
		all += n
	}
	f := derive.Figure{ID: "neutron.cores[" + t.Name + "]",
		Title: "Physical cores for the vSwitch of a " + t.Name + " host", Value: derive.Of(float64(all), "cores"),
		Method: "whole cores for the packets of the busiest hosts on each NUMA node with the vSwitch's NICs, " +
			"at least the document's default and at most its most",
		Inputs: []derive.Input{derive.In("default", p.Fact("hcg.compute.vswitchCores")),
			derive.In("most", p.Fact("hcg.compute.vswitchCoresMax"))},
		Notes: []string{"by NUMA node: " + list(cores)}, Sources: []derive.Source{hcg}}
	if t.VSwitchCores != nil {
		f.Method = "as the scenario gives them"
		f.Inputs = []derive.Input{derive.In("given", derive.Given(t.Path+".compute.vSwitchCores", all, "cores"))}
	}
	return p.Record(f)
}

// list writes numbers by NUMA node: "2, 0".
func list(numbers []int) string {
	text := ""
	for i, n := range numbers {
		if i > 0 {
			text += ", "
		}
		text += strconv.Itoa(n)
	}
	return text
}

// packetsPerVM records the packets of one VM of a kind.
func (p *planner) packetsPerVM(s Server) derive.Value {
	id := "neutron.packetsPerVM[" + s.Name + "]"
	if v := p.Figure(id); v.From != nil {
		return v
	}
	f := derive.Figure{ID: id, Title: "Packets through the vSwitch for a VM " + s.Name}
	var t derive.Terms
	gap := p.Fact("net.frame.gap")
	for i, port := range s.Ports {
		if kind(port) != normal || p.flow.packets(port) == 0 {
			continue
		}
		n, path := strconv.Itoa(i+1), fmt.Sprintf("%s.ports[%d]", s.Path, i)
		f.Value.Number += p.flow.packets(port)
		if port.PacketsPerSecond > 0 {
			t.Product(derive.In("packets"+n, p.Origin.Value(path+".packetsPerSecond", port.PacketsPerSecond, pps)))
			continue
		}
		t.Add(fmt.Sprintf("2 * bandwidth%s / (8 * (frame%s + gap))", n, n),
			derive.In("bandwidth"+n, p.Origin.Value(path+".bandwidth", float64(port.Bandwidth), unit.BitsPerS)),
			derive.In("frame"+n, p.frameOf(port, path)), derive.In("gap", gap))
	}
	f.Formula, f.Inputs, f.Value = t.Sum(), t.In, derive.Of(f.Value.Number, pps)
	f.Notes = []string{"received and sent; a bandwidth counts in both directions, as frames that fill it"}
	f.Sources = []derive.Source{{Code: "RFC 5180", Section: "Appendix A"}}
	return p.Record(f)
}

// frameOf is the size of a port's frames with its provenance.
func (p *planner) frameOf(port v1alpha1.Port, path string) derive.Value {
	size := p.flow.frame(port)
	if size == p.flow.imix {
		return p.mix
	}
	return derive.Given(path+".frameSize", size, unit.ByteUnit) // the default is the mix
}

// typeGauges measure a node type's fullest hosts.
func (p *planner) typeGauges(t Type, r TypeResult, q busy) {
	scope := "node " + t.Name
	add := func(name, title string, value, most derive.Value, k limit.Kind) {
		p.Gauge(limit.Measure(name+"["+t.Name+"]", title, scope, value, most, k).AsLocal())
	}
	add("ports", "Ports of the vSwitch", q.ports, p.limitOf("ports").Value(), p.limitOf("ports").Kind)
	add("physicalPorts", "Physical ports of the vSwitch", q.physical, p.limitOf("physicalPorts").Value(),
		p.limitOf("physicalPorts").Kind)
	g := limit.Measure("securityRules["+t.Name+"]", "Security rules of a host", scope, q.rules, p.ruleLimit, limit.Hard)
	for _, other := range []string{"securityRules", "securityRulesTheoretical"} {
		if v := p.limitOf(other).Value(); v.Number != p.ruleLimit.Number {
			g = g.Doubt(v)
		}
	}
	p.Gauge(g.AsLocal())
	add("vswitchCores", "Cores of the vSwitch", q.cores, p.Fact("hcg.compute.vswitchCoresMax"), limit.Hard)
	if q.packets.Number > 0 {
		k := limit.Measured
		if p.flow.sample {
			k = limit.Assumed
		}
		add("vswitchLoad", "Cores that the packets take", q.needed, q.cores, k)
	}
}
