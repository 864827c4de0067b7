package controller

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// partition is a part of a disk.
type partition struct {
	name string
	size derive.Value
}

// controller fills the section on host and disks.
func (p *planner) controller() *part.Part {
	p.Part = part.New("controller", "Controllers")
	p.primary, p.lvm = p.device("system"), p.device("lvm")
	p.fixedPartitions()
	p.database()
	p.images()
	p.conversion()
	p.backup()
	p.primaryDisk()
	if p.holdsVolumes() {
		p.lvmDisk()
	}
	p.host()
	p.tables()
	p.audit()
	p.Section.Summary = p.summary()
	return p.Part
}

// fixedPartitions are those of table 3 that no formula gives.
func (p *planner) fixedPartitions() {
	for _, name := range []string{"rootfs", "boot", "scratch", "log", "platform", "rabbitmq"} {
		p.fixed = append(p.fixed, partition{name, p.disk(name)})
	}
	p.Detail(p.sum("controller.fixed", "Partitions of fixed size", p.fixed))
}

func (p *planner) fixedSize() derive.Value { return p.Figure("controller.fixed") }

// database is the formula's, at least the default partition.
func (p *planner) database() {
	p.in.Doubts.Met(10)
	usual := p.disk("databaseDefault")
	need := p.databaseNeed()
	p.r.Database = p.bytes("controller.database", "Partition for the database", "max(default, formula)",
		derive.In("default", usual), derive.In("formula", need))
	p.Show(p.r.Database)
	p.Detail(need)
	if p.in.VMsPerCompute.Number > 0 && p.in.Meters.Number == 0 {
		p.databaseVMs(usual)
	}
	if need.Number > usual.Number {
		p.in.Doubts.Effect(10, fmt.Sprintf("the database needs %s, the default partition has %s", need.Text, usual.Text))
		p.find(v1alpha1.Info, "controller.database.default",
			fmt.Sprintf("the default partition for the database, %s, is too small: %s are needed", usual.Text, need.Text),
			"set it to "+need.Text+" when the controllers are configured", p.r.Database)
	}
}

func (p *planner) databaseNeed() derive.Value {
	copies := p.Fact("hcg.controller.database.copies")
	if meters := p.in.Meters; meters.Number > 0 {
		each := p.Fact("hcg.controller.database.perMeter")
		return p.bytes("controller.databaseFormula", "Database by the number of meters", "copies * meters * perMeter",
			derive.In("copies", copies), derive.In("meters", meters), derive.In("perMeter", each))
	}
	base, perVM, perCompute := p.Fact("hcg.controller.database.base"), p.Fact("hcg.controller.database.perVM"),
		p.Fact("hcg.controller.database.perCompute")
	computes := p.in.Computes
	if computes.Text == "" {
		computes = derive.Of(0, "computes")
	}
	return p.bytes("controller.databaseFormula", "Database by the numbers of VMs and computes",
		"copies * (base + vms * perVM + computes * perCompute)", derive.In("copies", copies), derive.In("base", base),
		derive.In("vms", p.in.VMs),
		derive.In("perVM", perVM), derive.In("computes", computes), derive.In("perCompute", perCompute))
}

// databaseVMs says up to how many VMs the default partition lasts.
func (p *planner) databaseVMs(usual derive.Value) {
	copies, base := p.Fact("hcg.controller.database.copies"), p.Fact("hcg.controller.database.base")
	perVM, perCompute := p.Fact("hcg.controller.database.perVM"), p.Fact("hcg.controller.database.perCompute")
	n := p.Calc("controller.databaseVMs", "VMs that the default partition for the database is enough for", "VMs",
		"floor(max(0, (default / copies - base) / (perVM + perCompute / vmsPerCompute)))", derive.In("default", usual),
		derive.In("copies", copies),
		derive.In("base", base), derive.In("perVM", perVM), derive.In("perCompute", perCompute),
		derive.In("vmsPerCompute", p.in.VMsPerCompute))
	p.Note("controller.databaseVMs", "the document does not say that its default is too small for more")
	p.Detail(n)
}

// images is what Glance keeps on the controllers, or the partition cgcs, which has
// its place with storage nodes.
func (p *planner) images() {
	cgcs := p.disk("cgcs")
	const id, title = "controller.images", "Partition for images (cgcs)"
	if !p.holdsVolumes() {
		p.in.Doubts.Met(11)
		p.r.Images = p.bytes(id, title, "cgcs", derive.In("cgcs", cgcs))
		p.Note(id, "fixed with dedicated storage, where the storage nodes hold the images; "+
			"the 39 GB of fixed partitions leave it out")
		twice := part.InDecimal(2 * cgcs.Number)
		p.in.Doubts.Effect(11, "disk and backup have "+cgcs.Text+" each for the images; without them both together would be "+
			twice+" short")
		p.Show(p.r.Images)
		return
	}
	size := p.total("controller.imagesSize", "Images", plain(p.in.Images))
	p.r.Images = p.bytes(id, title, "max(cgcs, images * (1 + margin))",
		derive.In("cgcs", cgcs), derive.In("images", size), derive.In("margin", p.in.Margin))
	p.Note(id, "at least what the partition has with dedicated storage: other applications keep their data there as well")
	p.Show(p.r.Images)
	p.Detail(size)
}

// raw are images as the raw disks that they become: conversion works on those.
func raw(images []Image) []part.Items {
	out := plain(images)
	for i, image := range images {
		if image.Disk.Number > 0 {
			out[i].Size = image.Disk
		}
	}
	return out
}

// plain are images as things with a size.
func plain(images []Image) []part.Items {
	out := make([]part.Items, len(images))
	for i, image := range images {
		out[i] = image.Items
	}
	return out
}

// cached are the images that Ceph keeps as raw ones, or those that it doesn't, as raw
// disks.
func (p *planner) cached(yes bool) []part.Items {
	return raw(slices.DeleteFunc(slices.Clone(p.in.Images),
		func(i Image) bool { return i.Cached != yes || i.Count.Number <= 0 }))
}

// backup holds database and images.
func (p *planner) backup() {
	over := p.disk("backupOverhead")
	p.r.Backup = p.bytes("controller.backup", "Partition for backups", "database + images + overhead",
		derive.In("database", p.r.Database), derive.In("images", p.r.Images), derive.In("overhead", over))
	p.Show(p.r.Backup)
}

// primaryDisk is the sum of all partitions, and the disk to provide.
func (p *planner) primaryDisk() {
	fixed := p.fixedSize()
	p.r.Disk = p.bytes("controller.disk", "All partitions of the primary disk",
		"fixed + database + images + conversion + backup", derive.In("fixed", fixed), derive.In("database", p.r.Database),
		derive.In("images", p.r.Images), derive.In("conversion", p.r.Conversion), derive.In("backup", p.r.Backup))
	p.Note("controller.disk", "1 GB counts as 1000 MB; the document does not say")
	p.r.DiskNeed = p.provide("controller.diskNeed", "Primary disk to provide", p.r.Disk, p.disk("primaryMin"))
	gib := p.Fact("starlingx.drbd.gib")
	binary := p.bytes("controller.diskBinary", "All partitions if their GB are GiB", "disk / 1000000000 * gib",
		derive.In("disk", p.r.Disk), derive.In("gib", gib))
	p.Note("controller.diskBinary", "StarlingX makes partitions of GiB", p.starlingx())
	p.Show(p.r.Disk, p.r.DiskNeed)
	p.Detail(binary)
}

// provide records a disk of whole GB that holds need and is not less than the
// document's minimum.
func (p *planner) provide(id, title string, need, least derive.Value) derive.Value {
	return p.bytes(id, title, "ceil(max(need, minimum) / 1000000000) * 1000000000",
		derive.In("need", need), derive.In("minimum", least))
}

// lvmDisk is the one disk that holds all Cinder volumes.
func (p *planner) lvmDisk() {
	size := p.total("controller.volumes", "Cinder volumes", p.in.Volumes)
	p.r.LVM = p.bytes("controller.lvm", "Disk for Cinder volumes (LVM)", "volumes * (1 + margin)",
		derive.In("volumes", size), derive.In("margin", p.in.Margin))
	p.Note("controller.lvm", "thin and thick volumes count alike: storage can't be overcommitted")
	p.r.LVMNeed = p.provide("controller.lvmNeed", "Disk for Cinder volumes to provide", p.r.LVM, p.disk("lvmMin"))
	p.Show(p.r.LVM, p.r.LVMNeed)
	p.Detail(size)
}

// summary is the section in a sentence.
func (p *planner) summary() string {
	text := fmt.Sprintf("a primary disk of %s, of which %s are partitioned", p.r.DiskNeed.Text, p.r.Disk.Text)
	if p.holdsVolumes() {
		text += fmt.Sprintf(", and one disk of %s for Cinder volumes", p.r.LVMNeed.Text)
	}
	if h := p.in.Host; h != nil {
		verdict := " holds it"
		if !p.r.Fits {
			verdict = " does not suffice"
		}
		text += "; " + h.Name + verdict
	}
	return text
}
