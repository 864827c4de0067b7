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
	pool, problems := newOpenPool(s, p)
	if len(problems) > 0 {
		return Needed{Homeless: -1}, problems
	}
	return pool.needed(), nil
}

// openPool is a cloud of as many equal hosts as one likes.
type openPool struct {
	c      *Cloud
	states *hostStates
	// vms is the number of VMs, which is also the most hosts.
	vms int
	// stop ends the search for Nova's need when it says so; may be nil.
	stop func() bool
}

// newDepot makes a cloud of empty hosts of a pool, one for each VM.
func newOpenPool(s *v1alpha1.Scenario, p Pool) (*openPool, []Problem) {
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
	pool := &openPool{c: c, vms: max(1, c.Wanted())}
	one := c.hosts[0]
	c.hosts = make([]host, pool.vms)
	for i := range c.hosts {
		c.hosts[i] = one
	}
	pool.states = newHostStates(c)
	return pool, nil
}

// fitsNowhere reports whether a server type has VMs that no host of the pool takes.
func (pool *openPool) fitsNowhere(k int) bool {
	st := &pool.c.servers[k]
	return st.server.Count > 0 && !pool.states.takes(pool.states.empty[0], st.spec)
}

// needed packs the VMs and proves a bound.
func (pool *openPool) needed() Needed {
	out := Needed{Homeless: -1}
	for k := range pool.c.servers {
		if pool.fitsNowhere(k) {
			r := &run{c: pool.c, states: pool.states}
			w := r.whyNotState(pool.states.empty[0], pool.c.servers[k].spec)
			out.Homeless, out.Reasons, out.Why = k, w.reasons, w.filter
			return out
		}
	}
	if pool.c.Wanted() == 0 {
		out.OK, out.Method = true, "there is no VM"
		return out
	}
	out.Floor, out.Method = pool.floor()
	out.Hosts, out.Homeless = pool.packed(out.Floor)
	if out.OK = out.Hosts > 0; !out.OK {
		group := pool.c.servers[out.Homeless].group
		out.Why = fmt.Sprintf("the server group %s does not fit on one host", pool.c.groups[group].Name)
	}
	return out
}

// packed is the fewest hosts found over a few orders of the server types and two ways to
// choose among hosts; it ends where the floor is met. When an order fails, the
// type that it fails at.
func (pool *openPool) packed(floor int) (best, homeless int) {
	homeless = -1
	for _, order := range pool.orders() {
		for _, fullest := range []bool{true, false} {
			most := pool.vms
			if best > 0 {
				most = best - 1 // no others are of use
			}
			n, stuck := pool.pack(order, fullest, most)
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

// orders of the server types that are tried: VMs that need most of something first. The
// groups that must stay together come first of all, while hosts are empty.
func (pool *openPool) orders() [][]int32 {
	size := pool.c.sizes()
	request := pool.c.request
	together := func(k int32) int {
		if g := pool.c.servers[k].group; g >= 0 && pool.c.groups[g].Policy == affinity {
			return 0
		}
		return 1
	}
	bySize := func(a, b int32) int { return cmp.Compare(size[b], size[a]) }
	keys := []func(a, b int32) int{
		bySize,
		func(a, b int32) int { return cmp.Or(cmp.Compare(pool.vmsPerHost(a), pool.vmsPerHost(b)), bySize(a, b)) },
		func(a, b int32) int {
			return cmp.Or(cmp.Compare(len(request(b).Cells), len(request(a).Cells)),
				cmp.Compare(request(b).VCPUs, request(a).VCPUs), bySize(a, b))
		},
		func(a, b int32) int { return cmp.Or(cmp.Compare(request(b).Memory, request(a).Memory), bySize(a, b)) },
	}
	var out [][]int32
	for _, key := range keys {
		types := make([]int32, len(pool.c.servers))
		for i := range types {
			types[i] = int32(i)
		}
		slices.SortStableFunc(types, func(a, b int32) int { return cmp.Or(cmp.Compare(together(a), together(b)), key(a, b)) })
		if !slices.ContainsFunc(out, func(o []int32) bool { return slices.Equal(o, types) }) {
			out = append(out, types)
		}
	}
	return out
}

// vmsPerHost is how many VMs of a server type one empty host takes.
func (pool *openPool) vmsPerHost(k int32) int {
	spec := pool.c.servers[k].spec
	id, n := pool.states.empty[0], 0
	for pool.states.takes(id, spec) && n < 64 {
		id = pool.states.after(id, spec)
		n++
	}
	return n
}

// pack places type by type on the fullest host that takes a VM (or the first), and
// counts the hosts; 0 when a VM finds none on so many, of the type stuck.
func (pool *openPool) pack(order []int32, fullest bool, most int) (hosts, stuck int) {
	s := newSim(pool.c, pool.states, most)
	var heads []int32
	for _, k := range order {
		st := &pool.c.servers[k]
		candidates := &candidateStates{sim: s, spec: st.spec, seen: map[int32]bool{}}
		candidates.add(s.live)
		for range st.server.Count {
			if st.group >= 0 {
				heads = s.groupHeads(st, heads[:0])
			} else {
				heads = candidates.heads(heads[:0])
			}
			host := s.fullest(heads, pool.states.empty[0], fullest)
			if host < 0 {
				return 0, int(k)
			}
			s.put(k, host)
			candidates.add(s.of[host : host+1])
		}
	}
	return most - s.sets[pool.states.empty[0]].size(), -1
}

// candidateStates are the states that take VMs of a type. Hosts only fill up while it
// is placed, so others than those that its own VMs bring about do not join them.
type candidateStates struct {
	*sim
	spec int
	list []int32
	seen map[int32]bool
}

// add adds states that take a VM.
func (t *candidateStates) add(states []int32) {
	for _, id := range states {
		if !t.seen[id] {
			t.seen[id] = true
			if t.states.takes(id, t.spec) {
				t.list = append(t.list, id)
			}
		}
	}
}

// heads adds the first host of each of them.
func (t *candidateStates) heads(hosts []int32) []int32 {
	for _, id := range t.list {
		if !t.sets[id].empty() {
			hosts = append(hosts, t.sets[id].first())
		}
	}
	return hosts
}

// groupHeads adds the hosts that the VM of a group may choose among.
func (s *sim) groupHeads(st *serverType, hosts []int32) []int32 {
	s.scratch.list = s.scratch.list[:0]
	s.groupCandidates(st)
	for _, c := range s.scratch.list {
		hosts = append(hosts, c.host)
	}
	return hosts
}

// fullest is the fullest of some hosts, or the first in order; an empty one only when
// there is no other, -1 of none.
func (s *sim) fullest(hosts []int32, empty int32, fullest bool) int32 {
	best, most := int32(-1), -1.0
	for _, host := range hosts {
		load := 0.0
		if id := s.of[host]; id == empty {
			load = -0.5
		} else if fullest {
			load = s.states.list[id].load
		}
		if load > most || load == most && host < best {
			best, most = host, load
		}
	}
	return best
}

// nova is the fewest hosts on which Nova's own choice places all VMs in the order
// of arrival; ok is false when not even one host for each VM does.
func (pool *openPool) nova(floor, start int) (n int, ok bool) {
	order := pool.c.arrivals(pool.c.s.Scheduling.Order)
	return whatif.Fewest(floor, start, pool.vms, func(n int) bool {
		if pool.stop != nil && pool.stop() {
			return false
		}
		s := newSim(pool.c, pool.states, n)
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
