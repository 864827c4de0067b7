package ceph

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// show fills the section.
func (p *planner) show() {
	p.Show(p.r.Logical, p.r.Raw, p.r.Provide)
	for _, v := range []derive.Value{p.r.IOPS, p.r.Throughput} {
		if v.Number > 0 {
			p.Show(v)
		}
	}
	p.Show(p.r.Hosts, p.r.PerHost, p.r.OSDs, p.total, p.fill, p.r.Cores, p.r.PGs)
	p.Detail(p.group, p.perHost)
	for _, q := range p.pools {
		p.Detail(q.plain, q.need)
	}
	for _, b := range p.limits {
		p.Detail(b.osds)
	}
	p.capacityTable()
	p.boundTable()
	p.hostTable()
	p.outageTable()
	p.optionTable()
	p.poolTable()
	p.partitionTable()
	p.checkTable()
	p.gauges()
	p.Section.Summary = p.summary()
}

func (p *planner) summary() string {
	text := fmt.Sprintf("%s with %s each, %s in all, decided by %s", p.r.Hosts.Text, p.r.PerHost.Text, p.total.Text,
		p.decided())
	if p.chosen.host != nil {
		text = p.chosen.host.Name + ": " + text
	}
	if !p.chosen.own {
		text += fmt.Sprintf("; disks of %s each are proposed", part.InDecimal(p.r.Layout.Size))
	}
	if !p.r.Feasible {
		text += "; it does not carry what is asked, or breaks a rule"
	}
	return text
}

// capacityTable shows the four needs and what becomes of them.
func (p *planner) capacityTable() {
	t := p.Table("ceph.capacity", "What Ceph has to hold", part.Left("What"), part.Right("Number"),
		part.Right("Without margin"), part.Right("With margin"))
	for _, q := range p.pools {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(q.title), part.Num(derive.Of(q.count, unit.None)),
			part.Num(q.plain), part.Num(q.need)})
	}
	for _, line := range []struct {
		title string
		value derive.Value
	}{{"one copy", p.r.Logical}, {p.copies.Text, p.r.Raw}, {"below near-full", p.r.Provide}} {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(line.title), part.Text(""), part.Text(""), part.Num(line.value)})
	}
	t.Notes = []string{"The document's formulas end at one copy: the copies and what must stay free are a gap in it.",
		"Volumes are sparse; what the VMs write in time counts. The document's bench found about 1 GB on disk for volumes " +
			"of 12 GB in the mean, but contradicts itself on it: nothing is computed with it."}
}

// boundTable shows which need decides the number of OSDs.
func (p *planner) boundTable() {
	t := p.Table("ceph.limits", "What decides the number of OSDs", part.Left("Need"), part.Right("In all"),
		part.Right("One OSD gives"), part.Right("OSDs"), part.Left(""))
	for _, b := range p.limits {
		each, osds, mark := part.Text("not given"), part.Text("-"), part.Text("")
		if b.each.Number > 0 {
			each, osds = part.Num(b.each), part.Num(b.osds)
		}
		if b.name == p.r.Layout.Limiting {
			mark = part.Text("decides")
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(b.title), part.Num(b.need), each, osds, mark})
	}
	least := part.Text("")
	if p.r.Layout.Limiting == byMinimum {
		least = part.Text("decides")
	}
	min := p.Fact("hcg.max.osdsMin/4.0")
	t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text("least that is supported"), part.Text(""), part.Text(""),
		part.Num(min), least})
	if !p.chosen.own {
		t.Notes = []string{"No node type has disks of use osd: the size is what each of the proposed OSDs has to hold."}
	}
}

// hostTable sets the document's needs of a host beside today's.
func (p *planner) hostTable() {
	t := p.Table("ceph.host", "A storage host, then and now", part.Left("What"), part.Left("HCG 4.0"),
		part.Left("Advised today"), part.Left("The host has"))
	cores, memory := part.Text("not given"), part.Text("not given")
	if h := p.chosen.host; h != nil {
		if h.Cores.Number > 0 {
			cores = marked(h.Cores, h.Cores.Number >= p.r.Cores.Number)
		}
		if h.Memory.Number > 0 {
			memory = marked(h.Memory, h.Memory.Number >= p.r.Memory.Number)
		}
	}
	t.Rows = [][]v1alpha1.Cell{
		{part.Text("cores"), part.Num(p.r.Cores), part.Num(p.now.threads), cores},
		{part.Text("memory"), part.Num(p.r.Memory), part.Num(p.now.provisioned), memory},
		{part.Text("copies"), part.Num(p.Fact("hcg.ceph.replicas")), part.Num(p.Fact("ceph.replicas")), part.Num(p.copies)},
	}
	if p.r.OSDs.Number > 0 {
		each := p.Figure("ceph.pgsPerOSD")
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text("placement groups"),
			part.Num(p.r.PGs.WithText(plain(p.r.PGs) + " in all")),
			part.Num(p.Fact("ceph.pgTarget").WithText(plain(p.Fact("ceph.pgTarget")) + " on an OSD")),
			part.Num(each.WithText(plain(each) + " on an OSD"))})
	}
	t.Notes = []string{"The document counts physical cores, today's advice threads, and for fast disks operations a core.",
		"Today's memory is " + p.Fact("ceph.osd.memoryProvisioned").Text + " an OSD; the OSDs' own target is " +
			p.Fact("ceph.osd.memoryTarget").Text + " and 20 % for peaks: " + p.now.target.Text + ".",
		"Journals became BlueStore's block.db; cache tiers are to be avoided; the autoscaler chooses the placement groups."}
}

// plain is a value without its unit.
func plain(v derive.Value) string { return derive.Of(v.Number, "").Text }

// marked is a cell of what a machine has, judged.
func marked(v derive.Value, good bool) v1alpha1.Cell {
	c := part.Num(v)
	c.Mark = "good"
	if !good {
		c.Mark = "bad"
	}
	return c
}

func (p *planner) outageTable() {
	if len(p.outages) == 0 {
		return
	}
	t := p.Table("ceph.failures", "What a failure leaves", part.Left("Lost"), part.Right("Copies left"),
		part.Left("Copied again to"), part.Right("Then full"), part.Left("Verdict"))
	for _, o := range p.outages {
		where, fill := o.where, part.Text("-")
		if where == "" {
			where = "nowhere"
		}
		if o.fill.Number > 0 {
			fill = part.Num(o.fill)
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(o.what), part.Num(derive.Of(float64(o.copies), "")),
			part.Text(where), fill, part.Marked(o.verdict, o.mark)})
	}
	t.Notes = []string{"All copies of a placement group lie in one group of hosts, on different ones, " +
		"as StarlingX has it; Ceph's own rule spreads them over all hosts.",
		fmt.Sprintf("Before a failure %s of the capacity is used.", p.fill.Text)}
}

// optionTable shows the layouts that were looked at.
func (p *planner) optionTable() {
	t := p.Table("ceph.options", "Layouts of the storage node types", part.Left("Node type"), part.Right("Hosts"),
		part.Right("OSDs each"), part.Right("OSDs"),
		part.Right("Size"), part.Left("Media"), part.Left("Limited by"), part.Left("Verdict"))
	t.Wide = true
	for _, o := range p.options {
		name, media := "none given", "proposed"
		if o.host != nil {
			name = o.host.Name
		}
		if o.own {
			media = ""
			for i, m := range o.media {
				if i > 0 {
					media += ", "
				}
				media += m
			}
		}
		verdict := part.Marked("fits", "good")
		if !o.Fits {
			verdict = part.Marked("does not fit", "bad")
		}
		number := func(n int) v1alpha1.Cell { return part.Num(derive.Of(float64(n), "")) }
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(name), number(o.Hosts), number(o.PerHost), number(o.OSDs()),
			part.Num(disk(derive.Of(o.Size, unit.ByteUnit))), part.Text(media), part.Text(o.Limiting), verdict})
	}
	p.sizeTable()
}

// sizeTable shows how large, fast and many OSDs go together.
func (p *planner) sizeTable() {
	t := p.Table("ceph.sizes", "What each OSD has to be, by their number", part.Right("Hosts"), part.Right("OSDs each"),
		part.Right("OSDs"), part.Right("Cores a host"),
		part.Right("Size, all copies"), part.Right("Below near-full"), part.Right("And with one lost"),
		part.Right("Operations"), part.Right("Throughput"), part.Left(""))
	t.Wide = true
	t.Notes = []string{"No OSD is smaller than the least disk that is supported. With one lost: " +
		"the others of its host hold its data too and stay below near-full."}
	d := p.demand()
	per, platform, tested := p.Fact("hcg.osd.coresPerOSD"), p.Fact("hcg.osd.platformCores"), p.Fact("hcg.max.osds/4.0")
	for hosts := d.Group; hosts <= d.MaxHosts; hosts += d.Group {
		for each := d.MinPerHost; each <= d.MaxPerHost; each++ {
			if hosts > d.Group && each < d.MaxPerHost {
				continue
			}
			n := float64(hosts * each)
			note := part.Text("")
			if n > tested.Number {
				note = part.Marked("beyond tested", "warn")
			}
			number := func(v float64) v1alpha1.Cell { return part.Num(derive.Of(v, "")) }
			size := func(v, osds float64) v1alpha1.Cell {
				return part.Num(disk(derive.Of(max(d.DiskMin, ceilGB(v/osds)), unit.ByteUnit)))
			}
			left := float64(hosts * max(1, each-1))
			t.Rows = append(t.Rows, []v1alpha1.Cell{number(float64(hosts)), number(float64(each)), number(n),
				number(derive.Ceil(CoresFor(each, per.Number, platform.Number))),
				size(p.r.Raw.Number, n), size(p.r.Provide.Number, n), size(p.r.Provide.Number, left),
				part.Num(derive.Of(p.r.IOPS.Number/n, ops)), part.Num(derive.Of(p.r.Throughput.Number/n, unit.BytesPerS)), note})
		}
	}
}

// poolTable shares the placement groups out by data.
func (p *planner) poolTable() {
	if p.r.OSDs.Number == 0 || p.r.Logical.Number == 0 {
		return
	}
	t := p.Table("ceph.pools", "Placement groups of pools by their share of the data", part.Left("Pool"),
		part.Right("Share"), part.Right("Placement groups"))
	t.Wide = true
	for _, q := range p.pools {
		if q.need.Number == 0 {
			continue
		}
		share := p.share("ceph.poolShare["+q.name+"]", "Share of the data: "+q.title, q.need, p.r.Logical)
		n := p.pgs("ceph.pgs["+q.name+"]", "Placement groups: "+q.title, q.need.Number/p.r.Logical.Number,
			derive.In("share", share))
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(q.title), part.Num(share), part.Num(n)})
	}
	t.Notes = []string{
		fmt.Sprintf("StarlingX makes its pools with fixed numbers instead: %s on each OSD here, where Ceph allows %s.",
			p.Figure("ceph.starlingxPGsPerOSD").Text, p.Fact("ceph.pgMax").Text),
	}
}

func (p *planner) partitionTable() {
	t := p.Table("ceph.partitions", "Primary disk of a storage host (HCG table 11)", part.Left("Partition"),
		part.Right("Size"))
	t.Wide = true
	for _, name := range partitions {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(name), part.Num(disk(p.Fact("hcg.storage.disk." + name)))})
	}
	t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text("all"), part.Num(p.Figure("ceph.systemDisk"))},
		[]v1alpha1.Cell{part.Text("disk at least"), part.Num(disk(p.Fact("hcg.storage.disk.primaryMin")))})
}

// gauges compare the layout with its limits.
func (p *planner) gauges() {
	tested := p.Facts.Must("hcg.max.osds/4.0")
	hosts, most := p.Fact("hcg.max.storageHostsTheoretical/4.0"), p.Fact("hcg.osd.perHostMax")
	theory := p.Calc("ceph.osdsTheoretical", "OSDs of the most hosts with the most OSDs", "OSDs", "hosts * perHost",
		derive.In("hosts", hosts), derive.In("perHost", most))
	g := limit.Measure("osds", "OSDs", "cluster", p.r.OSDs, tested.Value(), tested.Kind)
	g.Notes = tested.Notes
	all := limit.Measure("osdsTheoretical", "OSDs in theory", "cluster", p.r.OSDs, theory, limit.Supported)
	each := limit.Measure("osdsPerHost", "OSDs on a storage host", "storage host", p.r.PerHost, most,
		p.kindOf("hcg.osd.perHostMax")).Doubt(p.Fact("starlingx.ceph.osdsPerHost")).AsLocal()
	p.Gauge(g, all, each)
	if p.total.Number > 0 {
		below := p.bytes("ceph.belowNearFull", "Capacity of all OSDs below near-full", "capacity * nearFull",
			derive.In("capacity", p.total), derive.In("nearFull", p.nearFull))
		full := limit.Measure("storageCapacity", "Storage, all copies", "cluster", p.r.Raw, below, limit.Recommended)
		full.Notes = []string{"beyond the near-full share Ceph warns, and stops writes at " +
			derive.Of(100*p.Fact("ceph.full").Number, unit.Percent).Text}
		p.Gauge(full)
	}
	p.rateGauge("storageIOPS", "Disk operations of all VMs", "ceph.iopsOfOSDs", p.r.IOPS, p.rate)
	p.rateGauge("storageThroughput", "Disk throughput of all VMs", "ceph.throughputOfOSDs", p.r.Throughput, p.flow)
	if h := p.chosen.host; h != nil && h.Cores.Number > 0 {
		p.Gauge(limit.Measure("storageCores", "Cores for OSDs", "storage host", p.r.Cores, h.Cores,
			p.kindOf("hcg.osd.coresPerOSD")).AsLocal())
	}
	if each, ok := p.Get("ceph.pgsPerOSD"); ok {
		p.Gauge(limit.Measure("pgsPerOSD", "Placement groups of an OSD", "OSD", derive.Cite(each), p.Fact("ceph.pgMax"),
			p.kindOf("ceph.pgMax")).AsLocal())
	}
}

// rateGauge compares a rate with what all OSDs sustain, where that is known.
func (p *planner) rateGauge(id, title, figure string, need, each derive.Value) {
	if each.Number <= 0 || p.r.OSDs.Number == 0 {
		return
	}
	all := p.Calc(figure, title+": what the OSDs sustain", each.Unit, "osds * each", derive.In("osds", p.r.OSDs),
		derive.In("each", each))
	p.Gauge(limit.Measure(id, title, "cluster", need, all, limit.Measured))
}
