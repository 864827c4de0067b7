package cloud

import (
	"encoding/binary"
	"slices"

	"plimsoll.dev/place/nova"
)

// class is a state that hosts of a kind and zone are in. Hosts of a class are
// alike to every VM, so that whether a VM fits is found out once for all of them.
// A class does not change: a VM that comes takes its host to another class.
type class struct {
	base int32
	// used are sums over the VMs: what Nova's weighers look at, and local disks in bytes.
	used usage
	// free is what the weighers see of it, and weighing its index in classes.weighings.
	free     weights
	weighing int32
	// cpus is the number of CPUs that nobody has pinned.
	cpus int
	// load is how full the host is: the shares of CPUs, memory and devices in use.
	load float64
	// judged are two bits for each ask behind those of classes.judged: whether it
	// was asked, and whether it fits.
	judged []uint64
	// host as package nova sees it; it is never changed. nil once the class is retired.
	host *nova.Host
	// key is the state in bytes.
	key string
	// next are the classes after one more VM, as far as they are known.
	next []hop
}

// usage are sums over the VMs of a host.
type usage struct {
	vcpus, disk, weighed int64
	ram                  int64 // in MiB
}

// weights are a host's values before they are normalised.
type weights struct {
	cpu, ram, disk, pci float64
}

// classes are the states that hosts have been in, with what was found out.
type classes struct {
	c    *Cloud
	list []class
	byID map[string]int32
	// judged are two bits for each of the first asks, by class: whether it was asked,
	// and whether it fits. They stand by themselves for the choices run over them.
	judged []uint64
	// empty is the class of a host without VMs, by base.
	empty []int32
	// weighings are the different weights that classes have.
	weighings []weights
	byWeights map[weights]int32
	buf       []byte
	// draft is the host of a state that may be a class already.
	draft draft
}

func newClasses(c *Cloud) *classes {
	s := &classes{c: c, byID: map[string]int32{}, byWeights: map[weights]int32{}}
	for b := range c.bases {
		s.empty = append(s.empty, s.intern(int32(b), c.wares[c.bases[b].ware].empty, usage{}))
	}
	return s
}

// intern is the class of a state. A new one keeps a copy of the host.
func (s *classes) intern(base int32, h *nova.Host, u usage) int32 {
	s.buf = stateKey(s.buf[:0], base, h, u)
	if id, ok := s.byID[string(s.buf)]; ok {
		return id
	}
	id := int32(len(s.list))
	key := string(s.buf)
	s.byID[key] = id
	free := s.weights(base, h, u)
	s.judged = append(s.judged, 0)
	s.list = append(s.list, class{base: base, used: u, free: free, weighing: s.weighingOf(free), cpus: unpinned(h), load: loadOf(h, u), host: h.Clone(), key: key})
	return id
}

func (s *classes) weighingOf(w weights) int32 {
	id, known := s.byWeights[w]
	if !known {
		id = int32(len(s.weighings))
		s.byWeights[w] = id
		s.weighings = append(s.weighings, w)
	}
	return id
}

// stateKey writes all that tells two hosts of a kind apart.
func stateKey(b []byte, base int32, h *nova.Host, u usage) []byte {
	b = binary.AppendVarint(b, int64(base))
	for _, n := range [...]int64{u.vcpus, u.disk, u.weighed, u.ram, int64(h.FloatingVCPUs), h.FloatingMemory} {
		b = binary.AppendVarint(b, n)
	}
	for i := range h.Cells {
		cell := &h.Cells[i]
		b = binary.AppendVarint(b, int64(cell.CPUUsage))
		b = binary.AppendVarint(b, int64(cell.SharedUsage))
		b = binary.AppendVarint(b, cell.MemoryUsage)
		for w, bits := range cell.Pinned {
			if bits != 0 {
				b = append(b, byte(w+1))
				b = binary.LittleEndian.AppendUint64(b, bits)
			}
		}
		b = append(b, 0)
		for _, p := range cell.Pages {
			b = binary.AppendVarint(b, p.Used)
		}
	}
	for _, p := range h.Pools {
		b = binary.AppendVarint(b, int64(p.Free))
	}
	return b
}

// weights are what Nova's weighers see of a host: the vCPUs, memory in MiB and
// disk that are free, and how few devices are. Of the CPUs they see the shared ones
// only (Nova's libvirt driver reports no others), while all vCPUs count as used.
func (s *classes) weights(base int32, h *nova.Host, u usage) weights {
	w := &s.c.wares[s.c.bases[base].ware]
	var cpus int
	var memory int64
	for i := range h.Cells {
		cell := &h.Cells[i]
		cpus += cell.Shared.Len()
		memory += cell.Memory
	}
	devices := 0
	for _, p := range h.Pools {
		devices += p.Free
	}
	const mostDevices = 100 // Nova tells no more apart
	return weights{
		cpu:  max(0, float64(cpus)*h.CPUAllocationRatio-float64(u.vcpus)),
		ram:  max(0, float64(memory-u.ram)),
		disk: max(0, float64(w.disk-u.weighed)),
		pci:  float64(mostDevices - min(devices, mostDevices-1)),
	}
}

// freeCPUs is how many more vCPUs the CPUs for VMs, shared and dedicated, could take
// by the allocation ratio.
func (k *class) freeCPUs() float64 {
	cpus := 0
	for i := range k.host.Cells {
		cell := &k.host.Cells[i]
		cpus += cell.Shared.Union(cell.Dedicated).Len()
	}
	return max(0, float64(cpus)*k.host.CPUAllocationRatio-float64(k.used.vcpus))
}

// unpinned is the number of CPUs for pinned vCPUs that nobody has.
func unpinned(h *nova.Host) int {
	n := 0
	for i := range h.Cells {
		n += h.Cells[i].Dedicated.Len() - h.Cells[i].Pinned.Len()
	}
	return n
}

// loadOf is how full a host is.
func loadOf(h *nova.Host, u usage) float64 {
	var cpus, pinned, floating, memory int
	for i := range h.Cells {
		c := &h.Cells[i]
		cpus += c.Shared.Union(c.Dedicated).Len()
		pinned += c.Pinned.Len()
		floating += c.CPUUsage
		memory += int(c.Memory)
	}
	load := share(float64(pinned)+float64(floating+h.FloatingVCPUs)/max(1, h.CPUAllocationRatio), float64(cpus)) + share(float64(u.ram), float64(memory))
	for _, p := range h.Pools {
		load += share(float64(p.Total-p.Free), float64(p.Total)) / float64(len(h.Pools))
	}
	return load
}

// takes says whether a VM fits on the hosts of a class.
func (s *classes) takes(id int32, a int) bool {
	const each = 32
	word, at := &s.judged[id], 2*(a%each)
	if a >= each {
		k := &s.list[id]
		if k.judged == nil {
			k.judged = make([]uint64, (len(s.c.asks)-1)/each)
		}
		word = &k.judged[a/each-1]
	}
	if *word>>at&1 == 0 {
		*word |= 1 << at
		if s.judge(id, a) {
			*word |= 2 << at
		}
	}
	return *word>>at&2 != 0
}

func (s *classes) judge(id int32, a int) bool {
	k, ask := &s.list[id], &s.c.asks[a]
	if ask.ruledOut[k.base] != "" || s.noDisk(k, ask) != "" || ask.pinned > k.cpus {
		return false
	}
	return s.c.fits(k.host, ask.request)
}

// fit is the place of a VM on the hosts of a class.
func (s *classes) fit(id int32, a int) *nova.Fit {
	f, ok := s.list[id].host.Fit(s.c.asks[a].request, s.c.rules)
	if !ok {
		panic("cloud: a VM was placed where it does not fit")
	}
	return f
}

// noDisk says that a VM lacks local disk; empty is that it does not.
func (s *classes) noDisk(k *class, a *ask) string {
	w := &s.c.wares[s.c.bases[k.base].ware]
	need := w.takes(a.disk)
	switch {
	case need == 0 && !a.local, w.diskUnstated, w.backing == backingRemote, w.disk-k.used.disk >= need && w.disk > 0:
		return ""
	case w.disk == 0:
		return "no local disk for VMs"
	}
	return "not enough local disk"
}

// after is the class of a host after a VM has come that fits.
func (s *classes) after(id int32, a int) int32 {
	k := &s.list[id]
	at := slices.IndexFunc(k.next, func(h hop) bool { return h.ask == int32(a) })
	if at >= 0 && s.list[k.next[at].to].host != nil {
		return k.next[at].to
	}
	h := s.draft.of(k.host)
	h.Claim(s.c.asks[a].request, s.fit(id, a))
	to := s.intern(k.base, h, s.add(id, a))
	if k = &s.list[id]; at >= 0 {
		k.next[at].to = to
	} else {
		k.next = append(k.next, hop{int32(a), to})
	}
	return to
}

// hop is the class after one more VM of an ask.
type hop struct{ ask, to int32 }

// draft is a host that is written over again and again.
type draft struct {
	host  nova.Host
	pages []nova.PagePool
}

// of is a copy of a host that lasts until the next.
func (d *draft) of(h *nova.Host) *nova.Host {
	cells, pools := append(d.host.Cells[:0], h.Cells...), append(d.host.Pools[:0], h.Pools...)
	d.host = *h
	d.host.Cells, d.host.Pools, d.pages = cells, pools, d.pages[:0]
	for i := range cells {
		d.pages = append(d.pages, cells[i].Pages...)
	}
	at := 0
	for i := range cells {
		n := len(cells[i].Pages)
		cells[i].Pages = d.pages[at : at+n : at+n]
		at += n
	}
	return &d.host
}

// afterOn is after for a VM on some NUMA nodes of the host.
func (s *classes) afterOn(id int32, a int, nodes uint64) int32 {
	k, q := &s.list[id], s.c.asks[a].request
	h := s.draft.of(k.host)
	f, ok := fitOn(k.host, q, s.c.rules, nodes)
	if !ok {
		panic("cloud: a VM was placed on NUMA nodes where it does not fit")
	}
	h.Claim(q, f)
	return s.intern(k.base, h, s.add(id, a))
}

// add is the usage of a host with one more VM.
func (s *classes) add(id int32, a int) usage {
	k, ask := &s.list[id], &s.c.asks[a]
	w := &s.c.wares[s.c.bases[k.base].ware]
	u := k.used
	u.vcpus += int64(ask.request.VCPUs)
	u.ram += ask.request.Memory
	u.disk += w.takes(ask.disk)
	u.weighed += w.takes(ask.weighed)
	return u
}

// retire forgets the host of a class that no host is in any more, so that large
// clouds don't keep every state that they have passed through.
func (s *classes) retire(id int32) {
	k := &s.list[id]
	delete(s.byID, k.key)
	k.host, k.key, k.next, k.judged = nil, "", nil, nil
}
