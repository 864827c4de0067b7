package ceph

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// machine checks cores and memory of the chosen storage host.
func (p *planner) machine() {
	h := p.chosen.host
	if h == nil {
		return
	}
	sockets, each := p.Fact("hcg.storage.sockets"), p.Fact("hcg.storage.coresPerSocket")
	if n := h.Cores.Number; n > 0 && n < p.r.Cores.Number {
		carries, _ := p.Get("ceph.osdsOfCores")
		p.find(v1alpha1.Error, "cores.short", h.Path+".cpus",
			fmt.Sprintf("%s: %s for %s, %s are needed", h.Name, h.Cores.Text, p.r.PerHost.Text, p.r.Cores.Text),
			fmt.Sprintf("take machines of %s, or no more than %s on each", p.r.Cores.Text,
				carries.Value.Text)).Figure = "ceph.cores"
	}
	if n := h.Cores.Number; n > 0 &&
		(n < sockets.Number*each.Number || h.Sockets > 0 && float64(h.Sockets) < sockets.Number) {
		p.find(v1alpha1.Error, "machine.small", h.Path+".topology",
			fmt.Sprintf("%s: a storage host has at least %s of %s each", h.Name, sockets.Text, each.Text), "take such a machine")
	}
	if h.Memory.Number > 0 && h.Memory.Number < p.r.Memory.Number {
		p.find(v1alpha1.Error, "memory.short", h.Path+".memory",
			fmt.Sprintf("%s: %s of memory, %s is the least", h.Name, h.Memory.Text, p.r.Memory.Text), "give it "+p.r.Memory.Text)
	} else if h.Memory.Number > 0 && h.Memory.Number < p.now.target.Number {
		p.find(v1alpha1.Info, "memory.now", h.Path+".memory",
			fmt.Sprintf("%s: %s of memory is enough for the document, but today's OSDs aim at %s with headroom", h.Name,
				h.Memory.Text, p.now.target.Text),
			"give it "+p.now.provisioned.Text, *p.Fact("ceph.osd.memoryTarget").From.Source)
	}
}

// systemDiskFindings checks the primary disk.
func (p *planner) systemDiskFindings() {
	h := p.chosen.host
	if h == nil || len(h.Disks) == 0 {
		return
	}
	least := p.Fact("hcg.storage.disk.primaryMin")
	i := slices.IndexFunc(h.Disks, func(d v1alpha1.Disk) bool { return d.Use == "system" })
	switch {
	case i < 0:
		p.find(v1alpha1.Warning, "primary.missing", h.Path+".disks", h.Name+": no disk of use system; "+
			"the primary disk is not among them", fmt.Sprintf("add one of %s or more", part.InDecimal(least.Number)))
	case float64(h.Disks[i].Size) < least.Number:
		p.find(v1alpha1.Error, "primary.small", fmt.Sprintf("%s.disks[%d].size", h.Path, i),
			fmt.Sprintf("%s: a primary disk of %s, %s is the least", h.Name, part.InDecimal(float64(h.Disks[i].Size)),
				part.InDecimal(least.Number)),
			"take one of "+part.InDecimal(least.Number)+" or more").Figure = "ceph.systemDisk"
	case h.Disks[i].Media == "hdd":
		p.find(v1alpha1.Error, "primary.slow", fmt.Sprintf("%s.disks[%d].media", h.Path, i),
			h.Name+": the primary disk does not say its speed; SAS at 10,000 revolutions a minute is the least",
			"write sas10k if it is one, or take an SSD")
	}
}

// tiers judges journals and cache tiers.
func (p *planner) tiers() {
	h := p.chosen.host
	var journals, caches []v1alpha1.Disk
	if h != nil {
		for _, d := range h.Disks {
			switch d.Use {
			case "journal":
				journals = append(journals, d)
			case "cache":
				caches = append(caches, d)
			}
		}
	}
	p.journals(journals)
	word := *p.Fact("ceph.osd.cacheTier").From.Source
	switch {
	case p.in.Ceph.CacheTiering:
		remedy := "keep it only if the workload is known to gain: few objects, used again and again"
		if h != nil && len(caches) == 0 {
			remedy += "; then give hosts disks of use cache"
		}
		p.find(v1alpha1.Warning, "cacheTier", "storage.ceph.cacheTiering", "a cache tier slows down workloads that "+
			"touch many objects; Ceph says: "+p.Fact("ceph.osd.cacheTier").Text, remedy, hcg, word)
	case len(caches) > 0:
		p.find(v1alpha1.Info, "cacheTier.unused", h.Path+".disks", h.Name+": disks of use cache, but no cache tier",
			"leave them out, or set storage.ceph.cacheTiering", hcg, word)
	}
}

func (p *planner) journals(journals []v1alpha1.Disk) {
	if !p.chosen.own {
		return
	}
	h := p.chosen.host
	onDisks := slices.ContainsFunc(p.chosen.media, spinning)
	now := "; today the same disk holds BlueStore's block.db, " +
		derive.Of(100*p.Fact("ceph.osd.blockDB").Number, "percent").Text + " of its OSDs"
	switch {
	case onDisks && len(journals) == 0:
		p.find(v1alpha1.Warning, "journal.missing", h.Path+".disks",
			fmt.Sprintf("%s: OSDs on %s with their journals on the same disks: each write is done twice there", h.Name,
				strings.Join(p.chosen.media, " and ")),
			"add an SSD of use journal"+now, hcg, *p.Fact("ceph.osd.blockDB").From.Source)
	case onDisks && slices.ContainsFunc(journals, func(d v1alpha1.Disk) bool { return spinning(d.Media) }):
		p.find(v1alpha1.Warning, "journal.slow", h.Path+".disks", h.Name+": a journal on a hard disk gains nothing",
			"put the journals on an SSD")
	case !onDisks && len(journals) > 0:
		p.find(v1alpha1.Info, "journal.spare", h.Path+".disks",
			h.Name+": OSDs on SSDs can hold their own journals without loss", "the disks of use journal can be OSDs")
	}
}

// outageFindings tells of failures that the layout does not take well.
func (p *planner) outageFindings() {
	for _, o := range p.outages {
		severity := v1alpha1.Warning
		if o.mark == "good" {
			continue
		}
		if o.id == "host" && o.mark == "warn" || !p.chosen.own && o.copies > 0 {
			severity = v1alpha1.Info
		}
		text := "when " + o.what + " is lost: " + o.verdict
		if o.fill.Number > 0 {
			text = fmt.Sprintf("when %s is lost, %s are %s full: %s", o.what, o.where, o.fill.Text, o.verdict)
		}
		f := p.find(severity, "failure."+o.id, p.path(".disks"), text, p.outageRemedy(o), hcg,
			*p.Fact("ceph.nearfull").From.Source)
		if o.fill.From != nil {
			f.Figure = o.fill.From.ID
		}
	}
}

func (p *planner) outageRemedy(o outage) string {
	switch {
	case o.copies == 0 && o.id != "host":
		return "keep two copies or more"
	case o.id == "host" && o.mark == "warn":
		return "repair it soon; three copies leave two"
	case o.id == "host":
		return "keep a copy for each host of the group"
	}
	if p.perHost.Number <= p.largest.Number {
		return "give each host two OSDs or more"
	}
	larger := part.InDecimal(ceilGB(p.r.Layout.Size * o.fill.Number / 100 / p.nearFull.Number))
	return fmt.Sprintf("disks of %s keep it below near-full, or more OSDs on each host", larger)
}

// checks are settings of a storage host that can only be checked on the machine, in
// the order of table 10.
var checks = []string{"mode", "hyperthreading", "power", "idle", "boot"}

// checkTable lists what to check on each storage host.
func (p *planner) checkTable() {
	t := p.Table("ceph.settings", "To be checked on each storage host (HCG 6, table 10)", part.Left("What"),
		part.Left("Required"))
	t.Wide = true
	for _, name := range checks {
		f := p.Facts.Must("hcg.storage.bios." + name)
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(f.Title), part.Text(f.Printed())})
	}
}
