package nova

import (
	"math/bits"
	"slices"

	"plimsoll.dev/unit"
)

// Fit finds a place on the host for the VM: virtual NUMA nodes are matched to
// NUMA nodes, so it fails only when there is no place at all. Of several places it
// is the one that Nova's search would come to first, if its memory of failures
// were right: cells in their order, nodes in Nova's order. With the rules of
// hcg-4.0 and starlingx, nodes without devices come first (for VMs that ask for
// none), then the lowest id.
//
// A VM without cells is tested against the totals of the host only: its vCPUs and
// all floating ones against the shared CPUs and CPUAllocationRatio, its memory
// against RAMAllocationRatio and the memory that is not in huge pages, and devices
// from any node.
func (h *Host) Fit(r *Request, rules Rules) (*Fit, bool) {
	var s search
	s.init(h, r, rules)
	if !s.find() {
		return nil, false
	}
	f := newFit(s.n)
	s.fit(f)
	return f, true
}

// FitInto is Fit that uses the memory of an earlier answer, which it writes over: so
// many VMs are placed without an allocation. Without a place f is as it was.
func (h *Host) FitInto(r *Request, rules Rules, f *Fit) bool {
	var s search
	s.init(h, r, rules)
	if !s.find() {
		return false
	}
	f.Cells = slices.Grow(f.Cells[:0], s.n)[:s.n]
	s.fit(f)
	return true
}

// Fits reports whether Fit finds a place, without telling which.
func (h *Host) Fits(r *Request, rules Rules) bool {
	var s search
	s.init(h, r, rules)
	return s.find()
}

func (s *search) init(h *Host, r *Request, rules Rules) {
	s.ask.read(r, rules)
	s.h, s.r, s.n, s.m, s.devices = h, r, len(r.Cells), len(h.Cells), asksDevices(r)
}

// find places all cells, if it can.
func (s *search) find() bool {
	s.beside()
	if f, _ := s.hostWide(); f.test != passed {
		return false
	}
	s.nets = networks(s.h, s.r, s.rules)
	if s.n == 1 && !s.joint() {
		return s.single()
	}
	return s.alone() && s.passes()
}

// single finds the node of a VM of one cell that nothing else binds: the first of
// those that fit, in the order of trial and of the classes.
func (s *search) single() bool {
	s.last = demandOf(s.r, &s.ask, 0)
	var best key
	found := false
	for k := range s.h.Cells {
		c := &s.h.Cells[k]
		l := coresOf(c)
		if _, f := s.check(s.h, c, l, &s.last); f.test != passed {
			continue
		}
		now := s.keyOf(c, l)
		if s.rules != Nova {
			now = key{int64(s.class(c)), now[0]}
		}
		if !found || now.before(&best) {
			best, found, s.order[0] = now, true, uint8(k)
		}
	}
	return found
}

// passes assigns strictly; then, with other rules than Nova's, once more with what
// is only preferred.
func (s *search) passes() bool {
	if s.assign() {
		return true
	}
	if s.rules == Nova || !s.prefers() {
		return false
	}
	s.relaxed = true
	s.classify()
	return s.assign()
}

// prefers reports whether some device is wanted near but may be far.
func (s *search) prefers() bool {
	for i := range s.r.Devices {
		if s.r.Devices[i].Policy == Preferred {
			return true
		}
	}
	return false
}

// alone finds the nodes on which each cell fits by itself, and their order. It is
// false when a cell fits on none.
func (s *search) alone() bool {
	for i := range s.n {
		d := demandOf(s.r, &s.ask, i)
		if i > 0 && d == s.last {
			s.fits[i] = s.fits[i-1]
			continue
		}
		s.last = d
		for k := range s.h.Cells {
			c := &s.h.Cells[k]
			if _, f := s.check(s.h, c, coresOf(c), &d); f.test == passed {
				s.fits[i] |= 1 << k
			}
		}
		if s.fits[i] == 0 {
			return false
		}
	}
	s.sorted()
	for i := range s.n {
		s.fits[i] = s.positions(s.fits[i])
	}
	s.classify()
	return true
}

// positions turns indices of Host.Cells into positions in the order of trial.
func (s *search) positions(cells uint64) uint64 {
	out := uint64(0)
	for p := range s.m {
		out |= cells >> s.order[p] & 1 << p
	}
	return out
}

// fit tells what was found.
func (s *search) fit(f *Fit) {
	chosen := uint64(0)
	for i := range f.Cells {
		k := s.order[s.place[i]]
		chosen |= 1 << k
		d := s.last
		if i < s.n-1 {
			d = demandOf(s.r, &s.ask, i)
		}
		s.cell(&f.Cells[i], &s.h.Cells[k], &d, i)
	}
	f.Devices = s.taken(f.Devices[:0], chosen)
}

// newFit is a Fit of n cells; the most frequent, of one small cell, is one piece of
// memory.
func newFit(n int) *Fit {
	switch n {
	case 0:
		return &Fit{}
	case 1:
		one := &struct {
			Fit
			cell [1]CellFit
			pins [8]Pin
		}{}
		one.Cells = one.cell[:]
		one.cell[0].Pins = one.pins[:0]
		return &one.Fit
	}
	return &Fit{Cells: make([]CellFit, n)}
}

// taken adds the devices that go with the chosen nodes.
func (s *search) taken(dst []DeviceFit, chosen uint64) []DeviceFit {
	if !s.devices {
		return dst
	}
	var buf [poolsAtHand]int
	d := s.devicesOf(s.h.freeDevices(buf[:0]))
	d.taken = &dst
	d.all(s.r.Devices, chosen)
	return dst
}

// cell tells where the i-th cell goes.
func (s *search) cell(f *CellFit, c *HostCell, d *demand, i int) {
	f.Node = c.ID
	f.PageSize, _ = s.pages(s.h, c, d)
	s.pins(f, c, d, i)
}

// pins tells which CPUs the i-th cell gets on the node.
func (s *search) pins(f *CellFit, c *HostCell, d *demand, i int) {
	f.Pins, f.Reserved, f.Idle = f.Pins[:0], unit.CPUSet{}, unit.CPUSet{}
	if d.need() > 0 {
		s.ownCPUs(f, c, d, &s.r.Cells[i].PCPUs)
	}
	if d.shared {
		for cpu := range c.SharedVCPU.All() {
			f.Pins = append(f.Pins, Pin{VCPU: s.ask.shared, CPU: cpu})
			break
		}
	}
}

// ownCPUs tells which CPUs are the cell's alone.
func (s *search) ownCPUs(f *CellFit, c *HostCell, d *demand, vcpus *unit.CPUSet) {
	var free unit.CPUSet
	var buf [64]uint16
	l := coresOf(c)
	l.freeCPUs(c, &free)
	cpus, emulator := s.pin(l, &free, d, buf[:0])
	f.Pins = slices.Grow(f.Pins, d.pinned+1)
	for w, word := range vcpus {
		for ; word != 0; word &= word - 1 {
			f.Pins = append(f.Pins, Pin{VCPU: w<<6 | bits.TrailingZeros64(word), CPU: int(cpus[len(f.Pins)])})
		}
	}
	if emulator >= 0 {
		f.Reserved.Add(emulator)
	}
	if s.keepsIdle() {
		l.idle(f, &free)
	}
}
