package cloud

import "plimsoll.dev/place/nova"

// overdrawn says that a VM passes a sum of the host as a whole, which in Nova the
// Placement service keeps beside all tests of NUMA nodes: floating vCPUs against
// the shared CPUs and their ratio, memory of any page size against all memory for
// VMs and its ratio. VMs that float over the host use the same sums, and no NUMA
// node knows of them. Empty is that the VM passes none; only rules of nova have it.
func (c *Cloud) overdrawn(h *nova.Host, q *nova.Request) string {
	if c.rules != nova.Nova {
		return ""
	}
	shared, vcpus := 0, h.FloatingVCPUs
	memory, used := int64(0), h.FloatingMemory
	for i := range h.Cells {
		cell := &h.Cells[i]
		shared, vcpus = shared+cell.Shared.Len(), vcpus+cell.CPUUsage
		memory, used = memory+cell.Memory, used+cell.MemoryUsage
	}
	if n := floating(q); n > 0 && float64(vcpus+n) > float64(shared)*h.CPUAllocationRatio {
		return "no more floating vCPUs on the host by the allocation ratio"
	}
	if float64(used+q.Memory) > float64(memory)*h.RAMAllocationRatio {
		return "not enough memory on the host by the allocation ratio"
	}
	return ""
}

// floating is the number of a VM's vCPUs that are not pinned.
func floating(q *nova.Request) int {
	if len(q.Cells) == 0 {
		return q.VCPUs
	}
	n := 0
	for i := range q.Cells {
		n += q.Cells[i].VCPUs.Len()
	}
	return n
}

// fits reports whether a VM fits on a host, by its nodes and as a whole.
func (c *Cloud) fits(h *nova.Host, q *nova.Request) bool {
	return c.overdrawn(h, q) == "" && h.Fits(q, c.rules)
}
