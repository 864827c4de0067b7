package controlplane

import (
	"fmt"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// directory sizes /var/lib/etcd. The table's row contradicts itself: less than
// 20 GB with a database of at most 8 GB, and yet 20 to 25 GB more for every 8 GB
// of memory (OCP 10.3); both ends are kept.
func (c *planner) directory() {
	size, quota := c.Fact("ocp.etcd.dirSize"), c.quota()
	c.res.DiskMin = c.Calc("control.etcd.disk", "Disk for /var/lib/etcd", unit.ByteUnit,
		"max(size, quota)", derive.In("size", size), derive.In("quota", quota))
	c.Note("control.etcd.disk", "The database stays below its quota; logs and snapshots fit beside it.", part.OCP("10.3"))
	grow, step, base := c.Fact("ocp.etcd.growthPer8GBMax"), c.Fact("ocp.etcd.growthMemoryStep"),
		c.Fact("ocp.dataDir.containersBaseMemory")
	c.res.DiskMax = c.Calc("control.etcd.diskMost", "Disk for /var/lib/etcd, were it to grow with the memory",
		unit.ByteUnit,
		"disk + growth * max(0, memory - base) / step", derive.In("disk", c.res.DiskMin), derive.In("growth", grow),
		derive.In("memory", c.res.Machine), derive.In("base", base), derive.In("step", step))
	c.Note("control.etcd.diskMost", "Doubtful: the row says less than 20 GB and 20-25 GB more for every 8 GB of memory. "+
		"A database of 8 GB can't grow so; the sentence belongs to /var/lib/containers, whose base of 16 GB is taken.",
		part.OCP("10.3"))
	c.Show(c.res.DiskMin)
	c.Detail(c.res.DiskMax)
}

// watch says what no plan can know: the disk's and the network's latency.
func (c *planner) watch() {
	round, fsync := c.Facts.Must("ocp.etcd.peerRoundTrip"), c.Facts.Must("etcd.disk.fsync")
	f := c.Find(v1alpha1.Info, "control.etcd.watch",
		fmt.Sprintf("etcd holds only while the 99th percentile of the round trip between members stays below %s and the "+
			"disk writes 8 kB with fsync in less than %s", milli(round.Number), milli(fsync.Number)),
		"check the disk before the installation and watch in Prometheus: "+c.Facts.Must("ocp.etcd.peerMetric").Text)
	f.Field, f.Sources = "storage.etcd", []derive.Source{round.Source, part.OCP("10.2.2"), fsync.Source}
	c.measuredDisk()
	good, bad := c.Facts.Must("ocp.etcd.storageRecommended"), c.Facts.Must("ocp.etcd.storageNotRecommended")
	switch c.in.Storage.Etcd {
	case "nvme", "ssd":
	case "":
		f = c.Find(v1alpha1.Info, "control.etcd.storage.open", "the scenario does not say what etcd's disk is; it needs "+
			good.Text, "set storage.etcd to nvme or ssd when you know")
		f.Field, f.Sources = "storage.etcd", []derive.Source{good.Source}
	default:
		f = c.Find(v1alpha1.Warning, "control.etcd.storage",
			fmt.Sprintf("etcd on %s: not recommended are %s", c.in.Storage.Etcd, bad.Text), "put etcd on "+good.Text)
		f.Field, f.Sources = "storage.etcd", []derive.Source{bad.Source}
	}
}

// measuredDisk judges a disk that the user has measured.
func (c *planner) measuredDisk() {
	own, most := c.Facts.Must("etcd.ownDisk.p99"), c.Facts.Must("etcd.p99.fsync")
	if own.Source.Code != part.OwnMeasurement {
		return
	}
	severity, id, says, remedy := v1alpha1.Info, "control.etcd.ownDisk", "as etcd asks for less than", ""
	if own.Number >= most.Number {
		severity, id, says = v1alpha1.Error, "control.etcd.slowDisk", "and etcd asks for less than"
		remedy = "give etcd a disk of its own: SSD or NVMe, no network storage in between"
	}
	f := c.Find(severity, id, fmt.Sprintf("the disk under etcd was measured (%s): a 99th percentile of %s, %s %s",
		own.Source.Section, milli(own.Number), says, milli(most.Number)), remedy)
	f.Field, f.Figure, f.Sources = "measurements", own.ID, []derive.Source{most.Source}
}

func milli(seconds float64) string { return unit.Format(seconds*1000, unit.None) + " ms" }
