package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// servers tells single VMs with their cells, and which of them Nova's own search
// would refuse.
func (r *run) servers() {
	told := len(r.running) <= mostTold
	if !told && !r.mayFault() {
		return
	}
	index := make([][]int32, len(r.c.hosts)) // in went, by host
	for i, v := range r.running {
		index[v.host] = append(index[v.host], int32(i))
	}
	if told {
		r.p.Servers = make([]v1alpha1.PlacedServer, len(r.running))
	}
	for host := range r.c.hosts {
		r.replay(int32(host), func(nth int, k int32, at *vmPlace) {
			p := r.told(k, at)
			if p.NovaRefuses != "" {
				r.p.ServerTypes[k].NovaRefuses++
			}
			if told {
				i := index[host][nth]
				r.p.Servers[i] = *p
				sv := &r.p.Servers[i]
				sv.Name, sv.ServerType, sv.Host = r.name(r.running[i]), int(k), r.c.hostName(int32(host))
			}
		})
	}
}

// mayFault reports whether Nova's search may go wrong with any of the VMs.
func (r *run) mayFault() bool {
	for i := range r.c.servers {
		if what, _ := r.c.faulty(r.c.request(int32(i))); what != "" {
			return true
		}
	}
	return false
}

// unequal reports whether the VM has several NUMA nodes that ask for different things.
func unequal(q *nova.Request) bool {
	for i := range q.Cells {
		a, b := &q.Cells[0], &q.Cells[i]
		if a.VCPUs.Len() != b.VCPUs.Len() || a.PCPUs.Len() != b.PCPUs.Len() || a.Memory != b.Memory ||
			a.PageSize != b.PageSize {
			return true
		}
	}
	return len(q.Cells) > 1 && q.EmulatorThreads == nova.EmulatorIsolate
}

// faulty is what Nova's search may go wrong with, and what would be right: NUMA
// nodes that are not equal, for it takes one for another, and page sizes that are
// words, for it keeps the size that it took on the first node that it tried.
func (c *Cloud) faulty(q *nova.Request) (what, remedy string) {
	switch {
	case c.rules != nova.Nova:
	case unequal(q):
		return "unequal NUMA nodes", "make the VM's NUMA nodes equal"
	case len(q.Cells) > 0 && (q.Cells[0].PageSize == nova.LargePages || q.Cells[0].PageSize == nova.AnyPages):
		return "the page size " + pageWord(q.Cells[0].PageSize), "ask for a page size in figures"
	}
	return "", ""
}

// novaRefuses says that Nova's own search would refuse a VM on a host that takes it.
func (r *run) novaRefuses(k int32, h *nova.Host) string {
	q := r.c.request(k)
	what, _ := r.c.faulty(q)
	if what == "" {
		return ""
	}
	if _, ok := h.Search(q); ok {
		return ""
	}
	return "Nova's own search would refuse it on this host, though it fits: it goes wrong with " + what
}

// server is a VM of a server type in its place, without name and host.
func (r *run) server(k int32, before *nova.Host, fit *nova.Fit) *v1alpha1.PlacedServer {
	st := &r.c.servers[k]
	q := r.c.specs[st.spec].request
	out := &v1alpha1.PlacedServer{NovaRefuses: r.novaRefuses(k, before)}
	for i := range fit.Cells {
		out.Cells = append(out.Cells, placedCell(q, &q.Cells[i], &fit.Cells[i]))
		out.EmulatorCPUs = out.EmulatorCPUs.Union(fit.Cells[i].Reserved)
	}
	for _, d := range fit.Devices {
		pool := &before.Pools[d.Pool]
		out.Devices = append(out.Devices, v1alpha1.PlacedDevice{Kind: pool.Kind, Node: pool.Node, Count: d.Count})
	}
	w := placeReasons{run: r, q: q, before: before, fit: fit, flavor: st.flavor}
	out.Why = w.sentences()
	if st.host >= 0 {
		out.Why = append(out.Why, "runs there already: NUMA nodes and CPUs are guessed")
	}
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
