// Package hint merges topology hints as the kubelet's topology manager does: of
// the sets of NUMA nodes that each provider (devices, CPUs, memory) offers for a
// container, the one that all of them are then asked to keep to, and whether the
// policy admits the container at all.
//
// The kubelet tries the product of all lists; here the same answer is found in
// time polynomial in the number of sets (2^nodes). The package makes no hints and
// gives nothing away.
//
//	var m hint.Merger
//	m.Reset(0b11)
//	cpus := m.List()
//	cpus.Add(0b01, true)
//	cpus.Add(0b10, true) // memory has no opinion: no list
//	r := m.Merge(hint.Rules{Policy: hint.Restricted, Nodes: 0b11})
//	r.Affinity, r.Preferred, r.Admit // 0b01, true, true
package hint

import "math/bits"

// Mask is a set of NUMA nodes: bit i is the node with index i in the machine's
// order of rising ids, so that masks compare as the kubelet's do.
type Mask = uint64

// Policy of the topology manager.
type Policy uint8

// The policies, in the order of their strictness.
const (
	None Policy = iota
	BestEffort
	Restricted
	SingleNUMANode
)

// MaxNodes is the most NUMA nodes that one merge may weigh: 2^16 sets. A kubelet
// with more would not come to an end.
const MaxNodes = 16

// Rules by which hints are merged.
type Rules struct {
	Policy Policy
	// Nodes are all NUMA nodes of the machine.
	Nodes Mask
	// Distances between nodes by index, for prefer-closest-numa-nodes; nil without the option.
	Distances [][]int
}

// Result of a merge.
type Result struct {
	// Affinity is 0 when there is none: policy none, and single-numa-node where it
	// would be all nodes.
	Affinity  Mask
	Preferred bool
	// Admit is the policy's verdict.
	Admit bool
}

// Merger collects the lists of one container or pod and merges them. The zero
// value needs a Reset; it allocates nothing once it has grown to its use.
type Merger struct {
	space space
	lists []List
	used  int
	// impossible says that a provider offers only "any node, not preferred".
	impossible bool
	counts     [2][]uint32
	scratch    []uint64
}

// List is what one provider offers for one resource.
type List struct {
	space *space
	// all and preferred have a bit for every set of nodes, by its number in the space.
	all, preferred []uint64
}

// Reset forgets all lists; nodes are those that the next lists may name, at most
// MaxNodes of them. A provider without an opinion adds nothing.
func (m *Merger) Reset(nodes Mask) {
	m.space = makeSpace(nodes)
	m.used, m.impossible = 0, false
}

// List begins the list of a provider, which may stay empty: then any node will
// do, but none is preferred. It is good until the next call of List or Reset.
func (m *Merger) List() *List {
	if m.used == len(m.lists) {
		m.lists = append(m.lists, List{})
	}
	l := &m.lists[m.used]
	m.used++
	l.reset(&m.space)
	return l
}

// Repeat offers the last list so many times more, as lists of their own.
func (m *Merger) Repeat(times int) {
	for range times {
		l := m.List()
		last := &m.lists[m.used-2]
		copy(l.all, last.all)
		copy(l.preferred, last.preferred)
	}
}

// Add offers a set of nodes.
func (l *List) Add(mask Mask, preferred bool) {
	i := l.space.pack(mask)
	l.all[i>>6] |= 1 << (i & 63)
	if preferred {
		l.preferred[i>>6] |= 1 << (i & 63)
	}
}

// count is the number of sets.
func (l *List) count() int {
	n := 0
	for _, word := range l.all {
		n += bits.OnesCount64(word)
	}
	return n
}

// least is the size of the smallest set; more than any when there is none.
func (l *List) least() int {
	least := MaxNodes + 1
	for w, word := range l.all {
		for size := 0; word != 0 && size <= wordNodes; size++ {
			if word&ofSize[size] != 0 {
				least = min(least, size+bits.OnesCount(uint(w)))
				break
			}
		}
	}
	return least
}

// Each calls f for every hint of the list, in the order of the sets' numbers.
func (l *List) Each(f func(mask Mask, preferred bool)) {
	for w, word := range l.all {
		for ; word != 0; word &= word - 1 {
			f(l.space.unpack(w<<6|bits.TrailingZeros64(word)), l.preferred[w]&word&-word != 0)
		}
	}
}

func (l *List) reset(s *space) {
	l.space = s
	l.all, l.preferred = cleared(l.all, s.words()), cleared(l.preferred, s.words())
}

// cleared is a slice of n zeros, in the memory of the given one if it suffices.
func cleared[T uint32 | uint64](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// space numbers the sets of the nodes that take part in a merge.
type space struct {
	nodes Mask
	size  int
	// dense says that the nodes are the lowest ones, so that a set is its own number.
	dense bool
}

func makeSpace(nodes Mask) space {
	return space{nodes: nodes, size: bits.OnesCount64(nodes), dense: nodes&(nodes+1) == 0}
}

// words that a bit for every set takes.
func (s *space) words() int { return (1<<s.size + 63) / 64 }

// pack is the number of a set of nodes; the order of the sets is kept.
func (s *space) pack(mask Mask) int {
	if s.dense {
		return int(mask)
	}
	out := 0
	for i, rest := 0, s.nodes; rest != 0; i, rest = i+1, rest&(rest-1) {
		if mask&(rest&-rest) != 0 {
			out |= 1 << i
		}
	}
	return out
}

// unpack is the set of a number.
func (s *space) unpack(i int) Mask {
	if s.dense {
		return Mask(i)
	}
	var out Mask
	for rest := s.nodes; i != 0; i, rest = i>>1, rest&(rest-1) {
		if i&1 != 0 {
			out |= rest & -rest
		}
	}
	return out
}
