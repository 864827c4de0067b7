package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// servers tells single VMs with their cells, and which of them Nova's own search
// would refuse.
func (r *run) servers() {
	told := len(r.went) <= mostTold
	if !told && !r.mayFault() {
		return
	}
	at := make([][]int32, len(r.c.hosts)) // index in went, by host
	for i, v := range r.went {
		at[v.host] = append(at[v.host], int32(i))
	}
	if told {
		r.p.Servers = make([]v1alpha1.PlacedServer, len(r.went))
	}
	for host := range r.c.hosts {
		r.replay(int32(host), func(nth int, k int32, before *nova.Host, fit *nova.Fit) {
			refused := r.novaRefuses(k, before)
			if refused != "" {
				r.p.ServerTypes[k].NovaRefuses++
			}
			if told {
				i := at[host][nth]
				r.p.Servers[i] = r.server(r.went[i], before, fit)
				r.p.Servers[i].NovaRefuses = refused
			}
		})
	}
}

// replay places the VMs of a host again, one after the other, and tells each with
// the host as it was before.
func (r *run) replay(host int32, tell func(nth int, k int32, before *nova.Host, fit *nova.Fit)) *nova.Host {
	h := r.c.ware(int(host)).empty
	if len(r.s.vms[host]) > 0 {
		h = h.Clone()
	}
	for nth, k := range r.s.vms[host] {
		q := r.c.asks[r.c.kinds[k].ask].request
		fit, ok := h.Fit(q, r.c.rules)
		if !ok {
			panic("cloud: a VM does not fit where it was placed")
		}
		tell(nth, k, h, fit)
		h.Claim(q, fit)
	}
	return h
}

// mayFault says whether Nova's search may go wrong with any of the VMs: it does
// with several NUMA nodes that are not equal.
func (r *run) mayFault() bool {
	for i := range r.c.kinds {
		if r.c.rules == nova.Nova && unequal(r.c.asks[r.c.kinds[i].ask].request) {
			return true
		}
	}
	return false
}

// unequal says whether the VM has several NUMA nodes that ask for different things.
func unequal(q *nova.Request) bool {
	for i := range q.Cells {
		a, b := &q.Cells[0], &q.Cells[i]
		if a.VCPUs.Len() != b.VCPUs.Len() || a.PCPUs.Len() != b.PCPUs.Len() || a.Memory != b.Memory || a.PageSize != b.PageSize {
			return true
		}
	}
	return len(q.Cells) > 1 && q.EmulatorThreads == nova.EmulatorIsolate
}

// novaRefuses says that Nova's own search would refuse a VM on a host that takes it.
func (r *run) novaRefuses(k int32, h *nova.Host) string {
	q := r.c.asks[r.c.kinds[k].ask].request
	if r.c.rules != nova.Nova || !unequal(q) {
		return ""
	}
	if _, ok := h.Search(q); ok {
		return ""
	}
	return "Nova's own search would refuse it on this host, though it fits: it goes wrong with unequal NUMA nodes"
}

// server is one VM and its place.
func (r *run) server(v vm, before *nova.Host, fit *nova.Fit) v1alpha1.PlacedServer {
	q := r.c.asks[r.c.kinds[v.kind].ask].request
	out := v1alpha1.PlacedServer{Name: r.name(v), ServerType: int(v.kind), Host: r.c.hostName(v.host)}
	for i := range fit.Cells {
		out.Cells = append(out.Cells, placedCell(q, &q.Cells[i], &fit.Cells[i]))
		out.EmulatorCPUs = out.EmulatorCPUs.Union(fit.Cells[i].Reserved)
	}
	for _, d := range fit.Devices {
		pool := &before.Pools[d.Pool]
		out.Devices = append(out.Devices, v1alpha1.PlacedDevice{Kind: pool.Kind, Node: pool.Node, Count: d.Count})
	}
	w := whyThere{run: r, q: q, before: before, fit: fit, flavor: r.c.kinds[v.kind].flavor}
	out.Why = w.sentences()
	return out
}

// placedCell is one virtual NUMA node in its place.
func placedCell(q *nova.Request, c *nova.GuestCell, f *nova.CellFit) v1alpha1.PlacedCell {
	out := v1alpha1.PlacedCell{Cell: c.ID, Node: f.Node, VCPUs: c.VCPUs, Idle: f.Idle,
		Memory: unit.Bytes(c.Memory) * unit.MiB, PageSize: unit.Bytes(f.PageSize) * unit.KiB}
	for _, p := range f.Pins {
		out.Pins = append(out.Pins, v1alpha1.PinnedCPU{VCPU: p.VCPU, CPU: p.CPU, Shared: p.VCPU == q.SharedVCPU})
		out.VCPUs.Remove(p.VCPU)
	}
	return out
}
