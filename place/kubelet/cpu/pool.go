package cpu

import (
	"math/bits"

	"plimsoll.dev/unit"
)

// pool is a set of free CPUs that is counted by cell and by core.
type pool struct {
	free unit.CPUSet
	size int
	cell []uint16
	core []uint16
}

func newPool(s *shape) pool {
	return pool{cell: make([]uint16, len(s.cells)), core: make([]uint16, len(s.cores))}
}

// add puts in a CPU that is not in.
func (p *pool) add(s *shape, cpu int) {
	p.free.Add(cpu)
	p.size++
	p.cell[s.cellOf[cpu]]++
	p.core[s.coreOf[cpu]]++
}

// drop takes out a CPU that is in.
func (p *pool) drop(s *shape, cpu int) {
	p.free.Remove(cpu)
	p.size--
	p.cell[s.cellOf[cpu]]--
	p.core[s.coreOf[cpu]]--
}

// addAll puts in what is not in yet, as far as the machine has it.
func (p *pool) addAll(s *shape, cpus *unit.CPUSet) {
	for i := range s.words {
		for w := cpus[i] & s.all[i] &^ p.free[i]; w != 0; w &= w - 1 {
			p.add(s, i<<6|bits.TrailingZeros64(w))
		}
	}
}

// dropAll takes out what is in.
func (p *pool) dropAll(s *shape, cpus *unit.CPUSet) {
	for i := range s.words {
		for w := cpus[i] & p.free[i]; w != 0; w &= w - 1 {
			p.drop(s, i<<6|bits.TrailingZeros64(w))
		}
	}
}

// copy makes p equal to q.
func (p *pool) copy(q *pool) {
	p.free, p.size = q.free, q.size
	copy(p.cell, q.cell)
	copy(p.core, q.core)
}

func (p *pool) clear() {
	p.free, p.size = unit.CPUSet{}, 0
	clear(p.cell)
	clear(p.core)
}

// addPart puts in what q has of a part, of which p has nothing yet.
func (p *pool) addPart(q *pool, of *part) {
	for i, w := range of.cpus {
		p.free[i] |= q.free[i] & w
	}
	for _, c := range of.cells {
		p.cell[c] = q.cell[c]
		p.size += int(q.cell[c])
	}
	for _, c := range of.cores {
		p.core[c] = q.core[c]
	}
}

// sum counts the free CPUs of cells.
func (p *pool) sum(cells []uint16) int {
	n := 0
	for _, c := range cells {
		n += int(p.cell[c])
	}
	return n
}
