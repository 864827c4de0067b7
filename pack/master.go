package pack

import (
	"maps"
	"slices"
)

// master is the choice of patterns: a linear program with a row for each item
// that is still to be packed and one for each kind of node with a stock, and a
// column for each pattern that was found so far.
type master struct {
	m        *model
	count    []int64  // to be packed, by item
	stock    []int64  // nodes to be had, by kind; -1 is no limit
	itemAt   []int32  // item of a row
	rowOf    []int32  // row of an item, or -1
	stockRow []int32  // row of a kind, or -1
	kind     []int32  // kind of a column; -1 leaves an item over
	hash     []uint64 // of a column's pattern, 0 for what is no pattern
	seen     map[uint64]struct{}
	lp       *simplex
	unit     float64   // cost of 1 in the program
	price    []float64 // of items, in cost
	rent     []float64 // of kinds, in cost: what one more in stock would save
	noise    random
}

// newMaster makes the program for a rest of the items and of the stock.
func newMaster(m *model, count, stock []int64, work *meter) *master {
	ms := &master{
		m: m, count: count, stock: stock, rowOf: make([]int32, m.items), stockRow: make([]int32, m.kinds),
		seen: map[uint64]struct{}{}, price: make([]float64, m.items), rent: make([]float64, m.kinds), noise: 1,
	}
	for i, n := range count {
		ms.rowOf[i] = -1
		if n > 0 {
			ms.rowOf[i] = int32(len(ms.itemAt))
			ms.itemAt = append(ms.itemAt, int32(i))
		}
	}
	rows := len(ms.itemAt)
	cheapest := m.cost[0]
	for k, n := range stock {
		cheapest = min(cheapest, m.cost[k])
		ms.stockRow[k] = -1
		if n >= 0 {
			ms.stockRow[k] = int32(rows)
			rows++
		}
	}
	ms.unit = 1 / float64(cheapest)
	ms.lp = newSimplex(rows, work)
	work.spend(rows*rows + 20*m.items + 2000)
	ms.load()
	return ms
}

// load sets the right-hand side, a little more than is needed against stalls, and a first basis.
func (ms *master) load() {
	for r, i := range ms.itemAt {
		n := float64(ms.count[i])
		ms.lp.rhs[r] = n * (1 + float64(2e-5*ms.noise.unit()))
	}
	limited := false
	for k, r := range ms.stockRow {
		if r >= 0 {
			limited = true
			ms.lp.most[r] = true
			ms.lp.rhs[r] = float64(ms.stock[k]) * (1 + float64(1e-6*ms.noise.unit()))
		}
	}
	for r, i := range ms.itemAt {
		if limited {
			ms.lp.seed(r, ms.leave(i))
		} else {
			ms.lp.seed(r, ms.single(i))
		}
	}
}

// dear is what leaving one item over costs: many times the dearest node.
func (m *model) dear() float64 {
	dearest := int64(1)
	for _, c := range m.cost {
		dearest = max(dearest, c)
	}
	return 1e4 * float64(dearest)
}

// leave adds the column that leaves one of an item over.
func (ms *master) leave(i int32) int32 {
	c := &ms.lp.cols
	c.row, c.val = append(c.row, ms.rowOf[i]), append(c.val, 1)
	ms.kind, ms.hash = append(ms.kind, -1), append(ms.hash, 0)
	return c.put(ms.m.dear() * ms.unit)
}

// single adds the column with nothing but one item on the kind where that is cheapest.
func (ms *master) single(i int32) int32 {
	best, most, least := 0, int64(0), 0.0
	for k := range ms.m.kinds {
		n := min(ms.m.fits(k)[i], ms.count[i])
		if n == 0 {
			continue
		}
		if each := float64(ms.m.cost[k]) / float64(n); most == 0 || each < least {
			best, most, least = k, n, each
		}
	}
	c := &ms.lp.cols
	c.row, c.val = append(c.row, ms.rowOf[i]), append(c.val, float64(most))
	return ms.put(best, 0)
}

// put ends a column of kind k whose items are there.
func (ms *master) put(k int, hash uint64) int32 {
	if r := ms.stockRow[k]; r >= 0 {
		ms.lp.cols.row, ms.lp.cols.val = append(ms.lp.cols.row, r), append(ms.lp.cols.val, 1)
	}
	ms.kind, ms.hash = append(ms.kind, int32(k)), append(ms.hash, hash)
	return ms.lp.cols.put(float64(ms.m.cost[k]) * ms.unit)
}

// add takes a pattern into the program, unless it is there.
func (ms *master) add(k int, on []int32, has []int64) bool {
	ms.lp.work.spend(150 + 15*len(on))
	h := uint64(k)*0x9e3779b97f4a7c15 + 1
	for j, i := range on {
		x := random(uint64(i)<<40 ^ uint64(has[j]))
		h += x.next()
	}
	if _, ok := ms.seen[h]; ok {
		return false
	}
	ms.seen[h] = struct{}{}
	c := &ms.lp.cols
	for j, i := range on {
		if r := ms.rowOf[i]; r >= 0 {
			c.row, c.val = append(c.row, r), append(c.val, float64(has[j]))
		}
	}
	ms.put(k, h)
	return true
}

// addSplit takes a filling with parts of items into the program.
func (ms *master) addSplit(k int, items []int32, x []float64) {
	c := &ms.lp.cols
	for j, i := range items {
		if x[j] > 1e-12 {
			c.row, c.val = append(c.row, ms.rowOf[i]), append(c.val, x[j])
		}
	}
	ms.put(k, 0)
}

// solve finds the best mix of the patterns and reads the prices.
func (ms *master) solve() bool {
	ok := ms.lp.solve()
	ms.read()
	return ok
}

// read takes the prices from the program.
func (ms *master) read() {
	for r, i := range ms.itemAt {
		ms.price[i] = max(ms.lp.y[r], 0) / ms.unit
	}
	for k, r := range ms.stockRow {
		if r >= 0 {
			ms.rent[k] = max(-ms.lp.y[r], 0) / ms.unit
		}
	}
}

// clone is a copy that may change.
func (ms *master) clone() *master {
	out := *ms
	out.count, out.stock = slices.Clone(ms.count), slices.Clone(ms.stock)
	out.kind, out.hash, out.seen = slices.Clone(ms.kind), slices.Clone(ms.hash), maps.Clone(ms.seen)
	out.price, out.rent = slices.Clone(ms.price), slices.Clone(ms.rent)
	out.lp = ms.lp.clone()
	return &out
}

// reduce sets what is to be packed and what is in stock to less, and solves
// anew. Patterns may hold more of an item than there is then.
func (ms *master) reduce(count, stock []int64) bool {
	for r, i := range ms.itemAt {
		if ms.count[i] != count[i] {
			ms.lp.rhs[r] = float64(count[i]) * (1 + float64(2e-5*ms.noise.unit()))
			if count[i] == 0 {
				ms.lp.rhs[r] = -1e-5 * ms.noise.unit()
			}
		}
	}
	for k, r := range ms.stockRow {
		if r >= 0 && ms.stock[k] != stock[k] {
			ms.lp.rhs[r] = float64(stock[k]) * (1 + float64(1e-6*ms.noise.unit()))
		}
	}
	copy(ms.count, count)
	copy(ms.stock, stock)
	ok := ms.lp.resolve()
	ms.read()
	return ok
}

// worth is what the items are worth at prices, less the rent of the stock: when
// the prices are valid no packing costs less.
func (ms *master) worth(price, rent []float64) float64 {
	sum := 0.0
	for i, n := range ms.count {
		sum += float64(price[i] * float64(n))
	}
	for k, n := range ms.stock {
		if n > 0 {
			sum -= float64(rent[k] * float64(n))
		}
	}
	return sum
}

// objective is the cost of the best mix of the patterns, by its prices.
func (ms *master) objective() float64 { return ms.worth(ms.price, ms.rent) }

// prune forgets columns with the highest reduced cost, down to about keep.
func (ms *master) prune(keep int) {
	lp := ms.lp
	n := lp.cols.len()
	if n <= keep+keep/2 {
		return
	}
	key := make([]float64, n)
	order := make([]int32, n)
	for q := range order {
		order[q] = int32(q)
		key[q] = -lp.reduced(int32(q))
		if (int(q) < len(lp.basic) && lp.basic[q]) || ms.kind[q] < 0 {
			key[q] = 1e300
		}
	}
	sortByKey(order, key)
	stay := make([]bool, n)
	for _, q := range order[:keep] {
		stay[q] = true
	}
	ms.compact(stay)
}

// compact keeps the columns that stay; the basic ones must.
func (ms *master) compact(stay []bool) {
	lp := ms.lp
	old := lp.cols
	lp.cols = columns{}
	lp.cols.reset()
	kind, hash := ms.kind, ms.hash
	ms.kind, ms.hash = nil, nil
	clear(ms.seen)
	place := make([]int32, len(stay))
	for q := range stay {
		if !stay[q] {
			continue
		}
		rows, vals := old.column(int32(q))
		lp.cols.row, lp.cols.val = append(lp.cols.row, rows...), append(lp.cols.val, vals...)
		ms.kind, ms.hash = append(ms.kind, kind[q]), append(ms.hash, hash[q])
		ms.seen[hash[q]] = struct{}{}
		place[q] = lp.cols.put(old.cost[q])
	}
	lp.near = lp.near[:0]
	lp.basic = make([]bool, lp.cols.len())
	for r, h := range lp.head {
		if h >= 0 {
			lp.head[r] = place[h]
			lp.basic[place[h]] = true
		}
	}
}
