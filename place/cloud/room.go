package cloud

import "plimsoll.dev/place/nova"

// room counts how many more VMs fit.
type room struct {
	*run
	// perHost is how many more of a spec one host of a state takes, -1 where counting ended.
	perHost map[[2]int32]int
	// known are the answers by equivalence.
	known map[int]answer
	// steps are the VMs that were put on trial hosts.
	steps int
}

// mostCounted bounds the trial VMs of all counts of room together.
const mostCounted = 600_000

func newRoom(r *run) *room {
	return &room{run: r, perHost: map[[2]int32]int{}, known: map[int]answer{}}
}

// of is how many more VMs of a server type fit now; short says that there are at least so
// many. VMs don't move, so hosts can be counted one by one.
func (m *room) of(k int32) (n int, short bool) {
	st := &m.c.servers[k]
	a, known := m.known[st.equivalence]
	if !known {
		a.n, a.short = m.count(st)
		m.known[st.equivalence] = a
	}
	return a.n, a.short
}

type answer struct {
	n     int
	short bool
}

func (m *room) count(st *serverType) (n int, short bool) {
	if st.group >= 0 {
		return m.ofGroup(st)
	}
	for _, id := range m.s.live {
		each, all := m.perHostOf(id, st.spec)
		n += each * m.s.sets[id].size()
		short = short || !all
	}
	return n, short
}

// ofGroup counts within the group's rule. The first VM of a group that stays together
// takes all others to its host.
func (m *room) ofGroup(st *serverType) (n int, short bool) {
	g, members := &m.c.groups[st.group], m.s.members[st.group]
	m.eachUnlike(st, func(host int32, hosts int) {
		each, all := m.perHostOf(m.s.of[host], st.spec)
		short = short || !all
		each = min(each, m.s.groupRoom(st.group, members[host]))
		if g.Policy == affinity && len(members) == 0 {
			n = max(n, each)
		} else {
			n += hosts * each
		}
	})
	return n, short
}

// perHostOf is how many more VMs one host of a state takes.
func (m *room) perHostOf(id int32, spec int) (n int, all bool) {
	key := [2]int32{id, int32(spec)}
	if n, known := m.perHost[key]; known {
		return n, true
	}
	if !m.states.takes(id, spec) {
		m.perHost[key] = 0
		return 0, true
	}
	if m.steps >= mostCounted {
		return 1, false
	}
	state, rs := &m.states.list[id], &m.c.specs[spec]
	ht := m.c.typeAt(state.typeInZone)
	disk := ht.takes(rs.disk)
	left := int64(-1)
	if disk > 0 && !ht.diskUnstated {
		left = (ht.disk - state.used.disk) / disk
	}
	n = m.fill(state.host.Clone(), rs.request, left)
	m.perHost[key] = n
	return n, true
}

// fill puts VMs on a host until no more fit, or so many (-1 is no limit).
func (m *room) fill(h *nova.Host, q *nova.Request, most int64) int {
	n := 0
	for (most < 0 || int64(n) < most) && n < mostCounted {
		f, ok := h.Fit(q, m.c.rules)
		if !ok || m.c.overdrawn(h, q) != "" {
			break
		}
		h.Claim(q, f)
		n++
	}
	m.steps += n
	return n
}
