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
	// numDedicated and sharedCPUs are the sizes of the node's sets; the words of
	// Dedicated before first and from end on are empty.
	numDedicated, sharedCPUs int
	first, end               int
	// What it was made of.
	siblings          *unit.CPUSet
	count             int
	dedicated, shared unit.CPUSet
}

// coresOf are the node's cores: those that Prepare made, if they are still true.
func coresOf(c *HostCell) *cores {
	if c.cores != nil && c.cores.madeOf(c) {
		return c.cores
	}
	return newCores(c)
}

func (l *cores) madeOf(c *HostCell) bool {
	return l.count == len(c.Siblings) && (l.count == 0 || l.siblings == &c.Siblings[0]) &&
		l.dedicated == c.Dedicated
}

// numShared is the number of the node's shared CPUs.
func (l *cores) numShared(c *HostCell) int {
	if l.shared == c.Shared {
		return l.sharedCPUs
	}
	return size(&c.Shared)
}

func newCores(c *HostCell) *cores {
	l := &cores{threads: 1, count: len(c.Siblings), start: make([]uint32, 1, max(len(c.Siblings), 1)+1),
		dedicated: c.Dedicated, shared: c.Shared, numDedicated: size(&c.Dedicated), sharedCPUs: size(&c.Shared)}
	l.words()
	for i := range c.Siblings {
		l.add(&c.Siblings[i])
		l.threads = max(l.threads, int(l.start[i+1]-l.start[i]))
	}
	if l.count > 0 {
		l.siblings = &c.Siblings[0]
		return l
	}
	for cpu := range c.Dedicated.All() {
		l.cpus = append(l.cpus, uint16(cpu))
		l.start = append(l.start, uint32(len(l.cpus)))
	}
	return l
}

// words finds the words of Dedicated that are not empty.
func (l *cores) words() {
	l.end = len(l.dedicated)
	for l.end > 0 && l.dedicated[l.end-1] == 0 {
		l.end--
	}
	for l.first < l.end && l.dedicated[l.first] == 0 {
		l.first++
	}
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
func (l *cores) freeCPUs(c *HostCell, free *unit.CPUSet) int {
	n := 0
	for i := l.first; i < l.end; i++ {
		w := c.Dedicated[i] &^ c.Pinned[i]
		free[i] = w
		n += bits.OnesCount64(w)
	}
	return n
}

// numFree is the number of dedicated CPUs that nobody has.
func (l *cores) numFree(c *HostCell) int {
	n := 0
	for i := l.first; i < l.end; i++ {
		n += bits.OnesCount64(c.Dedicated[i] &^ c.Pinned[i])
	}
	return n
}

// size is the number of CPUs in the set.
func size(s *unit.CPUSet) int {
	n := 0
	for _, w := range s {
		if w != 0 { // few are not
			n += bits.OnesCount64(w)
		}
	}
	return n
}
