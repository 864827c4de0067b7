// Package words puts numbers, names and commands together for people.
//
// It knows no grammar but the plural with s, and no language: names are compared by
// their bytes and their digits. It runs no command that it quotes.
//
//	words.Count(3000, "node")                // 3,000 nodes
//	words.And([]string{"a", "b", "c"})       // a, b and c
//	words.Some(names, 2)                     // a, b and 7 more
//	slices.SortFunc(names, words.ByNumbers)  // compute-2, compute-10
//	"oc label node " + words.Quote(name)
package words

import (
	"fmt"
	"strings"

	"plimsoll.dev/unit"
)

// Number writes a number with its thousands set off: "12,345".
func Number[N int | int64](n N) string { return unit.Format(float64(n), unit.None) }

// Count counts things: "1 node", "3,000 nodes". Without a second form the plural has s.
func Count[N int | int64](n N, one string, many ...string) string {
	return Number(n) + " " + Form(n, one, many...)
}

// Form is the first form for one thing, else the second; without a second form, the
// first with s.
func Form[N int | int64](n N, one string, many ...string) string {
	switch {
	case n == 1:
		return one
	case len(many) > 0:
		return many[0]
	}
	return one + "s"
}

// And lists names as a sentence does: "a, b and c".
func And(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Some lists the first few names and counts the others: "a, b and 7 more".
func Some(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
