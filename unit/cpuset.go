package unit

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// MaxCPUs is the number of CPUs that a CPUSet can hold, numbered from 0.
const MaxCPUs = 1024

// ErrBeyond is a CPU that a CPUSet can't hold.
var ErrBeyond = fmt.Errorf("beyond %d, the highest number there is room for", MaxCPUs-1)

// CPUSet is a set of CPU numbers below MaxCPUs. It is a value: assigning copies
// it, and == compares it. The zero value is the empty set.
type CPUSet [MaxCPUs / 64]uint64

// CPUSetOf makes a set of CPU numbers, each from 0 to MaxCPUs-1; others panic.
func CPUSetOf(cpus ...int) CPUSet {
	var s CPUSet
	for _, c := range cpus {
		s.Add(c)
	}
	return s
}

// FirstCPUs is the set of CPUs 0 to n-1, of at most MaxCPUs; empty for n below 1.
func FirstCPUs(n int) (s CPUSet) {
	for c := range min(n, MaxCPUs) {
		s.Add(c)
	}
	return s
}

// ParseCPUSet reads the kernel's list format: "0-3,8,10-11"; empty is the empty set.
func ParseCPUSet(text string) (CPUSet, error) {
	var s CPUSet
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.ParseUint(first, 10, 31)
		b, errB := strconv.ParseUint(last, 10, 31)
		switch {
		case errA != nil || errB != nil:
			return CPUSet{}, fmt.Errorf("%q is not a list of CPUs (such as 0-3,8)", text)
		case a > b:
			return CPUSet{}, fmt.Errorf("the range %s goes down (write %d-%d)", part, b, a)
		case b >= MaxCPUs:
			return CPUSet{}, fmt.Errorf("CPU %d is %w", b, ErrBeyond)
		}
		for c := a; c <= b; c++ {
			s.Add(int(c))
		}
	}
	return s, nil
}

// Add puts a CPU into the set.
func (s *CPUSet) Add(cpu int) { s[cpu>>6] |= 1 << (cpu & 63) }

// Remove takes a CPU out of the set.
func (s *CPUSet) Remove(cpu int) { s[cpu>>6] &^= 1 << (cpu & 63) }

// Has says whether the CPU is in the set.
func (s CPUSet) Has(cpu int) bool {
	return cpu >= 0 && cpu < MaxCPUs && s[cpu>>6]&(1<<(cpu&63)) != 0
}

// Len is the number of CPUs in the set.
func (s CPUSet) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// IsEmpty says whether no CPU is in the set.
func (s CPUSet) IsEmpty() bool { return s == CPUSet{} }

// Union is what is in either set.
func (s CPUSet) Union(t CPUSet) CPUSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// Intersect is what is in both sets.
func (s CPUSet) Intersect(t CPUSet) CPUSet {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Minus is what is in s and not in t.
func (s CPUSet) Minus(t CPUSet) CPUSet {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// SubsetOf says whether all of s is in t.
func (s CPUSet) SubsetOf(t CPUSet) bool { return s.Minus(t).IsEmpty() }

// All yields the CPUs in rising order.
func (s CPUSet) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 | bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// String is the kernel's list format, "0-3,8"; "" for the empty set.
func (s CPUSet) String() string {
	var b strings.Builder
	for c := 0; c < MaxCPUs; c++ {
		if !s.Has(c) {
			continue
		}
		last := c
		for s.Has(last + 1) {
			last++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(c))
		if last > c {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(last))
		}
		c = last
	}
	return b.String()
}

// MarshalText writes the list format.
func (s CPUSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the list format.
func (s *CPUSet) UnmarshalText(text []byte) error {
	v, err := ParseCPUSet(string(text))
	if err == nil {
		*s = v
	}
	return err
}
