package ceph

import (
	"math"

	"plimsoll.dev/derive"
)

// Provide is the capacity in bytes that the OSDs must have in all so that logical
// bytes with all their copies stay below the near-full share of it.
func Provide(logical, copies, nearFull float64) float64 { return logical * copies / nearFull }

// CoresFor is how many cores a storage host with so many OSDs needs: per for each
// OSD and platform beside them (HCG 6: 1.5 and 2). It is not rounded.
func CoresFor(osds int, per, platform float64) float64 { return per*float64(osds) + platform }

// OSDsOn is how many OSDs a host with so many cores carries by the same rule, at
// least 0.
func OSDsOn(cores, per, platform float64) int {
	return int(max(0, derive.Floor((cores-platform)/per)))
}

// maxOSDs bounds the count of OSDs, so that an absurd need stays a number.
const maxOSDs = 1e9

// OSDsOfNeed is how many OSDs a need takes when each gives so much of it, at most
// 1e9; a need of nothing takes none.
func OSDsOfNeed(need, each float64) int {
	if need <= 0 || each <= 0 {
		return 0
	}
	return int(min(derive.Ceil(need/each), maxOSDs))
}

// SSD says whether SSDs are advised: the disk operations a second of all VMs reach
// fromIOPS or their bytes a second reach fromThroughput. The document writes "and";
// either is reason enough.
func SSD(iops, throughput, fromIOPS, fromThroughput float64) bool {
	return iops >= fromIOPS || throughput >= fromThroughput
}

// PGs is the number of placement groups of a pool by Ceph's calculator: target for
// each OSD times the OSDs times the pool's share of the data over the copies, at
// least one for each OSD over the copies; then the nearest power of two, or the next
// one when that falls short by more than the share short (0.25).
func PGs(target float64, osds int, share, copies, short float64) int {
	wanted := max(target*float64(osds)*share, float64(osds)) / copies
	if wanted <= 1 {
		return 1
	}
	below := math.Exp2(math.Floor(math.Log2(wanted)))
	if wanted-below > 2*below-wanted || below < wanted*(1-short) {
		below *= 2
	}
	return int(below)
}

// FillAfterOSD is the fill of the other OSDs of a host, as a share of their
// capacity, when the largest of its OSDs is lost and its data is made again beside
// it: used bytes on the host over what is left. With nothing left it is infinite.
func FillAfterOSD(used, capacity, largest float64) float64 {
	if left := capacity - largest; left > 0 {
		return used / left
	}
	return math.Inf(1)
}

// FillAfterHost is the fill of the hosts that are left when one of so many equal
// hosts is lost and its data is made again on all others: used bytes of the cluster
// over what is left. ok is false when fewer hosts are left than there are copies, so
// that nothing can be made again.
func FillAfterHost(used, perHost float64, hosts, copies int) (fill float64, ok bool) {
	if hosts-1 < copies || perHost <= 0 {
		return 0, false
	}
	return used / (perHost * float64(hosts-1)), true
}
