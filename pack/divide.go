package pack

// groups is into how many parts the items are put that are divided among the kinds
// together: more parts take fewer rounds, of more work each.
const groups = 48

// division is the linear program that divides items among the kinds of node, whole or
// in parts, where a node holds what it has room for in each dimension: a column for
// each way to divide a group that was found so far. Its prices are those of a unit of
// a dimension of a kind.
type division struct {
	m     *model
	count []int64
	lp    *simplex
	total []float64 // need of all items, by dimension
	unit  float64   // cost of 1 in the program
	price []float64 // kinds x dims: of all that is needed of a dimension, in the program
	sum   []float64 // kinds x dims: what a column takes
}

// shares claims what the prices of dimensions show that differ by kind of node.
func (s *search) shares(ms *master) {
	v := newDivision(s.m, ms.count, s.work)
	price, rent := make([]float64, s.m.items), make([]float64, s.m.kinds)
	for !s.work.over() {
		added := v.columns(price)
		s.prove(ms, price, rent, v.factor(), methodLinear)
		if added == 0 {
			return
		}
		v.solve()
	}
}

func newDivision(m *model, count []int64, work *meter) *division {
	v := &division{m: m, count: count, total: make([]float64, m.dims), price: make([]float64, m.kinds*m.dims),
		sum: make([]float64, m.kinds*m.dims)}
	for i, n := range count {
		for d, a := range m.needs(i) {
			v.total[d] += float64(float64(a) * float64(n))
		}
	}
	parts := min(groups, m.items)
	v.lp = newSimplex(m.kinds*m.dims+parts, work)
	for r := range m.kinds * m.dims {
		v.lp.most[r], v.lp.rhs[r] = true, 1e-7*float64(1+r%7)
	}
	for k := range m.kinds {
		v.unit = max(v.unit, 1/(v.nodes(k)*float64(m.cost[k])))
	}
	for k := range m.kinds {
		v.addKind(k)
	}
	for g := range parts { // that could be left out, dearly
		r := m.kinds*m.dims + g
		v.lp.rhs[r] = 1
		v.lp.cols.row, v.lp.cols.val = append(v.lp.cols.row, int32(r)), append(v.lp.cols.val, 1)
		v.lp.seed(r, v.lp.cols.put(1e4))
	}
	v.begin()
	return v
}

// begin sets prices to begin with, at which each dimension of a node is worth the same.
func (v *division) begin() {
	for k := range v.m.kinds {
		for d, room := range v.m.room(k) {
			if room > 0 {
				v.price[k*v.m.dims+d] = float64(v.m.cost[k]) * v.unit * v.total[d] / float64(room) / float64(v.m.dims)
			}
		}
	}
}

// nodes is how many of a kind hold all that is needed, if they could.
func (v *division) nodes(k int) float64 {
	most := 1.0
	for d, room := range v.m.room(k) {
		if room > 0 {
			most = max(most, v.total[d]/float64(room))
		}
	}
	return most
}

// addKind adds the column of nodes of a kind.
func (v *division) addKind(k int) {
	c := &v.lp.cols
	n := v.nodes(k)
	for d, room := range v.m.room(k) {
		if room > 0 && v.total[d] > 0 {
			c.row, c.val = append(c.row, int32(k*v.m.dims+d)), append(c.val, float64(-n*float64(room))/v.total[d])
		}
	}
	c.put(n * float64(v.m.cost[k]) * v.unit)
}

func (v *division) solve() {
	v.lp.solve()
	for r := range v.price {
		v.price[r] = max(-v.lp.y[r], 0)
	}
}

// factor is by how much too much a kind of node is worth at the prices.
func (v *division) factor() float64 {
	factor := 0.0
	for k := range v.m.kinds {
		worth := 0.0
		for d, room := range v.m.room(k) {
			if v.total[d] > 0 {
				worth += float64(v.price[k*v.m.dims+d] * float64(room) / v.total[d])
			}
		}
		factor = max(factor, worth/v.unit/float64(v.m.cost[k]))
	}
	return factor
}

// columns adds for each group the cheapest way to divide it at the prices, when it is
// cheaper than those that there are; how many, and the prices of the items.
func (v *division) columns(price []float64) (added int) {
	m, parts := v.m, min(groups, v.m.items)
	for g := range parts {
		r := m.kinds*m.dims + g
		clear(v.sum)
		cost := 0.0
		for i := g; i < m.items; i += parts {
			best, least := v.cheapest(i)
			if best < 0 {
				continue
			}
			price[i] = least / v.unit
			n := float64(v.count[i])
			cost += float64(least * n)
			for d, a := range m.needs(i) {
				if v.total[d] > 0 {
					v.sum[best*m.dims+d] += float64(float64(a) * n / v.total[d])
				}
			}
		}
		if v.lp.turns > 0 && cost >= v.lp.y[r]-1e-7 {
			continue
		}
		added++
		c := &v.lp.cols
		for x, sum := range v.sum {
			if sum > 0 {
				c.row, c.val = append(c.row, int32(x)), append(c.val, sum)
			}
		}
		c.row, c.val = append(c.row, int32(r)), append(c.val, 1)
		c.put(0)
	}
	v.lp.work.spend(m.items * m.dims * (m.kinds + 2))
	return added
}

// cheapest is the kind where one of an item costs least, and what it costs there.
func (v *division) cheapest(i int) (best int, least float64) {
	best = -1
	m := v.m
	for k := range m.kinds {
		if m.fits(k)[i] == 0 {
			continue
		}
		sum := 0.0
		for d, a := range m.needs(i) {
			if v.total[d] > 0 {
				sum += float64(v.price[k*m.dims+d] * float64(a) / v.total[d])
			}
		}
		if best < 0 || sum < least {
			best, least = k, sum
		}
	}
	return best, least
}
