package nova

import "slices"

// poolsAtHand is the number of pools whose figures need no allocation.
const poolsAtHand = 16

// joint reports whether there are tests of all chosen nodes together.
func (s *search) joint() bool { return s.devices || len(s.nets) > 0 }

// networks are, for each network of the VM that is near to some nodes, those nodes.
// A network near to none binds nobody, and none binds a VM without
// cells. Only Nova knows this.
func networks(h *Host, r *Request, rules Rules) []uint64 {
	if rules != Nova || len(r.Cells) == 0 || len(r.Physnets) == 0 && !r.Tunneled {
		return nil
	}
	out := make([]uint64, 0, len(r.Physnets)+1)
	for _, name := range r.Physnets {
		if near := h.nodesOf(name); near != 0 {
			out = append(out, near)
		}
	}
	if near := h.tunnelNodes(); r.Tunneled && near != 0 {
		out = append(out, near)
	}
	return out
}

// nodesOf are the nodes near to a physical network, by index in Host.Cells.
func (h *Host) nodesOf(physnet string) uint64 {
	near := uint64(0)
	for i := range h.Cells {
		if slices.Contains(h.Cells[i].Physnets, physnet) {
			near |= 1 << i
		}
	}
	return near
}

func (h *Host) tunnelNodes() uint64 {
	near := uint64(0)
	for i := range h.Cells {
		if h.Cells[i].Tunneled {
			near |= 1 << i
		}
	}
	return near
}

// agrees makes the tests of all chosen nodes together: devices, then networks.
func (s *search) agrees(chosen uint64) bool {
	for _, near := range s.nets {
		if near&chosen == 0 {
			return false
		}
	}
	if !s.devices {
		return true
	}
	var buf [poolsAtHand]int
	d := s.devicesOf(s.h.freeDevices(buf[:0]))
	return d.all(s.r.Devices, chosen)
}

// hopeless says that a choice can't agree, whichever nodes come to it: a network is
// near to none, or there are too few devices near enough.
func (s *search) hopeless(c choice) bool {
	for _, near := range s.nets {
		if near&(c.chosen|c.others) == 0 {
			return true
		}
	}
	if !s.devices {
		return false
	}
	var buf [poolsAtHand]int
	d := s.devicesOf(s.h.freeDevices(buf[:0]))
	return d.scarce(s.r.Devices, c)
}

func (s *search) devicesOf(free []int) devices {
	return devices{h: s.h, rules: s.rules, relaxed: s.relaxed, anywhere: s.n == 0, free: free}
}

// freeDevices are the free devices by pool.
func (h *Host) freeDevices(dst []int) []int {
	for i := range h.Pools {
		dst = append(dst, h.Pools[i].Free)
	}
	return dst
}

// asksDevices reports whether the VM asks for any.
func asksDevices(r *Request) bool {
	return slices.ContainsFunc(r.Devices, func(d DeviceRequest) bool { return d.Count > 0 })
}
