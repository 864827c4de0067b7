package cloud

// sim is a cloud that VMs come to, one after the other. It is kept as sets of
// hosts by state.
type sim struct {
	c      *Cloud
	states *hostStates
	// of is the state of each host; -1 is a host that has failed.
	of []int32
	// sets are the hosts of each state in Nova's order; live the states that have any.
	sets []hostSet
	live []int32
	// slot is the place of a state in live.
	slot []int32
	// byWeight are the states in live by what weighers see of them.
	byWeight statesByWeight
	// members counts the VMs of each group by host, groupsOf are the groups with VMs on
	// a host, and groupHosts the hosts of each group by what a choice can tell apart.
	members    []map[int32]int
	groupsOf   [][]int32
	groupHosts []*groupHosts
	// vms on each host in the order in which they came, by server type.
	vms [][]int32
	// journal of what to undo; nil keeps none.
	journal []step
	trial   bool
	scratch chooser
}

// step is a change: a VM of a server type came to a host that was in the state before (or
// the host failed).
type step struct {
	host, before int32
	server       int32 // -1 is a failure
}

// newSim is a cloud of the first n hosts, without a VM.
func newSim(c *Cloud, states *hostStates, n int) *sim {
	s := &sim{c: c, states: states, of: make([]int32, n), vms: make([][]int32, n), groupsOf: make([][]int32, n),
		members: make([]map[int32]int, len(c.groups)), groupHosts: make([]*groupHosts, len(c.groups))}
	for i := range s.members {
		s.members[i], s.groupHosts[i] = map[int32]int{}, newGroupHosts()
	}
	for i := range n {
		id := states.empty[c.hosts[i].typeInZone]
		s.of[i] = id
		s.enter(int32(i), id)
	}
	return s
}

// state is that of a host.
func (s *sim) state(host int32) *hostState { return &s.states.list[s.of[host]] }

// enter puts a host into the set of a state, leave takes it out.
func (s *sim) enter(host, id int32) {
	for int(id) >= len(s.sets) {
		s.sets = append(s.sets, hostSet{})
		s.slot = append(s.slot, 0)
	}
	if s.sets[id].empty() {
		s.live = put(s.live, s.slot, id)
		s.byWeight.add(id, s.states.list[id].weighing)
	}
	s.sets[id].add(host)
}

func (s *sim) leave(host, id int32) {
	s.sets[id].remove(host)
	if !s.sets[id].empty() {
		return
	}
	s.byWeight.remove(id, s.states.list[id].weighing)
	s.live = take(s.live, s.slot, id)
}

// move takes a host to another state.
func (s *sim) move(host, to int32) {
	s.leave(host, s.of[host])
	s.leaveGroups(host, s.of[host])
	s.of[host] = to
	s.enter(host, to)
	s.joinGroups(host, to)
}

// put makes a VM run on a host that takes it, and returns the state that the host
// was in.
func (s *sim) put(k int32, host int32) int32 {
	return s.putOn(k, host, s.states.after(s.of[host], s.c.servers[k].spec))
}

// putOn is put where the state that the host comes to is known.
func (s *sim) putOn(k, host, after int32) int32 {
	before := s.of[host]
	st := &s.c.servers[k]
	s.move(host, after)
	s.vms[host] = append(s.vms[host], k)
	if st.group >= 0 {
		s.member(st.group, host, 1)
	}
	if s.trial {
		s.journal = append(s.journal, step{host, before, k})
	} else if s.sets[before].empty() && len(s.states.list) > mostStates && !s.states.isEmpty(before) {
		s.states.retire(before)
	}
	return before
}

// mostStates is how many states are kept before those without hosts are forgotten.
const mostStates = 30_000

// fail takes a host away with its VMs, which are returned in the order in which
// they came. Only a trial may do so.
func (s *sim) fail(host int32) []int32 {
	before := s.of[host]
	s.leave(host, before)
	s.leaveGroups(host, before)
	s.of[host] = -1
	for _, k := range s.vms[host] {
		if g := s.c.servers[k].group; g >= 0 {
			s.member(g, host, -1)
		}
	}
	s.journal = append(s.journal, step{host, before, -1})
	return s.vms[host]
}

// try runs something and takes back what it did to the cloud.
func (s *sim) try(do func()) {
	outer, mark := s.trial, len(s.journal)
	s.trial = true
	do()
	for len(s.journal) > mark {
		last := s.journal[len(s.journal)-1]
		s.journal = s.journal[:len(s.journal)-1]
		s.undo(last)
	}
	s.trial = outer
}

func (s *sim) undo(st step) {
	if st.server < 0 {
		for _, k := range s.vms[st.host] {
			if g := s.c.servers[k].group; g >= 0 {
				s.member(g, st.host, 1)
			}
		}
		s.of[st.host] = st.before
		s.enter(st.host, st.before)
		s.joinGroups(st.host, st.before)
		return
	}
	s.move(st.host, st.before)
	s.vms[st.host] = s.vms[st.host][:len(s.vms[st.host])-1]
	if g := s.c.servers[st.server].group; g >= 0 {
		s.member(g, st.host, -1)
	}
}
