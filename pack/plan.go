package pack

// load is a filled node, with its copies, in the model's numbers.
type load struct {
	kind   int32
	items  []int32
	counts []int64
	copies int64
}

// mix is a packing: loads, their cost, and what is left over.
type mix struct {
	loads []load
	cost  int64
	left  []int64
	over  int64 // sum of left
}

// better says whether a mix leaves less over, or costs less.
func (a *mix) better(b *mix) bool {
	return b == nil || a.over < b.over || a.over == b.over && a.cost < b.cost
}

// plus is the mix with more loads; it shares nothing that changes.
func (a *mix) plus(b *mix) *mix {
	out := &mix{cost: min(a.cost+b.cost, maxCost+1), left: b.left, over: b.over}
	out.loads = append(append(out.loads, a.loads...), b.loads...)
	return out
}

// copiesOf is how often a filling can be taken from what is to be packed, and from the stock.
func copiesOf(items []int32, counts []int64, count []int64, stock int64) int64 {
	copies := int64(maxInt)
	if stock >= 0 {
		copies = stock
	}
	for j, i := range items {
		copies = min(copies, count[i]/counts[j])
	}
	return copies
}

// take puts copies of a filling into the mix, and out of what is to be packed.
func (a *mix) take(m *model, l load, count, stock []int64) {
	a.loads = append(a.loads, l)
	a.cost = sumOf(a.cost, l.copies, m.cost[l.kind])
	for j, i := range l.items {
		count[i] -= l.counts[j] * l.copies
	}
	if stock[l.kind] >= 0 {
		stock[l.kind] -= l.copies
	}
}

// maxCost of a mix; what would be more is maxCost + 1.
const maxCost = 1 << 62

// sumOf is cost and copies times each.
func sumOf(cost, copies, each int64) int64 {
	if copies > (maxCost-cost)/each {
		return maxCost + 1
	}
	return cost + copies*each
}

// shrink puts what is on a node on the cheapest kind of node that holds it,
// where stocks do not matter.
func (a *mix) shrink(m *model) {
	for j := range a.loads {
		l := &a.loads[j]
		if m.stock[l.kind] >= 0 {
			continue
		}
		best := l.kind
		for k := range int32(m.kinds) {
			if m.stock[k] < 0 && m.cost[k] < m.cost[best] && m.holds(int(k), l.items, l.counts) {
				best = k
			}
		}
		if best != l.kind {
			a.cost -= l.copies * (m.cost[l.kind] - m.cost[best])
			l.kind = best
		}
	}
}

// holds says whether a node of kind k holds the items, which another one holds.
func (m *model) holds(k int, items []int32, counts []int64) bool {
	fit := m.fits(k)
	for j, i := range items {
		if fit[i] < counts[j] {
			return false
		}
	}
	for d, rest := range m.room(k) {
		for j, i := range items {
			if rest -= counts[j] * m.need[int(i)*m.dims+d]; rest < 0 {
				return false
			}
		}
	}
	return true
}
