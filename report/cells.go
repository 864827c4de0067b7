package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// listedName is the length of a name up to which a list of names is joined.
const listedName = 24

// areNames says whether a list has but short names without blanks.
func areNames(list []string) bool {
	return len(list) > 1 && !slices.ContainsFunc(list,
		func(s string) bool { return len(s) > listedName || strings.Contains(s, " ") })
}

// joinedNames are names in a line: with ranges in the order of their numbers, or as
// they are where that makes no range.
func joinedNames(names []string) string {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, func(a, b string) int {
		x, n := apartNumber(a)
		y, m := apartNumber(b)
		return cmp.Or(strings.Compare(x, y), len(n)-len(m), strings.Compare(n, m))
	})
	if folded := foldedNames(sorted); strings.Contains(folded, "[") {
		return folded
	}
	return strings.Join(names, ", ")
}

// foldedNames writes names with ranges where three or more follow each other:
// "worker-[1-10], infra-0".
func foldedNames(names []string) string {
	var parts []string
	for i := 0; i < len(names); {
		j := i + 1
		for j < len(names) && follows(names[j-1], names[j]) {
			j++
		}
		if j-i < 3 {
			parts = append(parts, names[i:j]...)
		} else {
			stem, first := apartNumber(names[i])
			_, last := apartNumber(names[j-1])
			parts = append(parts, fmt.Sprintf("%s[%s-%s]", stem, first, last))
		}
		i = j
	}
	return strings.Join(parts, ", ")
}

// follows says whether b is the name after a: the same with the next number.
func follows(a, b string) bool {
	stem, digits := apartNumber(a)
	if digits == "" || strings.Trim(digits, "9") == "" && digits[0] == '0' {
		return false
	}
	next := []byte(digits)
	i := len(next) - 1
	for i >= 0 && next[i] == '9' {
		next[i] = '0'
		i--
	}
	if i < 0 {
		return b == stem+"1"+string(next)
	}
	next[i]++
	return b == stem+string(next)
}

// apartNumber cuts a name before the number at its end.
func apartNumber(name string) (stem, digits string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}
