package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
)

// Needed is the fewest equal hosts found (the packed order) that hold all VMs, and
// a proven lower bound, for a pool whose count is ignored. OK is false when some
// VM fits on no such host.
type Needed struct {
	Hosts, Floor int
	// Method says what proves the floor.
	Method string
	// Homeless is the index of the first server that fits on no host, -1 for none, with the reasons.
	Homeless int
	Reasons  []nova.Reason
	// Why is the reason where it is not one of NUMA nodes: an aggregate, local disk, a server group.
	Why string
	OK  bool
}

// HostsNeeded finds how many hosts of the pool the scenario's servers need. The
// hosts that servers run on already and zones don't count.
func HostsNeeded(s *v1alpha1.Scenario, p Pool) (Needed, []Problem) {
	d, problems := newDepot(s, p)
	if len(problems) > 0 {
		return Needed{Homeless: -1}, problems
	}
	return d.needed(), nil
}

// depot is a cloud of as many equal hosts as one likes.
type depot struct {
	c  *Cloud
	cl *classes
	// vms is the number of VMs, which is also the most hosts.
	vms int
	// stop ends the search for Nova's need when it says so; may be nil.
	stop func() bool
}

// newDepot makes a cloud of empty hosts of a pool, one for each VM.
func newDepot(s *v1alpha1.Scenario, p Pool) (*depot, []Problem) {
	unbound := *s
	unbound.Workload.Servers = slices.Clone(s.Workload.Servers)
	for i := range unbound.Workload.Servers {
		sv := &unbound.Workload.Servers[i]
		sv.Host, sv.AvailabilityZone = "", ""
	}
	p.Count = 1
	c, problems := New(&unbound, []Pool{p})
	if len(problems) > 0 {
		return nil, problems
	}
	d := &depot{c: c, vms: max(1, c.Wanted())}
	one := c.hosts[0]
	c.hosts = make([]host, d.vms)
	for i := range c.hosts {
		c.hosts[i] = one
	}
	d.cl = newClasses(c)
	return d, nil
}

// needed packs the VMs and proves a bound.
func (d *depot) needed() Needed {
	out := Needed{Homeless: -1}
	for k := range d.c.kinds {
		kd := &d.c.kinds[k]
		if kd.server.Count > 0 && !d.cl.takes(d.cl.empty[0], kd.ask) {
			r := &run{c: d.c, cl: d.cl}
			w := r.whyNotClass(d.cl.empty[0], kd.ask)
			out.Homeless, out.Reasons, out.Why = k, w.reasons, w.filter
			return out
		}
	}
	if d.c.Wanted() == 0 {
		out.OK, out.Method = true, "there is no VM"
		return out
	}
	out.Floor, out.Method = d.floor()
	out.Hosts, out.Homeless = d.packed(out.Floor)
	if out.OK = out.Hosts > 0; !out.OK {
		out.Why = fmt.Sprintf("the server group %s does not fit on one host", d.c.groups[d.c.kinds[out.Homeless].group].Name)
	}
	return out
}

// packed is the fewest hosts found over a few orders of the kinds and two ways to
// choose among hosts; it ends where the floor is met. When an order fails, the
// kind that it fails at.
func (d *depot) packed(floor int) (best, homeless int) {
	homeless = -1
	for _, order := range d.orders() {
		for _, fullest := range []bool{true, false} {
			most := d.vms
			if best > 0 {
				most = best - 1 // no others are of use
			}
			n, stuck := d.pack(order, fullest, most)
			switch {
			case n > 0:
				best = n
			case best == 0:
				homeless = stuck
			}
			if best > 0 && best <= floor {
				return best, -1
			}
		}
	}
	if best > 0 {
		homeless = -1
	}
	return best, homeless
}

// orders of the kinds that are tried: VMs that need most of something first. The
// groups that must stay together come first of all, while hosts are empty.
func (d *depot) orders() [][]int32 {
	size := d.c.sizes()
	request := func(k int32) *nova.Request { return d.c.asks[d.c.kinds[k].ask].request }
	together := func(k int32) int {
		if g := d.c.kinds[k].group; g >= 0 && d.c.groups[g].Policy == affinity {
			return 0
		}
		return 1
	}
	bySize := func(a, b int32) int { return cmp.Compare(size[b], size[a]) }
	keys := []func(a, b int32) int{
		bySize,
		func(a, b int32) int { return cmp.Or(cmp.Compare(d.homes(a), d.homes(b)), bySize(a, b)) },
		func(a, b int32) int {
			return cmp.Or(cmp.Compare(len(request(b).Cells), len(request(a).Cells)), cmp.Compare(request(b).VCPUs, request(a).VCPUs), bySize(a, b))
		},
		func(a, b int32) int { return cmp.Or(cmp.Compare(request(b).Memory, request(a).Memory), bySize(a, b)) },
	}
	var out [][]int32
	for _, key := range keys {
		kinds := make([]int32, len(d.c.kinds))
		for i := range kinds {
			kinds[i] = int32(i)
		}
		slices.SortStableFunc(kinds, func(a, b int32) int { return cmp.Or(cmp.Compare(together(a), together(b)), key(a, b)) })
		if !slices.ContainsFunc(out, func(o []int32) bool { return slices.Equal(o, kinds) }) {
			out = append(out, kinds)
		}
	}
	return out
}

// homes is how many VMs of a kind one empty host takes.
func (d *depot) homes(k int32) int {
	a := d.c.kinds[k].ask
	id, n := d.cl.empty[0], 0
	for d.cl.takes(id, a) && n < 64 {
		id = d.cl.after(id, a)
		n++
	}
	return n
}

// pack places kind by kind on the fullest host that takes a VM (or the first), and
// counts the hosts; 0 when a VM finds none on so many, of the kind stuck.
func (d *depot) pack(order []int32, fullest bool, most int) (hosts, stuck int) {
	s := newSim(d.c, d.cl, most)
	for _, k := range order {
		room := &taking{sim: s, ask: d.c.kinds[k].ask, seen: map[int32]bool{}}
		for n := range d.c.kinds[k].server.Count {
			host := int32(-1)
			switch {
			case d.c.kinds[k].group >= 0:
				host = s.chooseFullest(k, d.cl.empty[0], fullest)
			case n == 0:
				room.look(s.live)
				fallthrough
			default:
				host = room.choose(d.cl.empty[0], fullest)
			}
			if host < 0 {
				return 0, int(k)
			}
			s.put(k, host)
			room.look(s.of[host : host+1])
		}
	}
	return most - s.sets[d.cl.empty[0]].size(), -1
}

// taking are the classes that take VMs of a kind. Hosts only fill up while the kind
// is placed, so others than those that its own VMs bring about do not join them.
type taking struct {
	*sim
	ask  int
	list []int32
	seen map[int32]bool
}

// look adds classes that take a VM.
func (t *taking) look(classes []int32) {
	for _, id := range classes {
		if !t.seen[id] {
			t.seen[id] = true
			if t.cl.takes(id, t.ask) {
				t.list = append(t.list, id)
			}
		}
	}
}

// choose is chooseFullest among them.
func (t *taking) choose(empty int32, fullest bool) int32 {
	f := fullestHost{sim: t.sim, empty: empty, fullest: fullest, host: -1, load: -1}
	for _, id := range t.list {
		if !t.sets[id].empty() {
			f.see(t.sets[id].first())
		}
	}
	return f.host
}

// chooseFullest is the fullest host that takes a VM (or the first in order), an
// empty one when no other does.
func (s *sim) chooseFullest(k int32, empty int32, fullest bool) int32 {
	kd := &s.c.kinds[k]
	ch := &s.scratch
	ch.list = ch.list[:0]
	if kd.group >= 0 {
		s.groupCandidates(kd)
	} else {
		s.headCandidates(kd.ask)
	}
	f := fullestHost{sim: s, empty: empty, fullest: fullest, host: -1, load: -1}
	for _, c := range ch.list {
		f.see(c.host)
	}
	return f.host
}

// fullestHost is the fullest of the hosts that it has seen, or the first in order;
// an empty one only when there is no other.
type fullestHost struct {
	*sim
	empty   int32
	fullest bool
	host    int32
	load    float64
}

func (f *fullestHost) see(host int32) {
	load := 0.0
	if id := f.of[host]; id == f.empty {
		load = -0.5
	} else if f.fullest {
		load = f.cl.list[id].load
	}
	if load > f.load || load == f.load && host < f.host {
		f.host, f.load = host, load
	}
}

// nova is the fewest hosts on which Nova's own choice places all VMs in the order
// of arrival; ok is false when not even one host for each VM does.
func (d *depot) nova(floor, start int) (n int, ok bool) {
	order := d.c.arrivals(d.c.s.Scheduling.Order)
	return whatif.Fewest(floor, start, d.vms, func(n int) bool {
		if d.stop != nil && d.stop() {
			return false
		}
		s := newSim(d.c, d.cl, n)
		for _, k := range order {
			host := s.choose(k)
			if host < 0 {
				return false
			}
			s.put(k, host)
		}
		return true
	})
}
