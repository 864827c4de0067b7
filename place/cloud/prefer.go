package cloud

import (
	"strings"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

const memoryPolicy = "hw:numa_mempolicy"

// elsewhere tells of a VM that finds no host, and would if its memory came from any NUMA node of a
// host: hw:numa_mempolicy=prefer allows that (HCG 7, "if necessary") and is read as strict, for no
// document says when it is done. It is empty for others.
func (r *run) elsewhere(k int32) string {
	t := r.search(k)
	if !strings.HasPrefix(t.server.flavor.Properties[memoryPolicy], "prefer") || t.c.rules == nova.Nova ||
		!t.any(func(host int32) bool { return t.memoryAnywhere(t.s.state(host).host) }) {
		return ""
	}
	return "memory: VMs of " + t.server.server.Name + " would find a host if it came from any of its NUMA nodes, as " +
		memoryPolicy + "=prefer allows, which is read as strict"
}

// memoryAnywhere says whether a host takes the VM where its memory comes from all of its NUMA nodes,
// in pages of one size that the VM may have.
func (t *remedySearch) memoryAnywhere(h *nova.Host) bool {
	if len(t.request.Cells) == 0 {
		return false
	}
	for _, c := range h.Cells {
		for i, p := range c.Pages {
			switch want := t.request.Cells[0].PageSize; {
			case want > 0 && int64(want) != p.Size, (want == 0 || want == nova.SmallPages) && i > 0,
				want == nova.LargePages && i == 0:
			default:
				if t.pagesAnywhere(h, p.Size) {
					return true
				}
			}
		}
	}
	return false
}

// pagesAnywhere is memoryAnywhere with pages of a size in KiB: the host has them, and takes the VM if
// each of its nodes had them all.
func (t *remedySearch) pagesAnywhere(h *nova.Host, size int64) bool {
	const kib = 1024 // of a MiB
	need, free, all := int64(0), int64(0), int64(0)
	q := copyOf(t.request)
	for i := range q.Cells {
		c := &q.Cells[i]
		if need += c.Memory * kib; c.PageSize != 0 {
			c.PageSize = nova.PageSize(size)
		}
	}
	floating := h.FloatingMemory * kib
	h = h.Clone()
	for i := range h.Cells {
		c := &h.Cells[i]
		p := poolOf(c, size)
		free, all = free+p.Free()*size, all+(p.Total-p.Reserved)*size
		p.Total += need/size + 1
		c.Memory += need / kib
	}
	if size == int64(smallPage/unit.KiB) && floating > 0 { // of which VMs that float over the host have theirs
		free = min(free, free-floating+int64(float64(all)*(h.RAMAllocationRatio-1)))
	}
	return free >= need && t.c.fits(h, q)
}
