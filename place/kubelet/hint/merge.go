package hint

import (
	"math"
	"math/bits"
)

// Merge is the topology manager's answer (pkg/kubelet/cm/topologymanager:
// HintMerger and the policies). Policy none has no merge: it admits, without affinity.
func (m *Merger) Merge(r Rules) Result {
	if r.Policy == None {
		return Result{Admit: true}
	}
	m.dropEmpty()
	if r.Policy == SingleNUMANode {
		m.keepSingle()
	}
	affinity, preferred := m.best(r)
	if r.Policy == SingleNUMANode && affinity == r.Nodes {
		affinity = 0
	}
	return Result{Affinity: affinity, Preferred: preferred, Admit: preferred || r.Policy == BestEffort}
}

// dropEmpty takes out the lists without any hint, and notes that there were some.
func (m *Merger) dropEmpty() {
	kept := 0
	for i := range m.lists[:m.used] {
		if m.lists[i].count() == 0 {
			m.impossible = true
			continue
		}
		if kept != i {
			m.lists[kept], m.lists[i] = m.lists[i], m.lists[kept]
		}
		kept++
	}
	m.used = kept
}

// keepSingle drops all hints but preferred ones of one node.
func (m *Merger) keepSingle() {
	for i := range m.lists[:m.used] {
		l := &m.lists[i]
		for w := range l.all {
			word := uint64(0)
			for p := l.preferred[w]; p != 0; p &= p - 1 {
				if at := w<<6 | bits.TrailingZeros64(p); at&(at-1) == 0 {
					word |= p & -p
				}
			}
			l.all[w], l.preferred[w] = word, word
		}
	}
}

// best is the fittest of all combinations: one that every provider prefers, else
// the one whose size is nearest to what the most demanding provider needs, else
// all nodes.
func (m *Merger) best(r Rules) (affinity Mask, preferred bool) {
	lists := m.lists[:m.used]
	if m.used == 0 || m.impossible && r.Policy == SingleNUMANode {
		return r.Nodes, !m.impossible
	}
	need := 0
	for i := range lists {
		least := lists[i].least()
		if least > MaxNodes {
			return r.Nodes, false // no combination at all
		}
		need = max(need, least)
	}
	if !m.impossible {
		if at := m.fittest(m.agreed(), 0, r); at != 0 {
			return at, true
		}
	}
	reached := m.reached()
	for _, size := range []int{need, -need} {
		if at := m.fittest(reached, size, r); at != 0 {
			return at, false
		}
	}
	return r.Nodes, false
}

// agreed are the sets that every list prefers.
func (m *Merger) agreed() []uint64 {
	m.scratch = append(m.scratch[:0], m.lists[0].preferred...)
	for i := range m.lists[1:m.used] {
		for w, word := range m.lists[1+i].preferred {
			m.scratch[w] &= word
		}
	}
	return m.scratch
}

// reached are the sets that are the common part of one set from each list.
func (m *Merger) reached() []uint64 {
	m.scratch = append(m.scratch[:0], m.lists[0].all...)
	for i := range m.lists[1:m.used] {
		m.intersect(m.scratch, m.lists[1+i].all)
	}
	m.scratch[0] &^= 1 // the empty set
	return m.scratch
}

// intersect replaces a by all common parts of a set of a and one of b.
func (m *Merger) intersect(a, b []uint64) {
	if m.space.size <= wordNodes {
		a[0] = m.images(a[0], b[0])
		return
	}
	m.count(a, b)
}

// wordNodes is the number of nodes all of whose sets have a bit in one word;
// lacking has the bits of those sets that lack a node, and ofSize of those with so
// many nodes.
const wordNodes = 6

var lacking = [wordNodes]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
	0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}

var ofSize = func() (sizes [wordNodes + 1]uint64) {
	for set := range uint(1 << wordNodes) {
		sizes[bits.OnesCount(set)] |= 1 << set
	}
	return sizes
}()

// images cuts all sets of b down to each set of a: for every node that the set
// lacks, the sets with the node fall onto those without it.
func (m *Merger) images(a, b uint64) uint64 {
	out := uint64(0)
	for ; a != 0; a &= a - 1 {
		set, cut := bits.TrailingZeros64(a), b
		for i := range m.space.size {
			if set>>i&1 == 0 {
				cut = (cut | cut>>(1<<i)) & lacking[i]
			}
		}
		out |= cut
	}
	return out
}

// count finds the common parts by their number: how many pairs have a common part
// that contains a set is the product of the numbers of sets that contain it, and
// those with exactly this common part follow by inclusion and exclusion. 32 bits
// suffice: a list has fewer than 2^16 sets.
func (m *Merger) count(a, b []uint64) {
	n := 1 << m.space.size
	for i, set := range [2][]uint64{a, b} {
		m.counts[i] = cleared(m.counts[i], n)
		for c := range n {
			m.counts[i][c] = uint32(set[c>>6] >> (c & 63) & 1)
		}
		supersets(m.counts[i], func(low, high uint32) uint32 { return low + high })
	}
	for c, other := range m.counts[1] {
		m.counts[0][c] *= other
	}
	supersets(m.counts[0], func(low, high uint32) uint32 { return low - high })
	clear(a)
	for c, pairs := range m.counts[0] {
		if pairs != 0 {
			a[c>>6] |= 1 << (c & 63)
		}
	}
}

// supersets applies f to every set without and with each node.
func supersets(counts []uint32, f func(low, high uint32) uint32) {
	for step := 1; step < len(counts); step <<= 1 {
		for i := range counts {
			if i&step == 0 {
				counts[i] = f(counts[i], counts[i|step])
			}
		}
	}
}

// fittest of the sets: those of the given size; or with a negative size the
// largest below it, else those above; or with 0 of any size. Among them the one
// with the fewest nodes, then the closest together, then the lowest.
func (m *Merger) fittest(sets []uint64, size int, r Rules) Mask {
	best, bestRank := Mask(0), math.MaxInt
	for w, word := range sets {
		for ; word != 0; word &= word - 1 {
			at := w<<6 | bits.TrailingZeros64(word)
			n := bits.OnesCount(uint(at))
			rank := n
			switch {
			case at == 0, size > 0 && n != size:
				continue
			case size < 0 && n < -size:
				rank = -n // below: the larger the better, and better than any above
			}
			if rank > bestRank {
				continue
			}
			mask := m.space.unpack(at)
			if rank < bestRank || r.closer(mask, best) {
				best, bestRank = mask, rank
			}
		}
	}
	return best
}

// closer reports whether the nodes of a are closer together than those of b, a set
// of the same size with a lower number.
func (r *Rules) closer(a, b Mask) bool {
	if r.Distances == nil || r.Policy == SingleNUMANode {
		return false
	}
	return r.spread(a) < r.spread(b)
}

// spread is the sum of the distances over all ordered pairs of nodes, with
// themselves, too; for sets of one size it orders as the mean does.
func (r *Rules) spread(mask Mask) int {
	sum := 0
	for a := mask; a != 0; a &= a - 1 {
		row := r.Distances[bits.TrailingZeros64(a)]
		for b := mask; b != 0; b &= b - 1 {
			sum += row[bits.TrailingZeros64(b)]
		}
	}
	return sum
}

// Combinations is the number of combinations of hints that the kubelet weighs
// for these lists: the product of their lengths, at most MaxUint64. With
// single-numa-node it is what is left after Merge.
func (m *Merger) Combinations() uint64 {
	product := uint64(1)
	for i := range m.lists[:m.used] {
		high, low := bits.Mul64(product, uint64(m.lists[i].count()))
		if high != 0 {
			return math.MaxUint64
		}
		product = low
	}
	return product
}
