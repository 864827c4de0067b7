package nova

import "plimsoll.dev/unit"

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
	return s.fit(), true
}

// Fits says whether Fit finds a place, without telling which.
func (h *Host) Fits(r *Request, rules Rules) bool {
	var s search
	s.init(h, r, rules)
	return s.find()
}

func (s *search) init(h *Host, r *Request, rules Rules) {
	s.ask = asked(r, rules)
	s.h, s.r, s.n, s.m, s.devices = h, r, len(r.Cells), len(h.Cells), asksDevices(r)
}

// find places all cells, if it can.
func (s *search) find() bool {
	s.beside()
	if f, _ := s.hostWide(); f.test != passed {
		return false
	}
	if !s.alone() {
		return false
	}
	s.nets = networks(s.h, s.r, s.rules)
	return s.passes()
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

// prefers says whether some device is wanted near but may be far.
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
	var last demand
	for i := range s.n {
		d := demandOf(s.r, &s.ask, i)
		if i > 0 && d == last {
			s.fits[i] = s.fits[i-1]
			continue
		}
		last = d
		for k := range s.h.Cells {
			if _, f := s.check(s.h, &s.h.Cells[k], &d); f.test == passed {
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
func (s *search) fit() *Fit {
	f := newFit(s.n)
	chosen := uint64(0)
	for i := range f.Cells {
		k := s.order[s.place[i]]
		chosen |= 1 << k
		d := demandOf(s.r, &s.ask, i)
		s.cell(&f.Cells[i], &s.h.Cells[k], &d, i)
	}
	f.Devices = s.taken(chosen)
	return f
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

// taken are the devices that go with the chosen nodes.
func (s *search) taken(chosen uint64) []DeviceFit {
	if !s.devices {
		return nil
	}
	var buf [poolsAtHand]int
	taken := make([]DeviceFit, 0, len(s.r.Devices))
	d := s.devicesOf(s.h.freeDevices(buf[:0]))
	d.taken = &taken
	d.all(s.r.Devices, chosen)
	return taken
}

// cell tells where the i-th cell goes.
func (s *search) cell(f *CellFit, c *HostCell, d *demand, i int) {
	f.Node = c.ID
	f.PageSize, _ = s.pages(s.h, c, d)
	s.pins(f, c, d, i)
}

// pins tells which CPUs the i-th cell gets on the node.
func (s *search) pins(f *CellFit, c *HostCell, d *demand, i int) {
	if d.need() > 0 {
		var free, used unit.CPUSet
		var buf [64]uint16
		freeCPUs(c, &free)
		l := coresOf(c)
		cpus, emulator := s.pin(l, &free, d, buf[:0])
		if cap(f.Pins) <= d.pinned {
			f.Pins = make([]Pin, 0, d.pinned+1)
		}
		k := 0
		for vcpu := range s.r.Cells[i].PCPUs.All() {
			f.Pins = append(f.Pins, Pin{VCPU: vcpu, CPU: int(cpus[k])})
			used.Add(int(cpus[k]))
			k++
		}
		if emulator >= 0 {
			f.Reserved.Add(emulator)
			used.Add(emulator)
		}
		f.Idle = s.idle(l, &free, &used)
	}
	if d.need() == 0 && !d.shared {
		f.Pins = nil
	}
	if d.shared {
		for cpu := range c.SharedVCPU.All() {
			f.Pins = append(f.Pins, Pin{VCPU: s.ask.shared, CPU: cpu})
			break
		}
	}
}
