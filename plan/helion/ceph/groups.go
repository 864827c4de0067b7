package ceph

import (
	"plimsoll.dev/derive"
)

// groups records placement groups by the calculator's rule and what each OSD holds.
func (p *planner) groups() {
	if p.r.OSDs.Number == 0 {
		return
	}
	p.r.PGs = p.pgs("ceph.pgs", "Placement groups in all by the calculator", 1)
	p.Note("ceph.pgs", "HCG's bench had "+p.Fact("hcg.osd.bench.pgs").Text+" for "+p.Fact("hcg.osd.bench.osds").Text+
		"; since Nautilus Ceph's autoscaler chooses by itself, with the same target", hcg)
	each := p.Calc("ceph.pgsPerOSD", "Placement groups with all copies on each OSD", "placement groups",
		"groups * copies / osds", derive.In("groups", p.r.PGs), derive.In("copies", p.copies), derive.In("osds", p.r.OSDs))
	var t derive.Terms
	for _, pool := range starlingxPools {
		t.Product(derive.In(pool, p.Fact("starlingx.ceph.poolPGs/"+pool)))
	}
	fixed := p.Calc("ceph.starlingxPGsPerOSD", "Placement groups on each OSD with StarlingX's fixed pools",
		"placement groups",
		"("+t.Sum()+") * copies / osds", append(t.In, derive.In("copies", p.copies), derive.In("osds", p.r.OSDs))...)
	p.Detail(each, fixed)
}

// starlingxPools are the pools that StarlingX makes with a fixed number of groups.
var starlingxPools = []string{"volumes", "images", "ephemeral", "gateway", "rbd"}

// pgs records the groups of a pool that holds a share of the data; in names the
// figures that the share comes from.
func (p *planner) pgs(id, title string, share float64, in ...derive.Input) derive.Value {
	target, short := p.Fact("ceph.pgTarget"), p.Fact("ceph.pgShort")
	n := PGs(target.Number, int(p.r.OSDs.Int()), share, p.copies.Number, short.Number)
	return p.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(float64(n), "placement groups"),
		Method: "target * OSDs * share of the data / copies, at least OSDs / copies, to the nearest power of two, " +
			"to the next one when that falls short by more than a quarter",
		Inputs: append([]derive.Input{derive.In("target", target), derive.In("osds", p.r.OSDs),
			derive.In("copies", p.copies), derive.In("short", short)}, in...),
		Sources: []derive.Source{{Code: "Ceph docs", Section: "PG calculator"}}})
}
