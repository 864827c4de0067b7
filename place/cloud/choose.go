package cloud

import "math"

// Policies of server groups.
const (
	affinity         = "affinity"
	antiAffinity     = "anti-affinity"
	softAffinity     = "soft-affinity"
	softAntiAffinity = "soft-anti-affinity"
)

// pack is the host strategy that fills the fullest host first.
const packHosts = "pack"

// candidate is a host that passes the filters: the first of its state that does,
// for all of them; or a weighing that has such hosts, by its index.
type candidate struct {
	host  int32
	w     weights
	group float64
}

// chooser holds the candidates of one choice.
type chooser struct{ list []candidate }

// choose is the host that a VM of a server type goes to: of those that pass the filters
// the one with the highest weight, the first in order among equals; -1 when none
// passes.
func (s *sim) choose(k int32) int32 {
	st := &s.c.servers[k]
	ch := &s.scratch
	ch.list = ch.list[:0]
	if st.group >= 0 {
		s.groupCandidates(st)
		return ch.best(s.groupWeight(st), s.c.packs(), func(c *candidate) int32 { return c.host })
	}
	for _, id := range s.byWeight.live {
		if s.anyTakes(id, st.spec) {
			ch.list = append(ch.list, candidate{host: id, w: s.states.weighings[id]})
		}
	}
	return ch.best(0, s.c.packs(), func(c *candidate) int32 { return s.firstOf(c.host, st.spec) })
}

// packs reports whether the weighers of memory and CPUs work the other way round.
func (c *Cloud) packs() bool { return c.s.Scheduling.HostStrategy == packHosts }

// groupWeight is how a group's members on a host weigh.
func (s *sim) groupWeight(st *serverType) float64 {
	if st.group >= 0 {
		switch s.c.groups[st.group].Policy {
		case softAffinity:
			return 1
		case softAntiAffinity:
			return -1
		}
	}
	return 0
}

// groupRoom is how many more of a group's VMs its policy lets on a host that has some.
func (s *sim) groupRoom(group, vms int) int {
	switch g := &s.c.groups[group]; {
	case g.Policy == antiAffinity:
		return max(0, max(1, g.MaxServerPerHost)-vms)
	case g.Policy == affinity && vms == 0 && len(s.members[group]) > 0:
		return 0
	}
	return math.MaxInt
}

// groupCandidates are those of a VM in a group: of each state the first host with
// each number of the group's VMs, and the first without.
func (s *sim) groupCandidates(st *serverType) {
	ch := &s.scratch
	for c, set := range s.groupHosts[st.group].byState {
		if s.groupRoom(st.group, int(c.vms)) > 0 && s.states.takes(c.state, st.spec) {
			ch.list = append(ch.list, candidate{host: set.first(), w: s.states.list[c.state].free, group: float64(c.vms)})
		}
	}
	if s.groupRoom(st.group, 0) == 0 {
		return
	}
	for _, id := range s.live {
		if !s.states.takes(id, st.spec) {
			continue
		}
		if host, n := s.outside(st.group, id); n > 0 {
			ch.list = append(ch.list, candidate{host: host, w: s.states.list[id].free})
		}
	}
}

// best weighs the candidates as Nova does: each weigher's values are normalised
// over the candidates, multiplied and added up, in the order of the weighers'
// names. first is the first host that a candidate stands for.
func (ch *chooser) best(group float64, pack bool, first func(*candidate) int32) int32 {
	if len(ch.list) == 0 {
		return -1
	}
	g, cpu, disk, pci, ram := ch.ranges(group)
	if pack {
		cpu.multiplier, ram.multiplier = -1, -1
	}
	best, most := int32(-1), math.Inf(-1)
	var leader *candidate // whose host is not looked for before it must be
	host := func() int32 {
		if best < 0 {
			best = first(leader)
		}
		return best
	}
	for i := range ch.list {
		c := &ch.list[i]
		sum := g.share(group * c.group)
		sum += cpu.share(c.w.cpu)
		sum += disk.share(c.w.disk)
		sum += pci.share(c.w.pci)
		sum += ram.share(c.w.ram)
		switch {
		case sum > most:
			best, most, leader = -1, sum, c
		case sum == most:
			best = min(host(), first(c))
		}
	}
	return host()
}

// ranges of each weigher's values. Those of CPUs, disk and RAM begin at 0, as Nova
// has it.
func (ch *chooser) ranges(group float64) (g, cpu, disk, pci, ram weigherRange) {
	first := &ch.list[0]
	g, pci = from(group*first.group), from(first.w.pci)
	cpu, disk, ram = from(0), from(0), from(0)
	for i := range ch.list {
		c := &ch.list[i]
		g.see(group * c.group)
		pci.see(c.w.pci)
		cpu.most, disk.most, ram.most = max(cpu.most, c.w.cpu), max(disk.most, c.w.disk), max(ram.most, c.w.ram)
	}
	return g, cpu, disk, pci, ram
}

// weigherRange is the least and the most of a weigher's values, and its multiplier.
type weigherRange struct{ least, most, multiplier float64 }

func from(v float64) weigherRange { return weigherRange{v, v, 1} }

func (r *weigherRange) see(v float64) { r.least, r.most = min(r.least, v), max(r.most, v) }

// share is what a value adds to a host's weight; nothing where all are equal.
func (r *weigherRange) share(v float64) float64 {
	if r.least == r.most {
		return 0
	}
	// Rounded between the two steps, as Nova does, whatever the processor could do in one.
	normal := (v - r.least) / (r.most - r.least)
	return float64(r.multiplier * normal)
}
