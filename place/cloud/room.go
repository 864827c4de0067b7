package cloud

import "plimsoll.dev/place/nova"

// room counts how many more VMs fit.
type room struct {
	*run
	// chain is how many more of an ask one host of a class takes, -1 where counting ended.
	chain map[[2]int32]int
	// known are the answers by sort.
	known map[int]answer
	// steps are the VMs that were put on trial hosts.
	steps int
}

// mostCounted bounds the trial VMs of all counts of room together.
const mostCounted = 600_000

func newRoom(r *run) *room { return &room{run: r, chain: map[[2]int32]int{}, known: map[int]answer{}} }

// of is how many more VMs of a kind fit now; short says that there are at least so
// many. VMs don't move, so hosts can be counted one by one.
func (m *room) of(k int32) (n int, short bool) {
	kd := &m.c.kinds[k]
	a, known := m.known[kd.sort]
	if !known {
		a.n, a.short = m.count(kd)
		m.known[kd.sort] = a
	}
	return a.n, a.short
}

type answer struct {
	n     int
	short bool
}

func (m *room) count(kd *kind) (n int, short bool) {
	if kd.group >= 0 {
		return m.ofGroup(kd)
	}
	for _, id := range m.s.live {
		each, all := m.on(id, kd.ask)
		n += each * m.s.sets[id].size()
		short = short || !all
	}
	return n, short
}

// ofGroup counts within the group's rule.
func (m *room) ofGroup(kd *kind) (n int, short bool) {
	g, members := &m.c.groups[kd.group], m.s.members[kd.group]
	single := 0
	m.eachUnlike(kd, func(host int32, hosts int) {
		each, all := m.on(m.s.of[host], kd.ask)
		short = short || !all
		switch g.Policy {
		case antiAffinity:
			n += hosts * max(0, min(each, max(1, g.MaxServerPerHost)-members[host]))
		case affinity:
			if members[host] > 0 {
				n += hosts * each
			} else if len(members) == 0 {
				single = max(single, each)
			}
		default:
			n += hosts * each
		}
	})
	return n + single, short
}

// on is how many more VMs one host of a class takes.
func (m *room) on(id int32, a int) (n int, all bool) {
	key := [2]int32{id, int32(a)}
	if n, known := m.chain[key]; known {
		return n, true
	}
	if !m.cl.takes(id, a) {
		m.chain[key] = 0
		return 0, true
	}
	if m.steps >= mostCounted {
		return 1, false
	}
	k, ask := &m.cl.list[id], &m.c.asks[a]
	w := &m.c.wares[m.c.bases[k.base].ware]
	disk := w.takes(ask.disk)
	left := int64(-1)
	if disk > 0 && !w.diskUnstated {
		left = (w.disk - k.used.disk) / disk
	}
	n = m.fill(k.host.Clone(), ask.request, left)
	m.chain[key] = n
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
