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
	p.r.Throughput = p.rateOf("throughput", "Disk throughput of all VMs", unit.BytesPerS,
		func(l Load) derive.Value { return l.Throughput })
	p.r.SSD = SSD(p.r.IOPS.Number, p.r.Throughput.Number, p.Fact("hcg.osd.ssdIOPS").Number,
		p.Fact("hcg.osd.ssdThroughput").Number)
}

// rateOf records the sum over the VMs of one rate, with the margin.
func (p *planner) rateOf(name, title, unitName string, of func(Load) derive.Value) derive.Value {
	f := derive.Figure{ID: "ceph." + name, Title: title + " with margin"}
	var t derive.Terms
	for _, l := range p.in.Loads {
		if of(l).Number > 0 && l.VMs.Number > 0 {
			i := len(t.Texts) + 1
			t.Product(derive.In(fmt.Sprintf("n%d", i), l.VMs), derive.In(fmt.Sprintf("rate%d", i), of(l)))
		}
	}
	margin := derive.In("margin", p.in.Margin)
	f.Formula, f.Inputs = "("+t.Sum()+") * (1 + margin)", append(t.In, margin)
	f.Value = derive.Of(derive.Solve(f.Formula, f.Inputs...), unitName)
	switch n := len(t.Texts); {
	case n == 0:
		f.Formula = "0"
	case n > manyItems:
		f.Formula, f.Inputs = "", []derive.Input{margin}
		f.Method = fmt.Sprintf("the sum of VMs times rate over %d kinds of VM, and the margin", n)
	}
	f.Notes = []string{"reads, as the document measures; a write is done once for each copy, " +
		"and twice on an OSD that holds its own journal"}
	f.Sources = []derive.Source{hcg}
	return p.Record(f)
}
