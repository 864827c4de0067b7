package scheduler

import (
	"math"
	"math/bits"
)

// A row has, for one class, an entry for each node in the scheduler's order: the
// score of its resources, or that it is refused. Entries of nodes that changed
// are marked stale when the class is used next, from a log that all classes share,
// and are worked out when a scan comes by. Blocks sum up their entries, so that a
// scan mostly looks at blocks, and within blocks at four entries at once.
type row struct {
	words  []uint64 // four entries each, by position; behind the last node all are refused
	blocks []block
	seen   uint64 // changes of the log that are known

	// Where other nodes matter to the class, the cells of the feasible nodes.
	cellAt    []uint16   // by position
	sums      []cellSums // by block
	cellsOnly bool       // other nodes always matter
	cells     []cell
	slots     []uint8 // by cell: where it mostly is among the sums of a block
	numbers   map[cellKey]uint16
	quick     [64]uint16 // some of the numbers, by key
}

// block sums up the entries of blockSize positions.
type block struct {
	stale    uint32 // a bit for each entry that may have changed
	top      uint16 // highest entry
	feasible uint16 // number that are not refused
}

const (
	laneBits  = 2 // a word has four lanes of 16 bits
	laneMask  = 1<<laneBits - 1
	blockBits = 5
	blockSize = 1 << blockBits

	// Weights are at most 100, so that two plug-ins give at most 20,000, and all
	// entries leave the highest bit of their lane free.
	everyLane = 0x0001_0001_0001_0001
	highest   = 0x8000 * everyLane
	below     = 0x7fff * everyLane
)

// filled says which lanes are not refused, in their highest bits.
func filled(word uint64) uint64 { return (word + below) & highest }

// reaching says which lanes are at least as high as those of another word.
func reaching(word, other uint64) uint64 { return ((word | highest) - other) & highest }

// higher takes the higher entry of each lane.
func higher(a, b uint64) uint64 {
	take := reaching(a, b) >> 15 * 0xffff
	return a&take | b&^take
}

// changes is a ring of what changed on nodes.
type changes struct {
	ring  []change // its length is a power of two
	count uint64   // of all changes
}

// change is a pod of a class that came to the node at a position or went, or anything.
type change struct {
	position int32
	class    ClassID
}

const anyClass ClassID = -1

func newChanges(nodes int) changes {
	size := 64
	for size < 2*nodes {
		size *= 2
	}
	return changes{ring: make([]change, size)}
}

// changed tells all rows that a node's entries may have changed.
func (s *Scheduler) changed(node int32, id ClassID) {
	s.log.ring[s.log.count&uint64(len(s.log.ring)-1)] = change{s.position[node], id}
	s.log.count++
}

// current returns the class's row, with stale entries where nodes changed.
func (s *Scheduler) current(c *class) *row {
	r := c.row
	if r == nil {
		blocks := (len(s.order) + blockSize - 1) >> blockBits
		r = &row{words: make([]uint64, blocks<<(blockBits-laneBits)), blocks: make([]block, blocks)}
		r.forget(len(s.order))
		r.seen = s.log.count
		if !c.index.tooManyCells && c.celled() {
			s.startCells(c, r)
		}
		c.row = r
	}
	if s.log.count-r.seen > uint64(len(s.log.ring)) {
		r.forget(len(s.order))
		r.seen = s.log.count
	}
	local, ring := len(c.index.local) > 0 && r.cellAt != nil, s.log.ring
	movers := s.movers(&c.index)
	for seen := r.seen; seen < s.log.count; seen++ {
		e := ring[seen&uint64(len(ring)-1)]
		block, bit := e.position>>blockBits, uint32(1)<<(e.position&(blockSize-1))
		r.blocks[block].stale |= bit
		if local && (e.class == anyClass || movers != nil && movers[e.class] || movers == nil && s.moves(&c.index, e.class)) {
			r.sums[block].moved |= bit
		}
	}
	r.seen = s.log.count
	return r
}

// forget makes the entries of all nodes stale.
func (r *row) forget(nodes int) {
	for i := range r.blocks {
		r.blocks[i].stale = 1<<min(blockSize, nodes-i<<blockBits) - 1
	}
	for i := range r.sums {
		r.sums[i].moved = math.MaxUint32
	}
}

func (r *row) entry(position int) uint16 {
	return uint16(r.words[position>>laneBits] >> (position & laneMask * 16))
}

// at is the entry of a position, worked out if need be.
func (s *Scheduler) at(c *class, r *row, position int32) uint16 {
	if b := int(position) >> blockBits; r.blocks[b].stale != 0 {
		s.freshen(c, r, b)
	}
	return r.entry(int(position))
}

// freshen works out the stale entries of a block and sums it up.
func (s *Scheduler) freshen(c *class, r *row, b int) {
	sum := &r.blocks[b]
	follow := r.cellAt != nil && s.follows(c, r, b)
	lost := false // an entry that was the highest may be lower now
	for old := sum.stale; old != 0; old &= old - 1 {
		position := b<<blockBits + bits.TrailingZeros32(old)
		was, now := r.entry(position), s.entry(c, s.order[position])
		r.words[position>>laneBits] ^= uint64(was^now) << (position & laneMask * 16)
		sum.feasible += positive(now) - positive(was)
		if follow {
			s.moveCell(c, r, position, was, now)
		}
		lost = lost || was == sum.top && now < was
		sum.top = max(sum.top, now)
	}
	if follow {
		r.settle(b)
	}
	sum.stale = 0
	if lost && !r.cellsOnly {
		sum.top = r.highest(b)
	}
}

// highest is the highest entry of a block.
func (r *row) highest(b int) uint16 {
	const words = 1 << (blockBits - laneBits)
	top := uint64(0)
	for _, word := range r.words[b*words : b*words+words] {
		top = higher(top, word)
	}
	top = higher(top, top>>32)
	top = higher(top, top>>16)
	return uint16(top)
}

// positive is 1 for entries that are not refused, and 0 for those that are.
func positive(e uint16) uint16 { return (e + 0x7fff) >> 15 }

// reposition works out the scheduler's order of nodes anew. Rows start again.
func (s *Scheduler) reposition() {
	s.order = s.tree.list()
	for i := range s.position {
		s.position[i] = -1
	}
	for p, node := range s.order {
		s.position[node] = int32(p)
	}
	s.sampled = s.rules.sample(len(s.order))
	s.log = newChanges(len(s.order))
	for _, c := range s.classes {
		c.row = nil
	}
}
