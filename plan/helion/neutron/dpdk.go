package neutron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// mtus are the different MTUs of the vSwitch's NICs on a NUMA node, in order.
func (t Type) mtus(node int) []int {
	var list []int
	for _, nic := range t.carrying("data", "") {
		if t.node(nic) == node && !slices.Contains(list, nic.MTU) {
			list = append(list, nic.MTU)
		}
	}
	slices.Sort(list)
	return list
}

// memory records what DPDK needs on each NUMA node by TripleO's rule.
func (p *planner) memory(t Type, q *busy) {
	d := LoadDPDK(p.Facts)
	c := func(name string) derive.Value { return p.Fact("tripleo.dpdk." + name) }
	for node := range t.nodes() {
		mtus := t.mtus(node)
		id := fmt.Sprintf("neutron.dpdk[%s/%d]", t.Name, node)
		title := fmt.Sprintf("Memory for OVS-DPDK on NUMA node %d of a %s host", node, t.Name)
		if len(mtus) == 0 {
			q.memory = append(q.memory, p.Found(id, title, d.Memory(nil), unit.ByteUnit, "without",
				derive.In("without", c("withoutNIC"))))
			continue
		}
		formula := ""
		in := []derive.Input{derive.In("round", c("roundMTU")), derive.In("overhead", c("bufferOverhead")),
			derive.In("buffers", c("buffers")), derive.In("extra", c("extra")), derive.In("step", c("step"))}
		for i, mtu := range mtus {
			name := "mtu" + strconv.Itoa(i+1)
			formula += "(ceil(" + name + " / round) * round + overhead) * buffers + "
			in = append(in, derive.In(name, p.mtu(t, mtu)))
		}
		q.memory = append(q.memory, p.Found(id, title, d.Memory(mtus), unit.ByteUnit,
			"ceil(("+formula+"extra) / step) * step", in...))
	}
	for _, v := range q.memory {
		p.Note(v.From.ID, "the document's vSwitch takes "+p.Fact("hcg.compute.vswitchMemoryPerNode").Text+
			" on each node whatever the MTU", *c("extra").From.Source)
	}
	p.Detail(q.memory...)
}

// mtu is an MTU with its provenance: the first NIC of use data that has it.
func (p *planner) mtu(t Type, mtu int) derive.Value {
	at := slices.IndexFunc(t.NICs, func(n v1alpha1.NIC) bool { return n.Use == "data" && n.MTU == mtu })
	v := p.Origin.Value(fmt.Sprintf("%s.nics[%d].mtu", t.Path, at), float64(mtu), unit.ByteUnit)
	return v.WithText(strconv.Itoa(mtu) + " bytes")
}

// reserved is what the vSwitch has of memory on a NUMA node, in bytes.
func (p *planner) reserved(t Type, node int) (bytes float64, given bool) {
	if t.VSwitchMemory == nil {
		return p.Fact("hcg.compute.vswitchMemoryPerNode").Number, false
	}
	if node < len(t.VSwitchMemory) {
		return float64(t.VSwitchMemory[node]), true
	}
	return 0, true
}

// memoryFindings compares DPDK's need with what is kept for the vSwitch: the
// scenario's own amounts node by node, the document's flat one in a remark.
func (p *planner) memoryFindings(t Type, q busy) {
	field, sources := t.Path+".compute.vSwitchMemory", []derive.Source{hcg, *p.Fact("tripleo.dpdk.extra").From.Source}
	var short []string
	for node, need := range q.memory {
		have, given := p.reserved(t, node)
		if have >= need.Number || len(t.mtus(node)) == 0 {
			continue
		}
		if !given {
			short = append(short, fmt.Sprintf("%s on NUMA node %d", need.Text, node))
			continue
		}
		p.find(v1alpha1.Warning, fmt.Sprintf("dpdk[%s/%d]", t.Name, node), field,
			fmt.Sprintf("%s: with the MTUs of the NICs on NUMA node %d OVS-DPDK takes %s, "+
				"more than the %s that the scenario keeps back", t.Name, node, need.Text, unit.FormatBytes(unit.Bytes(have))),
			"keep back "+need.Text+" on the node when the vSwitch is OVS-DPDK", sources...).Figure = need.From.ID
	}
	if len(short) > 0 {
		p.find(v1alpha1.Info, "dpdk["+t.Name+"]", field,
			fmt.Sprintf("%s: the document's vSwitch takes %s on each node whatever the MTU; OVS-DPDK takes %s", t.Name,
				p.Fact("hcg.compute.vswitchMemoryPerNode").Text, strings.Join(short, ", ")),
			"keep that back when the vSwitch is OVS-DPDK", sources...)
	}
}

// memoryTable shows the vSwitch's memory by node type and NUMA node.
func (p *planner) memoryTable() {
	t := p.Table("neutron.dpdk", "Memory of the vSwitch by NUMA node", part.Left("Node type"), part.Right("NUMA node"),
		part.Left("MTUs"), part.Right("HCG 4.0"), part.Right("OVS-DPDK"), part.Right("Kept back"))
	t.Wide = true
	for i, typ := range p.in.Types {
		for node, need := range p.busiest[i].memory {
			have, _ := p.reserved(typ, node)
			mtus := list(typ.mtus(node))
			if mtus == "" {
				mtus = "no data NIC"
			}
			name := ""
			if node == 0 {
				name = typ.Name
			}
			cell := part.Text(unit.FormatBytes(unit.Bytes(have)))
			if have < need.Number {
				cell.Mark = "warn"
			}
			t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(name), part.Num(derive.Of(float64(node), "")), part.Text(mtus),
				part.Num(p.Fact("hcg.compute.vswitchMemoryPerNode")), part.Num(need), cell})
		}
	}
}
