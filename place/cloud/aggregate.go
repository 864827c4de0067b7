package cloud

import (
	"math"
	"strconv"
	"strings"
)

// matchesLabel reports whether the metadata of a host's aggregates meets a flavor's
// aggregate_instance_extra_specs. Nova splits the metadata at its commas and is
// content when one of the values matches.
func matchesLabel(labels map[string]string, key, want string) bool {
	have, ok := labels[key]
	if !ok {
		return false
	}
	for value := range strings.SplitSeq(have, ",") {
		if matchSpec(strings.TrimSpace(value), want) {
			return true
		}
	}
	return false
}

// matchSpec compares a value with what a flavor wants, by the operator that the
// wish begins with: <in>, <all-in>, <or>, =, ==, !=, >=, <= for numbers, s==, s!=,
// s<, s<=, s>, s>= for text. Without an operator the two are equal.
func matchSpec(value, want string) bool {
	words := strings.Fields(want)
	if len(words) == 0 {
		return value == want
	}
	op, rest := words[0], words[1:]
	compare, known := operators[op]
	switch {
	case op == "<or>":
		return orMatches(value, rest)
	case !known:
		return value == want
	case len(rest) == 0:
		return false
	case op == "<all-in>":
		for _, w := range rest {
			if !strings.Contains(value, w) {
				return false
			}
		}
		return true
	}
	return compare(value, rest[0])
}

// orMatches reads "<or> a <or> b" after the first <or>.
func orMatches(value string, words []string) bool {
	for i := 0; i < len(words); i += 2 {
		if words[i] == value {
			return true
		}
	}
	return false
}

var operators = map[string]func(value, want string) bool{
	"=":        numbers(func(x, y float64) bool { return x >= y }), // Nova reads it as "at least"
	"==":       numbers(func(x, y float64) bool { return x == y }),
	"!=":       numbers(func(x, y float64) bool { return x != y }),
	">=":       numbers(func(x, y float64) bool { return x >= y }),
	"<=":       numbers(func(x, y float64) bool { return x <= y }),
	"<in>":     strings.Contains,
	"<all-in>": strings.Contains,
	"s==":      func(x, y string) bool { return x == y },
	"s!=":      func(x, y string) bool { return x != y },
	"s<":       func(x, y string) bool { return x < y },
	"s<=":      func(x, y string) bool { return x <= y },
	"s>":       func(x, y string) bool { return x > y },
	"s>=":      func(x, y string) bool { return x >= y },
}

// numbers compares as numbers. Nova fails on text there, and the host with it.
func numbers(holds func(x, y float64) bool) func(value, want string) bool {
	return func(value, want string) bool {
		x, errX := strconv.ParseFloat(value, 64)
		y, errY := strconv.ParseFloat(want, 64)
		return errX == nil && errY == nil && !math.IsNaN(x) && !math.IsNaN(y) && holds(x, y)
	}
}
