package pack

import (
	"fmt"
	"math/big"
)

// verify checks a certificate as the comments of its type say, in the plainest
// way: no shortcut, big integers, lists made anew for each box.
func verify(p *Problem, ce *Certificate, demand []int64, dearest int64, zones bool) error {
	grain := int64(0)
	sum := new(big.Int)
	for i, price := range ce.Prices {
		if price < 0 {
			return fmt.Errorf("price %d is negative", i)
		}
		sum.Add(sum, times(price, demand[i]))
	}
	for k, n := range p.Nodes {
		if n.Cost > dearest {
			continue
		}
		grain = gcd(grain, n.Cost)
		if rent := stockPrice(ce, k); rent != 0 {
			if n.Stock < 0 || rent < 0 {
				return fmt.Errorf("kind %d has a stock price of %d", k, rent)
			}
			stock := n.Stock
			if zones { // as many in each as there are for each, all but one of them
				stock = stock / int64(p.Zones) * int64(p.Zones-1)
			}
			sum.Sub(sum, times(rent, stock))
		}
		v := verifier{p: p, ce: ce, kind: k, demand: demand}
		v.derive()
		if err := v.tree(&ce.Proofs[k], nil); err != nil {
			return fmt.Errorf("kind %d: %w", k, err)
		}
	}
	over := times(ce.Scale, grain)
	bound := new(big.Int)
	if sum.Sign() > 0 {
		sum.Add(sum, over).Sub(sum, big.NewInt(1))
		bound.Quo(sum, over)
		if zones { // the remaining zones share it, in whole grains
			remaining := int64(p.Zones - 1)
			bound.Add(bound, big.NewInt(remaining-1)).Quo(bound, big.NewInt(remaining))
			bound.Mul(bound, big.NewInt(int64(p.Zones)))
		}
		bound.Mul(bound, big.NewInt(grain))
	}
	if bound.Cmp(big.NewInt(ce.Bound)) < 0 {
		return verifyCounts(p, ce, demand, dearest, zones)
	}
	if bound.Cmp(big.NewInt(ce.Bound)) != 0 {
		return fmt.Errorf("bound %d, where the prices say %v", ce.Bound, bound)
	}
	return nil
}

// verifyCounts tries all numbers of nodes that cost less than the bound; of the
// last kind as many as the money buys, which are worth the most.
// Where zones may be lost, they are the numbers of one zone, and the others remain.
func verifyCounts(p *Problem, ce *Certificate, demand []int64, dearest int64, lost bool) error {
	zones, others := int64(1), int64(1)
	if lost {
		zones, others = int64(p.Zones), int64(p.Zones-1)
	}
	all := append([]Certificate{*ce}, ce.Counts...)
	var kinds []int
	for k, n := range p.Nodes {
		if n.Cost > dearest {
			continue
		}
		kinds = append(kinds, k)
		for j := range all {
			v := verifier{p: p, ce: &all[j], kind: k, demand: demand}
			v.derive()
			if err := v.tree(&all[j].Proofs[k], nil); err != nil {
				return fmt.Errorf("counts[%d], kind %d: %w", j-1, k, err)
			}
		}
	}
	var try func(at int, money int64, x []int64) error
	try = func(at int, money int64, x []int64) error {
		if at == len(kinds) {
			for j := range all {
				if breaks(p, &all[j], demand, x, others) {
					return nil
				}
			}
			return fmt.Errorf("nodes %v cost less than %d and break no inequality", x, ce.Bound)
		}
		k := kinds[at]
		most, n := money/p.Nodes[k].Cost, int64(0)
		if p.Nodes[k].Stock >= 0 {
			most = min(most, p.Nodes[k].Stock/zones)
		}
		if at == len(kinds)-1 {
			n = most
		}
		for ; n <= most; n++ {
			x[k] = n
			if err := try(at+1, money-n*p.Nodes[k].Cost, x); err != nil {
				return err
			}
		}
		x[k] = 0
		return nil
	}
	return try(0, (ce.Bound+zones-1)/zones-1, make([]int64, len(p.Nodes)))
}

// breaks says whether so many nodes, times others, are not worth what the items are.
func breaks(p *Problem, ce *Certificate, demand, x []int64, others int64) bool {
	sum := new(big.Int)
	for k, n := range p.Nodes {
		sum.Add(sum, new(big.Int).Mul(times(n.Cost, ce.Scale), big.NewInt(x[k])))
		sum.Add(sum, times(stockPrice(ce, k), x[k]))
	}
	sum.Mul(sum, big.NewInt(others))
	for i, price := range ce.Prices {
		sum.Sub(sum, times(price, demand[i]))
	}
	return sum.Sign() < 0
}

func times(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

func stockPrice(ce *Certificate, k int) int64 {
	if ce.Stock == nil {
		return 0
	}
	return ce.Stock[k]
}

type verifier struct {
	p      *Problem
	ce     *Certificate
	kind   int
	demand []int64
	room   []int64
	need   [][]int64
}

// derive lists given and rounded dimensions.
func (v *verifier) derive() {
	n := v.p.Nodes[v.kind]
	v.room = append([]int64(nil), n.Capacity...)
	for _, it := range v.p.Items {
		v.need = append(v.need, append([]int64(nil), it.Need...))
	}
	if v.ce.Rounded == nil {
		return
	}
	for _, r := range v.ce.Rounded[v.kind] {
		room := inner(r.Of, n.Capacity)
		rest := room % r.Divisor
		v.room = append(v.room, room/r.Divisor*(r.Divisor-rest))
		for i, it := range v.p.Items {
			need := inner(r.Of, it.Need)
			v.need[i] = append(v.need[i], need/r.Divisor*(r.Divisor-rest)+max(need%r.Divisor-rest, 0))
		}
	}
}

func inner(a, b []int64) int64 {
	sum := int64(0)
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

type side struct {
	item  int
	at    int64
	above bool
}

func (v *verifier) tree(t *Proof, path []side) error {
	if t == nil {
		return fmt.Errorf("a side of a cut is missing")
	}
	if t.Below == nil && t.Above == nil {
		return v.box(t, path)
	}
	path = path[:len(path):len(path)]
	if err := v.tree(t.Below, append(path, side{t.Item, t.At, false})); err != nil {
		return err
	}
	return v.tree(t.Above, append(path, side{t.Item, t.At, true}))
}

func (v *verifier) box(t *Proof, path []side) error {
	from, to := v.bounds(path)
	for i := range from {
		if to[i] < from[i] {
			return nil
		}
	}
	total := new(big.Int)
	for d, w := range t.Weights {
		if w < 0 || t.Unit < 1 {
			return fmt.Errorf("weight %d is %d/%d", d, w, t.Unit)
		}
		total.Add(total, times(w, v.room[d]))
	}
	for i := range from {
		excess := times(v.ce.Prices[i], t.Unit)
		for d, w := range t.Weights {
			excess.Sub(excess, times(w, v.need[i][d]))
		}
		n := from[i]
		if excess.Sign() > 0 {
			n = to[i]
		}
		total.Add(total, excess.Mul(excess, big.NewInt(n)))
	}
	limit := times(v.p.Nodes[v.kind].Cost, v.ce.Scale)
	limit.Add(limit, big.NewInt(stockPrice(v.ce, v.kind))).Mul(limit, big.NewInt(t.Unit))
	if len(t.Weights) != len(v.room) || total.Cmp(limit) > 0 {
		return fmt.Errorf("box %v proves %v with %d weights, more than %v", path, total, len(t.Weights), limit)
	}
	return nil
}

// bounds are From and To of a box.
func (v *verifier) bounds(path []side) (from, to []int64) {
	for i, it := range v.p.Items {
		n := v.demand[i]
		if it.MaxPerNode > 0 {
			n = min(n, it.MaxPerNode)
		}
		if it.On != nil && !it.On[v.kind] {
			n = 0
		}
		from, to = append(from, 0), append(to, n)
	}
	for _, s := range path {
		if s.above {
			from[s.item] = max(from[s.item], s.at+1)
		} else {
			to[s.item] = min(to[s.item], s.at)
		}
	}
	for _, c := range v.p.Conflicts {
		for side := range 2 {
			if from[c[side]] > 0 {
				to[c[1-side]] = 0
			}
		}
	}
	for d, room := range v.p.Nodes[v.kind].Capacity {
		rest := room
		for i, it := range v.p.Items {
			rest -= it.Need[d] * from[i]
		}
		for i, it := range v.p.Items {
			if it.Need[d] > 0 {
				n := rest + it.Need[d]*from[i]
				if n < 0 {
					n = -it.Need[d]
				}
				to[i] = min(to[i], n/it.Need[d])
			}
		}
	}
	return from, to
}

// verifyAll checks everything that a solution proves.
func verifyAll(p *Problem, s *Solution) error {
	demand := make([]int64, len(p.Items))
	for i, it := range p.Items {
		demand[i] = it.Count - s.leftOf(i)
	}
	dearest := int64(0)
	for _, n := range p.Nodes {
		dearest = max(dearest, n.Cost)
	}
	if err := verify(p, &s.Certificate, demand, dearest, p.SurviveZoneLoss); err != nil {
		return err
	}
	bound := s.Certificate.Bound
	least := int64(-1)
	for _, c := range s.Certificate.Spares {
		if err := verify(p, &c.Certificate, demand, c.Dearest, false); err != nil {
			return fmt.Errorf("case %d: %w", c.Dearest, err)
		}
		if c.Bound != c.Certificate.Bound+int64(p.Spares)*c.Dearest {
			return fmt.Errorf("case %d: bound %d", c.Dearest, c.Bound)
		}
		if least < 0 || c.Bound < least {
			least = c.Bound
		}
	}
	if bound = max(bound, least); bound != s.Bound.Cost {
		return fmt.Errorf("bound %d, where %d is proven", s.Bound.Cost, bound)
	}
	return nil
}
