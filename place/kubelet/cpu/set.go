package cpu

import (
	"math/bits"

	"plimsoll.dev/unit"
)

// Sets of the machine's CPUs are worked on in place, and only in the words that
// the machine has.

// count is the number of CPUs of a set.
func (s *shape) count(cpus *unit.CPUSet) int {
	n := 0
	for _, w := range cpus[:s.words] {
		n += bits.OnesCount64(w)
	}
	return n
}

// common is the number of CPUs that two sets have in common.
func (s *shape) common(a, b *unit.CPUSet) int {
	n := 0
	for i, w := range a[:s.words] {
		n += bits.OnesCount64(w & b[i])
	}
	return n
}

// add puts CPUs into a set.
func (s *shape) add(to, cpus *unit.CPUSet) {
	for i, w := range cpus[:s.words] {
		to[i] |= w
	}
}

// drop takes CPUs out of a set.
func (s *shape) drop(from, cpus *unit.CPUSet) {
	for i, w := range cpus[:s.words] {
		from[i] &^= w
	}
}

// addCommon puts what a and b have in common into a set.
func (s *shape) addCommon(to, a, b *unit.CPUSet) {
	for i, w := range a[:s.words] {
		to[i] |= w & b[i]
	}
}

// isEmpty reports whether a set has no CPU.
func (s *shape) isEmpty(cpus *unit.CPUSet) bool {
	for _, w := range cpus[:s.words] {
		if w != 0 {
			return false
		}
	}
	return true
}

// in is the number of CPUs of a core that are in a set.
func (c *core) in(cpus *unit.CPUSet) int {
	n := 0
	for _, cpu := range c.cpus {
		n += int(cpus[cpu>>6] >> (cpu & 63) & 1)
	}
	return n
}
