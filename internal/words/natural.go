package words

import "cmp"

// ByNumbers compares names with their numbers as numbers: compute-2 is before
// compute-10, and eno1np0 before eno2. It is a total order.
func ByNumbers(a, b string) int { return cmp.Or(naturally(a, b), cmp.Compare(a, b)) }

func naturally(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			if d := cmp.Or(cmp.Compare(len(trimZeros(a[:x])), len(trimZeros(b[:y]))),
				cmp.Compare(trimZeros(a[:x]), trimZeros(b[:y]))); d != 0 {
				return d
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func trimZeros(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}
