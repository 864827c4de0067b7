package tuned

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxCPU is the highest CPU number of a mask, and maxList the most CPUs that a list
// has. The kernel knows at most 8192.
const (
	maxCPU  = 1<<21 - 1
	maxList = 1 << 14
)

// tooMany is a list of CPUs that nobody means.
type tooMany struct{}

func (tooMany) Error() string {
	return fmt.Sprintf("a list has more than %d CPUs or a mask goes beyond %d", maxList, maxCPU)
}

// cpuList reads lists such as 0-3,^2,0xff00,,8: ranges, single CPUs, those taken
// out by ^ or !, and masks, each of which lasts until an empty item. A list that
// can't be read is empty. The result is ascending.
func cpuList(text string) ([]int, error) {
	plain, out, ok, err := cpuItems(strings.Split(strings.Trim(text, `'"`), ","))
	if !ok || err != nil {
		return nil, err
	}
	var set []int
	for _, item := range plain {
		var cpus []int
		if isMask(item) {
			cpus, err = maskCPUs(item)
		} else if cpus, ok, err = cpuRange(item); !ok {
			return nil, err
		}
		if err != nil {
			return nil, err
		}
		set = append(set, cpus...)
		if len(set) > maxList {
			return nil, tooMany{}
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	if len(out) == 0 {
		return set, nil
	}
	slices.Sort(out)
	return without(set, out), nil
}

func isMask(item string) bool { return len(item) > 1 && strings.EqualFold(item[:2], "0x") }

// cpuItems sorts the items of a list: those that count, masks made one, and the
// CPUs that are taken out.
func cpuItems(items []string) (plain []string, out []int, ok bool, err error) {
	mask, inMask := "", false
	for _, item := range items {
		switch {
		case inMask && item == "":
			plain = append(plain, mask)
			mask, inMask = "", false
		case inMask:
			mask += item
		case isMask(item):
			mask, inMask = item, true
		case item == "":
		case item[0] == '^' || item[0] == '!':
			cpus, ok, err := cpuRange(item[1:])
			if !ok || err != nil {
				return nil, nil, ok, err
			}
			if out = append(out, cpus...); len(out) > maxList {
				return nil, nil, true, tooMany{}
			}
		default:
			plain = append(plain, item)
		}
	}
	if mask != "" {
		plain = append(plain, mask)
	}
	return plain, out, true, nil
}

// cpuRange reads 3 or 3-5; what stands behind a second hyphen is not looked at.
func cpuRange(item string) (cpus []int, ok bool, err error) {
	parts := strings.Split(item, "-")
	first, ok := number(parts[0], 10)
	if !ok {
		return nil, false, nil
	}
	last := first
	if len(parts) > 1 {
		if last, ok = number(parts[1], 10); !ok {
			return nil, false, nil
		}
	}
	switch {
	case first.Cmp(last) > 0:
		return nil, true, nil
	case !last.IsInt64(), last.Int64()-first.Int64() >= maxList, last.Int64() == math.MaxInt64:
		return nil, true, tooMany{}
	}
	for c := first.Int64(); c <= last.Int64(); c++ {
		cpus = append(cpus, int(c))
	}
	return cpus, true, nil
}

// maskCPUs are the bits of a hexadecimal mask, whose commas don't count. What is
// no mask has none.
func maskCPUs(mask string) ([]int, error) {
	m, ok := number(strings.ReplaceAll(mask, ",", ""), 16)
	if !ok || m.Sign() < 0 {
		return nil, nil
	}
	if m.BitLen() > maxCPU+1 {
		return nil, tooMany{}
	}
	var cpus []int
	for i := range m.BitLen() {
		if len(cpus) == maxList {
			return nil, tooMany{}
		}
		if m.Bit(i) == 1 {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// without are the CPUs of an ascending list that another ascending list lacks.
func without(list, out []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(c int) bool { return contains(out, c) })
}

// within are the CPUs of an ascending list that another has as well.
func within(list, in []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(c int) bool { return !contains(in, c) })
}

func contains(sorted []int, c int) bool {
	_, found := slices.BinarySearch(sorted, c)
	return found
}

// listText writes a list with a prefix before each number.
func listText(cpus []int, prefix string) string {
	var b []byte
	for i, c := range cpus {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, prefix...), int64(c), 10)
	}
	return string(b)
}

// packed writes an ascending list with ranges.
func packed(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

// maskText writes an ascending list as a mask in groups of eight hexadecimal digits.
func maskText(cpus []int) (string, error) {
	m := new(big.Int)
	if len(cpus) > 0 && cpus[len(cpus)-1] > maxCPU {
		return "", tooMany{}
	}
	for _, c := range cpus {
		m.SetBit(m, c, 1)
	}
	digits := m.Text(16)
	digits = strings.Repeat("0", (8-len(digits)%8)%8) + digits
	var groups []string
	for ; digits != ""; digits = digits[8:] {
		groups = append(groups, digits[:8])
	}
	return strings.Join(groups, ","), nil
}
