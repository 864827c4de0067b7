package nova

import "math/bits"

// choice is a set of chosen nodes, to which so many more of others will come. Both
// are by index in Host.Cells.
type choice struct {
	chosen, others uint64
	more           int
}

// scarce says that the choice can't meet the requests, whichever nodes come. It may
// err to the good, but not where one request is left and no node is to come.
func (d *devices) scarce(requests []DeviceRequest, c choice) bool {
	for i := 0; i < len(requests) && !d.anywhere; i++ {
		if d.scarceKind(requests, requests[i].Kind, c) {
			return true
		}
	}
	return false
}

// scarceKind adds up the requests for one kind by policy: they draw on the same
// devices, so those that look no farther than some distance need that many there.
func (d *devices) scarceKind(requests []DeviceRequest, kind string, c choice) bool {
	strict, socket, legacy := 0, 0, 0
	for i := range requests {
		q := &requests[i]
		if q.Kind != kind || q.Count <= 0 {
			continue
		}
		switch d.policy(q) {
		case Required:
			strict += q.Count
		case Socket:
			socket += q.Count
		case Legacy:
			legacy += q.Count
		}
	}
	if !d.reaches(strict, kind, c, false) {
		return true
	}
	if socket > 0 && !d.reaches(strict+socket, kind, c, !d.h.unknownSockets()) {
		return true
	}
	return legacy > 0 && !d.reaches(strict+legacy-d.count(kind, 0, unknown), kind, c, false)
}

// reaches reports whether the choice can have so many free devices of a kind on its
// nodes, or anywhere on their sockets: the best of the others come.
func (d *devices) reaches(want int, kind string, c choice, sockets bool) bool {
	if want <= 0 {
		return true
	}
	var free [MaxNodes]int
	for i := range d.h.Pools {
		if p := &d.h.Pools[i]; p.Kind == kind {
			if k := d.h.indexOf(p.Node); k >= 0 {
				free[d.h.first(k, sockets)] += d.free[i]
			}
		}
	}
	if sockets {
		c.chosen, c.others = d.h.firsts(c.chosen), d.h.firsts(c.others)
	}
	for left := c.chosen; left != 0; left &= left - 1 {
		want -= free[bits.TrailingZeros64(left)]
	}
	left := c.others &^ c.chosen
	for ; c.more > 0 && left != 0 && want > 0; c.more-- {
		best := bits.TrailingZeros64(left)
		for rest := left; rest != 0; rest &= rest - 1 {
			if k := bits.TrailingZeros64(rest); free[k] > free[best] {
				best = k
			}
		}
		want -= free[best]
		left &^= 1 << best
	}
	return want <= 0
}

// indexOf is the index of a node in Cells; -1 if it is not there.
func (h *Host) indexOf(node int) int {
	for k := range h.Cells {
		if h.Cells[k].ID == node {
			return k
		}
	}
	return -1
}

// first is the first node of a node's socket, or the node itself.
func (h *Host) first(k int, sockets bool) int {
	for i := 0; sockets && i < k; i++ {
		if h.Cells[i].Socket == h.Cells[k].Socket {
			return i
		}
	}
	return k
}

// firsts are the first nodes of the sockets of some nodes.
func (h *Host) firsts(nodes uint64) uint64 {
	out := uint64(0)
	for ; nodes != 0; nodes &= nodes - 1 {
		out |= 1 << h.first(bits.TrailingZeros64(nodes), true)
	}
	return out
}
