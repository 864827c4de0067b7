package ceph

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// bound is one of the needs that can decide the number of OSDs.
type bound struct {
	name, title string
	// need is what is asked, each what one OSD gives, osds how many it takes; each is
	// the zero value when it is not known.
	need, each, osds derive.Value
}

// cluster records the chosen layout, what decides it and how full it gets.
func (p *planner) cluster() {
	l := p.r.Layout
	p.r.Hosts = p.chose("ceph.hosts", "Storage hosts", l.Hosts, "storage hosts")
	p.r.PerHost = p.chose("ceph.osdsPerHost", "OSDs on each storage host", l.PerHost, "OSDs")
	p.r.OSDs = p.Found("ceph.osds", "OSDs in all", float64(l.OSDs()), "OSDs", "hosts * perHost",
		derive.In("hosts", p.r.Hosts), derive.In("perHost", p.r.PerHost))
	size := p.size()
	p.perHost = p.bytes("ceph.capacityPerHost", "Capacity of the OSDs of a storage host", "perHost * size",
		derive.In("perHost", p.r.PerHost), derive.In("size", size))
	p.largest = p.Record(derive.Figure{ID: "ceph.osdLargest", Title: "Largest OSD of a storage host",
		Value:  disk(derive.Of(p.chosen.largest, unit.ByteUnit)),
		Method: "the largest of its OSDs", Inputs: []derive.Input{derive.In("size", size)}})
	p.r.Feasible = l.Fits
	p.limits = []bound{p.bound(byCapacity, "capacity", p.r.Provide, size), p.bound(byIOPS, "disk operations", p.r.IOPS,
		p.rate), p.bound(byThroughput, "disk throughput", p.r.Throughput, p.flow)}
	least := p.Fact("hcg.max.osdsMin/4.0")
	f := derive.Figure{ID: "ceph.osdsNeeded", Title: "OSDs needed", Sources: []derive.Source{hcg}}
	var t derive.Terms
	for _, b := range p.limits {
		if b.each.Number > 0 {
			t.Product(derive.In(b.name, b.osds))
		}
	}
	t.Product(derive.In("least", least))
	f.Formula, f.Inputs = t.Of("max"), t.In
	f.Value = derive.Of(derive.Solve(f.Formula, f.Inputs...), "OSDs")
	f.Notes = []string{"decided by " + p.decided() + "; then rounded up to whole groups of hosts with equal OSDs"}
	p.Record(f)
	p.total = p.bytes("ceph.capacity", "Capacity of all OSDs", "osds * size", derive.In("osds", p.r.OSDs),
		derive.In("size", size))
	p.fill = p.share("ceph.fill", "Share of the capacity that is used", p.r.Raw, p.total)
	p.perOSD()
}

// size is the size of an OSD of the layout, the mean where they differ.
func (p *planner) size() derive.Value {
	o := p.chosen
	f := derive.Figure{ID: "ceph.osdSize", Title: "Size of an OSD", Value: disk(derive.Of(o.Size, unit.ByteUnit))}
	if o.own {
		f.Method = "the disks of use osd of node type " + o.host.Name
		if o.largest*float64(o.PerHost) != o.capacity {
			f.Title, f.Method = "Size of an OSD in the mean", f.Method+", the mean of different ones"
		}
		return p.Record(f)
	}
	least := p.Fact("hcg.osd.diskMin")
	f.Formula = "max(least, ceil(provide / osds / 1000000000) * 1000000000)"
	f.Inputs = []derive.Input{derive.In("least", disk(least)), derive.In("provide", p.r.Provide),
		derive.In("osds", p.r.OSDs)}
	f.Notes = []string{"no storage node type has disks of use osd: this is what each has to hold, in whole GB"}
	return p.Record(f)
}

// chose records a number of the layout.
func (p *planner) chose(id, title string, n int, unitName string) derive.Value {
	method := "the fewest hosts, in whole groups, that carry capacity, operations and throughput"
	switch o := p.chosen; {
	case o.host != nil && o.host.Count != nil && id == "ceph.hosts":
		method = "as the scenario counts node type " + o.host.Name
	case id == "ceph.osdsPerHost" && o.own:
		method = "the disks of use osd of node type " + o.host.Name
	case id == "ceph.osdsPerHost" && p.in.Ceph.OSDsPerNode != nil:
		method = "as storage.ceph.osdsPerNode has it"
	case !o.own:
		method = "proposed: the fewest hosts, and rather more OSDs than larger ones, " +
			"since more spread reads and writes better"
	}
	return p.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(float64(n), unitName), Method: method,
		Inputs: []derive.Input{derive.In("provide", p.r.Provide), derive.In("iops", p.r.IOPS),
			derive.In("throughput", p.r.Throughput), derive.In("group", p.group)},
		Sources: []derive.Source{hcg}})
}

// bound records how many OSDs one need takes.
func (p *planner) bound(name, title string, need, each derive.Value) bound {
	b := bound{name: name, title: title, need: need, each: each}
	if each.Number <= 0 {
		return b
	}
	formula := "ceil(need / each)"
	if need.Number/each.Number > maxOSDs {
		formula = "min(ceil(need / each), 1e9)"
	}
	b.osds = p.Found("ceph.osdsFor["+name+"]", "OSDs for the "+title, float64(OSDsOfNeed(need.Number, each.Number)),
		"OSDs", formula, derive.In("need", need), derive.In("each", each))
	return b
}

// share records a ratio in per cent; a whole of nothing gives 0.
func (p *planner) share(id, title string, part, whole derive.Value) derive.Value {
	if whole.Number <= 0 {
		return p.Calc(id, title, unit.Percent, "0")
	}
	return p.Calc(id, title, unit.Percent, "100 * used / capacity", derive.In("used", part), derive.In("capacity", whole))
}

// perOSD records what each OSD has to sustain.
func (p *planner) perOSD() {
	if p.r.OSDs.Number == 0 {
		return
	}
	in := derive.In("osds", p.r.OSDs)
	rate := p.Calc("ceph.osdRate", "Disk operations that each OSD has to sustain", ops, "iops / osds",
		derive.In("iops", p.r.IOPS), in)
	flow := p.Calc("ceph.osdThroughput", "Throughput that each OSD has to sustain", unit.BytesPerS,
		"throughput / osds", derive.In("throughput", p.r.Throughput), in)
	p.Detail(rate, flow)
}

// decided says in words what decides the number of OSDs.
func (p *planner) decided() string {
	for _, b := range p.limits {
		if b.name == p.r.Layout.Limiting {
			return b.title
		}
	}
	return fmt.Sprintf("the least that is supported, %s", p.Fact("hcg.max.osdsMin/4.0").Text)
}
