package flavor

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/unit"
)

// span is a range of CPU numbers, both ends included.
type span struct{ first, last int64 }

// cpuList is a list of vCPUs as extra specs have it: numbers and ranges to take,
// and with a caret those to leave out, wherever they stand.
type cpuList struct{ in, out []span }

// longestList bounds the text of a list; Nova keeps 255 characters.
const longestList = 4096

// parseCPUs reads a list such as "0-3,^2". It takes time in proportion to the
// text, whatever the numbers are.
func parseCPUs(text string) (cpuList, error) {
	var l cpuList
	if len(text) > longestList {
		return l, errors.New("the list is too long")
	}
	for rule := range strings.SplitSeq(text, ",") {
		rule = strings.TrimSpace(rule)
		if rule == "" {
			continue
		}
		body, leaveOut := strings.CutPrefix(rule, "^")
		first, last, isRange := strings.Cut(body, "-")
		if !isRange {
			last = first
		}
		s, ok := spanOf(first, last)
		switch {
		case !ok:
			return l, fmt.Errorf("%q is no vCPU and no range of vCPUs", rule)
		case leaveOut:
			l.out = append(l.out, s)
		default:
			l.in = append(l.in, s)
		}
	}
	return l, nil
}

func spanOf(first, last string) (span, bool) {
	a, okA := wholeNumber(first)
	b, okB := wholeNumber(last)
	return span{a, b}, okA && okB && a >= 0 && a <= b
}

// wholeNumber reads a number as Nova does, with blanks around it and a sign. What is too large
// for any machine becomes the largest number.
func wholeNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// below are the CPUs of the list with numbers below n, and the first one that is
// not below; -1 when there is none.
func (l cpuList) below(n int) (cpus unit.CPUSet, beyond int64) {
	for _, s := range l.in {
		for c := s.first; c <= min(s.last, int64(n)-1); c++ {
			cpus.Add(int(c))
		}
	}
	for _, s := range l.out {
		for c := s.first; c <= min(s.last, int64(n)-1); c++ {
			cpus.Remove(int(c))
		}
	}
	return cpus, l.firstFrom(int64(n))
}

// firstFrom is the lowest CPU of the list from n on; -1 when there is none.
func (l cpuList) firstFrom(n int64) int64 {
	out := slices.Clone(l.out)
	slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	lowest := int64(-1)
	for _, s := range l.in {
		at := max(s.first, n)
		for _, o := range out {
			if o.first <= at && at <= o.last && at <= s.last {
				at = o.last + 1
			}
		}
		if at <= s.last && (lowest < 0 || at < lowest) {
			lowest = at
		}
	}
	return lowest
}
