package kubelet

import "plimsoll.dev/unit"

// Tier is a share of a part of the machine: of the next Width GiB or cores.
type Tier struct {
	// Width in GiB or cores; 0 is all the rest.
	Width int64
	// Share that is kept, in ten thousandths: 600 is 6 %.
	Share int64
	// Fixed is kept in place of a share, whatever is there, in ten thousandths of a GiB or core.
	Fixed int64
	// Counted is the width that counts when the machine has more than Width: the
	// rest falls to the next tier. 0 is Width. The script of 4.21 counts 112 of 120 GiB.
	Counted int64
}

// AutoSizing is how much of a machine OpenShift keeps for the system when it chooses the
// amount itself (autoSizingReserved), as a release has it: shares of memory and CPU in
// tiers, as the script of the Machine Config Operator computes them on the node. The
// figures stand in the facts catalogue.
type AutoSizing struct {
	// Memory tiers in GiB; the sum is rounded to whole GiB, halves up.
	Memory []Tier
	// CPU tiers in cores.
	CPU []Tier
	// CPUStep that the CPU is rounded to, in millicores, the nearer one; 0 rounds up to 1.
	CPUStep unit.CPU
	// CPUMin is kept at least, in millicores.
	CPUMin unit.CPU
}

// wholeShare is the scale of shares: ten thousandths.
const wholeShare = 10000

// Keep is what a machine with so many online CPUs and so much memory keeps for
// the system. Memory is what the kernel reports; only its whole GiB count.
func (f AutoSizing) Keep(cpus int, memory unit.Bytes) (unit.CPU, unit.Bytes) {
	gib := (sum(f.Memory, int64(memory/unit.GiB)) + wholeShare/2) / wholeShare
	const perMilli = wholeShare / 1000
	tenths := sum(f.CPU, int64(cpus))
	milli := (tenths + perMilli - 1) / perMilli
	if step := int64(f.CPUStep); step > 0 {
		milli = (tenths + perMilli*step/2) / (perMilli * step) * step
	}
	return max(f.CPUMin, unit.CPU(milli)), unit.Bytes(gib) * unit.GiB
}

// sum over the tiers, in ten thousandths.
func sum(tiers []Tier, left int64) int64 {
	kept := int64(0)
	for _, t := range tiers {
		counted := left
		if t.Width > 0 && left > t.Width {
			counted = t.Width
			if t.Counted > 0 {
				counted = t.Counted
			}
		}
		if t.Fixed > 0 {
			kept += t.Fixed
		} else {
			kept += counted * t.Share
		}
		left -= counted
	}
	return kept
}
