package certify

import (
	"slices"

	"plimsoll.dev/pack"
)

// box is a part of the patterns of a node kind: from and to so many of each item.
type box struct {
	*checker
	kind     int
	ce       *pack.Certificate
	from, to []int64
	capacity []int64   // in the given dimensions, and then the rounded ones
	need     [][]int64 // of each item, likewise
}

// all is the box of all patterns of kind k.
func (c *checker) all(k int, ce *pack.Certificate) *box {
	n := len(c.Items)
	b := &box{checker: c, kind: k, ce: ce, from: make([]int64, n), to: make([]int64, n), need: make([][]int64, n),
		capacity: slices.Clone(c.Nodes[k].Capacity)}
	for i, item := range c.Items {
		b.to[i] = min(c.demand[i], c.most(k, i))
		b.need[i] = slices.Clone(item.Need)
	}
	if len(ce.Rounded) > 0 {
		for _, r := range ce.Rounded[k] {
			b.round(r)
		}
	}
	return b
}

// round adds a dimension by mixed-integer rounding (Nemhauser and Wolsey 1990).
// Where need times count, summed up, is at most quotient*divisor + rest, and the
// counts are whole, need/divisor + max(need mod divisor - rest, 0)/(divisor-rest)
// times count, summed up, is at most the quotient. Here both are times divisor-rest.
func (b *box) round(r pack.Rounding) {
	given := b.Nodes[b.kind].Capacity
	b.steps += (len(b.need) + 1) * (len(given) + 1)
	if !b.must(r.Divisor > 0 && len(b.capacity) < maxKinds && len(r.Of) == len(given) && natural(r.Of) &&
		dot(r.Of, given).BitLen() <= 62 && b.steps < maxSteps,
		"certificate.rounded[%d]: is no factor for each dimension, or too large", b.kind) {
		return
	}
	total := dot(r.Of, given).Int64()
	rest := total % r.Divisor
	b.capacity = append(b.capacity, total/r.Divisor*(r.Divisor-rest))
	for i := range b.need {
		need := int64(0)
		if b.to[i] > 0 { // so it is within the capacity, and the total
			need = dot(r.Of, b.Items[i].Need).Int64()
		}
		b.need[i] = append(b.need[i], need/r.Divisor*(r.Divisor-rest)+max(need%r.Divisor-rest, 0))
	}
}

// top is how many of each item a pattern of the box can have beside the least of
// the others; false when there is no pattern in it.
func (b *box) top() (top []int64, possible bool) {
	top, room := slices.Clone(b.to), slices.Clone(b.Nodes[b.kind].Capacity)
	b.steps += len(top)*(len(b.capacity)+12) + len(b.Conflicts)
	for i, item := range b.Items {
		if b.from[i] > top[i] {
			return nil, false
		}
		for d, need := range item.Need {
			if room[d] -= need * b.from[i]; room[d] < 0 {
				return nil, false
			}
		}
	}
	for i, item := range b.Items {
		for d, need := range item.Need {
			if need > 0 {
				top[i] = min(top[i], b.from[i]+room[d]/need)
			}
		}
	}
	for _, pair := range b.Conflicts {
		for x := range pair {
			if b.from[pair[x]] > 0 {
				top[pair[1-x]] = 0
			}
		}
	}
	for i := range top {
		if b.from[i] > top[i] {
			return nil, false
		}
	}
	return top, true
}
