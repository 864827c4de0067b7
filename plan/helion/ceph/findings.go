package ceph

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// findings says what is wrong, and what a reader should know.
func (p *planner) findings() {
	p.copiesFindings()
	p.pairs()
	p.osdCounts()
	p.short()
	p.media()
	p.machine()
	p.systemDiskFindings()
	p.tiers()
	p.outageFindings()
}

// find adds a finding with its place and sources; HCG 6 when none are given.
func (p *planner) find(severity v1alpha1.Severity, id, field, message, remedy string,
	sources ...derive.Source) *v1alpha1.Finding {
	if len(sources) == 0 {
		sources = []derive.Source{hcg}
	}
	return p.FindAt(severity, "ceph."+id, field, message, remedy, sources...)
}

// path is a field of the chosen host's node type, or of the storage section.
func (p *planner) path(field string) string {
	if p.chosen.host == nil {
		return "hardware.nodeTypes"
	}
	return p.chosen.host.Path + field
}

func (p *planner) name() string {
	if p.chosen.host == nil {
		return "storage hosts"
	}
	return p.chosen.host.Name
}

func (p *planner) copiesFindings() {
	src := *p.Fact("ceph.replicas").From.Source
	switch n := p.copies.Int(); {
	case n == 1:
		p.find(v1alpha1.Error, "copies.one", "storage.ceph.replicas", "one copy of each object: a lost disk is lost data",
			"keep "+p.Fact("hcg.ceph.replicas").Text+" at least", hcg, src).Figure = "ceph.raw"
	case n == 2:
		p.find(v1alpha1.Info, "copies.two", "storage.ceph.replicas",
			"two copies, as the document's pairs imply: when they differ nobody can tell which is right, "+
				"and after a failure only one is left",
			fmt.Sprintf("3 copies are Ceph's own default; they take %s of OSDs instead of %s, in groups of three hosts",
				part.InDecimal(Provide(p.r.Logical.Number, 3, p.nearFull.Number)), p.r.Provide.Text), hcg, src).Figure = "ceph.raw"
	}
	if p.r.Logical.Number > 0 {
		p.find(v1alpha1.Info, "gap", "", fmt.Sprintf("the document's formulas end at %s: "+
			"they count neither copies nor the share that must stay free; the OSDs have to hold %s",
			p.r.Logical.Text, p.r.Provide.Text), "buy by the larger figure").Figure = "ceph.provide"
	}
}

// pairs checks numbers of hosts that the scenario fixes.
func (p *planner) pairs() {
	group, most := int(p.group.Int()), p.Fact("hcg.max.storageHostsTheoretical/4.0")
	for _, o := range p.options {
		if o.host == nil {
			continue
		}
		field := o.host.Path + ".count"
		if n := o.host.Count; n != nil && (*n%group != 0 || *n == 0) {
			up := (*n/group + 1) * group
			remedy := fmt.Sprintf("take %d", up)
			if *n > group {
				remedy = fmt.Sprintf("take %d or %d", up-group, up)
			}
			p.find(v1alpha1.Error, "pairs["+o.host.Name+"]", field,
				fmt.Sprintf("%s: %s, but storage hosts come in groups of %d with equal OSDs, a copy on each", o.host.Name,
					derive.Of(float64(*n), "storage hosts").Text, group), remedy)
		}
		if o.host.Count == nil && o.host.Available != nil && o.Hosts > *o.host.Available {
			severity := v1alpha1.Warning
			if o.Type == p.chosen.Type {
				severity = v1alpha1.Error
			}
			p.find(severity, "stock["+o.host.Name+"]", o.host.Path+".available",
				fmt.Sprintf("%s: %d needed, %d available", o.host.Name, o.Hosts, *o.host.Available),
				"take hosts with more or larger disks, or get more")
		}
	}
	if float64(p.r.Layout.Hosts) > most.Number {
		why := "needed"
		if p.chosen.host.Count != nil {
			why = "counted"
		}
		p.find(v1alpha1.Error, "hosts.beyond", p.path(".count"),
			fmt.Sprintf("%s %s, %s is the most in theory", p.r.Hosts.Text, why, most.Text),
			"on "+most.Text+": "+p.fewer(int(most.Number*p.Fact("hcg.osd.perHostMax").Number)),
			*most.From.Source).Figure = "ceph.hosts"
	}
}

// osdCounts checks the number of OSDs against what was tested and supported.
func (p *planner) osdCounts() {
	const row = 7
	least, most, tested := p.Fact("hcg.osd.perHostMin"), p.Fact("hcg.osd.perHostMax"), p.Fact("hcg.max.osds/4.0")
	n := p.r.PerHost.Number
	if n < least.Number || n > most.Number {
		p.find(v1alpha1.Error, "osds.perHost", p.path(".disks"),
			fmt.Sprintf("%s on each storage host, %s to %s are supported (StarlingX takes up to %s)",
				p.r.PerHost.Text, derive.Of(least.Number, "").Text, derive.Of(most.Number, "").Text,
				p.Fact("starlingx.ceph.osdsPerHost").Text),
			"spread the disks over more hosts, or take fewer and larger ones", hcg,
			*most.From.Source).Figure = "ceph.osdsPerHost"
	}
	if want := p.in.Ceph.OSDsPerNode; want != nil && p.chosen.disks > 0 && *want > p.chosen.disks {
		p.find(v1alpha1.Error, "osds.disks", "storage.ceph.osdsPerNode",
			fmt.Sprintf("%d OSDs wanted on a host, %s has %s of use osd", *want, p.name(),
				derive.Of(float64(p.chosen.disks), "disks").Text),
			fmt.Sprintf("set it to %d, or add disks", p.chosen.disks))
	}
	p.in.Doubts.Met(row)
	if p.r.OSDs.Number <= tested.Number {
		return
	}
	severity, words := v1alpha1.Warning, "beyond what was tested and what HCG 6 calls currently supported, "+
		"though its rules allow 8 hosts of 8 (doubt 7: a warning for that reason, an error with policy.doubtful: as-printed)"
	if p.in.Doubts.AsPrinted() {
		severity, words = v1alpha1.Error, "beyond what the document prints as supported"
	}
	p.find(severity, "osds.beyondTested", p.path(".disks"),
		fmt.Sprintf("%s in all, %s: %s", p.r.OSDs.Text, words, tested.Text),
		p.fewer(int(tested.Int())), *tested.From.Source).Figure = "ceph.osds"
	p.in.Doubts.Effect(row, fmt.Sprintf("%s are planned; with the printed %s of 2 tested hosts as the "+
		"limit the plan would not stand", p.r.OSDs.Text, tested.Text))
}

func ceilGB(bytes float64) float64 {
	gb := float64(unit.GB)
	return derive.Ceil(bytes/gb) * gb
}

// short tells which needs the layout does not meet.
func (p *planner) short() {
	for _, b := range p.limits {
		have := p.r.OSDs.Number
		if b.each.Number <= 0 || b.osds.Number <= have {
			continue
		}
		p.find(v1alpha1.Error, "short."+b.name, p.path(".disks"),
			fmt.Sprintf("%s: %s needed, %s of %s give %s", b.title, b.need.Text, p.r.OSDs.Text, b.each.Text,
				inUnit(have*b.each.Number, b.need.Unit)),
			p.remedy(b)).Figure = map[string]string{byCapacity: "ceph.raw", byIOPS: "ceph.iops",
			byThroughput: "ceph.throughput"}[b.name]
	}
	p.unmeasured()
	p.smallest()
}

// inUnit writes a number of bytes as disks are sold, any other in its unit.
func inUnit(number float64, unitName string) string {
	if unitName == unit.ByteUnit {
		return part.InDecimal(number)
	}
	return derive.Of(number, unitName).Text
}

func (p *planner) remedy(b bound) string {
	if b.name == byCapacity {
		return fmt.Sprintf("%s, or disks of %s each", b.osds.Text,
			part.InDecimal(ceilGB(b.need.Number/max(1, p.r.OSDs.Number))))
	}
	return fmt.Sprintf("%s, or faster ones: %s each", b.osds.Text,
		inUnit(b.need.Number/max(1, p.r.OSDs.Number), b.need.Unit))
}

// fewer is what would carry the demand with no more OSDs than were tested: those that
// are there, larger ones, or faster ones.
func (p *planner) fewer(tested int) string {
	d := p.demand()
	size := max(ceilGB(d.Provide/float64(tested)), d.DiskMin, p.r.Layout.Size)
	switch name, n := d.limiting(size); {
	case size > d.DiskMax:
		return "divide the cloud into regions, or keep less"
	case n > tested:
		return fmt.Sprintf("faster disks: %d OSDs of any size are needed for the %s", n, name)
	case size > p.r.Layout.Size:
		return fmt.Sprintf("larger disks: %d OSDs of %s would do", tested, part.InDecimal(size))
	}
	return fmt.Sprintf("%d OSDs of %s would do", tested, part.InDecimal(size))
}

// smallest tells how many of the smallest disks it would take, where the plan
// proposes larger ones for it.
func (p *planner) smallest() {
	least, tested := p.Fact("hcg.osd.diskMin"), p.Fact("hcg.max.osds/4.0")
	if p.chosen.own || p.r.Layout.Size <= least.Number {
		return
	}
	if most := p.Fact("hcg.osd.diskMax"); p.r.Layout.Size > most.Number {
		p.find(v1alpha1.Error, "disks.most", p.path(".disks"),
			fmt.Sprintf("%s would have to be of %s each; no more than %s is proposed", p.r.OSDs.Text,
				part.InDecimal(p.r.Layout.Size), part.InDecimal(most.Number)),
			"divide the cloud into regions, keep less, or list the disks that you have",
			*most.From.Source).Figure = "ceph.osdSize"
		return
	}
	n := p.Calc("ceph.osdsOfSmallest", "OSDs of the smallest disk allowed", "OSDs",
		"ceil(provide / least)", derive.In("provide", p.r.Provide), derive.In("least", disk(least)))
	p.Detail(n)
	p.find(v1alpha1.Info, "disks.larger", p.path(".disks"),
		fmt.Sprintf("disks of %s, the smallest allowed, would be %s; tested are %s", part.InDecimal(least.Number), n.Text,
			tested.Text),
		fmt.Sprintf("%s of %s at least", p.r.OSDs.Text, part.InDecimal(p.r.Layout.Size)), hcg,
		*tested.From.Source).Figure = "ceph.osdSize"
}

// media judges size, speed and kind of the OSDs.
func (p *planner) media() {
	if p.chosen.own {
		p.ownMedia()
	}
	if !p.r.SSD {
		return
	}
	from, flow := p.Fact("hcg.osd.ssdIOPS"), p.Fact("hcg.osd.ssdThroughput")
	why := fmt.Sprintf("all VMs together need %s and %s; from %s or %s on SSDs are advised", p.r.IOPS.Text,
		p.r.Throughput.Text, from.Text, flow.Text)
	switch {
	case !p.chosen.own:
		p.find(v1alpha1.Info, "ssd.advised", p.path(".disks"), why, "take SSDs for the OSDs").Figure = "ceph.iops"
	case slices.ContainsFunc(p.chosen.media, spinning):
		p.find(v1alpha1.Warning, "ssd.advised", p.path(".disks"), fmt.Sprintf("%s: the OSDs lie on %s, but %s", p.name(),
			strings.Join(p.chosen.media, " and "), why), "take SSDs for the OSDs").Figure = "ceph.iops"
	}
}

// spinning says whether a medium is a hard disk.
func spinning(media string) bool { return media != "ssd" && media != "nvme" && media != "" }

func (p *planner) ownMedia() {
	least := p.Fact("hcg.osd.diskMin")
	for i, d := range p.chosen.host.Disks {
		if d.Use != "osd" {
			continue
		}
		field := fmt.Sprintf("%s.disks[%d]", p.chosen.host.Path, i)
		if float64(d.Size) < least.Number {
			p.find(v1alpha1.Error, "disk.small", field+".size", fmt.Sprintf("%s: an OSD of %s, %s is the least", p.name(),
				part.InDecimal(float64(d.Size)), part.InDecimal(least.Number)),
				"take disks of "+part.InDecimal(least.Number)+" or more")
		}
		if d.Media == "hdd" {
			p.find(v1alpha1.Error, "disk.slow", field+".media", p.name()+": an OSD on a hard disk that does not say its "+
				"speed; SAS at 10,000 revolutions a minute is the least", "write sas10k or sas15k if it is one, or take SSDs")
		}
	}
	if sizes, _ := osdDisks(p.chosen.host.Disks); len(sizes) > 0 && sizes[0] != sizes[len(sizes)-1] {
		p.find(v1alpha1.Info, "disk.mixed", p.path(".disks"), p.name()+
			": OSDs of different sizes; Ceph gives the larger ones more data and more of the operations", "take equal disks")
	}
}

// kindOf is the kind of a fact's limit.
func (p *planner) kindOf(id string) limit.Kind { return p.Facts.Must(id).Kind }
