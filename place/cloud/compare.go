package cloud

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/whatif"
)

// compare says how many hosts the VMs would need of the type that there is most of.
func (r *run) compare() {
	if len(r.c.hostTypes) == 0 {
		return
	}
	most := 0
	for i := range r.c.hostTypes {
		if r.c.hostTypes[i].pool.Count > r.c.hostTypes[most].pool.Count {
			most = i
		}
	}
	ht := &r.c.hostTypes[most]
	pool, n, left := placeable(r.c.s, ht.pool)
	if !n.OK || n.Hosts == 0 {
		return
	}
	c := &v1alpha1.HostComparison{Floor: n.Floor, Method: n.Method, Packed: n.Hosts, Given: len(r.c.hosts),
		AtLeast: left > 0}
	if len(r.c.hostTypes) > 1 {
		c.Method = "hosts of type " + ht.node.Name + ": " + c.Method
	}
	pool.stop = r.opt.Stop
	need, ok := pool.nova(n.Floor, n.Hosts)
	if c.Nova = need; !ok {
		c.Nova, c.AtLeast = pool.vms, true
	}
	c.Advice = r.advice(c, ht)
	r.p.Comparison = c
}

// placeable leaves out the servers that fit on no host, so many.
func placeable(s *v1alpha1.Scenario, p Pool) (pool *openPool, n Needed, left int) {
	some := *s
	some.Workload.Servers = slices.Clone(s.Workload.Servers)
	for {
		pool, problems := newOpenPool(&some, p)
		if len(problems) > 0 {
			return nil, Needed{}, left
		}
		n := pool.needed()
		if n.OK || n.Homeless < 0 || some.Workload.Servers[n.Homeless].Count == 0 {
			return pool, n, left
		}
		for k := range pool.c.servers {
			if k == n.Homeless || pool.fitsNowhere(k) {
				some.Workload.Servers[k].Count = 0
				left++
			}
		}
	}
}

// advice says what follows from a comparison with hosts of a type. It claims no
// more than what was tried: the floor and the packed order hold for empty hosts of
// one type, whatever zones and VMs that run already demand.
func (r *run) advice(c *v1alpha1.HostComparison, ht *hostType) string {
	placed := !slices.ContainsFunc(r.refused, func(n int) bool { return n > 0 })
	switch {
	case len(r.c.hostTypes) > 1 && !placed:
		return fmt.Sprintf("of hosts of type %s alone, %s hold these VMs", ht.node.Name, words.Count(c.Packed, "empty host"))
	case len(r.c.hostTypes) > 1:
		return ""
	case !placed && c.Given < c.Floor:
		return fmt.Sprintf("%s can't hold these VMs in any way: at least %d more are needed", words.Count(c.Given, "host"),
			c.Floor-c.Given)
	case !placed && c.Given < c.Packed:
		return fmt.Sprintf("no way was found to place these VMs on %s; %s hold them", words.Count(c.Given, "host"),
			words.Count(c.Packed, "empty host"))
	case !placed && r.fitsPacked():
		return fmt.Sprintf("start the largest VMs first and fill the fullest hosts (hostStrategy: pack, order: "+
			"largestFirst): then the %s are enough", words.Count(c.Given, "host"))
	case !placed:
		return fmt.Sprintf("%s hold these VMs in a packed order that Nova's weighers do not come to by themselves",
			words.Count(c.Packed, "empty host"))
	case c.Nova > c.Packed:
		return fmt.Sprintf("the order of arrival needs %d more than the packed order", c.Nova-c.Packed)
	case c.Packed == c.Floor:
		return "the packed order needs no more than the proven floor"
	}
	return ""
}

// fitsPacked tries the VMs once more on the same hosts, the largest first and each on
// the fullest host.
func (r *run) fitsPacked() bool {
	s, c := *r.c.s, *r.c
	s.Scheduling.HostStrategy, s.Scheduling.Order = packHosts, whatif.LargestFirst
	c.s = &s
	again := newRun(&c, Options{Watch: whatif.Watch{Stop: r.opt.Stop}})
	again.all()
	return !again.stopped && !slices.ContainsFunc(again.refused, func(n int) bool { return n > 0 })
}
