package pack

import "slices"

const (
	// mostTried is how many items are looked at for one place on a node.
	mostTried = 160
	// mostSwaps is how many items of a node that is full are replaced by larger ones.
	mostSwaps = 6
)

// evenly packs as complete does, but looks anew for each item that it puts on a node.
// That takes longer, and wastes less where there are many different items.
func (c *completer) evenly(count, stock []int64, price []float64, limit int64) *mix {
	c.even, c.turn = true, 0
	defer func() { c.even = false }()
	return c.complete(count, stock, price, limit)
}

// chooseEven finds the even filling that is worth most for its cost; false when none
// holds anything. Kinds that came off badly are left out most of the time.
func (c *completer) chooseEven(price []float64) bool {
	const afresh, near = 8, 0.95
	all := c.turn%afresh == 0
	c.turn++
	least, most := near*c.most, 0.0
	for k := range c.m.kinds {
		if c.stock[k] == 0 || !all && c.value[k] < least {
			continue
		}
		c.fillEvenly(k)
		c.value[k] = c.fill.worth(price) / float64(c.m.cost[k])
		if v := c.value[k] + 1e-12; v > most && len(c.fill.on) > 0 {
			most, c.last = v, 0
			c.take(k)
		}
	}
	c.most = most
	if most == 0 && !all {
		c.turn = 0
		return c.chooseEven(price)
	}
	return most > 0
}

// fillEvenly fills a node of a kind.
func (c *completer) fillEvenly(k int) {
	c.fill.begin(k)
	c.align()
	c.fill.addAll(c.tried(), c.count)
	for swaps := 0; swaps < mostSwaps && c.swap(); swaps++ {
	}
}

// tried are the items that are left, of very many only some, others each time.
func (c *completer) tried() []int32 {
	order := c.orders[0]
	if len(order) <= mostTried {
		return order
	}
	c.some = c.some[:0]
	stride := float64(len(order)) / mostTried
	for x := c.noise.unit() * stride; int(x) < len(order); x += stride {
		c.some = append(c.some, order[int(x)])
	}
	return c.some
}

// align adds to a node, again and again, the item that takes most of what there is
// most of and what is scarce (the dot product of the vector packing heuristics of
// Panigrahy and others, 2011).
func (c *completer) align() {
	f, items := c.fill, c.tried()
	room := c.m.room(f.kind)
	weight := make([]float64, c.m.dims)
	for {
		for d, r := range room {
			if r > 0 {
				weight[d] = c.scarce[d] * float64(f.rest[d]) / float64(r)
			}
		}
		best, most := int32(-1), 0.0
		for _, i := range items {
			if v := c.along(i, weight); v > most {
				best, most = i, v
			}
		}
		f.work.spend(len(items) * (c.m.dims + 3))
		if best < 0 || f.add(best, c.several(best)) == 0 {
			return
		}
	}
}

// several is how many of an item are added at once: an eighth of those that fit.
func (c *completer) several(i int32) int64 {
	f := c.fill
	n := c.count[i] - f.has[i]
	for d, a := range c.m.needs(int(i)) {
		if a > 0 {
			n = min(n, f.rest[d]/a)
		}
	}
	return max(n/8, 1)
}

// along is what one more of an item takes at the weights of the dimensions, 0 when it doesn't fit.
func (c *completer) along(i int32, weight []float64) float64 {
	f := c.fill
	if !c.free(i) {
		return 0
	}
	sum := 0.0
	for d, a := range c.m.needs(int(i)) {
		if a > f.rest[d] {
			return 0
		}
		sum += float64(weight[d] * float64(a))
	}
	return sum
}

// free says that there is one more of an item, and nothing on the node is against it.
func (c *completer) free(i int32) bool {
	f := c.fill
	return c.count[i] > f.has[i] && f.blocked[i] == 0 && f.has[i] < c.m.fits(f.kind)[i]
}

// swap replaces an item on the node by the heaviest that fits there instead; false
// when none is heavier.
func (c *completer) swap() bool {
	f, items := c.fill, c.tried()
	out, in, most := int32(-1), int32(-1), 0.0
	for _, i := range f.on {
		mine := c.m.needs(int(i))
		for _, j := range items {
			if gain := c.key[j] - c.key[i]; gain > most && c.free(j) && f.within(c.m.needs(int(j)), mine) {
				out, in, most = i, j, gain
			}
		}
	}
	f.work.spend(len(f.on) * len(items) * 4)
	if out < 0 {
		return false
	}
	f.drop(out)
	return f.add(in, 1) == 1
}

// within says that the node has room for a need in the place of another.
func (f *filler) within(need, instead []int64) bool {
	for d, a := range need {
		if a > f.rest[d]+instead[d] {
			return false
		}
	}
	return true
}

// drop takes one of an item off the node.
func (f *filler) drop(i int32) {
	for d, a := range f.m.needs(int(i)) {
		f.rest[d] += a
	}
	if f.has[i]--; f.has[i] > 0 {
		return
	}
	f.on = slices.DeleteFunc(f.on, func(j int32) bool { return j == i })
	for _, j := range f.m.foes[i] {
		f.blocked[j]--
	}
}
