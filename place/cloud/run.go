package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/whatif"
)

// run is one placement in the making.
type run struct {
	c      *Cloud
	s      *sim
	states *hostStates
	opt    Options
	p      *v1alpha1.ServerPlacement
	// placed, refused and bound count VMs by server type; next numbers them.
	placed, refused, bound, next []int
	// running are the VMs that run, in the order in which they were placed.
	running []vm
	// noValidHost are the equivalences of VMs of which one found no host.
	noValidHost []bool
	// misfits are VMs that do not fit where they are said to run, by server type.
	misfits map[int32]string
	// chosen are the NUMA nodes of VMs that run where the rules would not have come to,
	// by host and number on it.
	chosen map[[2]int32]uint64
	// places of VMs, by state and spec.
	places map[placeKey]*vmPlace
	// machines by host, from 1.
	machines map[int32]int
	stopped  bool
}

// vm is a VM that runs.
type vm struct {
	server, host int32
	// number of the VM among those of its type, from 1; nth on its host, from 0.
	number, nth int32
}

func newRun(c *Cloud, opt Options) *run {
	states := newHostStates(c)
	n := len(c.servers)
	return &run{c: c, states: states, s: newSim(c, states, len(c.hosts)), opt: opt,
		placed: make([]int, n), refused: make([]int, n), bound: make([]int, n), next: make([]int, n),
		noValidHost: make([]bool, c.equivalences), misfits: map[int32]string{}, chosen: map[[2]int32]uint64{},
		places: map[placeKey]*vmPlace{}, machines: map[int32]int{}}
}

// all binds the VMs that run already, and then places the others.
func (r *run) all() {
	r.bindAll()
	const every = 1 << 12
	for i, k := range r.c.arrivals(r.c.s.Scheduling.Order) {
		r.schedule(k)
		if i%every == every-1 {
			if r.opt.Progress != nil {
				r.opt.Progress(i + 1)
			}
			if r.opt.Stop != nil && r.opt.Stop() {
				r.stopped = true
				return
			}
		}
	}
}

// schedule chooses a host for a VM.
func (r *run) schedule(k int32) {
	host := r.s.chooseUnless(r.noValidHost, k)
	if host < 0 {
		r.next[k]++
		r.refused[k]++
		return
	}
	r.start(k, host)
}

// chooseUnless chooses a host for a VM, -1 is none. One that asks for the same in the
// same group as one that found none is not tried: nothing has become free meanwhile.
func (s *sim) chooseUnless(noValidHost []bool, k int32) int32 {
	equivalence := s.c.servers[k].equivalence
	if noValidHost[equivalence] {
		return -1
	}
	host := s.choose(k)
	noValidHost[equivalence] = host < 0
	return host
}

func (r *run) start(k, host int32) { r.startOn(k, host, 0) }

// startOn lets a VM run on some NUMA nodes of a host; 0 are those that the rules
// come to.
func (r *run) startOn(k, host int32, nodes uint64) {
	nth := int32(len(r.s.vms[host]))
	if nodes == 0 {
		r.s.put(k, host)
	} else {
		r.s.putOn(k, host, r.states.afterOn(r.s.of[host], r.c.servers[k].spec, nodes))
		r.chosen[[2]int32{host, nth}] = nodes
	}
	r.next[k]++
	r.placed[k]++
	r.running = append(r.running, vm{server: k, host: host, number: int32(r.next[k]), nth: nth})
}

// name of a VM.
func (r *run) name(v vm) string { return r.c.vmName(v.server, int(v.number)) }

// vmName is the name of the n-th VM of a server type, from 1.
func (c *Cloud) vmName(k int32, n int) string {
	sv := c.servers[k].server
	if sv.Count == 1 {
		return sv.Name
	}
	return machine.Name(sv.Name, n-1)
}

// hostName is the name of a host.
func (c *Cloud) hostName(host int32) string { return c.hosts[host].name }

// hostNames are hosts in words.
func (c *Cloud) hostNames(hosts []int) string {
	return words.And(whatif.Names(hosts, func(h int) string { return c.hostName(int32(h)) }))
}
