package nova

// The tests of the whole host.
const (
	manyNodes test = iota + overMemory + 1
	manyCells
	sharedPolicy
	sharedThreads
	fewDevices
	manyVCPUs
	hostOvercommitted
	hostMemory
)

// hostWide makes the tests of the host as a whole. index is the request for devices
// that can't be met.
func (s *search) hostWide() (f failure, index int) {
	switch {
	case s.m > MaxNodes:
		return failure{test: manyNodes, have: MaxNodes, want: int64(s.m)}, 0
	case s.n > s.m:
		return failure{test: manyCells, have: int64(s.m), want: int64(s.n)}, 0
	case s.shared >= 0 && s.r.CPUPolicy != Dedicated:
		return failure{test: sharedPolicy}, 0
	case s.shared >= 0 && s.rules == StarlingX && (s.thread == Isolate || s.thread == Require):
		return failure{test: sharedThreads}, 0
	}
	for i := range s.r.Devices {
		kind := s.r.Devices[i].Kind
		have, want := s.h.devicesOf(kind), s.r.devicesOf(kind)
		if have < want {
			return failure{test: fewDevices, have: int64(have), want: int64(want)}, i
		}
	}
	if s.n == 0 {
		return s.floats(), 0
	}
	if page := s.r.Cells[0].PageSize; page == 0 || page == SmallPages {
		return s.left.short, 0
	}
	return failure{}, 0
}

// devicesOf is the number of devices of a kind in all requests.
func (r *Request) devicesOf(kind string) int {
	n := 0
	for i := range r.Devices {
		if q := &r.Devices[i]; q.Kind == kind {
			n += max(q.Count, 0)
		}
	}
	return n
}

// devicesOf is the number of free devices of a kind.
func (h *Host) devicesOf(kind string) int {
	n := 0
	for i := range h.Pools {
		if h.Pools[i].Kind == kind {
			n += h.Pools[i].Free
		}
	}
	return n
}
