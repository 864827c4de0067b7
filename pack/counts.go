package pack

import (
	"math"
	"slices"
)

// fewNodes is the most nodes of a packing whose numbers of nodes are counted
// through, mostRows the most inequalities that are found for that, and
// mostVisits the most work of one count: numbers tried times inequalities.
const (
	fewNodes   = 100
	mostRows   = 300
	mostVisits = 1 << 21
	rowCuts    = 3000 // in the proof of an inequality for one kind of node
)

// row is an inequality for the numbers of nodes, by kind of the problem.
type row struct {
	worth []float64 // of a node at most
	need  float64   // at least, of all nodes
	proof *Certificate
}

// counting looks for the cheapest numbers of nodes that fulfil the rows.
type counting struct {
	nodes  []NodeType
	keep   func(k int) bool
	rows   []row
	skip   [][]int64 // numbers that are no answer, though they fulfil the rows
	now    []int64
	best   []int64
	money  int64 // that the answer may cost
	visits int
}

// cheapest is the cheapest numbers of nodes that cost at most money; nil when
// there are none, and false when it gave up.
func (c *counting) cheapest(money int64) ([]int64, bool) {
	c.now, c.best, c.money, c.visits = make([]int64, len(c.nodes)), nil, money, 0
	lack := make([]float64, len(c.rows))
	for j, r := range c.rows {
		lack[j] = r.need
	}
	c.try(0, 0, lack)
	return c.best, c.visits < mostVisits
}

// try goes through the numbers of the kinds from k on, where spent is the cost of those before.
func (c *counting) try(k int, spent int64, lack []float64) {
	c.visits += len(c.rows)
	if spent > c.money || c.visits >= mostVisits {
		return
	}
	for j := range c.rows {
		if !c.reaches(j, k, c.money-spent, lack[j]) {
			return
		}
	}
	if k == len(c.nodes) {
		if !slices.ContainsFunc(c.skip, func(x []int64) bool { return slices.Equal(x, c.now) }) {
			c.best, c.money = slices.Clone(c.now), spent-1
		}
		return
	}
	n := &c.nodes[k]
	if c.keep(k) {
		fewer := make([]float64, len(lack))
		for x := int64(1); x <= (c.money-spent)/n.Cost && (n.Stock < 0 || x <= n.Stock); x++ {
			for j := range fewer {
				fewer[j] = lack[j] - float64(c.rows[j].worth[k]*float64(x))
			}
			c.now[k] = x
			c.try(k+1, spent+x*n.Cost, fewer)
		}
		c.now[k] = 0
	}
	c.try(k+1, spent, lack)
}

// reaches says whether so much money may buy what row j lacks. It says no only
// where integers say so, too.
func (c *counting) reaches(j, k int, money int64, lack float64) bool {
	r := &c.rows[j]
	lack -= float64(1e-9 * r.need)
	if lack <= 0 {
		return true
	}
	for ; k < len(c.nodes); k++ {
		if c.keep(k) && float64(r.worth[k]*float64(money))/float64(c.nodes[k].Cost) >= lack {
			return true
		}
	}
	return false
}

// lacks says that the numbers of nodes clearly break a row.
func (r *row) lacks(x []int64) bool {
	sum := 0.0
	for k, n := range x {
		sum += float64(r.worth[k] * float64(n))
	}
	return sum < r.need*(1-1e-7)
}

// count raises the bound of a certificate, and betters the best mix, where that
// has few nodes: for the cheapest numbers of nodes of each kind that are possible
// as far as is known, it looks for a packing on them, or for an inequality that
// they break. It says whether the bound rose.
//
// Where a zone may be lost, the numbers are those of one zone, as is the best mix, or it is
// that of all zones but one.
func (t *task) count(s *search, ce *Certificate) bool {
	if t.p.Zones > 1 && !t.zones || !s.small() {
		return false
	}
	zones, _ := t.zonesAndOthers()
	c := &counting{nodes: slices.Clone(t.p.Nodes), keep: t.keep, rows: []row{t.row(ce)}}
	for k := range c.nodes {
		if c.nodes[k].Stock > 0 {
			c.nodes[k].Stock /= zones
		}
	}
	for s.best.cost/s.m.each*zones > ce.Bound {
		x, sure := c.cheapest(s.best.cost/s.m.each - s.m.grain)
		t.work.spend(10 * len(t.p.Nodes) * c.visits)
		if !sure {
			return false
		}
		goal := s.best.cost / s.m.each
		if x != nil {
			goal = costOf(t.p, x)
		}
		if len(c.skip) > 0 {
			goal = min(goal, costOf(t.p, c.skip[0]))
		}
		if x == nil || len(c.rows) == mostRows || t.work.over() {
			return t.counted(c, ce, goal)
		}
		if r, ok := t.separate(s, x); ok {
			c.rows = append(c.rows, r)
		} else if costOf(t.p, x) < s.best.cost/s.m.each {
			c.skip = append(c.skip, x)
		}
	}
	return false
}

// counted writes the rows that the bound, of one zone, needs into the certificate; false
// when they don't prove it, or are too long.
func (t *task) counted(c *counting, ce *Certificate, bound int64) bool {
	zones, _ := t.zonesAndOthers()
	c.skip = nil
	enough := func() bool {
		x, sure := c.cheapest(bound - 1)
		t.work.spend(10 * len(t.p.Nodes) * c.visits)
		return sure && x == nil && c.visits*len(c.nodes) < mostVisits
	}
	if bound*zones <= ce.Bound || !enough() {
		return false
	}
	for j := len(c.rows) - 1; j > 0; j-- {
		rows := c.rows
		c.rows = slices.Delete(slices.Clone(rows), j, j+1)
		if t.work.over() || !enough() {
			c.rows = rows
		}
	}
	text := 0
	for _, r := range c.rows[1:] {
		text += r.proof.text()
		ce.Counts = append(ce.Counts, *r.proof)
	}
	if text > t.work.text {
		ce.Counts = nil
		return false
	}
	t.work.text -= text
	ce.Bound = bound * zones
	return true
}

func costOf(p *Problem, x []int64) int64 {
	cost := int64(0)
	for k, n := range x {
		cost += n * p.Nodes[k].Cost
	}
	return cost
}

// row is what a certificate says of the numbers of nodes, in one zone of several.
func (t *task) row(ce *Certificate) row {
	r := row{worth: make([]float64, len(t.p.Nodes)), proof: ce}
	for i, price := range ce.Prices {
		r.need += float64(float64(price) * float64(t.demand[i]))
	}
	_, others := t.zonesAndOthers()
	for k, n := range t.p.Nodes {
		r.worth[k] = float64(float64(n.Cost) * float64(ce.Scale))
		if ce.Stock != nil {
			r.worth[k] += float64(ce.Stock[k])
		}
		r.worth[k] *= float64(others)
	}
	return r
}

// small says that the best mix holds everything on few nodes.
func (s *search) small() bool {
	if s.best == nil || s.best.over > 0 || s.m.kinds == 0 {
		return false
	}
	nodes := int64(0)
	for _, l := range s.best.loads {
		nodes += min(l.copies, fewNodes+1)
	}
	return nodes <= fewNodes
}

// separate packs on so many nodes of each kind of the problem, and offers what it
// finds; or finds an inequality that they break.
func (t *task) separate(s *search, x []int64) (row, bool) {
	price, rent := s.on(x)
	if price == nil {
		return row{}, false
	}
	p := *t.p
	p.Nodes = slices.Clone(p.Nodes)
	for k := range p.Nodes {
		p.Nodes[k].Stock = 1 // has a price
	}
	of := &task{p: &p, demand: t.demand, keep: t.keep, zones: t.zones, work: t.work}
	v := newProver(&p, t.demand, t.keep, t.work)
	prices, rents := make([]float64, v.m.items), make([]float64, v.m.kinds)
	for j, i := range s.m.itemOf {
		prices[slices.Index(v.m.itemOf, i)] = price[j]
	}
	dearest := 0.0
	for j, k := range s.m.kindOf {
		rents[slices.Index(v.m.kindOf, k)] = rent[j]
		dearest = max(dearest, rent[j])
	}
	for dearest*float64(v.scale) > mostScaled && v.scale > 1 {
		v.scale /= 10
	}
	v.round(prices, rents)
	v.search(1-proofGap, rowCuts)
	v.settle()
	v.raise()
	ce := of.write(v)
	ce.Bound = 0
	r := of.row(&ce)
	return r, r.lacks(x)
}

// on packs on so many nodes of each kind of the problem, in each of the zones that share them: by columns for the least
// stretch of these numbers that holds everything in parts, and, where none is
// needed, by dives, and at last in all ways there are. Otherwise prices and rents say why it doesn't.
func (s *search) on(x []int64) (price, rent []float64) {
	const dives = 24
	stock, some := make([]int64, s.m.kinds), make([]int64, s.m.kinds)
	for j, k := range s.m.kindOf {
		stock[j] = x[k] * s.m.each
		some[j] = max(stock[j], 1)
	}
	ms := newMaster(s.m, s.m.count, stock, s.work)
	for _, l := range s.best.loads {
		ms.add(int(l.kind), l.items, l.counts)
	}
	for _, l := range s.pool {
		ms.add(int(l.kind), l.items, l.counts)
	}
	q := s.stretch(ms)
	ms.stock = some // columns are looked for of all kinds
	s.generate(ms, &generation{tolerance: 1e-6, last: 1e-6, cuts: rowCuts})
	if !ms.solve() {
		return nil, nil
	}
	s.keep(ms)
	for r, h := range ms.lp.head {
		if h == q && ms.lp.x[r] > 1e-4 {
			return ms.price, ms.rent
		}
	}
	ms.stock = stock
	before := s.best
	for turn := range dives {
		s.work.within(0.1, func() { s.dive(ms, 0.1*float64(turn)) })
		if s.best != before || s.work.over() {
			return nil, nil
		}
	}
	s.offer(s.exactly(stock))
	return nil, nil
}

// stretch adds the column that adds parts of the best mix to the stock, at a price
// that makes all others small; and leaving out an item is dearer still.
func (s *search) stretch(ms *master) int32 {
	add := make([]float64, s.m.kinds)
	for _, l := range s.best.loads {
		add[l.kind] += float64(l.copies)
	}
	cost := 0.0
	for k := range add {
		add[k] += 0.5
		cost += float64(add[k] * float64(s.m.cost[k]))
	}
	c := &ms.lp.cols
	dearest := 1000 * cost * ms.unit
	for q, k := range ms.kind {
		if k < 0 {
			c.cost[q] = 100 * dearest
		}
	}
	for k, r := range ms.stockRow {
		c.row, c.val = append(c.row, r), append(c.val, -add[k])
	}
	ms.kind, ms.hash = append(ms.kind, -1), append(ms.hash, 0)
	return c.put(dearest)
}

// keep notes the patterns of a master for those that come.
func (s *search) keep(ms *master) {
	for q, k := range ms.kind {
		if k < 0 || ms.hash[q] == 0 || len(s.pool) > 2000 {
			continue
		}
		if _, known := s.pooled[ms.hash[q]]; known {
			continue
		}
		if s.pooled == nil {
			s.pooled = map[uint64]struct{}{}
		}
		s.pooled[ms.hash[q]] = struct{}{}
		l := load{kind: k}
		rows, vals := ms.lp.cols.column(int32(q))
		for j, r := range rows {
			if int(r) < len(ms.itemAt) {
				l.items = append(l.items, ms.itemAt[r])
				l.counts = append(l.counts, int64(math.Round(vals[j])))
			}
		}
		s.pool = append(s.pool, l)
	}
}
