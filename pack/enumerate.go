package pack

// enumerate goes through the fillings of a node in depth, for nodes that hold
// few of many items: there it is much faster than the relaxation, one by one.
// Each level keeps the items that still fit, best first, and ends when what the
// weights allow, or all that still fits, is not enough.
//
// It returns false when it was ended after so many steps, and then its best
// filling is one of the better, not the best. What it says is as exact as
// floating point numbers; a bound must be proven again.
func (s *sack) enumerate(cutoff float64, steps int) bool {
	e := &s.deep
	e.begin(s)
	e.best = max(cutoff*(1+1e-9), s.best)
	e.left = steps
	e.taken = e.taken[:0]
	done := e.level(0, len(e.items), 0)
	s.work.spend(5 * (steps - max(e.left, 0)) / 4)
	return done
}

// deep is the state of an enumeration. Rows are those of the relaxation.
type deep struct {
	s      *sack
	rows   int
	items  []int32   // local numbers, best value for weight first
	need   []float64 // by place in items x rows
	price  []float64
	weight []float64 // weighted need
	most   []float64
	list   []int32     // places of the items that fit, level after level
	room   []float64   // weights of the rows
	spare  float64     // of weight
	rest   [][]float64 // by level
	banned []int32     // by local number: conflicts with what is on the node
	place  []int32     // by local number
	taken  []taken
	best   float64
	left   int
}

type taken struct {
	item int32
	n    int64
}

func (e *deep) begin(s *sack) {
	l := &s.relax
	e.s, e.rows = s, l.rows
	e.rank()
	n := len(e.items)
	e.need, e.price, e.most = grown(e.need, n*l.rows), grown(e.price, n), grown(e.most, n)
	e.banned, e.place = grown(e.banned, n), grown(e.place, len(s.items))
	e.list = e.list[:0]
	for q := range e.place {
		e.place[q] = -1
	}
	for q, j := range e.items {
		e.place[j] = int32(q)
		e.banned[q] = 0
		e.price[q], e.most[q] = s.price[j], float64(s.most[j])
		for r := range l.rows {
			e.need[q*l.rows+r] = l.need[r*l.items+int(j)]
		}
		e.list = append(e.list, int32(q))
	}
	e.restAt(0)
	for r := range l.rows {
		e.rest[0][r] = 1 + 1e-9
	}
}

// rank orders the items with a price by it for what they weigh. Each weighs a
// little more than its need, so that none weighs nothing; spare makes room for that.
func (e *deep) rank() {
	s, l := e.s, &e.s.relax
	e.room = append(e.room[:0], s.weights...)
	all := 1.0
	for _, n := range s.most {
		all += float64(n)
	}
	least := 1e-9 * max(s.cuts[0].bound, 1e-300) / all
	e.spare = least * all
	e.items, e.weight = e.items[:0], grown(e.weight, len(s.items))
	key := grown(s.fill.key, s.m.items)
	s.fill.key = key
	for j := range s.items {
		if s.price[j] <= 0 {
			continue
		}
		e.items = append(e.items, int32(j))
		weight := least
		for r, w := range e.room {
			weight += float64(w * l.need[r*l.items+j])
		}
		key[j] = s.price[j] / weight
	}
	sortByKey(e.items, key)
	for q, j := range e.items {
		e.weight[q] = s.price[j] / key[j]
	}
}

func (e *deep) restAt(level int) []float64 {
	for len(e.rest) <= level {
		e.rest = append(e.rest, nil)
	}
	e.rest[level] = grown(e.rest[level], e.rows)
	return e.rest[level]
}

// level tries the last n items of the list on a node that is worth value; false
// when the steps are used up.
func (e *deep) level(depth, n int, value float64) bool {
	from := len(e.list) - n
	rest := e.rest[depth]
	surrogate := e.spare
	for r, w := range e.room {
		surrogate += float64(w * rest[r])
	}
	for at := from; at < from+n; at++ {
		q := e.list[at]
		if value+float64(surrogate*e.price[q])/e.weight[q] <= e.best || value+e.reach(at, from+n, surrogate) <= e.best {
			return true
		}
		most := e.fits(q, rest)
		for c := most; c >= 1; c-- {
			if !e.with(q, c, depth, at, from+n, value) {
				return false
			}
		}
	}
	return true
}

// reach is what the items of the list from at to end are worth at most within a surrogate of weight.
func (e *deep) reach(at, end int, surrogate float64) float64 {
	sum := 0.0
	e.left -= 5 + end - at
	for _, q := range e.list[at:end] {
		w := float64(e.weight[q] * e.most[q])
		if w >= surrogate {
			return sum + float64(e.price[q]*surrogate)/e.weight[q]
		}
		sum += float64(e.price[q] * e.most[q])
		surrogate -= w
	}
	return sum
}

// fits is how many of an item fit into the rest.
func (e *deep) fits(q int32, rest []float64) float64 {
	n := e.most[q]
	need := e.need[int(q)*e.rows:][:len(rest)]
	for r, a := range need {
		if a*n > rest[r] {
			n = rest[r] / a
		}
	}
	return float64(int64(n))
}

// with puts c of an item on the node and goes one level deeper, with the items
// behind it that still fit.
func (e *deep) with(q int32, c float64, depth, at, end int, value float64) bool {
	next := e.restAt(depth + 1) // which may move the rests
	rest := e.rest[depth]
	need := e.need[int(q)*e.rows:][:len(rest)]
	for r, a := range need {
		next[r] = rest[r] - float64(c*a)
	}
	value += float64(c * e.price[q])
	s := e.s
	e.taken = append(e.taken, taken{s.items[e.items[q]], int64(c)})
	if value > e.best {
		e.record(value)
	}
	foes := s.m.foes[s.items[e.items[q]]]
	e.ban(foes, 1)
	before := len(e.list)
	for _, k := range e.list[at+1 : end] {
		if e.banned[k] == 0 && e.holds(k, next) {
			e.list = append(e.list, k)
		}
	}
	e.left -= 20 + 2*e.rows + 4*(end-at)
	ok := e.left > 0
	if n := len(e.list) - before; n > 0 && ok {
		ok = e.level(depth+1, n, value)
	}
	e.list = e.list[:before]
	e.ban(foes, -1)
	e.taken = e.taken[:len(e.taken)-1]
	return ok
}

func (e *deep) holds(q int32, rest []float64) bool {
	need := e.need[int(q)*e.rows:][:len(rest)]
	for r, a := range need {
		if a > rest[r] {
			return false
		}
	}
	return true
}

func (e *deep) ban(foes []int32, by int32) {
	for _, i := range foes {
		if j := e.s.local[i]; j >= 0 && e.place[j] >= 0 {
			e.banned[e.place[j]] += by
		}
	}
}

// record makes the filling of what is taken.
func (e *deep) record(value float64) {
	e.best = value
	f := e.s.fill
	f.begin(e.s.kind)
	for _, t := range e.taken {
		f.add(t.item, t.n)
	}
	e.s.consider()
}
