package nova

import (
	"fmt"

	"plimsoll.dev/unit"
)

// tell names the test and says by which figures it failed. kind is that of devices.
func (f *failure) tell(kind string) (test, text string) {
	if f.test >= manyNodes {
		return f.tellHost(kind)
	}
	if f.test >= noPageSize && f.test <= fewMemory || f.test == overMemory {
		return f.tellMemory()
	}
	switch f.test {
	case otherNode:
		return "hostNode", fmt.Sprintf("the cell is pinned to node %d", f.want)
	case noVSwitch:
		return "vswitch", "no core of the vSwitch is on the node"
	case noSharedCore:
		return "sharedCore", "the node has no shared core"
	case sharedAlone:
		return "sharedCore", "a cell of one shared vCPU needs a dedicated one beside it"
	}
	return f.tellCPUs()
}

func (f *failure) tellCPUs() (test, text string) {
	switch f.test {
	case manyPinned:
		return "vcpus", fmt.Sprintf("%d dedicated CPUs on the node < %d", f.have, f.want)
	case manyFloating:
		return "vcpus", fmt.Sprintf("%d shared CPUs on the node < %d", f.have, f.want)
	case fewFree:
		return "freeCPUs", fmt.Sprintf("%d free CPUs < %d", f.have, f.want)
	case noIsolate:
		return "threads", fmt.Sprintf("isolate is refused where cores have %d threads", f.size)
	case noThreads:
		return "threads", "require needs cores with threads"
	case fewCores:
		return "siblings", fmt.Sprintf("%d cores with all threads free < %d", f.have, f.want)
	case fewSiblings:
		return "siblings", fmt.Sprintf("%d cores with free siblings are too few for %d CPUs", f.have, f.want)
	case fewThreads:
		return "siblings", fmt.Sprintf("%d free threads in the cores' siblings < %d", f.have, f.want)
	case noVCPUs:
		return "vcpus", "a cell without vCPUs can't be pinned"
	}
	return "overcommit", fmt.Sprintf("%d floating vCPUs + %d pass the limit of %d CPUs", f.have, f.want, f.size)
}

func (f *failure) tellMemory() (test, text string) {
	switch f.test {
	case noPageSize:
		return "pageSize", "the node has no pool of " + pageName(f.size)
	case oddMemory:
		return "pageSize", fmt.Sprintf("%d MiB are no whole number of %s", f.want, pageName(f.size))
	case fewPages:
		return "pages", fmt.Sprintf("%d MiB free in %s < %d MiB", f.have, pageName(f.size), f.want)
	case fewMemory:
		return "memory", fmt.Sprintf("%d MiB free < %d MiB", f.have, f.want)
	}
	return "memory", fmt.Sprintf("%d MiB in use + %d MiB pass the limit of %d MiB", f.have, f.want, f.size)
}

// pageName of a size in KiB or of a word.
func pageName(size int64) string {
	switch PageSize(size) {
	case SmallPages:
		return "small pages"
	case LargePages:
		return "large pages"
	case AnyPages:
		return "pages"
	}
	return "pages of " + unit.FormatBytes(unit.Bytes(size)*unit.KiB)
}

func (f *failure) tellHost(kind string) (test, text string) {
	switch f.test {
	case manyNodes:
		return "cells", fmt.Sprintf("%d NUMA nodes on the host > %d", f.want, f.have)
	case manyCells:
		return "cells", fmt.Sprintf("%d NUMA node%s < %d cells", f.have, plural(int(f.have)), f.want)
	case sharedPolicy:
		return "sharedCore", "a shared vCPU needs the policy dedicated"
	case sharedThreads:
		return "sharedCore", "a shared vCPU does not go with isolate or require"
	case fewDevices:
		return "devices", fmt.Sprintf("%d free %s devices < %d", f.have, kind, f.want)
	case manyVCPUs:
		return "vcpus", fmt.Sprintf("%d CPUs < %d vCPUs", f.have, f.want)
	case hostOvercommitted:
		return "overcommit", fmt.Sprintf("%d floating vCPUs + %d > %d", f.have, f.want, f.size)
	}
	return "memory", fmt.Sprintf("%d MiB in use + %d MiB > %d MiB", f.have, f.want, f.size)
}
