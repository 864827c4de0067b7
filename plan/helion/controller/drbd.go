package controller

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// The configurations of the bench, by the disk for Cinder.
const (
	onSAS = "sas" // configuration 1, table 4
	onSSD = "ssd" // configuration 2, table 5
)

// synced is a partition that both controllers keep alike.
type synced struct {
	partition
	// times by configuration, rates for the larger ones.
	times, rates map[string]derive.Value
}

// mirror is the synchronisation that is being planned.
type mirror struct {
	parts []synced
	// planned is the configuration whose disks are those of the host.
	planned                     string
	parallel, utilisation, link derive.Value
	most                        derive.Value
	// totals of all partitions by configuration, one after the other.
	totals map[string]derive.Value
}

// drbd fills the section on the synchronisation of the controllers.
func (p *planner) drbd() *part.Part {
	p.Part = part.New("drbd", "Synchronisation of the controllers (DRBD)")
	m := p.mirror()
	if m.most.Number == 0 {
		p.find(v1alpha1.Error, "drbd.link", fmt.Sprintf("%s of utilisation of a link of %s for %s leaves less "+
			"than 1 MiB/s to synchronise with", percent(m.utilisation), m.link.Text, m.parallel.Text),
			"give the controllers a link of "+p.Fact("hcg.net.infrastructure").Text, m.most).Field = "storage.drbd.link"
		p.Section.Summary = "the controllers can't synchronise"
		return p.Part
	}
	for _, configuration := range []string{onSAS, onSSD} {
		p.times(&m, configuration)
	}
	p.r.Sync = m.totals[m.planned]
	p.Show(p.r.Sync, m.most)
	p.beside(m)
	p.underLoad(m)
	p.syncTable(m)
	p.settingsTable(m)
	p.syncDoubts(m)
	p.syncFindings(m)
	p.Section.Summary = fmt.Sprintf("%s to synchronise a controller, one partition after the other; at most %s each",
		p.r.Sync.Text, m.most.Text)
	return p.Part
}

// mirror lists the partitions and the settings.
func (p *planner) mirror() mirror {
	m := mirror{planned: onSSD, totals: map[string]derive.Value{}}
	if p.holdsVolumes() && p.lvm.media != "" && !Solid(p.lvm.media) {
		m.planned = onSAS
	}
	field := func(name string, number float64, unitName string) derive.Value {
		return p.Field("drbd."+name, number, unitName)
	}
	d := p.in.DRBD
	m.parallel = field("parallel", float64(max(1, d.Parallel)), "partitions")
	m.utilisation = field("utilisation", float64(d.Utilisation), unit.Ratio)
	m.link = p.link()
	m.most = p.limit("drbd.cap", "Most that DRBD may take for one partition", m.parallel, m.utilisation, m.link)
	p.Note("drbd.cap", "the document says how it changes with parallel and utilisation; the formula is StarlingX', "+
		"whose Mbit are taken as MiB; no more than the link carries")
	m.parts = p.synced()
	return m
}

// inGiB writes bytes in GiB, the one unit of the document's times.
func inGiB(bytes float64) string { return unit.Format(bytes/float64(unit.GiB), "GiB") }

// link is what the scenario says, or else what the host's interface says: the
// infrastructure's, or that of management where there is none.
func (p *planner) link() derive.Value {
	const field = "storage.drbd.link"
	given := p.Origin.Value(field, float64(p.in.DRBD.Link), unit.BitsPerS)
	if p.in.Host == nil || !p.Origin.Assumed(field) {
		return given
	}
	for _, use := range []string{"infrastructure", "management"} {
		best, at := unit.BitRate(0), 0
		for i, n := range p.in.Host.NICs {
			if n.Use == use && n.Speed > best {
				best, at = n.Speed, i
			}
		}
		if best > 0 {
			return p.Origin.Value(fmt.Sprintf("%s.nics[%d].speed", p.in.Host.Path, at), float64(best), unit.BitsPerS)
		}
	}
	return given
}

// limit records the most that one partition may take.
func (p *planner) limit(id, title string, parallel, utilisation, link derive.Value) derive.Value {
	v := p.Calc(id, title, unit.BytesPerS,
		"min(floor(utilisation * link / 1000000 / parallel / 8) * 1048576, link / 8)", derive.In("utilisation", utilisation),
		derive.In("link", link), derive.In("parallel", parallel))
	p.Note(id, "", p.starlingx())
	return v
}

// synced are the partitions that DRBD keeps alike. Those of the primary disk are
// made of GiB; the disk for Cinder is synchronised whole.
func (p *planner) synced() []synced {
	gib := p.Fact("starlingx.drbd.gib")
	list := []partition{{"postgres", p.r.Database}, {"rabbitmq", p.disk("rabbitmq")}, {"platform", p.disk("platform")},
		{"images", p.r.Images}}
	var out []synced
	add := func(name string, size derive.Value) {
		out = append(out, synced{partition: partition{name, size}, times: map[string]derive.Value{},
			rates: map[string]derive.Value{}})
	}
	for _, l := range list {
		id := "drbd.size[" + l.name + "]"
		size := p.CalcAs(inGiB, id, "Partition "+l.name+" that is synchronised", unit.ByteUnit,
			"size / 1000000000 * gib", derive.In("size", l.size), derive.In("gib", gib))
		p.Note(id, "so many GiB; the document's times follow only so")
		add(l.name, size)
	}
	p.Note("drbd.size[postgres]", "the whole partition, the room for upgrades included", p.starlingx())
	if p.holdsVolumes() {
		have := p.lvm.size
		if have.Text == "" {
			have = p.r.LVMNeed
		}
		add("cinder", p.CalcAs(inGiB, "drbd.size[cinder]", "Disk for Cinder volumes that is synchronised", unit.ByteUnit,
			"max(disk, need)", derive.In("disk", have), derive.In("need", p.r.LVMNeed)))
		p.Note("drbd.size[cinder]", "the whole device, used or not; a smaller partition takes less", hcg)
	}
	return out
}

// times records how long each partition takes with the disks of a configuration.
func (p *planner) times(m *mirror, configuration string) {
	var sum derive.Terms
	for _, s := range m.parts {
		key := configuration + "/" + s.name
		t := p.time(m, s, configuration, "["+key+"]")
		s.times[configuration] = t
		sum.Product(derive.In(s.name, t))
		p.Detail(t)
	}
	id, title := "drbd.total", "All partitions, one after the other"
	if configuration != m.planned {
		id, title = id+"["+configuration+"]", title+", with the disks of configuration "+number[configuration]
	}
	m.totals[configuration] = p.seconds(id, title, sum.Of("sum"), sum.In...)
	if configuration != m.planned {
		p.Detail(m.totals[configuration])
	}
}

// number of the configurations in the document.
var number = map[string]string{onSAS: "1 (SAS)", onSSD: "2 (SSD)"}

// time records the time of one partition: by the rate of the bench, or for those
// that took less than half a minute there by that bound.
func (p *planner) time(m *mirror, s synced, configuration, at string) derive.Value {
	id, title := "drbd.time"+at, "Time to synchronise "+s.name+", configuration "+number[configuration]
	measured, ok := p.measured(m, s.name, configuration)
	if !ok {
		bound := p.Fact("hcg.drbd.time/" + configuration + "/" + s.name)
		return p.seconds(id, title, "max(measured, size / cap)",
			derive.In("measured", bound), derive.In("size", s.size), derive.In("cap", m.most))
	}
	rate := p.Calc("drbd.rate"+at, "Rate to synchronise "+s.name+", configuration "+number[configuration], unit.BytesPerS,
		"min(measured, cap)", derive.In("measured", measured), derive.In("cap", m.most))
	s.rates[configuration] = rate
	p.Detail(rate)
	return p.seconds(id, title, "size / rate", derive.In("size", s.size), derive.In("rate", rate))
}

// measured is the rate of the bench; ok is false for partitions too small for one.
func (p *planner) measured(m *mirror, name, configuration string) (derive.Value, bool) {
	key := configuration + "/" + name
	f, ok := p.Facts.Get("hcg.drbd.rate/" + key)
	if ok && key == onSAS+"/cinder" && m.planned == onSAS {
		return p.in.Doubts.Pick(2, "hcg.drbd.rate/"+key, "hcg.drbd.ratePrinted/"+key), true
	}
	return f.Value(), ok
}

// beside is the time when the disk for Cinder is synchronised beside the primary
// one, as StarlingX orders it.
func (p *planner) beside(m mirror) {
	last := m.parts[len(m.parts)-1]
	if last.name != "cinder" || p.primary.media != "" && !Solid(p.primary.media) {
		return
	}
	cinder := last.times[m.planned]
	total := m.totals[m.planned]
	v := p.seconds("drbd.beside", "All partitions, Cinder beside the primary disk", "max(total - cinder, cinder)",
		derive.In("total", total), derive.In("cinder", cinder))
	order := p.Facts.Must("starlingx.drbd.order")
	p.Note("drbd.beside", "the order of StarlingX: "+order.Text, order.Source)
	p.Show(v)
}

// underLoad is the longest that DRBD lets other load delay it.
func (p *planner) underLoad(m mirror) {
	base, share := p.Fact("starlingx.drbd.floorBase"), p.Fact("starlingx.drbd.floorShare")
	floor := p.Calc("drbd.floor", "Least that DRBD leaves a synchronisation beside other load", unit.BytesPerS,
		"base + cap / share", derive.In("base", base), derive.In("cap", m.most), derive.In("share", share))
	p.Note("drbd.floor", "the document says only that DRBD gives way to other load", p.starlingx())
	var t derive.Terms
	for _, s := range m.parts {
		t.Product(derive.In(s.name, s.size))
	}
	in := append(t.In, derive.In("floor", floor), derive.In("cap", m.most))
	slow := p.seconds("drbd.underLoad", "All partitions beside other load, at most", t.Of("sum")+" / min(floor, cap)",
		in...)
	p.Detail(floor, slow)
}

// percent writes a ratio.
func percent(v derive.Value) string { return unit.Format(100*v.Number, unit.Percent) }
