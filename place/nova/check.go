package nova

import "plimsoll.dev/unit"

// test is a test of a node for a cell, or of the whole host.
type test uint8

// The tests of a node, in the order in which they are made.
const (
	passed test = iota
	otherNode
	noVSwitch
	noSharedCore
	fullSharedCore
	sharedAlone
	noPageSize
	oddMemory
	fewPages
	fewMemory
	floatedMemory
	manyPinned
	manyFloating
	fewFree
	noIsolate
	noThreads
	fewCores
	fewSiblings
	fewThreads
	noVCPUs
	overcommitted
	overMemory
)

// failure is the first test that failed, with its figures.
type failure struct {
	test       test
	have, want int64
	// size is the page size asked for (KiB or a word), or another figure of the test:
	// the CPUs that floating vCPUs keep of the free ones, or the limit of a sum.
	size int64
}

// check makes the tests of one node for one cell. The page size is the one that
// would be taken, also where a later test fails.
func (a *ask) check(h *Host, c *HostCell, l *cores, d *demand) (page int64, f failure) {
	if a.rules != Nova {
		if f := a.bound(c, d); f.test != passed {
			return 0, f
		}
	}
	if page, f = a.pages(h, c, d); f.test != passed {
		return 0, f
	}
	if a.rules == Nova {
		return page, a.cpus(h, c, l, d)
	}
	return page, a.commonCPUs(c, l, d)
}

// bound makes the tests of the document and the fork that bind a cell to certain nodes.
func (a *ask) bound(c *HostCell, d *demand) failure {
	switch {
	case d.hostNode >= 0 && d.hostNode != c.ID:
		return failure{test: otherNode, want: int64(d.hostNode)}
	case a.vswitch && !c.VSwitch:
		return failure{test: noVSwitch}
	case d.shared && size(&c.SharedVCPU) == 0:
		return failure{test: noSharedCore}
	case d.shared && c.SharedUsage >= ratio:
		return failure{test: fullSharedCore, have: int64(c.SharedUsage)}
	case d.shared && d.pinned == 0 && a.rules == StarlingX:
		return failure{test: sharedAlone}
	}
	return failure{}
}

// cpus makes Nova's tests of CPUs: dedicated and shared ones are different CPUs.
func (a *ask) cpus(h *Host, c *HostCell, l *cores, d *demand) failure {
	var free unit.CPUSet
	n := 0
	if a.pinned {
		n = l.freeCPUs(c, &free)
		if d.need() > n && d.need() > l.numDedicated {
			return failure{test: manyPinned, have: int64(l.numDedicated), want: int64(d.need())}
		}
	}
	if a.floating && d.floating > l.numShared(c) {
		return failure{test: manyFloating, have: int64(l.numShared(c)), want: int64(d.floating)}
	}
	if a.pinned {
		if d.need() > n {
			return failure{test: fewFree, have: int64(n), want: int64(d.need())}
		}
		if f := a.packs(c, l, &free, d); f.test != passed {
			return f
		}
		if d.empty {
			return failure{test: noVCPUs}
		}
	}
	if !a.floating {
		return failure{}
	}
	return overcommit(h, c, l, d)
}

// overcommit compares floating vCPUs and memory with the host's ratios.
func overcommit(h *Host, c *HostCell, l *cores, d *demand) failure {
	usage := c.CPUUsage + d.floating
	if limit := float64(l.numShared(c)) * orOne(h.CPUAllocationRatio); float64(usage) > limit {
		return failure{test: overcommitted, have: int64(c.CPUUsage), want: int64(d.floating), size: int64(limit)}
	}
	if float64(c.MemoryUsage+d.memory) > float64(c.Memory)*orOne(h.RAMAllocationRatio) {
		return failure{test: overMemory, have: c.MemoryUsage, want: d.memory, size: c.Memory}
	}
	return failure{}
}

// commonCPUs makes the tests of the document and the fork, whose floating vCPUs run
// on whatever is not pinned, 16 on a CPU.
func (a *ask) commonCPUs(c *HostCell, l *cores, d *demand) failure {
	var free unit.CPUSet
	n := l.freeCPUs(c, &free)
	shared, busy := a.sharedCore(c, d)
	if total := l.numDedicated; d.need() > total || d.floating > total+shared {
		return failure{test: manyPinned, have: int64(total), want: int64(max(d.need(), d.floating))}
	}
	if !a.pinned {
		if limit := ratio*(n+shared) - busy; c.CPUUsage+d.floating > limit {
			return failure{test: overcommitted, have: int64(c.CPUUsage), want: int64(d.floating), size: int64(limit)}
		}
		return a.squeezes(0, 0)
	}
	if d.need() == 0 && a.rules == StarlingX {
		return failure{test: noVCPUs}
	}
	taken := a.taken(l, d.need(), n)
	if floating := c.CPUUsage + d.floating + busy; ratio*(n-taken+shared) < floating {
		kept := max(0, (floating+ratio-1)/ratio-shared)
		return failure{test: fewFree, have: int64(n), want: int64(taken), size: int64(kept)}
	}
	if f := a.squeezes(d.need(), taken); f.test != passed {
		return f
	}
	return a.packs(c, l, &free, d)
}

// sharedCore is the CPUs of the shared core and the vCPUs on it, with that of a cell:
// the document lets vCPUs that float run there as well, the fork doesn't.
func (a *ask) sharedCore(c *HostCell, d *demand) (cpus, busy int) {
	if cpus = size(&c.SharedVCPU); a.rules != HCG40 || cpus == 0 {
		return 0, 0
	}
	if busy = c.SharedUsage; d.shared {
		busy++
	}
	return cpus, busy
}

// taken is the number of CPUs, of n free ones, that nobody else can use once need
// CPUs are pinned.
func (a *ask) taken(l *cores, need, n int) int {
	if need >= n {
		return need
	}
	return min(a.whole(need, l.threads), n)
}

// whole is the number of CPUs that are taken with need CPUs of cores that have so
// many threads.
func (a *ask) whole(need, threads int) int {
	switch {
	case a.thread == Isolate:
		need *= threads
	case a.thread == Require && a.rules == HCG40:
		need = (need + threads - 1) / threads * threads
	}
	return need
}
