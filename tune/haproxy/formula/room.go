package formula

import (
	"math"

	"plimsoll.dev/derive"
)

// Processes is the number of HAProxy processes of a router at worst: the one that
// serves, and one for each reload that the oldest connection has seen. Each reload
// leaves a process that lives as long as one of its connections, or until the hard
// stop; reloads come no faster than the interval, nor than there are changes. All
// are seconds; hardStop 0 is none.
func Processes(longest, hardStop, interval, betweenChanges float64) float64 {
	if hardStop > 0 {
		longest = math.Min(longest, hardStop)
	}
	return 1 + derive.Ceil(longest/math.Max(interval, betweenChanges))
}

// BufferSize is the size in bytes, in steps of pages, that holds a header besides
// what is kept for rewriting, and at least least.
func BufferSize(header, rewrite, least float64) float64 {
	return math.Max(least, derive.Ceil((header+rewrite)/PageSize)*PageSize)
}

// PageSize is that of memory, in bytes.
const PageSize = 4096
