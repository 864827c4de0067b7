package nova

import (
	"slices"

	"plimsoll.dev/unit"
)

// Prepare works out what Fit needs of the cores' siblings, so that it is not done
// anew each time. Siblings may not be changed in place after it; replacing them is
// noticed. It is never necessary.
func (h *Host) Prepare() {
	for i := range h.Cells {
		h.Cells[i].cores = coresOf(&h.Cells[i])
	}
}

// Claim takes what a VM was given by Fit; Release gives it back.
func (h *Host) Claim(r *Request, f *Fit) { h.account(r, f, 1) }

// Release gives back what Claim took: the host is as before.
func (h *Host) Release(r *Request, f *Fit) { h.account(r, f, -1) }

func (h *Host) account(r *Request, f *Fit, sign int) {
	for _, d := range f.Devices {
		h.Pools[d.Pool].Free -= sign * d.Count
	}
	if len(f.Cells) == 0 {
		h.FloatingVCPUs += sign * r.VCPUs
		h.FloatingMemory += int64(sign) * r.Memory
		return
	}
	for i := range f.Cells {
		if c := h.node(f.Cells[i].Node); c != nil {
			c.account(r, &r.Cells[i], &f.Cells[i], sign)
		}
	}
}

// node finds a NUMA node by its id; nil if there is none.
func (h *Host) node(id int) *HostCell {
	if id >= 0 && id < len(h.Cells) && h.Cells[id].ID == id {
		return &h.Cells[id]
	}
	if k := h.indexOf(id); k >= 0 {
		return &h.Cells[k]
	}
	return nil
}

func (c *HostCell) account(r *Request, g *GuestCell, f *CellFit, sign int) {
	var cpus unit.CPUSet
	for _, p := range f.Pins {
		cpus.Add(p.CPU)
		if p.VCPU == r.SharedVCPU && c.SharedVCPU.Has(p.CPU) {
			c.SharedUsage += sign
		}
	}
	for w := range cpus {
		taken := (cpus[w] | f.Reserved[w] | f.Idle[w]) & c.Dedicated[w]
		if sign > 0 {
			c.Pinned[w] |= taken
		} else {
			c.Pinned[w] &^= taken
		}
	}
	if r.CPUPolicy != Dedicated {
		c.CPUUsage += sign * size(&g.VCPUs)
	}
	c.MemoryUsage += int64(sign) * g.Memory
	for i := range c.Pages {
		if p := &c.Pages[i]; p.Size == f.PageSize && p.Size > 0 {
			p.Used += int64(sign) * (g.Memory * kib / p.Size)
			break
		}
	}
}

// Clone copies the host, so that a copy can be tried on. The copy shares what no
// VM changes: siblings and the names of networks.
func (h *Host) Clone() *Host {
	out := *h
	out.Cells = slices.Clone(h.Cells)
	pages := 0
	for i := range h.Cells {
		pages += len(h.Cells[i].Pages)
	}
	all := make([]PagePool, 0, pages)
	for i := range out.Cells {
		start := len(all)
		all = append(all, out.Cells[i].Pages...)
		if out.Cells[i].Pages != nil {
			out.Cells[i].Pages = all[start:len(all):len(all)]
		}
	}
	out.Pools = slices.Clone(h.Pools)
	return &out
}
