package pack

// sack is the search for the most valuable filling of one kind of node: branch
// and bound over the linear relaxation, best bound first. When it is ended early
// it still knows an upper bound.
//
// Items have local numbers here, those with a price and room for one.
type sack struct {
	m       *model
	kind    int
	count   []int64      // to be had, by item of the model
	value   []float64    // prices by item of the model
	items   []int32      // of the model, by local number
	dims    []int32      // that can run out
	rounds  [][]rounding // by kind: rows that follow from others because counts are whole
	price   []float64    // by local number
	most    []int64
	need    []int64 // items x dims of the model
	low     []int64
	high    []int64
	local   []int32 // by item of the model, or -1
	rest    []int64
	relax   relax
	cuts    []cut
	heap    []int32
	keep    bool      // keep the weights of each cut,
	proofs  []float64 // here
	fill    *filler
	limit   []int64   // by item of the model
	weights []float64 // of the relaxation's rows, at the root
	deep    deep
	order   []int32 // of the model, best first
	key     []float64
	best    float64
	found   func(value float64) // is told of each filling better than all before, in fill
	work    *meter
}

// cut is a box of fillings: its parent's, with one item's count at most at, or above it.
type cut struct {
	parent, item int32
	at           int64
	above        bool
	empty        bool
	bound        float64
	split        int32 // item to cut next, -1 when there is no need
	splitAt      int64
	kids         [2]int32
}

func newSack(m *model, work *meter) *sack {
	s := &sack{m: m, work: work, fill: newFiller(m, work), local: make([]int32, m.items), rest: make([]int64, m.dims),
		limit: make([]int64, m.items), rounds: make([][]rounding, m.kinds)}
	s.relax.work = work
	return s
}

// begin takes up a kind of node, with so many of each item to be had at prices,
// and returns the value of the relaxation.
func (s *sack) begin(kind int, count []int64, price []float64) float64 {
	m := s.m
	s.kind, s.count, s.value = kind, count, price
	s.items, s.price, s.most, s.need, s.order = s.items[:0], s.price[:0], s.most[:0], s.need[:0], s.order[:0]
	for i, fit := range m.fits(kind) {
		s.local[i] = -1
		s.limit[i] = 0
		if n := min(fit, count[i]); n > 0 && (price[i] > 0 || s.keep) {
			s.local[i] = int32(len(s.items))
			s.limit[i] = n
			s.items = append(s.items, int32(i))
			s.price = append(s.price, price[i])
			s.most = append(s.most, n)
			s.need = append(s.need, m.needs(i)...)
		}
	}
	s.chooseDims()
	s.best = 0
	s.root()
	return s.cuts[0].bound
}

// focus drops the items that no filling worth more than cutoff holds, as the
// reduced prices of the relaxation show.
func (s *sack) focus(cutoff float64) {
	l := &s.relax
	slack := s.cuts[0].bound - cutoff
	n := 0
	for j := range s.items {
		if l.row[j] < 0 && !l.up[j] && l.gain[j] < -slack-float64(1e-9*cutoff) {
			s.local[s.items[j]], s.limit[s.items[j]] = -1, 0
			continue
		}
		s.items[n], s.price[n], s.most[n] = s.items[j], s.price[j], s.most[j]
		copy(s.need[n*s.m.dims:][:s.m.dims], s.need[j*s.m.dims:][:s.m.dims])
		s.local[s.items[n]] = int32(n)
		n++
	}
	if n == len(s.items) {
		return
	}
	s.items, s.price, s.most, s.need = s.items[:n], s.price[:n], s.most[:n], s.need[:n*s.m.dims]
	s.order = s.order[:0]
	s.root()
}

// root evaluates all fillings of the items that there are.
func (s *sack) root() {
	s.load()
	s.cuts, s.heap, s.proofs = s.cuts[:0], s.heap[:0], s.proofs[:0]
	s.cuts = append(s.cuts, cut{parent: -1})
	s.evaluate(0)
	s.weights = append(s.weights[:0], s.relax.weights...)
	s.rank()
}

// chooseDims leaves out dimensions that all items together can't use up.
func (s *sack) chooseDims() {
	s.dims = s.dims[:0]
	for d, room := range s.m.room(s.kind) {
		sum := 0.0
		for j, n := range s.most {
			sum += float64(float64(s.need[j*s.m.dims+d]) * float64(n))
		}
		if sum > float64(room) {
			s.dims = append(s.dims, int32(d))
		}
	}
}

func (s *sack) load() {
	n := len(s.items)
	s.low, s.high = grown(s.low, n), grown(s.high, n)
	rounds := s.rounds[s.kind]
	s.relax.size(len(s.dims)+len(rounds), n)
	copy(s.relax.price, s.price)
	for r, d := range s.dims {
		row := s.relax.need[r*n:][:n]
		recip := 1 / max(float64(s.m.room(s.kind)[d]), 0.5)
		for j := range row {
			row[j] = float64(s.need[j*s.m.dims+int(d)]) * recip
		}
	}
	for x, c := range rounds {
		row := s.relax.need[(len(s.dims)+x)*n:][:n]
		room := s.m.room(s.kind)[c.dim]
		recip := 1 / float64(c.room(room))
		for j := range row {
			row[j] = float64(c.need(s.need[j*s.m.dims+int(c.dim)], room)) * recip
		}
	}
	s.relax.start()
}

// box sets low and high to those of a cut, and tightens them; false when nothing is left.
func (s *sack) box(c int32) bool {
	clear(s.low)
	copy(s.high, s.most)
	for ; c > 0; c = s.cuts[c].parent {
		if j, at := s.cuts[c].item, s.cuts[c].at; s.cuts[c].above {
			s.low[j] = max(s.low[j], at+1)
		} else {
			s.high[j] = min(s.high[j], at)
		}
	}
	return s.tighten()
}

// tighten cuts high to what fits beside low.
func (s *sack) tighten() bool {
	copy(s.rest, s.m.room(s.kind))
	dims := s.m.dims
	for j, l := range s.low {
		if l > s.high[j] {
			return false
		}
		if l == 0 {
			continue
		}
		for d, a := range s.need[j*dims:][:dims] {
			s.rest[d] -= a * l
			if s.rest[d] < 0 {
				return false
			}
		}
		for _, foe := range s.m.foes[s.items[j]] {
			if k := s.local[foe]; k >= 0 {
				s.high[k] = 0
			}
		}
	}
	for j, l := range s.low {
		n := s.high[j] - l
		if n < 0 {
			return false
		}
		if n == 0 {
			continue
		}
		for d, a := range s.need[j*dims:][:dims] {
			if a > 0 && a*n > s.rest[d] {
				n = s.rest[d] / a
			}
		}
		s.high[j] = l + n
	}
	s.work.spend(len(s.low) * (dims + 1))
	return true
}

// evaluate finds the bound of a cut, a filling, and where to cut next.
func (s *sack) evaluate(c int32) {
	node := &s.cuts[c]
	node.split, node.kids = -1, [2]int32{-1, -1}
	s.work.spend(1000 + 20*len(s.items))
	if !s.box(c) {
		node.empty = true
	} else {
		for j := range s.items {
			s.relax.low[j], s.relax.high[j] = float64(s.low[j]), float64(s.high[j])
		}
		node.bound, node.empty = s.relax.solve()
		if !node.empty {
			s.round(c)
		}
	}
	if s.keep {
		s.proofs = append(s.proofs, s.relax.weights...)
	}
}

// round makes a filling of the solution of the relaxation, and chooses the item to cut.
func (s *sack) round(c int32) {
	f := s.fill
	f.begin(s.kind)
	node := &s.cuts[c]
	largest := 0.0
	for j, i := range s.items {
		x := s.relax.x[j]
		n := int64(x + 1e-6)
		if part := x - float64(n); part > 1e-6 {
			if g := s.largest(j) * part; g > largest {
				node.split, node.splitAt, largest = int32(j), n, g
			}
		}
		if n == 0 || f.add(i, n) == n || node.split >= 0 || n <= s.low[j] {
			continue
		}
		node.split, node.splitAt = int32(j), n-1
		if f.blocked[i] > 0 {
			node.splitAt = 0
		}
	}
	f.addAll(s.order, s.limit)
	s.consider()
}

// largest is the largest share that an item takes of a dimension.
func (s *sack) largest(j int) float64 {
	share := 0.0
	for r := range s.dims {
		share = max(share, s.relax.need[r*s.relax.items+j])
	}
	return share
}

// consider takes the filling when it is the best so far.
func (s *sack) consider() bool {
	v := s.fill.worth(s.value)
	if v <= s.best {
		return false
	}
	s.best = v
	if s.found != nil {
		s.found(v)
	}
	return true
}

// rank orders the items by their price for what they weigh.
func (s *sack) rank() {
	l := &s.relax
	mean := 0.0
	for _, w := range l.weights {
		mean += w / float64(max(l.rows, 1))
	}
	s.key = grown(s.key, s.m.items)
	for j, i := range s.items {
		weight := 1e-12
		for r, w := range l.weights {
			weight += float64((w + float64(0.02*mean)) * l.need[r*l.items+j])
		}
		s.key[i] = s.price[j] / weight
		s.order = append(s.order, i)
	}
	sortByKey(s.order, s.key)
	s.work.spend(sorting(len(s.items)) + 2*l.rows*len(s.items))
}

// greedy fills the node some times in random orders near the ranked one, until
// some fillings were found that are worth more than cutoff.
func (s *sack) greedy(times int, cutoff float64, r *random) {
	const enough = 3
	found := 0
	key := grown(s.fill.key, s.m.items)
	s.fill.key = key
	for t := range times {
		order := append(s.fill.order[:0], s.order...)
		s.fill.order = order
		if t > 0 {
			spread := 0.1 * float64(1+t%4)
			for _, i := range order {
				key[i] = s.key[i] * (1 + float64(spread*(r.unit()-0.5)*2))
			}
			sortByKey(order, key)
		}
		s.fill.begin(s.kind)
		s.fill.addAll(order, s.limit)
		s.work.spend(sorting(len(order)))
		if s.consider() && s.best > cutoff {
			if found++; found == enough {
				return
			}
		}
	}
}
