package place

import (
	"plimsoll.dev/unit"
)

// count writes a number with its thousands set off.
func count(n int) string { return unit.Format(float64(n), "") }

// plural writes a number and a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// countLarge writes a number that may be too large to be counted.
func countLarge(n int64) string {
	if n >= 1e15 {
		return "countless"
	}
	return count(int(n))
}
