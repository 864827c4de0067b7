package controller

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// AsGiB is the size in bytes of a partition of so many GB (given in bytes, 10^9 to
// the GB) that is made of GiB.
func AsGiB(bytes, gib float64) float64 { return bytes / float64(unit.GB) * gib }

// SyncTime is the time in seconds that DRBD takes for size bytes at rate bytes/s. A MB
// of the document's rates has 2^20 bytes, as its times demand: 330 GiB at 224 MiB/s
// take 25:09 (HCG 3, tables 4 and 5).
func SyncTime(size, rate float64) float64 { return size / rate }

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

// SyncRate is the rate in bytes/s that a partition is synchronised at: what was
// measured with disks of its kind, or the cap when that is lower. Raising the cap
// above what the disks reach changes nothing (HCG 3).
func SyncRate(measured, most float64) float64 { return min(measured, most) }
