package pack

import "slices"

// completer packs the rest of a packing, one filled node after the other: of all
// kinds of node and some orders of the items it takes the filling that is worth
// most for its cost, as often as it can.
type completer struct {
	m      *model
	fill   *filler
	orders [][]int32
	sorted int // items when the orders were made
	gone   int // of those in the orders, used up
	last   int // order of the best filling
	key    []float64
	count  []int64
	stock  []int64
	best   load
	scarce []float64 // weight of a unit of a dimension
	even   bool      // look anew for each item:
	some   []int32   // of these,
	noise  random
	value  []float64 // with this for the cost of each kind,
	most   float64   // at most,
	turn   int       // after so many nodes
}

func newCompleter(m *model, work *meter) *completer {
	return &completer{
		m: m, fill: newFiller(m, work), key: make([]float64, m.items), count: make([]int64, m.items),
		stock: make([]int64, m.kinds), orders: make([][]int32, 4), noise: 1, value: make([]float64, m.kinds),
	}
}

// manyItems is from how many items the orders are kept until half of them are used up.
const manyItems = 300

// complete packs count at prices, and gives up when it costs limit or more. When
// the effort is spent, it goes on with the order and the kind that came last.
func (c *completer) complete(count, stock []int64, price []float64, limit int64) *mix {
	copy(c.count, count)
	copy(c.stock, stock)
	out := &mix{}
	c.sorted = 0
	for c.arrange(price) {
		hasty := len(c.orders[0]) > manyItems && c.fill.work.over() && c.again()
		if !hasty && !c.choose(price) {
			break
		}
		l := load{kind: c.best.kind, items: append([]int32(nil), c.best.items...),
			counts: append([]int64(nil), c.best.counts...)}
		c.fill.work.spend(500 + 20*len(l.items))
		l.copies = copiesOf(l.items, l.counts, c.count, c.stock[l.kind])
		out.take(c.m, l, c.count, c.stock)
		for _, i := range l.items {
			if c.count[i] == 0 {
				c.gone++
			}
		}
		if out.cost >= limit {
			return nil
		}
	}
	out.left = append([]int64(nil), c.count...)
	for _, n := range out.left {
		out.over += n
	}
	return out
}

// arrange makes the orders for the items that are left; false when there are none.
func (c *completer) arrange(price []float64) bool {
	o := c.orders
	if c.keep() {
		return true
	}
	o[0] = o[0][:0]
	for i, n := range c.count {
		if n > 0 {
			o[0] = append(o[0], int32(i))
		}
	}
	if len(o[0]) == 0 {
		return false
	}
	c.sorted, c.gone = len(o[0]), 0
	c.scarce = c.scarcity()
	for h := 1; h < len(o); h++ {
		o[h] = append(o[h][:0], o[0]...)
	}
	for _, i := range o[0] {
		c.key[i] = c.largest(i)
	}
	sortByKey(o[0], c.key)
	for _, i := range o[1] {
		c.key[i] = price[i]
	}
	sortByKey(o[1], c.key)
	for _, i := range o[2] {
		c.key[i] = price[i] / max(c.weight(i), 1e-300)
	}
	sortByKey(o[2], c.key)
	for _, i := range o[3] {
		c.key[i] = c.weight(i)
	}
	sortByKey(o[3], c.key)
	c.fill.work.spend(len(o[0]) * (100 + 3*c.m.dims*(c.m.kinds+2)))
	return true
}

// keep says that the orders still do, where there are many items and half of those
// that were sorted are left; it drops what is used up.
func (c *completer) keep() bool {
	if c.sorted <= manyItems {
		return false
	}
	if left := len(c.orders[0]) - c.gone; left <= c.sorted/2 {
		return false
	}
	if c.gone > len(c.orders[0])/8 {
		for h, order := range c.orders {
			c.orders[h] = slices.DeleteFunc(order, func(i int32) bool { return c.count[i] == 0 })
		}
		c.gone = 0
		c.fill.work.spend(4 * len(c.orders) * len(c.orders[0]))
	}
	return true
}

// again fills another node of the last kind in the last order; false when it holds nothing.
func (c *completer) again() bool {
	k := int(c.best.kind)
	if c.stock[k] == 0 {
		return false
	}
	c.fill.begin(k)
	if c.even {
		c.align()
	} else {
		c.fill.addAll(c.orders[c.last], c.count)
	}
	if len(c.fill.on) == 0 {
		return false
	}
	c.take(k)
	return true
}

// take keeps what is on the node as the best filling.
func (c *completer) take(k int) {
	c.best.kind = int32(k)
	c.best.items = append(c.best.items[:0], c.fill.on...)
	c.best.counts = c.best.counts[:0]
	for _, i := range c.fill.on {
		c.best.counts = append(c.best.counts, c.fill.has[i])
	}
}

// scarcity weighs each dimension by what is left to be packed of it.
func (c *completer) scarcity() []float64 {
	out := make([]float64, c.m.dims)
	for i, n := range c.count {
		for d, a := range c.m.needs(i) {
			out[d] += float64(float64(a) * float64(n))
		}
	}
	total := make([]float64, c.m.dims)
	for k := range c.m.kinds {
		for d, a := range c.m.room(k) {
			total[d] += float64(a) / float64(c.m.cost[k])
		}
	}
	for d := range out {
		if total[d] > 0 {
			out[d] /= total[d] * total[d]
		}
	}
	return out
}

func (c *completer) weight(i int32) float64 {
	sum := 0.0
	for d, a := range c.m.needs(int(i)) {
		sum += float64(float64(a) * c.scarce[d])
	}
	return sum
}

// largest is the largest share that an item takes of a dimension of the roomiest kind.
func (c *completer) largest(i int32) float64 {
	least := 2.0
	for k := range c.m.kinds {
		if c.m.fits(k)[i] == 0 {
			continue
		}
		share := 0.0
		for d, a := range c.m.needs(int(i)) {
			if a > 0 {
				share = max(share, float64(a)/float64(c.m.room(k)[d]))
			}
		}
		least = min(least, share)
	}
	return least
}

// choose finds the filling that is worth most for its cost; false when none holds anything.
func (c *completer) choose(price []float64) bool {
	if c.even {
		return c.chooseEven(price)
	}
	most := 0.0
	for k := range c.m.kinds {
		if c.stock[k] == 0 {
			continue
		}
		for h, order := range c.orders {
			c.fill.begin(k)
			c.fill.addAll(order, c.count)
			if len(c.fill.on) == 0 {
				continue
			}
			value := (c.fill.worth(price) + 1e-12) / float64(c.m.cost[k])
			if value > most {
				most, c.last = value, h
				c.take(k)
			}
		}
	}
	return most > 0
}
