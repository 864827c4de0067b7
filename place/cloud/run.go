package cloud

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/machine"
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
	// stuck are VMs that do not fit where they are said to run, by kind.
	stuck map[int32]string
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
		next: make([]int, n), stuck: map[int32]string{}, machines: map[int32]int{}}
}

// all binds the VMs that run already, and then places the others.
func (r *run) all() {
	for k := range r.c.kinds {
		if kd := &r.c.kinds[k]; kd.host >= 0 {
			for range kd.server.Count {
				r.bind(int32(k), int32(kd.host))
			}
		}
	}
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

// bind gives a VM that runs already its place on its host.
func (r *run) bind(k, host int32) {
	kd := &r.c.kinds[k]
	id := r.s.of[host]
	if !r.cl.list[id].host.Fits(r.c.asks[kd.ask].request, r.c.rules) {
		if r.stuck[k] == "" {
			r.stuck[k] = r.whyNot(k, host).detail()
		}
		r.next[k]++
		r.refused[k]++
		return
	}
	r.bound[k]++
	r.settle(k, host)
}

// place chooses a host for a VM. One that found none is not tried again by the
// next of its kind: nothing has become free meanwhile.
func (r *run) place(k int32) {
	host := int32(-1)
	if r.refused[k] == 0 {
		host = r.s.choose(k)
	}
	if host < 0 {
		r.next[k]++
		r.refused[k]++
		return
	}
	r.settle(k, host)
}

func (r *run) settle(k, host int32) {
	nth := int32(len(r.s.vms[host]))
	r.s.put(k, host)
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
func (c *Cloud) hostNames(hosts []int32) string {
	const most = 4
	var names []string
	for _, h := range hosts[:min(most, len(hosts))] {
		names = append(names, c.hostName(h))
	}
	if n := len(hosts) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return list(names)
}
