package nova_test

import (
	"slices"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// whole makes the tests of the host as a whole.
func (w twin) whole() bool {
	h, r := w.h, w.r
	common := w.rules != nova.Nova
	if len(r.Cells) > len(h.Cells) || common && r.SharedVCPU >= 0 && r.CPUPolicy != nova.Dedicated {
		return false
	}
	if w.rules == nova.StarlingX && r.SharedVCPU >= 0 &&
		(r.ThreadPolicy == nova.Isolate || r.ThreadPolicy == nova.Require) {
		return false
	}
	if len(r.Cells) > 0 {
		page := r.Cells[0].PageSize
		return !w.noSmall() || page != 0 && page != nova.SmallPages
	}
	shared, unpinned, floating := 0, 0, h.FloatingVCPUs
	for _, c := range h.Cells {
		shared += c.Shared.Len()
		unpinned += c.Dedicated.Minus(c.Pinned).Len()
		floating += c.CPUUsage
	}
	small, used := w.small()
	cpus, limit := shared, float64(shared)*h.CPUAllocationRatio
	if common {
		cpus, limit = unpinned, float64(16*unpinned)
	}
	return r.VCPUs <= cpus && float64(floating+r.VCPUs) <= limit &&
		float64(r.Memory) <= small && used+float64(r.Memory) <= small*h.RAMAllocationRatio
}

// small is the memory without huge pages, and what is in use of it.
func (w twin) small() (total, used float64) {
	used = float64(w.h.FloatingMemory)
	for _, c := range w.h.Cells {
		if len(c.Pages) > 0 {
			total += float64((c.Pages[0].Total - c.Pages[0].Reserved) * c.Pages[0].Size / 1024)
			used += float64(c.Pages[0].Used * c.Pages[0].Size / 1024)
		} else {
			total += float64(c.Memory)
			used += float64(c.MemoryUsage)
		}
	}
	return total, used
}

// noSmall says that VMs that float over the host leave too little of it.
func (w twin) noSmall() bool {
	total, used := w.small()
	return w.h.FloatingMemory > 0 && used+float64(w.r.Memory) > total*w.h.RAMAllocationRatio
}

// leaves reports whether the cells on these nodes (-1 is any) leave CPUs enough to the
// vCPUs that float over the host.
func (w twin) leaves(nodes []int) bool {
	if w.rules == nova.Nova || w.h.FloatingVCPUs == 0 {
		return true
	}
	left, floating, fewest := 0, w.h.FloatingVCPUs, 99
	for _, c := range w.h.Cells {
		left += c.Dedicated.Minus(c.Pinned).Len()
		floating += c.CPUUsage
		fewest = min(fewest, threadsOf(c))
	}
	for i, k := range nodes {
		pinned, reserved, floats := w.wants(i)
		floating += floats
		if need := pinned + reserved; k < 0 {
			left -= w.taken(need, fewest, 1<<30)
		} else if c := w.h.Cells[k]; w.r.CPUPolicy != nova.Shared {
			left -= w.taken(need, threadsOf(c), c.Dedicated.Minus(c.Pinned).Len())
		}
	}
	return floating <= 16*left
}

// threadsOf is the number of threads of the node's largest core.
func threadsOf(c nova.HostCell) int {
	threads := 1
	for _, core := range c.Siblings {
		threads = max(threads, core.Len())
	}
	return threads
}

// taken is how many of so many free CPUs are taken when some are pinned.
func (w twin) taken(need, threads, free int) int {
	if need >= free {
		return need
	}
	if w.r.ThreadPolicy == nova.Isolate {
		need *= threads
	}
	for w.r.ThreadPolicy == nova.Require && w.rules == nova.HCG40 && need%threads > 0 {
		need++
	}
	return min(need, free)
}

// wants is what a cell wants of CPUs.
func (w twin) wants(i int) (pinned, reserved, floating int) {
	pins := w.r.CPUPolicy == nova.Dedicated || w.r.CPUPolicy == nova.Mixed
	if pins {
		pinned = w.r.Cells[i].PCPUs.Len()
		if i == 0 && w.r.EmulatorThreads == nova.EmulatorIsolate {
			reserved = 1
		}
	}
	if w.r.CPUPolicy != nova.Dedicated {
		floating = w.r.Cells[i].VCPUs.Len()
	}
	return pinned, reserved, floating
}

// pair puts cell i on node k, if it fits there.
func (w twin) pair(i, k int) (nova.CellFit, bool) {
	g, c := w.r.Cells[i], w.h.Cells[k]
	f := nova.CellFit{Node: c.ID}
	sharedVCPU := w.rules != nova.Nova && w.r.SharedVCPU >= 0 && g.VCPUs.Has(w.r.SharedVCPU)
	if w.rules != nova.Nova {
		if g.HostNode >= 0 && g.HostNode != c.ID || w.r.VSwitchAffinity == nova.Required && !c.VSwitch {
			return f, false
		}
		if sharedVCPU && (c.SharedVCPU.IsEmpty() || c.SharedUsage+1 > 16 || w.rules == nova.StarlingX && g.PCPUs.IsEmpty()) {
			return f, false
		}
	}
	var ok bool
	if f.PageSize, ok = w.page(g, c); !ok || !w.memory(g, c) || !w.room(i, c) {
		return f, false
	}
	if len(c.Pages) > 0 && f.PageSize == c.Pages[0].Size && g.PageSize != 0 && g.PageSize != nova.SmallPages &&
		w.noSmall() {
		return f, false
	}
	alone := make([]int, len(w.r.Cells))
	for j := range alone {
		alone[j] = -1
	}
	if alone[i] = k; !w.leaves(alone) {
		return f, false
	}
	if w.r.CPUPolicy == nova.Dedicated || w.r.CPUPolicy == nova.Mixed {
		cpus, emulator, ok := w.pack(i, c)
		if !ok {
			return f, false
		}
		for n, vcpu := range slices.Collect(g.PCPUs.All()) {
			f.Pins = append(f.Pins, nova.Pin{VCPU: vcpu, CPU: cpus[n]})
		}
		f.Reserved = unit.CPUSetOf(emulator...)
		f.Idle = w.idle(c, append(slices.Clone(cpus), emulator...))
	}
	if sharedVCPU {
		f.Pins = append(f.Pins, nova.Pin{VCPU: w.r.SharedVCPU, CPU: slices.Collect(c.SharedVCPU.All())[0]})
	}
	return f, true
}

// page finds the pool.
func (w twin) page(g nova.GuestCell, c nova.HostCell) (int64, bool) {
	pins := w.r.CPUPolicy == nova.Dedicated || w.r.CPUPolicy == nova.Mixed
	var allowed []nova.PagePool
	switch g.PageSize {
	case 0:
		if len(c.Pages) == 0 {
			left := c.Memory
			if pins || w.rules != nova.Nova {
				left -= c.MemoryUsage
			}
			return 0, g.Memory <= left
		}
		p := c.Pages[0]
		if w.rules == nova.Nova && !pins {
			p.Used, p.Reserved = 0, 0
		}
		allowed = []nova.PagePool{p}
	case nova.SmallPages:
		allowed = append(allowed, c.Pages[:min(1, len(c.Pages))]...)
	case nova.LargePages:
		allowed = append(allowed, c.Pages[min(1, len(c.Pages)):]...)
	case nova.AnyPages:
		allowed = append(allowed, c.Pages...)
	default:
		for _, p := range c.Pages {
			if p.Size == int64(g.PageSize) {
				allowed = []nova.PagePool{p}
			}
		}
	}
	slices.Reverse(allowed)
	for _, p := range allowed {
		if g.Memory*1024%p.Size == 0 && g.Memory*1024/p.Size <= p.Free() {
			return p.Size, true
		}
	}
	return 0, false
}

// memory compares the node's memory as a whole: the fork always, Nova for floating vCPUs.
func (w twin) memory(g nova.GuestCell, c nova.HostCell) bool {
	floats := w.r.CPUPolicy != nova.Dedicated
	limit := float64(c.Memory) * w.h.RAMAllocationRatio
	switch {
	case w.rules == nova.StarlingX && w.r.CPUPolicy != nova.Shared:
		return c.MemoryUsage+g.Memory <= c.Memory
	case w.rules == nova.HCG40 || !floats:
		return true
	}
	return float64(c.MemoryUsage+g.Memory) <= limit
}

// room compares numbers of CPUs.
func (w twin) room(i int, c nova.HostCell) bool {
	pinned, reserved, floating := w.wants(i)
	free := c.Dedicated.Minus(c.Pinned).Len()
	if w.rules == nova.Nova {
		if pinned+reserved > free {
			return false
		}
		if w.r.CPUPolicy == nova.Dedicated {
			return pinned > 0 || w.r.Cells[i].VCPUs.Len() > 0
		}
		if w.r.CPUPolicy == nova.Mixed && w.r.Cells[i].PCPUs.Len()+w.r.Cells[i].VCPUs.Len() == 0 {
			return false
		}
		return floating <= c.Shared.Len() && float64(c.CPUUsage+floating) <= float64(c.Shared.Len())*w.h.CPUAllocationRatio
	}
	var there, busy int // CPUs of the shared core, on which the document lets vCPUs float, and shared vCPUs on it
	if there = c.SharedVCPU.Len(); w.rules == nova.HCG40 && there > 0 {
		busy = c.SharedUsage
		if w.r.SharedVCPU >= 0 && w.r.Cells[i].VCPUs.Has(w.r.SharedVCPU) {
			busy++
		}
	} else {
		there = 0
	}
	if pinned+reserved > c.Dedicated.Len() || floating > c.Dedicated.Len()+there {
		return false
	}
	taken := pinned + reserved
	if w.r.CPUPolicy != nova.Shared {
		taken = w.taken(taken, threadsOf(c), free)
	}
	return c.CPUUsage+floating+busy <= 16*(free-taken+there)
}

// pack finds the CPUs.
func (w twin) pack(i int, c nova.HostCell) (cpus, emulator []int, ok bool) {
	pinned, reserved, _ := w.wants(i)
	if pinned+reserved == 0 && w.rules != nova.Nova {
		return nil, nil, w.rules == nova.HCG40
	}
	threads, most := threadsOf(c), 0
	var cores [][]int // free threads
	for _, core := range c.Siblings {
		if free := slices.Collect(core.Intersect(c.Dedicated).Minus(c.Pinned).All()); len(free) > 0 {
			cores, most = append(cores, free), max(most, len(free))
		}
	}
	if len(c.Siblings) == 0 {
		for cpu := range c.Dedicated.Minus(c.Pinned).All() {
			cores, most = append(cores, []int{cpu}), 1
		}
	}
	choice := func(t, each int) bool { // t free threads at least, so many of each
		var usable []int
		for _, core := range cores {
			if len(core) >= t {
				usable = append(usable, core[:min(each, len(core))]...)
			}
		}
		cpus, emulator, ok = w.share(usable, cores, pinned, reserved)
		return ok
	}
	switch w.r.ThreadPolicy {
	case nova.Isolate:
		if w.rules == nova.Nova && (threads > 1 && c.Shared != c.Dedicated || pinned == 0) {
			return nil, nil, false
		}
		choice(threads, 1)
		return cpus, emulator, ok && most == threads
	case nova.Require:
		for t := most; t >= 2; t-- {
			if choice(t, t) {
				return cpus, emulator, true
			}
		}
		return nil, nil, false
	}
	for t := most; t >= 1; t-- {
		if choice(t, t) {
			return cpus, emulator, true
		}
	}
	choice(1, threads)
	return cpus, emulator, ok
}

// share gives vCPUs and the emulator theirs: the document and the fork from the same
// CPUs, Nova the emulator from any other thread (of other cores with isolate).
func (w twin) share(usable []int, cores [][]int, pinned, reserved int) (cpus, emulator []int, ok bool) {
	if w.rules != nova.Nova {
		if len(usable) < pinned+reserved {
			return nil, nil, false
		}
		return usable[:pinned], usable[pinned : pinned+reserved], true
	}
	if len(usable) < pinned || reserved > 0 && pinned == 0 {
		return nil, nil, false
	}
	cpus = usable[:pinned]
	if reserved == 0 {
		return cpus, nil, true
	}
	for _, core := range cores {
		mine := func(cpu int) bool { return slices.Contains(cpus, cpu) }
		if w.r.ThreadPolicy == nova.Isolate && slices.ContainsFunc(core, mine) {
			continue
		}
		for _, cpu := range core {
			if !mine(cpu) {
				return cpus, []int{cpu}, true
			}
		}
	}
	return nil, nil, false
}

// idle are free threads beside used ones that nobody may have.
func (w twin) idle(c nova.HostCell, used []int) unit.CPUSet {
	var out unit.CPUSet
	if w.r.ThreadPolicy != nova.Isolate && (w.r.ThreadPolicy != nova.Require || w.rules != nova.HCG40) {
		return out
	}
	for _, core := range c.Siblings {
		if slices.ContainsFunc(used, core.Has) {
			out = out.Union(core.Intersect(c.Dedicated).Minus(c.Pinned).Minus(unit.CPUSetOf(used...)))
		}
	}
	return out
}
