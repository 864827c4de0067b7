package cloud

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/whatif"
)

// run is one placement in the making.
type run struct {
	c   *Cloud
	s   *sim
	cl  *classes
	opt Options
	p   *v1alpha1.ServerPlacement
	// placed, refused and bound count VMs by kind; next numbers them.
	placed, refused, bound, next []int
	// went are the VMs that run, in the order in which they were placed.
	went []vm
	// hopeless are the sorts of VMs of which one found no host.
	hopeless []bool
	// stuck are VMs that do not fit where they are said to run, by kind.
	stuck map[int32]string
	// chosen are the NUMA nodes of VMs that run where the rules would not have come to,
	// by host and number on it.
	chosen map[[2]int32]uint64
	// seats of VMs, by class and ask.
	seats map[seatKey]*seat
	// machines by host, from 1.
	machines map[int32]int
	stopped  bool
}

// vm is a VM that runs.
type vm struct {
	kind, host int32
	// number of the VM among those of its kind, from 1; nth on its host, from 0.
	number, nth int32
}

func newRun(c *Cloud, opt Options) *run {
	cl := newClasses(c)
	n := len(c.kinds)
	return &run{c: c, cl: cl, s: newSim(c, cl, len(c.hosts)), opt: opt, placed: make([]int, n), refused: make([]int, n), bound: make([]int, n),
		next: make([]int, n), hopeless: make([]bool, c.sorts), stuck: map[int32]string{}, chosen: map[[2]int32]uint64{}, seats: map[seatKey]*seat{}, machines: map[int32]int{}}
}

// all binds the VMs that run already, and then places the others.
func (r *run) all() {
	r.bindAll()
	const every = 1 << 12
	for i, k := range r.c.arrivals(r.c.s.Scheduling.Order) {
		r.place(k)
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

// place chooses a host for a VM. One that found none is not tried again by the
// next that asks for the same in the same group: nothing has become free meanwhile.
func (r *run) place(k int32) {
	host := int32(-1)
	sort := r.c.kinds[k].sort
	if !r.hopeless[sort] {
		host = r.s.choose(k)
	}
	if host < 0 {
		r.hopeless[sort] = true
		r.next[k]++
		r.refused[k]++
		return
	}
	r.settle(k, host)
}

func (r *run) settle(k, host int32) { r.settleOn(k, host, 0) }

// settleOn lets a VM run on some NUMA nodes of a host; 0 are those that the rules
// come to.
func (r *run) settleOn(k, host int32, nodes uint64) {
	nth := int32(len(r.s.vms[host]))
	if nodes == 0 {
		r.s.put(k, host)
	} else {
		r.s.putOn(k, host, r.cl.afterOn(r.s.of[host], r.c.kinds[k].ask, nodes))
		r.chosen[[2]int32{host, nth}] = nodes
	}
	r.next[k]++
	r.placed[k]++
	r.went = append(r.went, vm{kind: k, host: host, number: int32(r.next[k]), nth: nth})
}

// name of a VM.
func (r *run) name(v vm) string { return r.c.vmName(v.kind, int(v.number)) }

// vmName is the name of the n-th VM of a kind, from 1.
func (c *Cloud) vmName(k int32, n int) string {
	sv := c.kinds[k].server
	if sv.Count == 1 {
		return sv.Name
	}
	return machine.Name(sv.Name, n-1)
}

// hostName is the name of a host.
func (c *Cloud) hostName(host int32) string { return c.hosts[host].name }

// hostNames are hosts in words.
func (c *Cloud) hostNames(hosts []int) string {
	return list(whatif.Names(hosts, func(h int) string { return c.hostName(int32(h)) }))
}
