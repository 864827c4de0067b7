package ceph

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// pool is one of the four needs of capacity.
type pool struct {
	// name is the pool's, title the reader's.
	name, title string
	// count of things and their bytes before the margin; need with it.
	count float64
	plain derive.Value
	need  derive.Value
	note  string
}

// capacity adds up the document's four needs, then their copies and what must stay free.
func (p *planner) capacity() {
	p.pools = []pool{
		p.pool("glance", "Images",
			"the document's N is the number of images; raw images that Ceph caches count with the size of their disk",
			append(append([]part.Items{}, p.in.Images...), p.in.Cached...)),
		p.pool("cinder", "Cinder volumes", "sparse: count what the VMs write into them in time, not what is advertised",
			p.in.Volumes),
		p.pool("ephemeral", "Ephemeral disks in Ceph", "disks on the computes' own storage do not count", p.in.Ephemeral),
		p.pool("swift", "Swift objects", "the document's N, \"number of volumes\", is that of objects", p.in.Objects),
	}
	p.r.Glance, p.r.Cinder, p.r.Ephemeral, p.r.Swift = p.pools[0].need, p.pools[1].need, p.pools[2].need, p.pools[3].need
	p.r.Logical = p.bytes("ceph.logical", "Storage needed, one copy", "glance + cinder + ephemeral + swift",
		derive.In("glance", p.r.Glance), derive.In("cinder", p.r.Cinder),
		derive.In("ephemeral", p.r.Ephemeral), derive.In("swift", p.r.Swift))
	p.Note("ceph.logical", "the document says \"the sum of the Glance and Cinder storage\" and lists four terms, "+
		"the last as \"Switch\"; 1 GB is 10^9 bytes", hcg)
	p.r.Raw = p.bytes("ceph.raw", "Storage needed, all copies", "logical * copies", derive.In("logical", p.r.Logical),
		derive.In("copies", p.copies))
	p.Note("ceph.raw", "no formula of the document counts the copies", hcg)
	p.r.Provide = p.bytes("ceph.provide", "Capacity of all OSDs at least", "raw / nearFull", derive.In("raw", p.r.Raw),
		derive.In("nearFull", p.nearFull))
	p.Note("ceph.provide", "so that the disks stay below the share of their capacity from which Ceph warns; "+
		"the document's formulas leave that out too", *p.Fact("ceph.nearfull").From.Source)
	p.doubtCopies()
}

// manyItems is from how many kinds on a sum is told in words, not term by term.
const manyItems = 40

// pool records the bytes of one need and the need with the margin.
func (p *planner) pool(name, title, note string, items []part.Items) pool {
	q := pool{name: name, title: title, note: note}
	f := derive.Figure{ID: "ceph." + name + "Plain", Title: title + " without margin"}
	var t derive.Terms
	for i, item := range items {
		q.count += item.Count.Number
		t.Product(derive.In(fmt.Sprintf("n%d", i+1), item.Count), derive.In(fmt.Sprintf("size%d", i+1), disk(item.Size)))
	}
	f.Formula, f.Inputs = t.Sum(), t.In
	f.Value = disk(derive.Of(derive.Solve(f.Formula, f.Inputs...), unit.ByteUnit))
	if len(items) > manyItems {
		f.Formula, f.Inputs, f.Method = "", nil, fmt.Sprintf("the sum of count times size over %d kinds", len(items))
	}
	q.plain = p.Record(f)
	q.need = p.bytes("ceph."+name, title+" with margin", "plain * (1 + margin)", derive.In("plain", q.plain),
		derive.In("margin", p.in.Margin))
	p.Note("ceph."+name, note, hcg)
	return q
}

// doubtCopies tells what row 14 does to the result.
func (p *planner) doubtCopies() {
	const slips = 14
	p.in.Doubts.Met(slips)
	if p.r.Logical.Number > 0 {
		p.in.Doubts.Effect(slips,
			fmt.Sprintf("the formulas of HCG 6 end at %s; with %s and the near-full share of %s the OSDs must hold %s",
				p.r.Logical.Text, p.copies.Text, derive.Of(100*p.nearFull.Number, unit.Percent).Text, p.r.Provide.Text))
	}
}
