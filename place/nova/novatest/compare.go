package novatest

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// differCells compares two places of one virtual NUMA node. Of a core's threads
// Nova takes whichever its language's sets yield first, so cores are compared.
func (r *Replay) differCells(want, got *nova.CellFit) string {
	switch {
	case want.Node != got.Node:
		return differ("node", want.Node, got.Node)
	case want.PageSize != got.PageSize:
		return differ("page size", want.PageSize, got.PageSize)
	case len(want.Pins) != len(got.Pins):
		return differ("pins", want.Pins, got.Pins)
	}
	mine := slices.SortedFunc(slices.Values(got.Pins), func(a, b nova.Pin) int { return a.VCPU - b.VCPU })
	for i, p := range want.Pins {
		if p.VCPU != mine[i].VCPU || r.cores[p.CPU] != r.cores[mine[i].CPU] {
			return differ("pins", want.Pins, got.Pins)
		}
	}
	if !maps.Equal(r.load(want.Reserved), r.load(got.Reserved)) {
		return differ("CPUs of emulator threads", want.Reserved, got.Reserved)
	}
	if !maps.Equal(r.load(want.Idle), r.load(got.Idle)) {
		return differ("idle threads", want.Idle, got.Idle)
	}
	return ""
}

// load is the number of the set's threads on each core.
func (r *Replay) load(set unit.CPUSet) map[int]int {
	n := map[int]int{}
	for cpu := range set.All() {
		n[r.cores[cpu]]++
	}
	return n
}

func differDevices(want, got []nova.DeviceFit) string {
	if !maps.Equal(byPool(want), byPool(got)) {
		return differ("devices", want, got)
	}
	return ""
}

func byPool(devices []nova.DeviceFit) map[int]int {
	n := map[int]int{}
	for _, d := range devices {
		n[d.Pool] += d.Count
	}
	return n
}

func differ(what string, want, got any) string {
	return fmt.Sprintf("%s: Nova says %v, we say %v", what, want, got)
}
