package machineconfig

import (
	"fmt"
	"math/big"
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
	m := new(big.Int)
	if only == nil {
		m.Sub(m.Lsh(big.NewInt(1), uint(cpus)), big.NewInt(1))
	}
	for _, c := range only {
		if c < 0 || c >= cpus {
			return "", fmt.Errorf("CPU %d is not one of %d (write one from 0 to %d)", c, cpus, cpus-1)
		}
		m.SetBit(m, c, 1)
	}
	digits := fmt.Sprintf("%0*x", (cpus+3)/4, m)
	for at := len(digits) - 8; at > 0; at -= 8 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits, nil
}

// cpuMask is a mask as the kernel reads it: groups of 32 CPUs.
type cpuMask struct {
	big.Int
	groups int
}

// parseMask reads a mask as the kernel does.
func parseMask(text string) (*cpuMask, error) {
	var m cpuMask
	var digits strings.Builder
	for p := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		switch {
		case strings.HasPrefix(strings.ToLower(p), "0x"):
			return nil, fmt.Errorf("the mask %s begins with 0x (leave it out)", short(text))
		case len(p) > 8:
			return nil, fmt.Errorf("the mask %s has more than 8 digits in a group (put a comma after "+
				"each 8, counted from the right)", short(text))
		}
		v, err := strconv.ParseUint(p, 16, group)
		if err != nil {
			return nil, fmt.Errorf("the mask %s is not hexadecimal (write groups of 8 digits with commas)", short(text))
		}
		fmt.Fprintf(&digits, "%08x", v)
		m.groups++
	}
	m.SetString(digits.String(), 16)
	return &m, nil
}

// fits reports whether a kernel with so many possible CPUs takes the mask.
func (m *cpuMask) fits(cpus int) bool {
	return m.groups <= (cpus+group-1)/group && m.highest() < cpus
}

// highest is the highest CPU of the mask, -1 for none.
func (m *cpuMask) highest() int { return m.BitLen() - 1 }

// equal compares the CPUs of two masks, however they are written.
func (m *cpuMask) equal(n *cpuMask) bool { return m.Cmp(&n.Int) == 0 }
