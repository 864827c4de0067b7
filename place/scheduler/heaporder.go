package scheduler

import "math/bits"

// From 1.35 on the scheduler takes the root of a binary heap that it builds on
// the list of feasible nodes (schedule_one.go, newSortedNodeScores). Sifting never
// swaps equal scores, so the root is the best node that comes first in PRE-ORDER
// of the tree with children 2i+1 and 2i+2. On one level pre-order is the order of
// the list, so only the first best node of each level can win.

// before reports whether index i comes before j in pre-order: the ancestor first,
// else by the branches taken from the root.
func before(i, j int) bool {
	a, b := uint64(i)+1, uint64(j)+1
	la, lb := bits.LeadingZeros64(a), bits.LeadingZeros64(b)
	if a<<la != b<<lb {
		return a<<la < b<<lb
	}
	return la > lb
}

// nextLevel is the first index of the level below that of i.
func nextLevel(i int) int { return 1<<bits.Len(uint(i)+1) - 1 }
