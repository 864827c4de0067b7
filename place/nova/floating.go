package nova

// totals of the host's CPUs: shared ones, those that nobody has pinned, and the
// floating vCPUs on them.
func (h *Host) totals() (shared, unpinned, floating int) {
	floating = h.FloatingVCPUs
	for i := range h.Cells {
		c := &h.Cells[i]
		l := coresOf(c)
		shared += l.numShared(c)
		unpinned += l.numFree(c)
		floating += c.CPUUsage
	}
	return shared, unpinned, floating
}

// floats tests a VM that floats over the host: no NUMA code ever does (so that in
// Nova it is placement's inventories that refuse it). It may not have more vCPUs
// than there are CPUs, all floating vCPUs together may not pass the ratio, and its
// memory comes from the nodes' smallest pools of pages.
func (s *search) floats() failure {
	cpus, unpinned, floating := s.h.totals()
	limit := float64(cpus) * orOne(s.h.CPUAllocationRatio)
	if s.rules != Nova {
		cpus, limit = unpinned, float64(unpinned*ratio)
	}
	if s.r.VCPUs > cpus {
		return failure{test: manyVCPUs, have: int64(cpus), want: int64(s.r.VCPUs)}
	}
	if float64(floating+s.r.VCPUs) > limit {
		return failure{test: hostOvercommitted, have: int64(floating), want: int64(s.r.VCPUs), size: int64(limit)}
	}
	total, used := s.h.smallMemory()
	most := float64(total) * orOne(s.h.RAMAllocationRatio)
	if s.r.Memory > total || float64(used+s.h.FloatingMemory+s.r.Memory) > most {
		return failure{test: hostMemory, have: used + s.h.FloatingMemory, want: s.r.Memory, size: int64(most)}
	}
	return failure{}
}

// smallMemory is the memory in the nodes' smallest pools (all of it on nodes
// without pools) and what VMs with a NUMA topology use of it, in MiB.
func (h *Host) smallMemory() (total, used int64) {
	for i := range h.Cells {
		c := &h.Cells[i]
		if len(c.Pages) == 0 {
			total += c.Memory
			used += c.MemoryUsage
			continue
		}
		p := &c.Pages[0]
		total += (p.Total - p.Reserved) * p.Size / kib
		used += p.Used * p.Size / kib
	}
	return total, used
}

// leftover is what VMs that float over the host leave to a VM with cells; the zero
// value is everything.
type leftover struct {
	// short is why the VM has no room in the nodes' smallest pools of pages, if so.
	short failure
	// squeezed says that floating vCPUs could lose CPUs that they need: there are so
	// many of them, and the VM may take no more CPUs than spare beyond the fewest that
	// it needs anywhere, which it does on cores of so many threads.
	squeezed                 bool
	floating, spare, threads int
}

// beside finds what VMs that float over the host leave to one with cells. Nova knows
// no such tests: its nodes count only VMs that they hold, and the Placement service
// all memory alike.
func (s *search) beside() {
	if s.n == 0 || s.m == 0 {
		return
	}
	if s.rules != Nova && s.h.FloatingVCPUs > 0 {
		s.squeeze()
	}
	if s.h.FloatingMemory == 0 {
		return
	}
	memory := int64(0)
	for i := range s.r.Cells {
		memory += s.r.Cells[i].Memory
	}
	total, used := s.h.smallMemory()
	used += s.h.FloatingMemory
	if most := float64(total) * orOne(s.h.RAMAllocationRatio); float64(used+memory) > most {
		s.left.short = failure{test: hostMemory, have: used, want: memory, size: int64(most)}
	}
}

// squeeze finds how many CPUs the vCPUs that float over the host can spare.
func (s *search) squeeze() {
	_, unpinned, floating := s.h.totals()
	threads := coresOf(&s.h.Cells[0]).threads
	for i := range s.h.Cells {
		threads = min(threads, coresOf(&s.h.Cells[i]).threads)
	}
	for i := range s.n {
		d := demandOf(s.r, &s.ask, i)
		floating += d.floating
		unpinned -= s.whole(d.need(), threads)
	}
	s.left.squeezed, s.left.floating, s.left.threads = true, floating, threads
	s.left.spare = unpinned - (floating+ratio-1)/ratio
}

// squeezes tests whether a cell that needs so many CPUs, and takes some more of them,
// leaves the floating vCPUs theirs.
func (a *ask) squeezes(need, taken int) failure {
	l := &a.left
	if !l.squeezed {
		return failure{}
	}
	more := taken - a.whole(need, l.threads)
	if more <= l.spare {
		return failure{}
	}
	left := l.spare - more + (l.floating+ratio-1)/ratio
	return failure{test: hostOvercommitted, have: int64(l.floating), size: int64(max(left, 0) * ratio)}
}

// leaves reports whether all cells together, where they are now, leave the floating
// vCPUs theirs. Where all cores have as many threads, each cell's node has shown it.
func (s *search) leaves() bool {
	if !s.left.squeezed {
		return true
	}
	more := 0
	for i := range s.n {
		d := demandOf(s.r, &s.ask, i)
		c := &s.h.Cells[s.order[s.place[i]]]
		l := coresOf(c)
		more += s.ask.taken(l, d.need(), l.numFree(c)) - s.whole(d.need(), s.left.threads)
	}
	return more <= s.left.spare
}
