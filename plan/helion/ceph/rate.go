package ceph

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// rates adds up the disk operations and the throughput of the VMs and finds
// whether they ask for SSDs.
func (p *planner) rates() {
	p.r.IOPS = p.rateOf("iops", "Disk operations of all VMs", ops, func(l Load) derive.Value { return l.IOPS })
	p.r.Throughput = p.rateOf("throughput", "Disk throughput of all VMs", unit.BytesPerS, func(l Load) derive.Value { return l.Throughput })
	p.r.SSD = SSD(p.r.IOPS.Number, p.r.Throughput.Number, p.Fact("hcg.osd.ssdIOPS").Number, p.Fact("hcg.osd.ssdThroughput").Number)
}

// rateOf records the sum over the VMs of one rate, with the margin.
func (p *planner) rateOf(name, title, unitName string, of func(Load) derive.Value) derive.Value {
	f := derive.Figure{ID: "ceph." + name, Title: title + " with margin"}
	sum, terms := 0.0, ""
	var used []Load
	for _, l := range p.in.Loads {
		if of(l).Number > 0 && l.VMs.Number > 0 {
			used = append(used, l)
			sum += l.VMs.Number * of(l).Number
		}
	}
	for i, l := range used {
		n, r := fmt.Sprintf("n%d", i+1), fmt.Sprintf("rate%d", i+1)
		if i > 0 {
			terms += " + "
		}
		terms += n + " * " + r
		f.Inputs = append(f.Inputs, derive.In(n, l.VMs), derive.In(r, of(l)))
	}
	switch {
	case len(used) == 0:
		f.Formula = "0"
	case len(used) > manyItems:
		f.Inputs, f.Method = nil, fmt.Sprintf("the sum of VMs times rate over %d kinds of VM, and the margin", len(used))
	default:
		f.Formula = "(" + terms + ") * (1 + margin)"
	}
	f.Inputs = append(f.Inputs, derive.In("margin", p.in.Margin))
	f.Value = derive.Of(sum*(1+p.in.Margin.Number), unitName)
	f.Notes = []string{"reads, as the document measures; a write is done once for each copy, and twice on an OSD that holds its own journal"}
	f.Sources = []derive.Source{hcg}
	return p.Record(f)
}
