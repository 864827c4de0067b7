package nova

// The tests of the whole host.
const (
	manyNodes test = iota + overMemory + 1
	manyCells
	sharedPolicy
	sharedThreads
	fewDevices
	manyVCPUs
	hostOvercommitted
	hostMemory
)

// whole makes the tests of the host as a whole. index is the request for devices
// that can't be met.
func (s *search) whole() (f failure, index int) {
	switch {
	case s.m > MaxNodes:
		return failure{test: manyNodes, have: MaxNodes, want: int64(s.m)}, 0
	case s.n > s.m:
		return failure{test: manyCells, have: int64(s.m), want: int64(s.n)}, 0
	case s.shared >= 0 && s.r.CPUPolicy != Dedicated:
		return failure{test: sharedPolicy}, 0
	case s.shared >= 0 && s.rules == StarlingX && (s.thread == Isolate || s.thread == Require):
		return failure{test: sharedThreads}, 0
	}
	for i := range s.r.Devices {
		q := &s.r.Devices[i]
		if have := s.h.devicesOf(q.Kind); have < q.Count {
			return failure{test: fewDevices, have: int64(have), want: int64(q.Count)}, i
		}
	}
	if s.n == 0 {
		return s.floats(), 0
	}
	return s.squeezes(), 0
}

func (h *Host) devicesOf(kind string) int {
	n := 0
	for i := range h.Pools {
		if h.Pools[i].Kind == kind {
			n += h.Pools[i].Free
		}
	}
	return n
}

// totals of the host's CPUs: shared ones, those that nobody has pinned, and the
// floating vCPUs on them.
func (h *Host) totals() (shared, unpinned, floating int) {
	floating = h.FloatingVCPUs
	for i := range h.Cells {
		c := &h.Cells[i]
		shared += size(&c.Shared)
		unpinned += size(&c.Dedicated) - size(&c.Pinned)
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

// squeezes tests, where floating and pinned vCPUs share the CPUs, that the vCPUs
// that float over the whole host keep theirs.
func (s *search) squeezes() failure {
	if s.rules == Nova || s.h.FloatingVCPUs == 0 {
		return failure{}
	}
	_, unpinned, floating := s.h.totals()
	need, threads := 0, 1
	for i := range s.n {
		d := demandOf(s.r, &s.ask, i)
		need += d.need()
		floating += d.floating
	}
	if s.thread == Isolate {
		for i := range s.h.Cells {
			threads = max(threads, coresOf(&s.h.Cells[i]).threads)
		}
	}
	if left := unpinned - need*threads; floating > left*ratio {
		return failure{test: hostOvercommitted, have: int64(floating), want: 0, size: int64(max(left, 0) * ratio)}
	}
	return failure{}
}
