package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// seat is the place of a VM on a host as it was before the VM came. Hosts of a class
// are alike, so VMs that ask for the same on them have the same seat.
type seat struct {
	before *nova.Host
	fit    *nova.Fit
	// told are VMs there, by what their flavors make of the words.
	told map[manner]*v1alpha1.PlacedServer
}

type seatKey struct {
	class int32
	ask   int
	nodes uint64
}

// manner is what besides its seat is told of a VM.
type manner struct {
	flavor *v1alpha1.Flavor
	bound  bool
}

// told is a VM of a kind on a seat, without its name and host.
func (r *run) told(k int32, at *seat) *v1alpha1.PlacedServer {
	kd := &r.c.kinds[k]
	m := manner{kd.flavor, kd.host >= 0}
	p := at.told[m]
	if p == nil {
		p = r.server(k, at.before, at.fit)
		if at.told == nil {
			at.told = map[manner]*v1alpha1.PlacedServer{}
		}
		at.told[m] = p
	}
	return p
}

// replay tells the VMs of a host with their seats, in the order in which they came,
// and returns the host as it is then.
func (r *run) replay(host int32, tell func(nth int, k int32, at *seat)) *nova.Host {
	if len(r.went) > mostTold {
		return r.replayOne(host, tell)
	}
	id := r.cl.empty[r.c.hosts[host].base]
	for nth, k := range r.s.vms[host] {
		key := seatKey{id, r.c.kinds[k].ask, r.chosen[[2]int32{host, int32(nth)}]}
		at := r.seats[key]
		if at == nil {
			at = r.seat(r.cl.list[id].host, key)
			r.seats[key] = at
		}
		tell(nth, k, at)
		if key.nodes == 0 {
			id = r.cl.after(id, key.ask)
		} else {
			id = r.cl.afterOn(id, key.ask, key.nodes)
		}
	}
	return r.cl.list[id].host
}

// replayOne is replay on a host of its own: of many VMs not every class is kept.
func (r *run) replayOne(host int32, tell func(nth int, k int32, at *seat)) *nova.Host {
	h := r.c.ware(int(host)).empty
	if len(r.s.vms[host]) > 0 {
		h = h.Clone()
	}
	for nth, k := range r.s.vms[host] {
		key := seatKey{-1, r.c.kinds[k].ask, r.chosen[[2]int32{host, int32(nth)}]}
		at := r.seat(h, key)
		tell(nth, k, at)
		h.Claim(r.c.asks[key.ask].request, at.fit)
	}
	return h
}

func (r *run) seat(h *nova.Host, key seatKey) *seat {
	fit, ok := fitOn(h, r.c.asks[key.ask].request, r.c.rules, key.nodes)
	if !ok {
		panic("cloud: a VM does not fit where it was placed")
	}
	return &seat{before: h, fit: fit}
}
