package nova

import "slices"

// devices tries requests for devices on what is free, one after the other as Nova
// does: each takes what it can have of the pools in their order, and leaves the
// rest to the next.
type devices struct {
	h     *Host
	rules Rules
	// relaxed lets what is only preferred be far away. The document and the fork try
	// everything strictly first; Nova does not.
	relaxed bool
	// anywhere lets all pools do: the VM has no NUMA topology.
	anywhere bool
	// free devices of each pool.
	free []int
	// taken by pool is kept where there is a place for it.
	taken *[]DeviceFit
}

// How a pool stands to the chosen nodes: on one of them, on a node that nobody
// knows, on another node of their sockets, elsewhere.
const (
	near = 1 << iota
	unknown
	sameSocket
	far
)

// policy that counts for a request in this pass.
func (d *devices) policy(q *DeviceRequest) string {
	p := q.Policy
	if p == "" {
		p = Required
		if d.rules == Nova {
			p = Legacy
		}
	}
	if p == Preferred && d.rules != Nova && !d.relaxed {
		p = Required
	}
	if p == Required && d.rules == StarlingX {
		p = Legacy // the fork accepts devices of unknown nodes
	}
	return p
}

// where says how the pool stands to the chosen nodes (a mask of the host's cells).
func (d *devices) where(p *DevicePool, chosen uint64) int {
	if p.Node < 0 {
		return unknown
	}
	socket, sockets, known := 0, uint64(0), false
	for i := range d.h.Cells {
		c := &d.h.Cells[i]
		if c.ID != p.Node {
			continue
		}
		if chosen>>i&1 == 1 {
			return near
		}
		socket, known = c.Socket, true
	}
	if !known {
		return far
	}
	for i := range d.h.Cells {
		if c := &d.h.Cells[i]; c.Socket < 0 {
			return far
		} else if chosen>>i&1 == 1 && c.Socket == socket {
			sockets++
		}
	}
	if sockets > 0 {
		return sameSocket
	}
	return far
}

// count is the number of free devices of a kind in pools that stand so.
func (d *devices) count(kind string, chosen uint64, allowed int) int {
	n := 0
	for i := range d.h.Pools {
		p := &d.h.Pools[i]
		if p.Kind == kind && d.where(p, chosen)&allowed != 0 {
			n += d.free[i]
		}
	}
	return n
}

// reach is how far away devices may be for the request: as near as there are
// enough, and no farther than its policy lets them. ok is false if there are too few.
func (d *devices) reach(q *DeviceRequest, chosen uint64) (allowed int, ok bool) {
	if d.anywhere {
		return near | unknown | far, d.count(q.Kind, 0, near|unknown|far) >= q.Count
	}
	if d.count(q.Kind, chosen, near) >= q.Count {
		return near, true
	}
	switch d.policy(q) {
	case Required:
		return near, false
	case Socket:
		allowed = near | sameSocket
		if d.h.unknownSockets() {
			allowed = 0
		}
		return allowed, d.count(q.Kind, chosen, allowed) >= q.Count
	}
	allowed = near | unknown
	if d.policy(q) == Legacy || d.count(q.Kind, chosen, allowed) >= q.Count {
		return allowed, d.count(q.Kind, chosen, allowed) >= q.Count
	}
	allowed |= sameSocket | far
	return allowed, d.count(q.Kind, chosen, allowed) >= q.Count
}

func (h *Host) unknownSockets() bool {
	for i := range h.Cells {
		if h.Cells[i].Socket < 0 {
			return true
		}
	}
	return false
}

// take satisfies one request, if it can.
func (d *devices) take(q *DeviceRequest, chosen uint64) bool {
	if q.Count <= 0 {
		return true
	}
	allowed, ok := d.reach(q, chosen)
	if !ok {
		return false
	}
	left := q.Count
	if allowed&far != 0 && !d.anywhere {
		left = d.from(q, chosen, near|unknown, left)
	}
	d.from(q, chosen, allowed, left)
	return true
}

// from takes devices from pools that stand so, in the pools' order.
func (d *devices) from(q *DeviceRequest, chosen uint64, allowed, left int) int {
	for i := 0; i < len(d.h.Pools) && left > 0; i++ {
		p := &d.h.Pools[i]
		n := min(left, d.free[i])
		if n <= 0 || p.Kind != q.Kind || d.where(p, chosen)&allowed == 0 {
			continue
		}
		d.free[i] -= n
		left -= n
		if d.taken != nil {
			*d.taken = record(*d.taken, i, n)
		}
	}
	return left
}

// record adds what was taken, in the order of the pools.
func record(taken []DeviceFit, pool, n int) []DeviceFit {
	at, found := slices.BinarySearchFunc(taken, pool, func(f DeviceFit, pool int) int { return f.Pool - pool })
	if !found {
		taken = slices.Insert(taken, at, DeviceFit{Pool: pool})
	}
	taken[at].Count += n
	return taken
}

// all satisfies all requests, or says that it can't.
func (d *devices) all(requests []DeviceRequest, chosen uint64) bool {
	for i := range requests {
		if !d.take(&requests[i], chosen) {
			return false
		}
	}
	return true
}
