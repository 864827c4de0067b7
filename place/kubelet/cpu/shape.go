package cpu

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// shape is what never changes about a machine, in dense numbers: parts of a level
// and cores are numbered in the order of their ids.
type shape struct {
	all   unit.CPUSet
	words int // of a CPUSet that are in use
	cores []core
	// leads are the lowest threads of all cores, coreOf is by CPU number.
	leads                 unit.CPUSet
	coreOf                []uint16
	nodes, sockets, cache level
	// upper and lower are nodes and sockets, in the order of the memory hierarchy.
	upper, lower *level
	// below are the parts of lower in each part of upper, and caches those of cache
	// in each node.
	below, caches [][]overlap
	// perCore, perSocket and perCache are averages over the machine, rounded down:
	// the real code compares with them where parts are uneven, too.
	perCore, perSocket, perCache int
	// leastCore and mostCore are the sizes of the smallest and the largest core.
	leastCore, mostCore int
	// nodeBits are the indices of nodes in the machine's list, which has nodes without
	// CPUs, too, and inMachine all of them as bits.
	nodeBits  []int
	inMachine uint64
	// socketsOf are the sockets of each node, as bits; empty with more than 64 sockets.
	socketsOf []uint64
	// most is the largest number of CPUs that any k nodes have, by k.
	most []int
}

type core struct {
	id   int
	cpus []uint16 // rising
}

// level is all NUMA nodes, all sockets or all uncore caches.
type level struct {
	parts []part
	least int // size of the smallest part
}

type part struct {
	id    int
	cpus  unit.CPUSet
	size  int
	cores []uint16 // rising
	// whole is the number of free CPUs with which the part counts as wholly free.
	whole int
}

// overlap is what a part of another level has in common with one.
type overlap struct {
	part uint16
	cpus unit.CPUSet
}

func newShape(m *topo.Machine) *shape {
	s := &shape{
		coreOf:  make([]uint16, unit.MaxCPUs),
		nodes:   newLevel(m, func(c topo.CPU) int { return c.Node }),
		sockets: newLevel(m, func(c topo.CPU) int { return c.Socket }),
		cache:   newLevel(m, func(c topo.CPU) int { return c.Cache }),
	}
	for _, c := range m.CPUs {
		s.all.Add(c.ID)
		s.words = c.ID>>6 + 1
	}
	s.addCores(m)
	s.addAverages()
	s.upper, s.lower = &s.sockets, &s.nodes
	s.below = s.overlaps(s.upper, s.lower)
	if len(s.sockets.parts) >= len(s.nodes.parts) {
		s.upper, s.lower = &s.nodes, &s.sockets
		s.below = s.overlaps(s.upper, s.lower)
	}
	s.caches = s.overlaps(&s.nodes, &s.cache)
	s.addNodes(m)
	return s
}

// newLevel makes the parts of one level, without cores.
func newLevel(m *topo.Machine, id func(topo.CPU) int) level {
	byID := map[int]*part{}
	for _, c := range m.CPUs {
		p := byID[id(c)]
		if p == nil {
			p = &part{id: id(c)}
			byID[id(c)] = p
		}
		p.cpus.Add(c.ID)
		p.size++
		p.whole++
	}
	l := level{least: unit.MaxCPUs}
	for _, k := range slices.Sorted(maps.Keys(byID)) {
		l.parts = append(l.parts, *byID[k])
		l.least = min(l.least, byID[k].size)
	}
	return l
}

// find is the index of a part by its id.
func (l *level) find(id int) uint16 {
	i, _ := slices.BinarySearchFunc(l.parts, id, func(p part, id int) int { return cmp.Compare(p.id, id) })
	return uint16(i)
}

func (s *shape) addCores(m *topo.Machine) {
	byID := map[int][]uint16{}
	for _, c := range m.CPUs {
		byID[c.Core] = append(byID[c.Core], uint16(c.ID))
	}
	s.leastCore = unit.MaxCPUs
	for i, id := range slices.Sorted(maps.Keys(byID)) {
		s.cores = append(s.cores, core{id: id, cpus: byID[id]})
		s.leads.Add(id)
		s.leastCore, s.mostCore = min(s.leastCore, len(byID[id])), max(s.mostCore, len(byID[id]))
		for _, c := range byID[id] {
			s.coreOf[c] = uint16(i)
		}
	}
	for _, l := range []*level{&s.nodes, &s.sockets, &s.cache} {
		for i := range l.parts {
			l.parts[i].addCores(s)
		}
	}
}

// addCores lists the cores of a part: a core lies in one part of a level.
func (p *part) addCores(s *shape) {
	for i := range s.cores {
		if p.cpus.Has(s.cores[i].id) {
			p.cores = append(p.cores, uint16(i))
		}
	}
}

// addAverages follows CPUTopology.CPUsPerCore and its like. A socket counts as
// free by the average, nodes and caches by their own size.
func (s *shape) addAverages() {
	n := s.all.Len()
	s.perCore, s.perSocket, s.perCache = n/len(s.cores), n/len(s.sockets.parts), n/len(s.cache.parts)
	for i := range s.sockets.parts {
		s.sockets.parts[i].whole = s.perSocket
	}
}

// overlaps are the parts of inner in each part of outer.
func (s *shape) overlaps(outer, inner *level) [][]overlap {
	all := make([][]overlap, len(outer.parts))
	for o := range outer.parts {
		for i := range inner.parts {
			if both := outer.parts[o].cpus.Intersect(inner.parts[i].cpus); !both.IsEmpty() {
				all[o] = append(all[o], overlap{part: uint16(i), cpus: both})
			}
		}
	}
	return all
}

// addNodes relates the nodes to the bits of masks.
func (s *shape) addNodes(m *topo.Machine) {
	var sizes []int
	for bit, n := range m.Nodes {
		if i := s.nodes.find(n.ID); int(i) < len(s.nodes.parts) && s.nodes.parts[i].id == n.ID {
			s.nodeBits = append(s.nodeBits, bit)
			s.inMachine |= 1 << bit
			sizes = append(sizes, s.nodes.parts[i].size)
		}
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	s.most = []int{0}
	for k, n := range sizes {
		s.most = append(s.most, s.most[k]+n)
	}
	if len(s.sockets.parts) > 64 {
		return
	}
	s.socketsOf = make([]uint64, len(s.nodes.parts))
	for i := range s.nodes.parts {
		for j := range s.sockets.parts {
			if s.common(&s.nodes.parts[i].cpus, &s.sockets.parts[j].cpus) > 0 {
				s.socketsOf[i] |= 1 << j
			}
		}
	}
}

// leastNodes is the fewest nodes whose CPUs, used ones included, reach n; all
// nodes when none do.
func (s *shape) leastNodes(n int) int {
	for k, most := range s.most {
		if k > 0 && most >= n {
			return k
		}
	}
	return len(s.nodes.parts)
}

// nodesIn are the nodes of a mask, by their index here.
func (s *shape) nodesIn(mask uint64) uint64 {
	var nodes uint64
	for i, bit := range s.nodeBits {
		nodes |= mask >> bit & 1 << i
	}
	return nodes
}

// socketsIn are the sockets that the nodes of a mask touch.
func (s *shape) socketsIn(mask uint64) uint64 {
	var sockets uint64
	for i, bit := range s.nodeBits {
		if mask>>bit&1 != 0 {
			sockets |= s.socketsOf[i]
		}
	}
	return sockets
}
