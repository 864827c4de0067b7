package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
)

// vmPlace is the place of a VM on a host as it was before the VM came. Hosts of a state
// are alike, so VMs that ask for the same on them have the same place.
type vmPlace struct {
	before *nova.Host
	fit    *nova.Fit
	// told are VMs there, by what their flavors make of the words.
	told map[wording]*v1alpha1.PlacedServer
}

type placeKey struct {
	state int32
	spec  int
	nodes uint64
}

// wording is what besides its place is told of a VM.
type wording struct {
	flavor *v1alpha1.Flavor
	bound  bool
}

// told is a VM of a type in its place, without its name and host.
func (r *run) told(k int32, at *vmPlace) *v1alpha1.PlacedServer {
	st := &r.c.servers[k]
	m := wording{st.flavor, st.host >= 0}
	p := at.told[m]
	if p == nil {
		p = r.server(k, at.before, at.fit)
		if at.told == nil {
			at.told = map[wording]*v1alpha1.PlacedServer{}
		}
		at.told[m] = p
	}
	return p
}

// replay tells the VMs of a host with their places, in the order in which they came,
// and returns the host as it is then.
func (r *run) replay(host int32, tell func(nth int, k int32, at *vmPlace)) *nova.Host {
	if len(r.running) > mostTold {
		return r.replayOne(host, tell)
	}
	id := r.states.empty[r.c.hosts[host].typeInZone]
	for nth, k := range r.s.vms[host] {
		key := placeKey{id, r.c.servers[k].spec, r.chosen[[2]int32{host, int32(nth)}]}
		at := r.places[key]
		if at == nil {
			at = r.place(r.states.list[id].host, key)
			r.places[key] = at
		}
		tell(nth, k, at)
		if key.nodes == 0 {
			id = r.states.after(id, key.spec)
		} else {
			id = r.states.afterOn(id, key.spec, key.nodes)
		}
	}
	return r.states.list[id].host
}

// replayOne is replay on a host of its own: of many VMs not every state is kept.
func (r *run) replayOne(host int32, tell func(nth int, k int32, at *vmPlace)) *nova.Host {
	h := r.c.typeOf(int(host)).empty
	if len(r.s.vms[host]) > 0 {
		h = h.Clone()
	}
	for nth, k := range r.s.vms[host] {
		key := placeKey{-1, r.c.servers[k].spec, r.chosen[[2]int32{host, int32(nth)}]}
		at := r.place(h, key)
		tell(nth, k, at)
		h.Claim(r.c.specs[key.spec].request, at.fit)
	}
	return h
}

func (r *run) place(h *nova.Host, key placeKey) *vmPlace {
	fit, ok := fitOn(h, r.c.specs[key.spec].request, r.c.rules, key.nodes)
	if !ok {
		panic("cloud: a VM does not fit where it was placed")
	}
	return &vmPlace{before: h, fit: fit}
}
