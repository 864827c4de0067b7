package ceph

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// Plan sizes the storage nodes and records the figures "ceph.*". It is for models
// with storage nodes only.
func Plan(in Input) (Result, *part.Part) {
	if in.Doubts == nil {
		in.Doubts = doubt.New(doubt.Careful, in.Facts)
	}
	p := &planner{Sheet: part.On(in.Book, in.Facts, in.Origin, part.New("ceph", "Storage nodes"), "storage.ceph"), in: in}
	p.settings()
	p.capacity()
	p.rates()
	p.choose()
	p.cluster()
	p.host()
	p.groups()
	p.failures()
	p.findings()
	p.show()
	return p.r, p.Part
}

type planner struct {
	part.Sheet
	in Input
	r  Result

	// copies and nearFull are settings; group is how many hosts are added together.
	copies, nearFull, group derive.Value
	// rate and flow are what one OSD sustains; zero when not known.
	rate, flow derive.Value
	// pools are the four needs by name.
	pools []pool
	// options are the layouts that were looked at.
	options []option
	chosen  option
	// limits are what decides the number of OSDs.
	limits []bound
	// total is the capacity of all OSDs, fill the share of it that is used.
	total, fill derive.Value
	// perHost is the capacity of the OSDs of one host, largest the size of its largest OSD.
	perHost, largest derive.Value
	// outages are the failures that were looked at.
	outages []outage
	now     modern
}

// settings reads what the scenario sets.
func (p *planner) settings() {
	c := p.in.Ceph
	p.copies = p.Field("replicas", float64(c.Replicas), "copies")
	if c.Replicas <= 0 {
		p.copies = p.Fact("hcg.ceph.replicas")
	}
	p.nearFull = p.Field("nearFull", float64(c.NearFull), unit.Ratio)
	if c.NearFull <= 0 {
		p.nearFull = p.Fact("ceph.nearfull")
	}
	if c.OSDRate > 0 {
		p.rate = p.Field("osdRate", c.OSDRate, ops)
	}
	if c.OSDThroughput > 0 {
		p.flow = p.Field("osdThroughput", float64(c.OSDThroughput), unit.BytesPerS)
	}
	pair := p.Fact("hcg.storage.hostsInGroup")
	p.group = p.Calc("ceph.hostsInGroup", "Storage hosts that are added together", "storage hosts",
		"max(pair, copies)", derive.In("pair", pair), derive.In("copies", p.copies))
	p.Note("ceph.hostsInGroup", "each copy lies on another host of the group: "+p.Fact("starlingx.ceph.groups").Text, hcg)
}

// ops is the unit of disk operations a second.
const ops = "operations/s"

// hcg is the document's chapter on storage nodes.
var hcg = derive.Source{Code: "HCG", Section: "6"}

// bytes records a figure in bytes of disk.
func (p *planner) bytes(id, title, formula string, in ...derive.Input) derive.Value {
	return p.CalcAs(part.InDecimal, id, title, unit.ByteUnit, formula, in...)
}

// disk is a value in bytes written as disks are sold.
func disk(v derive.Value) derive.Value { return v.WithText(part.InDecimal(v.Number)) }
