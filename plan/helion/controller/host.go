package controller

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// device is the disk of the host for one use.
type device struct {
	// size is the zero value when the host names no disk for the use.
	size derive.Value
	// media as the scenario names it.
	media string
	// field is the path of the disk.
	field string
}

// Solid says whether a disk of the media has no moving parts.
func Solid(media string) bool { return media == "ssd" || media == "nvme" }

// device finds the largest single disk of the host for a use.
func (p *planner) device(use string) device {
	var d device
	if p.in.Host == nil {
		return d
	}
	for i, disk := range p.in.Host.Disks {
		if disk.Use != use || float64(disk.Size) <= d.size.Number {
			continue
		}
		field := fmt.Sprintf("%s.disks[%d]", p.in.Host.Path, i)
		v := p.Origin.Value(field+".size", float64(disk.Size), unit.ByteUnit)
		d = device{size: v.WithText(part.InDecimal(v.Number)), media: disk.Media, field: field}
	}
	return d
}

// host judges the node type that is given.
func (p *planner) host() {
	h := p.in.Host
	if h == nil {
		p.r.Fits = true
		return
	}
	p.machine(*h)
	if len(h.Disks) > 0 {
		p.judgePrimary()
		if p.holdsVolumes() {
			p.judgeLVM()
		}
	}
	p.r.Fits = !slices.ContainsFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.Severity == v1alpha1.Error })
}

// machine compares sockets, cores and memory with the document's least.
func (p *planner) machine(h Host) {
	short := func(id, message, remedy, field string) {
		p.find(v1alpha1.Error, id, h.Name+": "+message, remedy, derive.Value{}).Field = field
	}
	sockets, cores, memory := p.Fact("hcg.controller.sockets"), p.Fact("hcg.controller.coresPerSocket"),
		p.Fact("hcg.controller.memoryMin")
	if h.Sockets > 0 && float64(h.Sockets) < sockets.Number {
		short("controller.host.sockets",
			fmt.Sprintf("%s, a controller needs %s", derive.Of(float64(h.Sockets), "sockets").Text, sockets.Text),
			"take a machine with two sockets", h.Path+".topology")
	}
	if h.Sockets > 0 && h.Cores.Number < float64(h.Sockets)*cores.Number {
		short("controller.host.cores", fmt.Sprintf("%s on %s, a controller needs %s on each socket",
			derive.Of(h.Cores.Number, "cores").Text,
			derive.Of(float64(h.Sockets), "sockets").Text, cores.Text), "take a machine with more cores", h.Path+".topology")
	}
	if h.Memory.Number < memory.Number {
		short("controller.host.memory", fmt.Sprintf("%s of memory, a controller needs %s", h.Memory.Text, memory.Text),
			"give it at least "+memory.Text, h.Path+".memory")
	}
}

// judgePrimary compares the primary disk with the partitions and the minimum.
func (p *planner) judgePrimary() {
	d, h := p.primary, p.in.Host
	have, least := d.size.Number, p.disk("primaryMin")
	remedy := "give it one SSD of " + p.r.DiskNeed.Text
	switch {
	case d.size.Text == "":
		p.find(v1alpha1.Error, "controller.disk.missing", h.Name+": no disk for the system", remedy,
			p.r.Disk).Field = h.Path + ".disks"
		return
	case have < p.r.Disk.Number:
		p.find(v1alpha1.Error, "controller.disk.tooSmall",
			fmt.Sprintf("%s: the partitions of the primary disk need %s, it has %s%s", h.Name, p.r.Disk.Text, d.size.Text,
				p.mostly()),
			remedy+p.elsewhere(), p.r.Disk).Field = d.field + ".size"
	case have < least.Number:
		p.find(v1alpha1.Error, "controller.disk.belowMinimum",
			fmt.Sprintf("%s: the primary disk of %s holds the partitions (%s) and is below the mandatory %s", h.Name,
				d.size.Text, p.r.Disk.Text, least.Text),
			remedy, p.r.DiskNeed).Field = d.field + ".size"
	case have < p.Figure("controller.diskBinary").Number:
		binary := p.Figure("controller.diskBinary")
		p.find(v1alpha1.Warning, "controller.disk.tight", fmt.Sprintf("%s: the primary disk of %s holds the partitions "+
			"(%s) only if their GB are 10^9 bytes; made of GiB, as by StarlingX, they take %s", h.Name, d.size.Text,
			p.r.Disk.Text, binary.Text),
			"give it one SSD of "+binary.Text+" or more", binary).Field = d.field + ".size"
	}
	if !Solid(d.media) {
		p.find(v1alpha1.Error, "controller.disk.media",
			fmt.Sprintf("%s: the primary disk is %s, an SSD is mandatory for capacity and performance", h.Name, d.media), remedy,
			derive.Value{}).Field = d.field + ".media"
	}
	p.Gauge(limit.Measure("controllerDisk", "Partitions of a controller's primary disk", "controller "+h.Name, p.r.Disk,
		d.size, limit.Hard))
}

// mostly says that images fill the disk, where they take half of it.
func (p *planner) mostly() string {
	if !p.holdsVolumes() || 2*p.r.Images.Number < p.r.Disk.Number/2 {
		return ""
	}
	return fmt.Sprintf("; the images take %s, and as much again in the backup", p.r.Images.Text)
}

// elsewhere is the other way out of a disk that images or volumes fill.
func (p *planner) elsewhere() string {
	if !p.holdsVolumes() {
		return ""
	}
	return ", or keep images and volumes on storage nodes (policy.model: " + Dedicated + ")"
}

// judgeLVM compares the largest single disk for volumes with what they need.
func (p *planner) judgeLVM() {
	d, h := p.lvm, p.in.Host
	have, least := d.size.Number, p.disk("lvmMin")
	remedy := "give it one disk of " + p.r.LVMNeed.Text + " for volumes"
	switch {
	case d.size.Text == "":
		p.find(v1alpha1.Error, "controller.lvm.missing", h.Name+": no disk for Cinder volumes (use: "+
			"lvm), which is mandatory with controller storage and CPE", remedy, p.r.LVM).Field = h.Path + ".disks"
		return
	case have < p.r.LVM.Number:
		p.find(v1alpha1.Error, "controller.lvm.tooSmall",
			fmt.Sprintf("%s: the Cinder volumes need %s on a single disk, the largest has %s", h.Name, p.r.LVM.Text,
				d.size.Text),
			remedy+p.elsewhere(), p.r.LVM).Field = d.field + ".size"
	case have < least.Number:
		p.find(v1alpha1.Error, "controller.lvm.belowMinimum",
			fmt.Sprintf("%s: the disk of %s holds the volumes (%s) and is below the mandatory %s", h.Name, d.size.Text,
				p.r.LVM.Text, least.Text),
			remedy, p.r.LVMNeed).Field = d.field + ".size"
	}
	switch {
	case d.media == "hdd":
		p.find(v1alpha1.Error, "controller.lvm.media", h.Name+": the disk for volumes is an ordinary hard disk, "+
			"SAS at 10,000 revolutions a minute is the least", "take a SAS disk of 10,000, better an SSD, of at least "+
			p.r.LVMNeed.Text, derive.Value{}).Field = d.field + ".media"
	case !Solid(d.media):
		p.find(v1alpha1.Info, "controller.lvm.ssd", h.Name+": the disk for volumes is "+d.media+
			", an SSD is highly recommended", "take an SSD", derive.Value{}).Field = d.field + ".media"
	}
	p.Gauge(limit.Measure("controllerLVM", "Cinder volumes on a controller's disk", "controller "+h.Name, p.r.LVM, d.size,
		limit.Hard))
}
