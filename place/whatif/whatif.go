// Package whatif is what placements of pods and of VMs have in common: the order in
// which they arrive; which nodes may fail together, in what order the cases are tried,
// what is counted of them; the totals of resources with what is stranded; and the search
// for the fewest nodes that hold something. It takes nothing down and places nothing; its users do.
//
//	cases, all := whatif.Sample([][]int{{0, 1, 2}, {3}}, 2, nil)
//	all         // 2: two of the first group, or one of each
//	cases[1].Of // 3: any of the three, with the one
//	worst := whatif.Try(&loss, cases, whatif.Watch{}, func(nodes []int) int { return homelessAfter(nodes) })
package whatif

import (
	"math"
	"math/bits"
	"slices"
)

// Ways are the ways to take a number of nodes from groups of equal ones, each of
// which takes its nodes in order. They are numbered so that all that take nodes
// from the first groups only come first.
type Ways struct {
	groups [][]int
	k      int
	// of[g][n] is the number of ways to take n nodes from the first g groups.
	of [][]int64
	// group of each node.
	group map[int]int
}

// New numbers the ways to take k nodes.
func New(groups [][]int, k int) *Ways {
	w := &Ways{groups: groups, k: k, of: make([][]int64, len(groups)+1), group: map[int]int{}}
	w.of[0] = make([]int64, k+1)
	w.of[0][0] = 1
	for g, nodes := range groups {
		for _, n := range nodes {
			w.group[n] = g
		}
		row := make([]int64, k+1)
		for n := range row {
			for take := 0; take <= min(n, len(nodes)); take++ {
				row[n] = Plus(row[n], w.of[g][n-take])
			}
		}
		w.of[g+1] = row
	}
	return w
}

// Plus adds numbers of cases from 0; beyond what an int64 holds the sum is the largest one.
func Plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Count is the number of ways; beyond what an int64 holds it is the largest one.
func (w *Ways) Count() int64 { return w.of[len(w.groups)][w.k] }

// Cases are all ways, or of more than most the first half of so many, and others
// at equal distances from the rest.
func (w *Ways) Cases(most int64) [][]int {
	all := w.Count()
	var out [][]int
	for i := range min(most, all) {
		at := i
		if first := most / 2; all > most && i >= first {
			// In floats, since products of such numbers overflow.
			at = first + int64(float64(i-first)/float64(most-first)*float64(all-first))
		}
		out = append(out, w.way(at))
	}
	return out
}

// way is the i-th way.
func (w *Ways) way(i int64) []int {
	var nodes []int
	for g, n := len(w.groups), w.k; n > 0; {
		if i < w.of[g-1][n] {
			g--
			continue
		}
		i -= w.of[g-1][n]
		take := 1
		for i >= w.of[g-1][n-take] {
			i -= w.of[g-1][n-take]
			take++
		}
		nodes = append(nodes, w.groups[g-1][:take]...)
		g, n = g-1, n-take
	}
	slices.Sort(nodes)
	return nodes
}

// Of is the number of combinations of single nodes that a way stands for: any
// members of a group in place of its first ones. Beyond what an int64 holds it is
// the largest one.
func (w *Ways) Of(way []int) int64 {
	taken := make([]int, len(w.groups))
	for _, n := range way {
		taken[w.group[n]]++
	}
	all := int64(1)
	for g, k := range taken {
		all = times(all, Choose(len(w.groups[g]), k))
	}
	return all
}

// Choose is the number of ways to take k of n; beyond what an int64 holds it is
// the largest one.
func Choose(n, k int) int64 {
	if k < 0 || k > n {
		return 0
	}
	c := int64(1)
	for i := range min(k, n-k) {
		high, low := bits.Mul64(uint64(c), uint64(n-i))
		if high >= uint64(i+1) {
			return math.MaxInt64
		}
		q, _ := bits.Div64(high, low, uint64(i+1))
		if q > math.MaxInt64 {
			return math.MaxInt64
		}
		c = int64(q)
	}
	return c
}

// times multiplies without overflow.
func times(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return a * b
}

// Fewest is a number, from floor to most, that holds while one fewer does not (or
// it is the floor). What holds need not hold for every larger number, so there may
// be several such numbers: it is one near start, where the search begins. ok is
// false when not even most holds as far as was looked.
func Fewest(floor, start, most int, holds func(n int) bool) (n int, ok bool) {
	floor = max(1, floor)
	fails, works := floor-1, most+1
	for n, step := min(max(floor, start), most), 1; fails+1 < works; {
		if holds(n) {
			works = n
			n -= step
		} else {
			fails = n
			n += step
		}
		step *= 2
		if works <= most && fails >= floor || n <= fails || n >= works {
			n = (fails + works) / 2
		}
	}
	return works, works <= most
}
