package scheduler

import "math/bits"

// cellSums sums up the feasible nodes of a block by their cells.
type cellSums struct {
	moved uint32 // a bit for each node that may be in another cell now
	cells int32  // more than mostCells are not in the list; unsummed: none is
	of    [mostCells]cellSum
}

// cellSum is the number of the feasible nodes of a cell, their highest entry, and how
// many have it: where none has it any more, the highest is lower.
type cellSum struct{ cell, count, top, tops uint16 }

// A class that is spread over three zones, and over nodes with none or one of its
// pods, has six cells.
const (
	mostCells = 8
	unsummed  = mostCells + 2
)

// manyStale entries of a block are so many that its nodes are looked at one by one: it
// may have as many when the class comes by again.
const manyStale = 8

// hasMany reports whether a block has too many stale entries for its sums to follow.
func (b *block) hasMany() bool { return bits.OnesCount32(b.stale) >= manyStale }

// follows reports whether the cells or sums of a block change with its stale entries.
func (s *Scheduler) follows(c *class, r *row, b int) bool {
	if !r.blocks[b].hasMany() {
		return true
	}
	r.sums[b].cells = unsummed
	return len(c.index.local) > 0
}

// moveCell puts a node whose entry was another into its cell.
func (s *Scheduler) moveCell(c *class, r *row, position int, was, now uint16) {
	sum, at := &r.sums[position>>blockBits], &r.cellAt[position]
	from := *at
	if len(c.index.local) > 0 && now != refused && (was == refused || sum.moved>>(position&(blockSize-1))&1 != 0) {
		*at = s.cellOf(c, r, s.order[position])
	}
	if sum.cells > mostCells || was == now && from == *at {
		return
	}
	if was != refused {
		r.leave(sum, from, was)
	}
	if now != refused {
		r.join(sum, *at, now)
	}
}

// settle sums up a block, all of whose entries and cells are known now, if need be.
func (r *row) settle(b int) {
	sum := &r.sums[b]
	if sum.moved = 0; sum.cells > mostCells && !r.blocks[b].hasMany() {
		r.sumCells(b)
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
		} else if r.join(sum, cell, e); sum.cells > mostCells {
			return
		}
	}
}

// join adds a feasible node with its cell and entry.
func (r *row) join(sum *cellSums, cell, entry uint16) {
	if sum.cells > mostCells {
		return
	}
	at := r.find(sum, cell)
	if at == sum.cells {
		if sum.cells++; sum.cells > mostCells {
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
	if sum.cells > mostCells {
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
