package machineconfig

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// MaxCPUs is the largest number of CPUs that a mask is made for: what Linux on
// x86-64 can be built for.
const MaxCPUs = 8192

// group is the number of CPUs of one group of digits in a mask.
const group = 32

// Mask writes a set of CPUs as the kernel reads and shows it: hexadecimal digits
// in groups of 8 with commas between them, the highest CPUs first, without "0x",
// as wide as cpus, the number of possible CPUs, asks for. The kernel refuses a
// mask with a bit, or even a whole group, beyond its possible CPUs. only are the
// CPUs of the set; nil are all.
func Mask(cpus int, only []int) (string, error) {
	if cpus < 1 || cpus > MaxCPUs {
		return "", fmt.Errorf("%d is no number of CPUs (write one from 1 to %d)", cpus, MaxCPUs)
	}
	words := make([]uint32, (cpus+group-1)/group)
	if only == nil {
		for i := range words {
			words[i] = ^uint32(0)
		}
		if rest := cpus % group; rest > 0 {
			words[len(words)-1] = 1<<rest - 1
		}
	}
	for _, c := range only {
		if c < 0 || c >= cpus {
			return "", fmt.Errorf("CPU %d is not one of %d (write one from 0 to %d)", c, cpus, cpus-1)
		}
		words[c/group] |= 1 << (c % group)
	}
	return maskText(words, cpus), nil
}

// maskText writes words, the lowest first, as wide as cpus.
func maskText(words []uint32, cpus int) string {
	var b strings.Builder
	for i := len(words) - 1; i >= 0; i-- {
		width := 8
		if i == len(words)-1 {
			width = (cpus - i*group + 3) / 4
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%0*x", width, words[i])
	}
	return b.String()
}

// cpuMask is a mask as the kernel reads it.
type cpuMask struct {
	// words of 32 CPUs, the lowest first; as many as the text has groups.
	words []uint32
}

// parseMask reads a mask as the kernel does.
func parseMask(text string) (cpuMask, error) {
	var m cpuMask
	parts := strings.Split(strings.TrimSpace(text), ",")
	for i := len(parts) - 1; i >= 0; i-- {
		p := parts[i]
		switch {
		case strings.HasPrefix(strings.ToLower(p), "0x"):
			return cpuMask{}, fmt.Errorf("the mask %s begins with 0x (leave it out)", short(text))
		case len(p) > 8:
			return cpuMask{}, fmt.Errorf("the mask %s has more than 8 digits in a group (put a comma after each 8, counted from the right)", short(text))
		}
		v, err := strconv.ParseUint(p, 16, 32)
		if err != nil {
			return cpuMask{}, fmt.Errorf("the mask %s is not hexadecimal (write groups of 8 digits with commas)", short(text))
		}
		m.words = append(m.words, uint32(v))
	}
	return m, nil
}

// fits says whether a kernel with so many possible CPUs takes the mask.
func (m cpuMask) fits(cpus int) bool {
	return len(m.words) <= (cpus+group-1)/group && m.highest() < cpus
}

// highest is the highest CPU of the mask, -1 for none.
func (m cpuMask) highest() int {
	for i := len(m.words) - 1; i >= 0; i-- {
		if m.words[i] != 0 {
			return i*group + bits.Len32(m.words[i]) - 1
		}
	}
	return -1
}

// equal compares the CPUs of two masks, however they are written.
func (m cpuMask) equal(n cpuMask) bool {
	for i := range max(len(m.words), len(n.words)) {
		if m.word(i) != n.word(i) {
			return false
		}
	}
	return true
}

func (m cpuMask) word(i int) uint32 {
	if i < len(m.words) {
		return m.words[i]
	}
	return 0
}
