package controller

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/unit"
)

// Twins are the document's rules in Go; the tests try them on its examples and compare
// every figure of every plan with them.
var Twins = derivetest.Twins{
	"controller.databaseFormula": func(in derivetest.Inputs) float64 {
		if _, ok := in["meters"]; ok {
			return DatabaseOfMeters(in["copies"], in["meters"], in["perMeter"])
		}
		return Database(in["copies"], in["base"], in["vms"], in["perVM"], in["computes"], in["perCompute"])
	},
	"controller.databaseVMs": func(in derivetest.Inputs) float64 {
		return derive.Floor(DatabaseVMs(in["default"], in["copies"], in["base"], in["perVM"], in["perCompute"],
			in["vmsPerCompute"]))
	},
	"controller.simultaneous": func(in derivetest.Inputs) float64 {
		return Simultaneous(in["asked"], in["cores"], in["most"])
	},
	"controller.conversionFormula": func(in derivetest.Inputs) float64 {
		if cached, ok := in["largestCached"]; ok {
			return ConversionDedicated(in["simultaneous"], in["size"], cached, in["margin"])
		}
		return ConversionController(in["simultaneous"], in["size"], in["margin"])
	},
	"controller.backup": func(in derivetest.Inputs) float64 {
		return Backup(in["database"], in["images"], in["overhead"])
	},
	"controller.disk": func(in derivetest.Inputs) float64 {
		return Primary(in["fixed"], in["database"], in["images"], in["conversion"], in["backup"])
	},
	"controller.lvm":    func(in derivetest.Inputs) float64 { return WithMargin(in["volumes"], in["margin"]) },
	"drbd.size":         func(in derivetest.Inputs) float64 { return AsGiB(in["size"], in["gib"]) },
	"drbd.size[cinder]": func(in derivetest.Inputs) float64 { return max(in["disk"], in["need"]) },
	"drbd.cap": func(in derivetest.Inputs) float64 {
		return min(SyncCap(in["utilisation"], in["link"], in["parallel"]), in["link"]/8)
	},
	"drbd.rate":  func(in derivetest.Inputs) float64 { return SyncRate(in["measured"], in["cap"]) },
	"drbd.floor": func(in derivetest.Inputs) float64 { return SyncFloor(in["base"], in["cap"], in["share"]) },
	"drbd.time": func(in derivetest.Inputs) float64 {
		if rate, ok := in["rate"]; ok {
			return SyncTime(in["size"], rate)
		}
		return max(in["measured"], SyncTime(in["size"], in["cap"]))
	},
	"launch.least": func(in derivetest.Inputs) float64 {
		return LaunchLeast(in["creates"], in["parallel"], in["one"], in["raw"], in["measured"])
	},
	"launch.most":      launchMost,
	"launch.batchMost": launchMost,
}

func launchMost(in derivetest.Inputs) float64 {
	return LaunchMost(in["creates"], in["one"], in["raw"], in["measured"], max(1, in["thick"]))
}

// Database is the size in bytes of the partition for the database (HCG 3): so many
// copies of a base and of what each VM and each compute adds. It is not yet
// compared with the default partition.
func Database(copies, base, vms, perVM, computes, perCompute float64) float64 {
	return copies * (base + vms*perVM + computes*perCompute)
}

// DatabaseOfMeters is the size in bytes of the same partition where the number of
// meters of the telemetry service is known.
func DatabaseOfMeters(copies, meters, perMeter float64) float64 { return copies * meters * perMeter }

// WithMargin adds a margin, 0.25 for 25 %.
func WithMargin(bytes, margin float64) float64 { return bytes * (1 + margin) }

// Simultaneous is how many volumes are made from images at once: no more than
// asked, than Cinder has workers, which are as many as the controller has cores, and
// than the most workers there are. Cores of 0 are not known.
func Simultaneous(asked, cores, workersMax float64) float64 {
	if cores > 0 {
		workersMax = min(workersMax, cores)
	}
	return min(asked, workersMax)
}

// ConversionController is what image conversion needs in bytes on controllers that
// also hold the volumes: an image of the mean size for each volume that is made at
// the same time, and the margin.
func ConversionController(simultaneous, mean, margin float64) float64 {
	return WithMargin(simultaneous*mean, margin)
}

// ConversionDedicated is what image conversion needs in bytes with storage nodes:
// twice an image of the mean size for each volume that is made at the same time of
// an image that Ceph does not keep as a raw one, twice the largest image that it
// does, for these are converted one after the other, and the margin.
func ConversionDedicated(simultaneous, mean, largestCached, margin float64) float64 {
	return WithMargin(2*simultaneous*mean+2*largestCached, margin)
}

// DatabaseVMs is how many VMs the formula of the database gives the partition for,
// with so many VMs on each compute: beyond it the partition is too small.
func DatabaseVMs(partition, copies, base, perVM, perCompute, vmsPerCompute float64) float64 {
	return max(0, (partition/copies-base)/(perVM+perCompute/vmsPerCompute))
}

// SyncCap is the most that DRBD may take for one partition in bytes/s, whole MiB/s:
// the share utilisation of a link in bit/s, spread over so many partitions at once.
// Halving parallel or doubling utilisation doubles it (HCG 3); the formula is that
// of StarlingX, whose whole Mbit/s become M of DRBD, which are MiB. It is 0 on a link
// that is too slow.
func SyncCap(utilisation, link, parallel float64) float64 {
	return derive.Floor(utilisation*link/1e6/parallel/8) * float64(unit.MiB)
}

// SyncFloor is the least in bytes/s that DRBD leaves a synchronisation beside other
// load: a base and a part of the cap (StarlingX).
func SyncFloor(base, most, share float64) float64 { return base + most/share }

// LaunchLeast is the least time in seconds to create so many volumes with their VMs,
// so many at once: each batch takes no less than one create alone. one is the time
// of a create with a raw image of measured bytes; a smaller image takes at least
// its share of it, a larger one no less than all of it.
func LaunchLeast(creates, parallel, one, raw, measured float64) float64 {
	return derive.Ceil(creates/parallel) * one * min(1, raw/measured)
}

// LaunchMost is the most time in seconds: as if they were created one after the
// other, for the time of several at once grows linearly with their number and is
// taken to be no longer than that. A larger image takes at most its multiple of the
// time, a smaller one no more than all of it; thick is how many times longer thick
// provisioning takes, 1 for thin.
func LaunchMost(creates, one, raw, measured, thick float64) float64 {
	return creates * one * max(1, raw/measured) * thick
}

// Backup is the size in bytes of the partition for backups of database and images.
func Backup(database, images, overhead float64) float64 { return database + images + overhead }

// Primary is the size in bytes of all partitions of a controller's primary disk.
func Primary(fixed, database, images, conversion, backup float64) float64 {
	return fixed + database + images + conversion + backup
}

// AsGiB is the size in bytes of a partition of so many GB (given in bytes, 10^9 to
// the GB) that is made of GiB.
func AsGiB(bytes, gib float64) float64 { return bytes / float64(unit.GB) * gib }

// SyncTime is the time in seconds that DRBD takes for size bytes at rate bytes/s. A MB
// of the document's rates has 2^20 bytes, as its times demand: 330 GiB at 224 MiB/s
// take 25:09 (HCG 3, tables 4 and 5).
func SyncTime(size, rate float64) float64 { return size / rate }

// SyncRate is the rate in bytes/s that a partition is synchronised at: what was
// measured with disks of its kind, or the cap when that is lower. Raising the cap
// above what the disks reach changes nothing (HCG 3).
func SyncRate(measured, most float64) float64 { return min(measured, most) }
