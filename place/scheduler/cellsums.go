package scheduler

import "math/bits"

// cellSums sums up the feasible nodes of a block by their cells.
type cellSums struct {
	moved uint32 // a bit for each node that may be in another cell now
	cells int32  // or unknown: more than there is room for, or not summed up
	of    [mostCells]cellSum
}

// cellSum is the number of the feasible nodes of a cell, their highest entry, and how
// many have it: where none has it any more, the highest is lower.
type cellSum struct{ cell, count, top, tops uint16 }

// A class that is spread over three zones, and over nodes with none or one of its
// pods, has six cells.
const (
	mostCells = 8
	unknown   = mostCells + 1
)

// manyStale entries of a block are so many that its nodes are looked at one by one: it
// will have as many when the class comes by again.
const manyStale = 8

// freshenCells works out the stale entries of a block of cells and sums it up.
func (s *Scheduler) freshenCells(c *class, r *row, b int) {
	sum, sums := &r.blocks[b], &r.sums[b]
	many := bits.OnesCount32(sum.stale) >= manyStale
	if many {
		sums.cells = unknown
	}
	fixed := len(c.index.local) == 0
	for ; sum.stale != 0; sum.stale &= sum.stale - 1 {
		lane := bits.TrailingZeros32(sum.stale)
		position := b<<blockBits + lane
		was, now := s.renew(c, r, position)
		from := r.cellAt[position]
		if !fixed && now != refused && (was == refused || sums.moved>>lane&1 != 0) {
			r.cellAt[position] = s.cellOf(c, r, s.order[position])
		}
		if to := r.cellAt[position]; !many && (was != now || from != to) {
			r.move(sums, from, was, to, now)
		}
	}
	if sums.moved = 0; !many && sums.cells == unknown {
		r.sumCells(b)
	}
	if !r.cellsOnly {
		sum.top = r.highest(b)
	}
}

// move tells the sums of a block of a node that had another cell or entry before.
func (r *row) move(sum *cellSums, from, was, to, now uint16) {
	if was != refused {
		r.leave(sum, from, was)
	}
	if now != refused {
		r.join(sum, to, now)
	}
}

// sumCells sums up a block anew.
func (r *row) sumCells(b int) {
	sum := &r.sums[b]
	sum.cells, sum.of = 0, [mostCells]cellSum{}
	words := r.words[b<<(blockBits-laneBits) : (b+1)<<(blockBits-laneBits)]
	for i, cell := range r.cellAt[b<<blockBits : (b+1)<<blockBits] {
		e := uint16(words[i>>laneBits] >> (i & laneMask * 16))
		if e == refused {
			continue
		}
		if k := &sum.of[r.slots[cell]&(mostCells-1)]; k.cell == cell && k.count > 0 {
			k.join(e)
		} else if r.join(sum, cell, e); sum.cells == unknown {
			return
		}
	}
}

// join adds a feasible node with its cell and entry.
func (r *row) join(sum *cellSums, cell, entry uint16) {
	if sum.cells == unknown {
		return
	}
	at := r.find(sum, cell)
	if at == sum.cells {
		if sum.cells++; sum.cells == unknown {
			return
		}
		sum.of[at] = cellSum{cell: cell}
	}
	sum.of[at].join(entry)
}

func (k *cellSum) join(entry uint16) {
	k.count++
	if entry > k.top {
		k.top, k.tops = entry, 1
	} else if entry == k.top {
		k.tops++
	}
}

// leave takes a node away again.
func (r *row) leave(sum *cellSums, cell, entry uint16) {
	if sum.cells == unknown {
		return
	}
	k := &sum.of[r.find(sum, cell)]
	if k.count--; k.count == 0 {
		sum.cells--
		*k = sum.of[sum.cells]
	} else if entry == k.top {
		k.tops--
	}
}

// find is where a cell is among the sums of a block, or behind them.
func (r *row) find(sum *cellSums, cell uint16) int32 {
	at := int32(r.slots[cell])
	if at < sum.cells && sum.of[at].cell == cell {
		return at
	}
	for at = 0; at < sum.cells && sum.of[at].cell != cell; at++ {
	}
	r.slots[cell] = uint8(at)
	return at
}
