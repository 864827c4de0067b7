package compute

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
	"plimsoll.dev/unit"
)

// Sizes of the pages that memory for VMs is split into; what is in neither pool is
// memory of 4 KiB pages.
const (
	Medium = 2 * unit.MiB
	Large  = unit.GiB
)

// Demand is the memory that VMs ask for by the size of its pages, in MiB.
type Demand struct {
	// Small pages of 4 KiB, Medium of 2 MiB and Large of 1 GiB are asked for by name.
	Small, Medium, Large int64
	// Any may have one of the large sizes.
	Any int64
}

// Total of the demand in MiB.
func (d Demand) Total() int64 { return d.Small + d.Medium + d.Large + d.Any }

// DemandOf sums up what the scenario's servers ask for. Servers whose flavor can't
// be read are left out: placement refuses them.
func DemandOf(s *v1alpha1.Scenario) Demand {
	var d Demand
	for i := range s.Workload.Servers {
		sv := &s.Workload.Servers[i]
		f, image := FlavorOf(s, sv)
		if f == nil {
			continue
		}
		r, _, errs := flavor.Request(f, image, sv.Ports, nova.Rules(cmp.Or(s.Scheduling.Rules, string(nova.HCG40))))
		if len(errs) > 0 {
			continue
		}
		if len(r.Cells) == 0 {
			d.Small += r.Memory * int64(sv.Count)
		}
		for _, c := range r.Cells {
			d.add(c.PageSize, c.Memory*int64(sv.Count))
		}
	}
	return d
}

// add counts memory of a page size. Without one, Nova draws on the smallest pool.
func (d *Demand) add(size nova.PageSize, mib int64) {
	switch {
	case size == nova.LargePages || size == nova.AnyPages:
		d.Any += mib
	case size == nova.PageSize(Large/unit.KiB):
		d.Large += mib
	case size == nova.PageSize(Medium/unit.KiB):
		d.Medium += mib
	default:
		d.Small += mib
	}
}

// Split is how the memory for VMs of each NUMA node is cut into pages: numbers of
// pages by node. What they leave is memory of 4 KiB pages.
type Split struct{ Medium, Large []int64 }

// Pages are the numbers of pages by size, as package cloud takes them, without sizes
// that no node has.
func (s Split) Pages() map[string][]int64 {
	pages := map[string][]int64{"2Mi": s.Medium, "1Gi": s.Large}
	maps.DeleteFunc(pages, func(_ string, list []int64) bool {
		return !slices.ContainsFunc(list, func(n int64) bool { return n > 0 })
	})
	return pages
}

// maxSplits bounds the splits that are tried.
const maxSplits = 48

// Splits are the splits worth trying on NUMA nodes with so much memory for VMs, the
// likeliest first: the shares of the demand, then more and less of the sizes that are
// asked for by name. A demand of one size has one split. The document's default, all
// pages of 2 MiB, is the answer when nobody names another size.
func Splits(memory []unit.Bytes, d Demand) []Split {
	if d.Large == 0 && (d.Small == 0 || d.Small == d.Total()) {
		return []Split{cut(memory, 0, share(d.Small, d))}
	}
	var out []Split
	add := func(s Split) {
		if !slices.ContainsFunc(out, func(o Split) bool {
			return slices.Equal(o.Large, s.Large) &&
				slices.Equal(o.Medium, s.Medium)
		}) {
			out = append(out, s)
		}
	}
	for _, shares := range around(share(d.Large, d), share(d.Small, d), d.Medium+d.Any > 0) {
		add(cut(memory, shares[0], shares[1]))
		add(gather(memory, shares[0], shares[1], true))
		add(gather(memory, shares[0], shares[1], false))
	}
	return out[:min(len(out), maxSplits)]
}

// gather is cut with the 1 GiB pages gathered on as few NUMA nodes as hold them, from
// the last node down or from the first up: large VMs fit on a node of their own.
func gather(memory []unit.Bytes, large, small float64, fromLast bool) Split {
	total := 0.0
	for _, m := range memory {
		total += float64(m)
	}
	pages := int64(math.Round(large * total / float64(Large)))
	s := cut(memory, 0, small)
	for i := range memory {
		if fromLast {
			i = len(memory) - 1 - i
		}
		s.Large[i] = min(pages, int64(memory[i]/Large))
		pages -= s.Large[i]
		s.Medium[i] = min(s.Medium[i], int64((memory[i]-unit.Bytes(s.Large[i])*Large)/Medium))
	}
	return s
}

func share(part int64, d Demand) float64 {
	if d.Total() == 0 {
		return 0
	}
	return float64(part) / float64(d.Total())
}

// around lists shares of large and of small pages, the demand's own first, then
// further and further from it. When nobody takes 2 MiB pages, the two are all.
func around(large, small float64, medium bool) [][2]float64 {
	factors := []float64{1, 1.1, 0.9, 1.25, 0.8, 1.5, 0.65, 2, 0.5, 3}
	var out [][2]float64
	add := func(l, s float64) {
		if l <= 1+1e-9 && l+s <= 1+1e-9 {
			out = append(out, [2]float64{l, s})
		}
	}
	switch {
	case small == 0:
		for _, f := range factors {
			add(math.Min(1, large*f), 0)
		}
		add(1, 0)
	case large == 0:
		for _, f := range factors {
			add(0, math.Min(1, small*f))
		}
	case !medium:
		for _, f := range factors {
			add(math.Min(1, large*f), 1-math.Min(1, large*f))
		}
	default:
		for _, f := range factors[:7] {
			for _, g := range factors[:7] {
				add(large*f, small*g)
			}
		}
	}
	return out
}

// cut gives each NUMA node its shares of 1 GiB and 4 KiB pages, and the rest to 2 MiB
// pages. Shares are rounded to whole pages of 1 GiB; small memory is rounded up to
// pages of 2 MiB.
func cut(memory []unit.Bytes, large, small float64) Split {
	return cutEach(memory, func(int) (float64, float64) { return large, small })
}

// cutEach is cut with shares of each NUMA node's own.
func cutEach(memory []unit.Bytes, shares func(node int) (large, small float64)) Split {
	s := Split{Medium: make([]int64, len(memory)), Large: make([]int64, len(memory))}
	for i, m := range memory {
		large, small := shares(i)
		s.Large[i] = min(int64(m/Large), int64(math.Round(large*float64(m)/float64(Large))))
		left := m - unit.Bytes(s.Large[i])*Large
		kept := min(left, unit.Bytes(math.Ceil(small*float64(m))))
		s.Medium[i] = int64((left - kept) / Medium)
	}
	return s
}

// extremes are splits for VMs that take most of a NUMA node, of which the demand as a
// whole tells nothing: each node in turn all of one size beside nodes of another, and
// eighths of every node.
func extremes(memory []unit.Bytes, d Demand) []Split {
	var asked [][2]float64 // all of one size, as shares of 1 GiB and of 4 KiB pages
	for _, x := range []struct {
		mib  int64
		size [2]float64
	}{{d.Large, [2]float64{1, 0}}, {d.Small, [2]float64{0, 1}}, {d.Medium + d.Any, [2]float64{0, 0}}} {
		if x.mib > 0 {
			asked = append(asked, x.size)
		}
	}
	var out []Split
	for _, a := range asked {
		for _, b := range asked {
			for i := range memory {
				out = append(out, cutEach(memory, func(node int) (float64, float64) {
					if node == i {
						return a[0], a[1]
					}
					return b[0], b[1]
				}))
			}
			for k := 1.0; k < 8; k++ {
				out = append(out, cut(memory, (k*a[0]+(8-k)*b[0])/8, (k*a[1]+(8-k)*b[1])/8))
			}
		}
	}
	return out
}

// Tried is a split and what placement says of it.
type Tried struct {
	Split
	// Hosts that the VMs need with it; OK says that they fit at all.
	Hosts int
	OK    bool
}

// Best tries the splits in their order and takes the first of those that need the
// fewest hosts; where the VMs fit with none, extreme ones until they do. Then it moves
// memory between the sizes, one NUMA node at a time, as long as that saves hosts. It
// ends early at a floor that no split passes, and after most tries. tries is the number
// of splits that were placed.
func Best(memory []unit.Bytes, d Demand, floor, most int,
	place func(Split) (hosts int, ok bool)) (best Tried, tries int) {
	most = min(most, maxSplits+maxMoves)
	try := func(s Split) bool {
		if tries++; tries > most {
			return false
		}
		hosts, ok := place(s)
		if better := ok && (!best.OK || hosts < best.Hosts); better || tries == 1 {
			best = Tried{Split: s, Hosts: hosts, OK: ok}
			return better && tries > 1
		}
		return false
	}
	done := func() bool { return best.OK && best.Hosts <= floor }
	splits := Splits(memory, d)
	for _, s := range splits {
		if try(s); done() {
			return best, tries
		}
	}
	if far := extremes(memory, d); len(splits) > 1 && !best.OK {
		most = max(most, min(tries, most)+min(len(far), maxSplits))
		for i := 0; i < len(far) && !best.OK; i++ {
			try(far[i])
		}
	}
	if len(splits) == 1 || tries >= most {
		return best, min(tries, most)
	}
	for moved := true; moved && !done() && tries < most; {
		moved = false
		for _, s := range moves(memory, best.Split) {
			if try(s) {
				moved = true
				break
			}
		}
	}
	return best, min(tries, most)
}

// maxMoves bounds the moves of memory between sizes after the splits were tried.
const maxMoves = 64

// moves are the splits one step away: some 1 GiB pages of one NUMA node more or less,
// to and from 2 MiB pages where there are any, else to and from 4 KiB.
func moves(memory []unit.Bytes, s Split) []Split {
	var out []Split
	for node := range memory {
		for _, step := range []int64{int64(memory[node]/Large) / 4, int64(memory[node]/Large) / 10, 1} {
			for _, sign := range []int64{1, -1} {
				large := s.Large[node] + sign*step
				if step == 0 || large < 0 {
					continue
				}
				medium := s.Medium[node] - sign*step*int64(Large/Medium)
				if s.Medium[node] == 0 && sign > 0 {
					medium = 0
				}
				if medium < 0 || unit.Bytes(large)*Large+unit.Bytes(medium)*Medium > memory[node] {
					continue
				}
				o := Split{Medium: slices.Clone(s.Medium), Large: slices.Clone(s.Large)}
				o.Large[node], o.Medium[node] = large, medium
				out = append(out, o)
			}
		}
	}
	return out
}
