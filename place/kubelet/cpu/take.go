package cpu

import (
	"math/bits"

	"plimsoll.dev/unit"
)

// taker picks CPUs out of a pool: whole parts first, then whole cores, then
// single CPUs, at each level from where the fewest are free, then from the lowest
// id, nested. (cpu_assignment.go, cpuAccumulator)
type taker struct {
	s *shape
	// left are the CPUs to pick from; start with the free ones.
	left unit.CPUSet
	// need is how many are missing. It is counted by what was asked for, not by
	// what came out of left: where parts are uneven the two differ.
	need int
	// got are the picked ones, which may be more than left had, see takeWhole.
	got unit.CPUSet
	// before is left as it was when a step began; orders are fixed then.
	before unit.CPUSet
	// Orders are counts << 16 | index.
	uppers, lowers, caches []uint32
}

func newTaker(s *shape) taker {
	lowers, caches := 0, 0
	for i := range s.below {
		lowers += len(s.below[i])
	}
	for i := range s.caches {
		caches += len(s.caches[i])
	}
	return taker{
		s:      s,
		uppers: make([]uint32, 0, len(s.upper.parts)),
		lowers: make([]uint32, 0, lowers),
		caches: make([]uint32, 0, caches),
	}
}

// packed picks what is needed; left has at least that much.
// (takeByTopologyNUMAPacked)
func (t *taker) packed(spread, byCache bool) {
	if t.need >= t.s.upper.least {
		t.takeWhole(t.s.upper, t.upperOrder())
	}
	if t.need > 0 && t.need >= t.s.lower.least {
		t.takeWhole(t.s.lower, t.lowerOrder())
	}
	if t.need > 0 && byCache {
		t.takeCaches()
	}
	if t.need > 0 && !spread {
		t.takeCores()
	}
	switch {
	case t.need < 1:
	case spread:
		t.takeSpread()
	default:
		t.takePacked()
	}
}

// take picks CPUs; those that left does not have count all the same.
func (t *taker) take(cpus *unit.CPUSet, size int) {
	t.s.drop(&t.left, cpus)
	t.s.add(&t.got, cpus)
	t.need -= size
}

func (t *taker) takeCPU(cpu int) {
	t.left.Remove(cpu)
	t.got.Add(cpu)
	t.need--
}

// takeWhole picks the wholly free parts in order, as long as they are not larger
// than the need. A socket is compared with the average socket and then taken with
// all its CPUs: on uneven machines that gives away CPUs in use, as upstream does.
func (t *taker) takeWhole(l *level, order []uint32) {
	for _, key := range order {
		p := &l.parts[key&0xffff]
		if int(key>>16) == p.whole && t.need >= p.size {
			t.take(&p.cpus, p.size)
		}
	}
}

// takeCaches picks all wholly free caches if the need is that of an average one,
// then what is still needed from the first cache that can give it. (takeUncoreCache)
func (t *taker) takeCaches() {
	order := t.cacheOrder()
	if t.need >= t.s.perCache {
		t.takeWhole(&t.s.cache, order)
	}
	for _, key := range order {
		if t.need < 1 {
			return
		}
		t.takeOfCache(t.s.cache.parts[key&0xffff].cores)
	}
}

// takeOfCache picks the whole need from the lowest cores that have free CPUs, as
// many cores as it takes when all their threads are free, or nothing. Of an odd
// need the last core gives all but the highest of the numbers. (takePartialUncore)
func (t *taker) takeOfCache(cores []uint16) {
	var free unit.CPUSet
	size, left := 0, (t.need+t.s.perCore-1)/t.s.perCore
	for _, c := range cores {
		if left == 0 {
			break
		}
		before := size
		for _, cpu := range t.s.cores[c].cpus {
			if t.left.Has(int(cpu)) {
				free.Add(int(cpu))
				size++
			}
		}
		if size > before {
			left--
		}
	}
	if t.need%2 != 0 && t.s.perCore > 1 && size > t.need {
		free.Remove(highest(&free))
		size--
	}
	if size == t.need {
		t.take(&free, size)
	}
}

// highest is the highest CPU of a set that is not empty.
func highest(s *unit.CPUSet) int {
	i := len(s) - 1
	for s[i] == 0 {
		i--
	}
	return i<<6 | (bits.Len64(s[i]) - 1)
}

// takeCores picks the wholly free cores.
func (t *taker) takeCores() {
	order := t.lowerOrder()
	t.before = t.left
	even := t.s.leastCore == t.s.mostCore
	for _, key := range order {
		part := &t.s.lower.parts[key&0xffff]
		for i := range t.s.words {
			leads := part.cpus[i] & t.s.leads[i]
			if even { // else a core without its lowest thread can have as many as the average
				leads &= t.before[i]
			}
			for ; leads != 0; leads &= leads - 1 {
				if t.need < t.s.leastCore {
					return
				}
				t.takeWholeCore(&t.s.cores[t.s.coreOf[i<<6|bits.TrailingZeros64(leads)]])
			}
		}
	}
}

// takeWholeCore picks a core if it was wholly free and is not too large.
func (t *taker) takeWholeCore(c *core) {
	if c.in(&t.before) != t.s.perCore || t.need < len(c.cpus) {
		return
	}
	for _, cpu := range c.cpus {
		t.takeCPU(int(cpu))
	}
}

// takePacked picks single CPUs, those of the cores with the fewest free ones first.
func (t *taker) takePacked() {
	order := t.lowerOrder()
	t.before = t.left
	for _, key := range order {
		cores := t.s.lower.parts[key&0xffff].cores
		for n := 1; n <= t.s.mostCore; n++ {
			for _, i := range cores {
				if c := &t.s.cores[i]; c.in(&t.before) == n && t.takeCore(c) {
					return
				}
			}
		}
	}
}

// takeCore picks free CPUs of a core until no more are needed, which it reports.
func (t *taker) takeCore(c *core) bool {
	for _, cpu := range c.cpus {
		if !t.before.Has(int(cpu)) {
			continue
		}
		t.takeCPU(int(cpu))
		if t.need < 1 {
			return true
		}
	}
	return false
}

// takeSpread picks single CPUs by socket and number, so that the second threads
// of cores come last where Linux numbers them so.
func (t *taker) takeSpread() {
	t.before = t.left
	for _, key := range t.order(&t.s.sockets) {
		cpus := &t.s.sockets.parts[key&0xffff].cpus
		for i := range t.s.words {
			for w := cpus[i] & t.before[i]; w != 0; w &= w - 1 {
				t.takeCPU(i<<6 | bits.TrailingZeros64(w))
				if t.need < 1 {
					return
				}
			}
		}
	}
}

// upperOrder is the parts of the upper level that have free CPUs.
func (t *taker) upperOrder() []uint32 {
	t.uppers = t.uppers[:0]
	for i := range t.s.upper.parts {
		if n := t.s.common(&t.left, &t.s.upper.parts[i].cpus); n > 0 {
			t.uppers = append(t.uppers, uint32(n<<16|i))
		}
	}
	sortFew(t.uppers)
	return t.uppers
}

// lowerOrder is the parts of the lower level with free CPUs, within the parts of
// the upper level. One that lies in two of them stands there twice.
func (t *taker) lowerOrder() []uint32 {
	t.lowers = t.within(t.lowers[:0], t.upperOrder(), t.s.below, t.s.lower)
	return t.lowers
}

// cacheOrder is the caches with free CPUs, within the NUMA nodes.
func (t *taker) cacheOrder() []uint32 {
	t.caches = t.within(t.caches[:0], t.order(&t.s.nodes), t.s.caches, &t.s.cache)
	return t.caches
}

func (t *taker) within(order, outer []uint32, below [][]overlap, inner *level) []uint32 {
	for _, key := range outer {
		from := len(order)
		for i := range below[key&0xffff] {
			if o := &below[key&0xffff][i]; t.s.common(&t.left, &o.cpus) > 0 {
				n := t.s.common(&t.left, &inner.parts[o.part].cpus)
				order = append(order, uint32(n<<16)|uint32(o.part))
			}
		}
		sortFew(order[from:])
	}
	return order
}

// sortFew sorts by insertion: mostly there is one, or two or four.
func sortFew(keys []uint32) {
	for i := range keys {
		for ; i > 0 && keys[i] < keys[i-1]; i-- {
			keys[i], keys[i-1] = keys[i-1], keys[i]
		}
	}
}

// order is the parts of a level with free CPUs: of the upper one, or of the lower one within it.
func (t *taker) order(l *level) []uint32 {
	if t.s.upper == l {
		return t.upperOrder()
	}
	return t.lowerOrder()
}
