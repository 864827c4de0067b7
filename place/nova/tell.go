package nova

import (
	"fmt"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// tell names the test and says by which figures it failed. kind is that of devices.
func (f *failure) tell(kind string) (test, text string) {
	if f.test >= manyNodes {
		return f.tellHost(kind)
	}
	if f.test >= noPageSize && f.test <= floatedMemory || f.test == overMemory {
		return f.tellMemory()
	}
	switch f.test {
	case otherNode:
		return "hostNode", fmt.Sprintf("the cell is pinned to node %d", f.want)
	case noVSwitch:
		return "vswitch", "no core of the vSwitch is on the node"
	case noSharedCore:
		return "sharedCore", "the node has no shared core"
	case fullSharedCore:
		return "sharedCore", fmt.Sprintf("%s on the shared core + 1 > %d", words.Count(f.have, "vCPU"), ratio)
	case sharedAlone:
		return "sharedCore", "a cell of one shared vCPU needs a dedicated one beside it"
	}
	return f.tellCPUs()
}

func (f *failure) tellCPUs() (test, text string) {
	switch f.test {
	case manyPinned:
		return "vcpus", fmt.Sprintf("%s on the node < %d", words.Count(f.have, "dedicated CPU"), f.want)
	case manyFloating:
		if f.have == 0 {
			return "sharedSet", "the node has no shared CPUs (cpu_shared_set)"
		}
		return "vcpus", fmt.Sprintf("%s on the node < %d", words.Count(f.have, "shared CPU"), f.want)
	case fewFree:
		if f.size > 0 {
			return "freeCPUs", fmt.Sprintf("%s less %d for floating vCPUs < %d", words.Count(f.have, "free CPU"), f.size, f.want)
		}
		return "freeCPUs", fmt.Sprintf("%s < %d", words.Count(f.have, "free CPU"), f.want)
	case noIsolate:
		return "threads", fmt.Sprintf("isolate is refused where cores have %d threads", f.size)
	case noThreads:
		return "threads", "require needs cores with threads"
	case fewCores:
		return "siblings", fmt.Sprintf("%s with all threads free < %d", words.Count(f.have, "core"), f.want)
	case fewSiblings:
		return "siblings", fmt.Sprintf("%s with free siblings, too few for %s", words.Count(f.have, "core"),
			words.Count(f.want, "CPU"))
	case fewThreads:
		return "siblings", fmt.Sprintf("%s in the cores' siblings < %d", words.Count(f.have, "free thread"), f.want)
	case noVCPUs:
		return "vcpus", "a cell without vCPUs can't be pinned"
	}
	return "overcommit", fmt.Sprintf("%s + %d > %d", words.Count(f.have, "floating vCPU"), f.want, f.size)
}

func (f *failure) tellMemory() (test, text string) {
	switch f.test {
	case noPageSize:
		return "pageSize", "the node has no pool of " + pageName(f.size)
	case oddMemory:
		return "pageSize", fmt.Sprintf("%d MiB are no whole number of %s", f.want, pageName(f.size))
	case fewPages:
		return "pages", fmt.Sprintf("%d MiB free in %s < %d MiB", f.have, pageName(f.size), f.want)
	case floatedMemory:
		return "memory", "the memory without huge pages is in use by VMs that float over the host"
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
		return "cells", fmt.Sprintf("%s < %d cells", words.Count(f.have, "NUMA node"), f.want)
	case sharedPolicy:
		return "sharedCore", "a shared vCPU needs the policy dedicated"
	case sharedThreads:
		return "sharedCore", "a shared vCPU does not go with isolate or require"
	case fewDevices:
		return "devices", fmt.Sprintf("%s < %d", words.Count(f.have, "free "+kind+" device"), f.want)
	case manyVCPUs:
		if f.have == 0 {
			return "sharedSet", "the host has no CPUs for VMs that float (cpu_shared_set)"
		}
		return "hostCPUs", fmt.Sprintf("%s for VMs that float < %d vCPUs", words.Count(f.have, "CPU"), f.want)
	case hostOvercommitted:
		if f.want == 0 {
			return "overcommit", fmt.Sprintf("%s of the host > %d on the CPUs that would be left",
				words.Count(f.have, "floating vCPU"), f.size)
		}
		return "overcommit", fmt.Sprintf("%s + %d > %d", words.Count(f.have, "floating vCPU"), f.want, f.size)
	}
	return "memory", fmt.Sprintf("%d MiB in use + %d MiB > %d MiB", f.have, f.want, f.size)
}
