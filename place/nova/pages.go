package nova

// kib is the number of KiB in a MiB.
const kib = 1024

// pages finds the pool of pages for the cell: the largest of those allowed that has
// room and whose pages divide the memory. Without a page size it is the smallest
// pool, which Nova lets floating VMs overcommit.
func (a *ask) pages(h *Host, c *HostCell, d *demand) (int64, failure) {
	page, f := a.pool(c, d)
	if f.test != passed {
		return 0, f
	}
	if a.rules != StarlingX {
		return page, f
	}
	if a.pinned && c.Memory-c.MemoryUsage < d.memory {
		return 0, failure{test: fewMemory, have: c.Memory - c.MemoryUsage, want: d.memory}
	}
	if !a.pinned && float64(c.MemoryUsage+d.memory) > float64(c.Memory)*orOne(h.RAMAllocationRatio) {
		return 0, failure{test: overMemory, have: c.MemoryUsage, want: d.memory, size: c.Memory}
	}
	return page, f
}

func (a *ask) pool(c *HostCell, d *demand) (int64, failure) {
	switch d.page {
	case 0:
		return a.anyMemory(c, d)
	case SmallPages:
		return largest(c.Pages[:min(1, len(c.Pages))], d)
	case LargePages:
		return largest(c.Pages[min(1, len(c.Pages)):], d)
	case AnyPages:
		return a.notFloated(c, 0, len(c.Pages), d)
	}
	for i := range c.Pages {
		if c.Pages[i].Size == int64(d.page) {
			return a.notFloated(c, i, i+1, d)
		}
	}
	return 0, failure{test: noPageSize, size: int64(d.page)}
}

// notFloated is the largest of some pools that holds the cell, but not the smallest
// of the node where VMs that float over the host have its memory.
func (a *ask) notFloated(c *HostCell, from, to int, d *demand) (int64, failure) {
	page, f := largest(c.Pages[from:to], d)
	if a.left.short.test != passed && f.test == passed && page == c.Pages[0].Size {
		return 0, failure{test: floatedMemory}
	}
	return page, f
}

// anyMemory is the test for cells without a page size.
func (a *ask) anyMemory(c *HostCell, d *demand) (int64, failure) {
	if len(c.Pages) > 0 {
		p := &c.Pages[0]
		pages := p.Free()
		if !a.pinned && a.rules == Nova {
			pages = p.Total
		}
		return p.Size, holds(p, pages, d)
	}
	have := c.Memory
	if a.pinned || a.rules != Nova {
		have -= c.MemoryUsage
	}
	if have < d.memory {
		return 0, failure{test: fewMemory, have: have, want: d.memory}
	}
	return 0, failure{}
}

// largest is the last of the pools that holds the cell; none of them does so for
// the reason of the one that has most room.
func largest(pools []PagePool, d *demand) (int64, failure) {
	worst := failure{test: noPageSize, size: int64(d.page)}
	for i := len(pools) - 1; i >= 0; i-- {
		f := holds(&pools[i], pools[i].Free(), d)
		if f.test == passed {
			return pools[i].Size, f
		}
		if worst.test == noPageSize || f.have > worst.have {
			worst = f
		}
	}
	return 0, worst
}

// holds reports whether a number of pages holds the cell's memory without a rest.
func holds(p *PagePool, pages int64, d *demand) failure {
	memory := d.memory * kib
	switch {
	case p.Size <= 0:
		return failure{test: noPageSize, size: p.Size}
	case memory > pages*p.Size:
		return failure{test: fewPages, have: pages * p.Size / kib, want: d.memory, size: p.Size}
	case memory%p.Size != 0:
		return failure{test: oddMemory, have: pages * p.Size / kib, want: d.memory, size: p.Size}
	}
	return failure{}
}
