package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// strandings are what is free and of no use to any VM of the scenario.
func (r *run) strandings() {
	s := stranded{run: r, amount: map[strand]int64{}}
	s.idle()
	for _, id := range r.s.live {
		if r.full(id) {
			s.host(id, int64(r.s.sets[id].size()))
		}
	}
	for key, n := range s.amount {
		r.p.Stranding = append(r.p.Stranding,
			v1alpha1.Stranding{Resource: key.resource, Amount: n, Unit: key.unit, Why: key.why})
	}
	slices.SortFunc(r.p.Stranding, func(a, b v1alpha1.Stranding) int {
		return cmp.Or(cmp.Compare(a.Unit, b.Unit), cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Why, b.Why))
	})
}

// stranded adds up what is of no use, by reason.
type stranded struct {
	*run
	amount map[strand]int64
}

type strand struct{ resource, unit, why string }

func (s *stranded) add(resource, unit, why string, n int64) {
	if n > 0 {
		s.amount[strand{resource, unit, why}] += n
	}
}

const threads = "threads"

// idle counts the threads that a policy keeps unused beside its vCPUs.
func (s *stranded) idle() {
	type each struct {
		idle int64
		why  string
	}
	if !s.idles() {
		return
	}
	seen := map[likeness]each{}
	for host := range s.c.hosts {
		h := int32(host)
		key := s.likeness(h)
		e, known := seen[key]
		if !known {
			s.replay(h, func(_ int, k int32, at *vmPlace) {
				for i := range at.fit.Cells {
					if n := at.fit.Cells[i].Idle.Len(); n > 0 {
						e.idle += int64(n)
						e.why = s.c.request(k).ThreadPolicy
					}
				}
			})
			seen[key] = e
		}
		if e.idle > 0 {
			s.add(threads, threads, e.why+" keeps the other threads of its cores unused", e.idle)
		}
	}
}

// idles reports whether any VM may keep threads unused.
func (s *stranded) idles() bool {
	return slices.ContainsFunc(s.c.specs, func(rs requestSpec) bool {
		return rs.request.ThreadPolicy == nova.Isolate || rs.request.ThreadPolicy == nova.Require && s.c.rules == nova.HCG40
	})
}

// host adds what is free on so many hosts of a state on which no VM fits.
func (s *stranded) host(id int32, hosts int64) {
	h := s.states.list[id].host
	for i := range h.Cells {
		c := &h.Cells[i]
		free := c.Dedicated.Minus(c.Pinned)
		if n := int64(free.Len()); n > 0 {
			s.add(threads, threads, s.whyThreads(id, c, free), n*hosts)
			continue
		}
		for _, p := range c.Pages {
			if left := p.Free() * p.Size; left > 0 && len(c.Pages) > 1 && p.Size > int64(smallPage/unit.KiB) {
				s.add(fmt.Sprintf("%s pages on node %d", pageWord(nova.PageSize(p.Size)), c.ID), "bytes",
					fmt.Sprintf("no CPU is free on node %d, where the pages are", c.ID), int64(unit.Bytes(left)*unit.KiB)*hosts)
			}
		}
		for _, p := range h.Pools {
			if p.Node == c.ID && p.Free > 0 {
				s.add(fmt.Sprintf("%s on node %d", p.Kind, c.ID), "devices",
					fmt.Sprintf("no CPU is free on node %d, where the devices are", c.ID), int64(p.Free)*hosts)
			}
		}
	}
}

// whyThreads says why nobody takes the free threads of a node of a state.
func (s *stranded) whyThreads(id int32, c *nova.HostCell, free unit.CPUSet) string {
	if n := s.odd(id); n > 0 {
		for _, core := range c.Siblings {
			if f := core.Intersect(free); !f.IsEmpty() && f != core {
				return fmt.Sprintf("require with %s leaves one thread of a core that no require VM takes", words.Count(n, "vCPU"))
			}
		}
	}
	memory := int64(0)
	for _, p := range c.Pages {
		memory += p.Free() * p.Size
	}
	least, cpus := s.smallest()
	switch {
	case int64(free.Len()) < int64(cpus):
		return fmt.Sprintf("%s on node %d are fewer than any NUMA node of a VM needs",
			words.Count(free.Len(), "free thread"), c.ID)
	case memory < least*1024:
		return fmt.Sprintf("no memory is left on node %d for another VM", c.ID)
	}
	return fmt.Sprintf("node %d lacks what goes with them: pages, devices or whole cores", c.ID)
}

// odd is the number of vCPUs of a VM on hosts of a state that requires siblings and
// leaves a thread of one of its cores; 0 without one.
func (s *stranded) odd(id int32) int {
	for _, k := range s.s.vms[s.s.sets[id].first()] {
		q := s.c.request(k)
		for i := range q.Cells {
			if q.ThreadPolicy == nova.Require && q.Cells[i].PCPUs.Len()%2 == 1 {
				return q.VCPUs
			}
		}
	}
	return 0
}

// smallest is the least memory in MiB, and the fewest pinned vCPUs, of a NUMA node
// of any VM.
func (s *stranded) smallest() (memory int64, cpus int) {
	memory, cpus = 1<<62, 1<<30
	for i := range s.c.specs {
		q := s.c.specs[i].request
		for j := range q.Cells {
			memory, cpus = min(memory, q.Cells[j].Memory), min(cpus, q.Cells[j].PCPUs.Len())
		}
	}
	return memory, cpus
}
