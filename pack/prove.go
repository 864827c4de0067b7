package pack

import "math"

// prover turns prices in floating point numbers into a certificate in integers:
// it rounds them, searches each kind of node for fillings that are worth more
// than they cost, lowers all prices by what is too much, and then raises each as
// far as its proof allows.
type prover struct {
	p      *Problem
	m      *model // of all kinds that are allowed, also of those with none in stock
	work   *meter
	sack   *sack
	scale  int64
	price  []int64 // by item of the model
	stock  []int64 // by kind of the model
	leaves []leaf
	proofs []*Proof
	worst  float64 // most that a leaf proves, as a multiple of its limit
}

// leaf is a box with the figures that are needed to check it again at other prices.
type leaf struct {
	kind     int
	proof    *Proof
	low, top []int64 // by item of the model
	weighed  []wide  // need of an item by the weights
	total    wide    // that the weights prove
	limit    wide
}

const (
	mostScaled = 1e12    // of a node's cost in the scale of prices
	mostUnit   = 1e17    // so that ten times as much is still a number
	mostWeight = 1 << 53 // so that readers with floating point numbers read it right
	fineness   = 1e-9    // of weights
)

func newProver(p *Problem, count []int64, keep func(k int) bool, work *meter) *prover {
	m, _ := newModel(p, count, keep)
	v := &prover{p: p, m: m, work: work, scale: 1, price: make([]int64, m.items), stock: make([]int64, m.kinds)}
	v.sack = newSack(m, work)
	v.sack.keep = true
	dearest := int64(1)
	for _, c := range m.cost {
		dearest = max(dearest, c)
	}
	for float64(dearest)*float64(v.scale)*10 <= mostScaled {
		v.scale *= 10
	}
	return v
}

// limitOf is what a filled node of kind k may be worth.
func (v *prover) limitOf(k int) int64 { return v.m.cost[k]*v.scale + v.stock[k] }

// round takes prices into the scale.
func (v *prover) round(price, rent []float64) {
	for i := range v.price {
		v.price[i] = int64(min(price[i]*float64(v.scale), mostWeight))
	}
	for k := range v.stock {
		v.stock[k] = 0
		if v.m.stock[k] > 0 {
			v.stock[k] = int64(math.Ceil(min(rent[k]*float64(v.scale), mostWeight)))
		}
	}
}

// search makes the proof tree of each kind, as good as so many cuts get it,
// without going for less than slack times the limit.
func (v *prover) search(slack float64, cuts int) {
	clear(v.sack.rounds)
	text := v.work.text / 2 // there may be other certificates
	price := make([]float64, v.m.items)
	for i, p := range v.price {
		price[i] = float64(p)
	}
	v.leaves, v.proofs, v.worst = v.leaves[:0], v.proofs[:0], 0
	for k := range v.m.kinds {
		value := v.sack.begin(k, v.m.count, price)
		if v.m.stock[k] == 0 {
			v.stock[k] = int64(min(float64(value*1.01)+1, mostWeight))
		}
		limit := float64(v.limitOf(k)) * slack
		v.sack.sharpen(value, limit)
		share := 0.6 * max(1/float64(v.m.kinds-k), 0.3) // what becomes of the tree takes the rest
		most := v.mostCuts(k, text)
		v.work.within(share, func() { v.sack.search(limit, min(cuts, most), most, true) })
		v.proofs = append(v.proofs, v.tree(0, k, limit))
		text -= len(v.sack.cuts) * v.bytes(k) / 2
	}
}

// mostText is about the bytes of a certificate, so that a plan with it can be read again,
// and mostTops the numbers of items in all boxes of a tree, while it is made.
const (
	mostText = 24 << 20
	mostTops = 5_000_000
)

// mostCuts is how many the tree of kind k may have in half of the text that is left, or
// all for the last kind: half of them are boxes with a number for each dimension, half say
// where a box is cut.
func (v *prover) mostCuts(k, text int) int {
	if k < v.m.kinds-1 {
		text /= 2
	}
	return min(text/(v.bytes(k)/2), mostTops/max(len(v.sack.items), 1))
}

// bytes of a box and a cut of kind k, as text: many weights are 0.
func (v *prover) bytes(k int) int { return 90 + 8*(v.m.dims+len(v.sack.rounds[k])) }

// tree is the proof of a cut and what is below it.
func (v *prover) tree(c int32, k int, limit float64) *Proof {
	n := &v.sack.cuts[c]
	if n.kids[0] < 0 || n.bound <= limit*(1-1e-9) {
		return v.leaf(c, k)
	}
	kid := &v.sack.cuts[n.kids[0]]
	return &Proof{
		Item: v.m.itemOf[v.sack.items[kid.item]], At: kid.at,
		Below: v.tree(n.kids[0], k, limit), Above: v.tree(n.kids[1], k, limit),
	}
}

// leaf makes a box with weights, or without where nothing is in it.
func (v *prover) leaf(c int32, k int) *Proof {
	s := v.sack
	out := &Proof{}
	if !s.box(c) {
		return out
	}
	l := leaf{kind: k, proof: out, low: make([]int64, v.m.items), top: make([]int64, v.m.items)}
	copy(l.top, v.m.fits(k))
	for j, i := range s.items {
		l.low[i], l.top[i] = s.low[j], s.high[j]
	}
	v.weigh(&l, s.proofs[int(c)*s.relax.rows:][:s.relax.rows])
	v.leaves = append(v.leaves, l)
	return out
}

// weigh sets the weights of a leaf from those of the relaxation's scaled rows.
func (v *prover) weigh(l *leaf, weights []float64) {
	s := v.sack
	dims := v.m.dims
	exact := make([]float64, dims+len(s.rounds[l.kind]))
	room := v.m.room(l.kind)
	heaviest, rooms := 0.0, 0.0
	for r, w := range weights {
		at, whole := dims+r-len(s.dims), 0.0
		if r < len(s.dims) {
			at = int(s.dims[r])
			whole = max(float64(room[at]), 0.5)
		} else {
			rd := s.rounds[l.kind][at-dims]
			whole = float64(rd.room(room[rd.dim]))
		}
		exact[at] = w / whole
		heaviest, rooms = max(heaviest, exact[at]), rooms+whole
	}
	unit := int64(1)
	want := rooms / (fineness * max(float64(v.limitOf(l.kind)), 1))
	for unit < mostUnit && float64(unit) < want && heaviest*float64(unit)*10 < mostWeight {
		unit *= 10
	}
	l.proof.Unit = unit
	l.proof.Weights = make([]int64, len(exact))
	for d, w := range exact {
		l.proof.Weights[d] = int64(min(math.Round(w*float64(unit)), mostWeight))
	}
	v.count(l)
}

// count computes what a leaf's weights prove.
func (v *prover) count(l *leaf) {
	weights := l.proof.Weights
	room := v.m.room(l.kind)
	rounds := v.sack.rounds[l.kind]
	l.limit = product(v.limitOf(l.kind), l.proof.Unit)
	l.total = wide{}
	for d, a := range room {
		l.total = l.total.add(product(weights[d], a))
	}
	for x, r := range rounds {
		l.total = l.total.add(product(weights[v.m.dims+x], r.room(room[r.dim])))
	}
	l.weighed = grown(l.weighed, v.m.items)
	for i := range v.m.items {
		sum := wide{}
		need := v.m.needs(i)
		for d, a := range need {
			if weights[d] != 0 && a != 0 {
				sum = sum.add(product(weights[d], a))
			}
		}
		for x, r := range rounds {
			if w := weights[v.m.dims+x]; w != 0 {
				sum = sum.add(product(w, r.need(need[r.dim], room[r.dim])))
			}
		}
		l.weighed[i] = sum
		l.total = l.total.add(l.excess(i, v.price[i]))
	}
	v.work.spend(v.m.items * 3 * (len(weights) + 4))
	v.worst = max(v.worst, l.total.float()/l.limit.float())
}

// excess is what item i adds to the total at a price.
func (l *leaf) excess(i int, price int64) wide {
	over := product(price, l.proof.Unit).sub(l.weighed[i])
	if over.positive() {
		return over.times(l.top[i])
	}
	return over.times(l.low[i])
}

// valid says that no leaf proves more than its limit.
func (v *prover) valid() bool {
	for i := range v.leaves {
		if l := &v.leaves[i]; l.limit.less(l.total) {
			return false
		}
	}
	return true
}

// lower divides prices and weights by a factor.
func (v *prover) lower(factor float64) {
	for i := range v.price {
		v.price[i] = int64(float64(v.price[i]) / factor)
	}
	v.worst = 0
	for i := range v.leaves {
		l := &v.leaves[i]
		for d, w := range l.proof.Weights {
			l.proof.Weights[d] = int64(float64(w)/factor + 0.5)
		}
		v.count(l)
	}
}

// settle lowers the prices until all leaves hold.
func (v *prover) settle() {
	for margin := 1e-10; !v.valid(); margin *= 16 {
		if margin > 1 {
			clear(v.price)
			margin = 1e-3
		}
		v.lower(max(v.worst, 1) * (1 + margin))
	}
}

// raise makes each price as high as the proof allows, those of many items first.
func (v *prover) raise() {
	order := make([]int32, v.m.items)
	key := make([]float64, v.m.items)
	for i := range order {
		order[i] = int32(i)
		key[i] = float64(v.m.count[i])
	}
	sortByKey(order, key)
	for _, i := range order {
		more := int64(mostWeight) - v.price[i]
		for j := range v.leaves {
			if l := &v.leaves[j]; more > 0 && l.top[i] > 0 {
				more = l.more(int(i), v.price[i], more)
			}
		}
		v.work.spend(8 * len(v.leaves))
		if more == 0 || more == int64(mostWeight)-v.price[i] {
			continue
		}
		for j := range v.leaves {
			l := &v.leaves[j]
			l.total = l.total.sub(l.excess(int(i), v.price[i])).add(l.excess(int(i), v.price[i]+more))
		}
		v.price[i] += more
	}
}

// more is how much higher the price of item i may be in this leaf, up to most.
func (l *leaf) more(i int, price, most int64) int64 {
	others := l.total.sub(l.excess(i, price))
	fits := func(n int64) bool { return !l.limit.less(others.add(l.excess(i, price+n))) }
	if fits(most) {
		return most
	}
	// Above the weighed need the excess is linear: a guess, and then the exact place.
	guess := (l.limit.sub(others).float()/float64(l.top[i])+l.weighed[i].float())/float64(l.proof.Unit) - float64(price)
	n := int64(max(0, min(guess, float64(most-1))))
	for step := int64(1); n > 0 && !fits(n); step *= 2 {
		n = max(n-step, 0)
	}
	over := n + 1
	for step := int64(1); over < most && fits(over); step *= 2 {
		n, over = over, min(over+step, most)
	}
	for over-n > 1 {
		if mid := n + (over-n)/2; fits(mid) {
			n = mid
		} else {
			over = mid
		}
	}
	return n
}
