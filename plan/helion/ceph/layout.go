package ceph

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// What can decide the number of OSDs.
const (
	byCapacity   = "capacity"
	byIOPS       = "iops"
	byThroughput = "throughput"
	byMinimum    = "minimum"
)

// Demand is what a layout must carry, and the rules that it must keep.
type Demand struct {
	// Provide is the capacity of all OSDs in bytes, IOPS in operations/s, Throughput in bytes/s.
	Provide, IOPS, Throughput float64
	// Rate and Flow are what one OSD sustains of the last two; 0 when not known: the rate is not checked then.
	Rate, Flow float64
	// Group is how many hosts are added together, MaxHosts the most of them.
	Group, MaxHosts int
	// MinPerHost and MaxPerHost are OSDs on a host, Min the least in all.
	MinPerHost, MaxPerHost, Min int
	// DiskMin is the smallest disk in bytes, DiskMax the largest that is proposed; 0 is
	// any.
	DiskMin, DiskMax float64
}

// osdsFor is how many OSDs of a size each need takes.
func (d Demand) osdsFor(size float64) map[string]int {
	return map[string]int{byCapacity: OSDsOfNeed(d.Provide, size), byIOPS: OSDsOfNeed(d.IOPS, d.Rate),
		byThroughput: OSDsOfNeed(d.Throughput, d.Flow), byMinimum: d.Min}
}

// limiting is the need that takes the most OSDs of a size, and how many; among
// equals the document's order counts.
func (d Demand) limiting(size float64) (string, int) {
	need, name := d.osdsFor(size), byMinimum
	for _, by := range []string{byThroughput, byIOPS, byCapacity} {
		if need[by] >= need[name] {
			name = by
		}
	}
	if need[name] == d.Min {
		name = byMinimum
	}
	return name, need[name]
}

// Equip finds the fewest hosts with these disks each (bytes) that carry the demand,
// in whole groups; a fixed number of hosts (0: find it) is judged as it is.
func (d Demand) Equip(disks []float64, fixed int) Layout {
	sum := 0.0
	for _, size := range disks {
		sum += size
	}
	l := Layout{PerHost: len(disks), Hosts: fixed, Size: sum / max(1, float64(len(disks)))}
	name, needed := d.limiting(l.Size)
	l.Limiting = name
	if fixed == 0 && l.PerHost > 0 {
		step := l.PerHost * d.Group
		l.Hosts = d.Group * ((needed + step - 1) / step)
	}
	l.Fits = d.allows(l) && l.OSDs() >= needed
	return l
}

// Propose finds disks for hosts that have none: the fewest hosts, then as many OSDs
// as the smallest disk would take, since more OSDs serve better than larger ones,
// and larger disks where that is not enough. A number of hosts or of OSDs on each
// may be fixed (0: find it); most is how many OSDs a host can carry.
func (d Demand) Propose(fixedHosts, fixedPerHost, most int) Layout {
	first, last := d.Group, max(d.Group, d.MaxHosts)
	if fixedHosts > 0 {
		first, last = fixedHosts, fixedHosts
	}
	var l Layout
	for hosts := first; hosts <= last; hosts += d.Group {
		l = d.propose(hosts, fixedPerHost, most)
		if l.Fits {
			break
		}
	}
	return l
}

func (d Demand) propose(hosts, fixedPerHost, most int) Layout {
	name, needed := d.limiting(d.DiskMin)
	perHost := max(d.MinPerHost, min((needed+hosts-1)/hosts, d.MaxPerHost, most))
	if fixedPerHost > 0 {
		perHost = fixedPerHost
	}
	l := Layout{Hosts: hosts, PerHost: perHost, Limiting: name}
	gb := float64(unit.GB)
	l.Size = max(d.DiskMin, derive.Ceil(d.Provide/float64(l.OSDs())/gb)*gb)
	_, needed = d.limiting(l.Size)
	l.Fits = d.allows(l) && l.OSDs() >= needed && perHost <= most && !d.tooLarge(l.Size)
	return l
}

// tooLarge says whether a disk of a size is not proposed.
func (d Demand) tooLarge(size float64) bool { return d.DiskMax > 0 && size > d.DiskMax }

// allows says whether a layout keeps the rules of hosts and OSDs.
func (d Demand) allows(l Layout) bool {
	return l.Hosts > 0 && l.Hosts%d.Group == 0 && l.Hosts <= d.MaxHosts &&
		l.PerHost >= d.MinPerHost && l.PerHost <= d.MaxPerHost && l.OSDs() >= d.Min
}

// option is a layout that was looked at, with the host that it is made of.
type option struct {
	Layout
	// host is nil when no node type has the role; own says that the disks are its own.
	host *Host
	own  bool
	// capacity of the OSDs of one host and the largest of them, in bytes.
	capacity, largest float64
	// media of the OSDs, without repetition.
	media []string
	// disks is how many OSD disks the type has.
	disks int
}

// osdDisks are the sizes of a type's OSD disks, the largest first, with the media.
func osdDisks(disks []v1alpha1.Disk) (sizes []float64, media []string) {
	for _, d := range disks {
		if d.Use != "osd" {
			continue
		}
		if !slices.Contains(media, d.Media) {
			media = append(media, d.Media)
		}
		for range max(1, d.Count) {
			sizes = append(sizes, float64(d.Size))
		}
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	return sizes, media
}

// option makes the layout of a node type, or of proposed disks.
func (p *planner) option(index int, d Demand) option {
	o := option{}
	fixedHosts, most := 0, d.MaxPerHost
	if index >= 0 {
		o.host = &p.in.Hosts[index]
		if o.host.Count != nil {
			fixedHosts = *o.host.Count
		}
		if o.host.Cores.Number > 0 {
			most = OSDsOn(o.host.Cores.Number, p.Fact("hcg.osd.coresPerOSD").Number, p.Fact("hcg.osd.platformCores").Number)
		}
		sizes, media := osdDisks(o.host.Disks)
		o.disks, o.media = len(sizes), media
		if n := p.in.Ceph.OSDsPerNode; n != nil && *n < len(sizes) {
			sizes = sizes[:*n]
		}
		if len(sizes) > 0 {
			o.own = true
			o.Layout = d.Equip(sizes, fixedHosts)
			o.largest = sizes[0]
		}
	}
	if !o.own {
		fixedPerHost := 0
		if n := p.in.Ceph.OSDsPerNode; n != nil {
			fixedPerHost = *n
		}
		o.Layout = d.Propose(fixedHosts, fixedPerHost, most)
		o.largest = o.Size
	}
	o.Fits = o.Fits && p.lawful(o, most) && p.reaches(o)
	o.Type, o.capacity = index, o.Size*float64(o.PerHost)
	return o
}

// lawful says whether the machine of a layout keeps the document's rules, and is in stock.
func (p *planner) lawful(o option, most int) bool {
	if o.host == nil {
		return true
	}
	sizes, _ := osdDisks(o.host.Disks)
	small := len(sizes) > 0 && sizes[len(sizes)-1] < p.Fact("hcg.osd.diskMin").Number
	poor := o.host.Memory.Number > 0 && o.host.Memory.Number < p.Fact("hcg.storage.memoryMin").Number
	none := o.host.Available != nil && o.Hosts > *o.host.Available || o.host.Count != nil && *o.host.Count == 0
	return !small && !poor && !none && o.PerHost <= most
}

// choose looks at every node type and takes the cheapest layout that fits: by price
// where all have one, else the fewest hosts, then the fewest OSDs.
func (p *planner) choose() {
	d := p.demand()
	if len(p.in.Hosts) == 0 {
		p.options = []option{p.option(-1, d)}
	}
	priced := true
	for i, h := range p.in.Hosts {
		priced = priced && h.Price > 0
		p.options = append(p.options, p.option(i, d))
	}
	price := func(o option) float64 {
		if !priced || o.host == nil {
			return 0
		}
		return o.host.Price * float64(o.Hosts)
	}
	p.chosen = slices.MinFunc(p.options, func(a, b option) int {
		return cmp.Or(cmp.Compare(truth(b.Fits), truth(a.Fits)), cmp.Compare(price(a), price(b)),
			cmp.Compare(a.Hosts, b.Hosts), cmp.Compare(a.OSDs(), b.OSDs()))
	})
	p.r.Layout = p.chosen.Layout
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// demand is what the layouts must carry.
func (p *planner) demand() Demand {
	count := func(id string) int { return int(p.Fact(id).Int()) }
	return Demand{Provide: p.r.Provide.Number, IOPS: p.r.IOPS.Number, Throughput: p.r.Throughput.Number,
		Rate: p.rate.Number, Flow: p.flow.Number,
		Group: int(p.group.Int()), MaxHosts: count("hcg.max.storageHostsTheoretical/4.0"),
		MinPerHost: count("hcg.osd.perHostMin"),
		MaxPerHost: count("hcg.osd.perHostMax"), Min: count("hcg.max.osdsMin/4.0"), DiskMin: p.Fact("hcg.osd.diskMin").Number,
		DiskMax: p.Fact("hcg.osd.diskMax").Number}
}
