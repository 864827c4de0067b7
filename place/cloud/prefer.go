package cloud

import (
	"strings"

	"plimsoll.dev/place/nova"
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
	if len(t.request.Cells) == 0 || len(h.Cells) == 0 {
		return false
	}
	const kib = 1024 // of a MiB
	for i, pool := range h.Cells[0].Pages {
		switch want := t.request.Cells[0].PageSize; {
		case want > 0 && int64(want) != pool.Size, (want == 0 || want == nova.SmallPages) && i > 0,
			want == nova.LargePages && i == 0:
			continue
		}
		free, need, q := int64(0), int64(0), copyOf(t.request)
		for _, c := range h.Cells {
			for _, p := range c.Pages {
				if p.Size == pool.Size {
					free += p.Free() * p.Size
				}
			}
		}
		for i := range q.Cells {
			c := &q.Cells[i]
			need += c.Memory * kib
			if c.Memory = max(1, pool.Size/kib); c.PageSize != 0 {
				c.PageSize = nova.PageSize(pool.Size)
			}
		}
		if free >= need && t.c.fits(h, q) {
			return true
		}
	}
	return false
}
