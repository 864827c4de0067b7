package cloud

import (
	"encoding/binary"
	"slices"

	"plimsoll.dev/place/nova"
)

// hostState is a state that hosts of a type and zone are in. Hosts of a state are
// alike to every VM, so that whether a VM fits is found out once for all of them.
// A state does not change: a VM that comes takes its host to another state.
type hostState struct {
	typeInZone int32
	// used are sums over the VMs: what Nova's weighers look at, and local disks in bytes.
	used usage
	// free is what the weighers see of it, and weighing its index in hostStates.weighings.
	free     weights
	weighing int32
	// cpus is the number of CPUs that nobody has pinned.
	cpus int
	// load is how full the host is: the shares of CPUs, memory and devices in use.
	load float64
	// judged are two bits for each spec behind those of hostStates.judged: whether it
	// was asked, and whether it fits.
	judged []uint64
	// host as package nova sees it; it is never changed. nil once the state is retired.
	host *nova.Host
	// key is the state in bytes.
	key string
	// next are the states after one more VM, as far as they are known.
	next []transition
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

// hostStates are the states that hosts have been in, with what was found out.
type hostStates struct {
	c    *Cloud
	list []hostState
	byID map[string]int32
	// judged are two bits for each of the first specs, by state: whether it was asked,
	// and whether it fits. They stand by themselves for the choices run over them.
	judged []uint64
	// empty is the state of a host without VMs, by type and zone.
	empty []int32
	// weighings are the different weights that states have.
	weighings []weights
	byWeights map[weights]int32
	buf       []byte
	// scratch is the host of a state that may be known already.
	scratch scratchHost
}

func newHostStates(c *Cloud) *hostStates {
	s := &hostStates{c: c, byID: map[string]int32{}, byWeights: map[weights]int32{}}
	for b := range c.typesInZones {
		s.empty = append(s.empty, s.intern(int32(b), c.typeAt(int32(b)).empty, usage{}))
	}
	return s
}

// intern is the index of a state. A new one keeps a copy of the host.
func (s *hostStates) intern(typeInZone int32, h *nova.Host, u usage) int32 {
	s.buf = stateKey(s.buf[:0], typeInZone, h, u)
	if id, ok := s.byID[string(s.buf)]; ok {
		return id
	}
	id := int32(len(s.list))
	key := string(s.buf)
	s.byID[key] = id
	free := s.weights(typeInZone, h, u)
	s.judged = append(s.judged, 0)
	s.list = append(s.list, hostState{typeInZone: typeInZone, used: u, free: free, weighing: s.weighingOf(free),
		cpus: unpinned(h), load: loadOf(h, u), host: h.Clone(), key: key})
	return id
}

func (s *hostStates) weighingOf(w weights) int32 {
	id, known := s.byWeights[w]
	if !known {
		id = int32(len(s.weighings))
		s.byWeights[w] = id
		s.weighings = append(s.weighings, w)
	}
	return id
}

// stateKey writes all that tells two hosts of a type apart.
func stateKey(b []byte, typeInZone int32, h *nova.Host, u usage) []byte {
	b = binary.AppendVarint(b, int64(typeInZone))
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
func (s *hostStates) weights(typeInZone int32, h *nova.Host, u usage) weights {
	ht := s.c.typeAt(typeInZone)
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
		disk: max(0, float64(ht.disk-u.weighed)),
		pci:  float64(mostDevices - min(devices, mostDevices-1)),
	}
}

// freeCPUs is how many more vCPUs the CPUs for VMs, shared and dedicated, could take
// by the allocation ratio.
func (state *hostState) freeCPUs() float64 {
	cpus := 0
	for i := range state.host.Cells {
		cell := &state.host.Cells[i]
		cpus += cell.Shared.Union(cell.Dedicated).Len()
	}
	return max(0, float64(cpus)*state.host.CPUAllocationRatio-float64(state.used.vcpus))
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
	load := share(float64(pinned)+float64(floating+h.FloatingVCPUs)/max(1, h.CPUAllocationRatio), float64(cpus)) +
		share(float64(u.ram), float64(memory))
	for _, p := range h.Pools {
		load += share(float64(p.Total-p.Free), float64(p.Total)) / float64(len(h.Pools))
	}
	return load
}

// takes reports whether a VM fits on the hosts of a state.
func (s *hostStates) takes(id int32, spec int) bool {
	const each = 32
	word, at := &s.judged[id], 2*(spec%each)
	if spec >= each {
		state := &s.list[id]
		if state.judged == nil {
			state.judged = make([]uint64, (len(s.c.specs)-1)/each)
		}
		word = &state.judged[spec/each-1]
	}
	if *word>>at&1 == 0 {
		*word |= 1 << at
		if s.judge(id, spec) {
			*word |= 2 << at
		}
	}
	return *word>>at&2 != 0
}

func (s *hostStates) judge(id int32, spec int) bool {
	state, rs := &s.list[id], &s.c.specs[spec]
	if rs.ruledOut[state.typeInZone] != "" || s.noDisk(state, rs) != "" || rs.pinned > state.cpus {
		return false
	}
	return s.c.fits(state.host, rs.request)
}

// fit is the place of a VM on the hosts of a state.
func (s *hostStates) fit(id int32, spec int) *nova.Fit {
	f, ok := s.list[id].host.Fit(s.c.specs[spec].request, s.c.rules)
	if !ok {
		panic("cloud: a VM was placed where it does not fit")
	}
	return f
}

// noDisk says that a VM lacks local disk; empty is that it does not.
func (s *hostStates) noDisk(state *hostState, rs *requestSpec) string {
	ht := s.c.typeAt(state.typeInZone)
	need := ht.takes(rs.disk)
	switch {
	case need == 0 && !rs.local, ht.diskUnstated, ht.backing == backingRemote,
		ht.disk-state.used.disk >= need && ht.disk > 0:
		return ""
	case ht.disk == 0:
		return "no local disk for VMs"
	}
	return "not enough local disk"
}

// after is the state of a host after a VM has come that fits.
func (s *hostStates) after(id int32, spec int) int32 {
	state := &s.list[id]
	at := slices.IndexFunc(state.next, func(h transition) bool { return h.spec == int32(spec) })
	if at >= 0 && s.list[state.next[at].to].host != nil {
		return state.next[at].to
	}
	h := s.scratch.of(state.host)
	h.Claim(s.c.specs[spec].request, s.fit(id, spec))
	to := s.intern(state.typeInZone, h, s.add(id, spec))
	if state = &s.list[id]; at >= 0 {
		state.next[at].to = to
	} else {
		state.next = append(state.next, transition{int32(spec), to})
	}
	return to
}

// transition is the state after one more VM of a spec.
type transition struct{ spec, to int32 }

// scratchHost is a host that is written over again and again.
type scratchHost struct {
	host  nova.Host
	pages []nova.PagePool
}

// of is a copy of a host that lasts until the next.
func (d *scratchHost) of(h *nova.Host) *nova.Host {
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
func (s *hostStates) afterOn(id int32, spec int, nodes uint64) int32 {
	state, q := &s.list[id], s.c.specs[spec].request
	h := s.scratch.of(state.host)
	f, ok := fitOn(state.host, q, s.c.rules, nodes)
	if !ok {
		panic("cloud: a VM was placed on NUMA nodes where it does not fit")
	}
	h.Claim(q, f)
	return s.intern(state.typeInZone, h, s.add(id, spec))
}

// add is the usage of a host with one more VM.
func (s *hostStates) add(id int32, spec int) usage {
	state, rs := &s.list[id], &s.c.specs[spec]
	ht := s.c.typeAt(state.typeInZone)
	u := state.used
	u.vcpus += int64(rs.request.VCPUs)
	u.ram += rs.request.Memory
	u.disk += ht.takes(rs.disk)
	u.weighed += ht.takes(rs.weighed)
	return u
}

// isEmpty reports whether a state is that of hosts without VMs.
func (s *hostStates) isEmpty(id int32) bool { return id == s.empty[s.list[id].typeInZone] }

// retire forgets the host of a state that no host is in any more, so that large
// clouds don't keep every state that they have passed through.
func (s *hostStates) retire(id int32) {
	state := &s.list[id]
	delete(s.byID, state.key)
	state.host, state.key, state.next, state.judged = nil, "", nil, nil
}
