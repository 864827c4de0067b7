package nova

import (
	"math/bits"

	"plimsoll.dev/unit"
)

// cores are the cores of a NUMA node in a form that is quick to walk: the CPUs of
// core k are cpus[start[k]:start[k+1]], the lowest first.
type cores struct {
	cpus  []uint16
	start []uint32
	// threads is the number of CPUs of the largest core, at least 1.
	threads int
	// What it was made of.
	first     *unit.CPUSet
	count     int
	dedicated unit.CPUSet
}

// coresOf are the node's cores: those that Prepare made, if they are still true.
func coresOf(c *HostCell) *cores {
	if c.cores != nil && c.cores.madeOf(c) {
		return c.cores
	}
	return newCores(c)
}

func (l *cores) madeOf(c *HostCell) bool {
	if l.count != len(c.Siblings) {
		return false
	}
	if l.count == 0 {
		return l.dedicated == c.Dedicated
	}
	return l.first == &c.Siblings[0]
}

func newCores(c *HostCell) *cores {
	l := &cores{threads: 1, count: len(c.Siblings), start: make([]uint32, 1, max(len(c.Siblings), 1)+1)}
	for i := range c.Siblings {
		l.add(&c.Siblings[i])
		l.threads = max(l.threads, int(l.start[i+1]-l.start[i]))
	}
	if l.count > 0 {
		l.first = &c.Siblings[0]
		return l
	}
	l.dedicated = c.Dedicated
	for cpu := range c.Dedicated.All() {
		l.cpus = append(l.cpus, uint16(cpu))
		l.start = append(l.start, uint32(len(l.cpus)))
	}
	return l
}

func (l *cores) add(core *unit.CPUSet) {
	for cpu := range core.All() {
		l.cpus = append(l.cpus, uint16(cpu))
	}
	l.start = append(l.start, uint32(len(l.cpus)))
}

func (l *cores) len() int { return len(l.start) - 1 }

func (l *cores) core(k int) []uint16 { return l.cpus[l.start[k]:l.start[k+1]] }

func has(s *unit.CPUSet, cpu uint16) bool { return s[cpu>>6&15]>>(cpu&63)&1 != 0 }

// freeOf is the number of free threads of core k.
func (l *cores) freeOf(k int, free *unit.CPUSet) int {
	n := 0
	for _, cpu := range l.core(k) {
		n += int(free[cpu>>6&15] >> (cpu & 63) & 1)
	}
	return n
}

// with is the number of cores that have at least t free threads, counted no
// further than most.
func (l *cores) with(t int, free *unit.CPUSet, most int) int {
	n := 0
	for k := 0; k < l.len() && n < most; k++ {
		if l.freeOf(k, free) >= t {
			n++
		}
	}
	return n
}

// total is the number of free threads of all cores, counted no further than most.
func (l *cores) total(free *unit.CPUSet, most int) int {
	n := 0
	for _, cpu := range l.cpus {
		if n >= most {
			break
		}
		n += int(free[cpu>>6&15] >> (cpu & 63) & 1)
	}
	return n
}

// take adds n CPUs to dst: at most each of every core that has at least t free
// threads, the cores in their order and the lowest threads first.
func (l *cores) take(free *unit.CPUSet, t, each, n int, dst []uint16) []uint16 {
	n += len(dst)
	for k := 0; k < l.len() && len(dst) < n; k++ {
		if l.freeOf(k, free) < t {
			continue
		}
		left := each
		for _, cpu := range l.core(k) {
			if left > 0 && len(dst) < n && has(free, cpu) {
				dst = append(dst, cpu)
				left--
			}
		}
	}
	return dst
}

// freeCPUs are the dedicated CPUs of the node that nobody has, and their number.
func freeCPUs(c *HostCell, free *unit.CPUSet) int {
	n := 0
	for i := range free {
		w := c.Dedicated[i] &^ c.Pinned[i]
		free[i] = w
		n += bits.OnesCount64(w)
	}
	return n
}

// size is the number of CPUs in the set.
func size(s *unit.CPUSet) int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
