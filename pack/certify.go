package pack

import (
	"math"
	"math/big"
	"slices"
)

// proofGap is the share of the bound that a shorter proof may cost.
const proofGap = 1e-5

// task is what a certificate is about.
type task struct {
	p      *Problem
	demand []int64          // of each item of the problem
	keep   func(k int) bool // kinds that are allowed
	zones  bool             // the loss of a zone is to be survived
	work   *meter
}

// certify makes a certificate of the claims: of the simplest that proves as much
// as the best, or of the best.
func (t *task) certify(s *search, cuts int) (Certificate, string) {
	goal := s.whole(s.lower)
	best, method := Certificate{Bound: -1}, methodVolume
	try := func(c *claim) {
		if ce := t.prove(s, c, cuts); ce.Bound > best.Bound {
			best, method = ce, c.method
		}
	}
	for i := range s.claims {
		if c := &s.claims[i]; c.method != "" && s.whole(c.lower) >= goal && best.Bound < goal {
			try(c)
		}
	}
	// What the search was sure of may be too long to prove.
	for i := range s.claims {
		if c := &s.claims[i]; c.method != "" && s.whole(c.lower) > best.Bound && s.whole(c.lower) < goal {
			try(c)
		}
	}
	t.work.text -= best.text()
	return best, method
}

// text is about how many bytes the proofs of a certificate have.
func (ce *Certificate) text() int {
	sum := 0
	for i := range ce.Proofs {
		sum += ce.Proofs[i].text()
	}
	return sum
}

func (p *Proof) text() int {
	if p.Below != nil {
		return 50 + p.Below.text() + p.Above.text()
	}
	sum := 40
	for _, w := range p.Weights {
		sum += 2 + int(math.Log10(float64(w+1)))
	}
	return sum
}

// prove makes the certificate of one claim.
func (t *task) prove(s *search, c *claim, cuts int) Certificate {
	v := newProver(t.p, t.demand, t.keep, t.work)
	price, rent := make([]float64, v.m.items), make([]float64, v.m.kinds)
	for j, i := range s.m.itemOf {
		price[slices.Index(v.m.itemOf, i)] = c.price[j]
	}
	for j, k := range s.m.kindOf {
		rent[slices.Index(v.m.kindOf, k)] = c.rent[j]
	}
	v.round(price, rent)
	v.search(1/t.slack(s, c.lower), cuts)
	v.settle()
	v.raise()
	return t.write(v)
}

// slack is the share of the prices that is enough for the same whole bound, with
// half of what could be spared kept.
func (t *task) slack(s *search, lower float64) float64 {
	if t.zones {
		return 1 - proofGap
	}
	enough := float64(s.whole(lower)-s.m.grain) / lower
	return min((1+max(enough, 0))/2, 1-proofGap)
}

// write puts a certificate in the problem's numbers.
func (t *task) write(v *prover) Certificate {
	ce := Certificate{Scale: v.scale, Prices: make([]int64, len(t.p.Items)), Proofs: make([]Proof, len(t.p.Nodes))}
	ce.Rounded = v.rounded(len(t.p.Nodes))
	for j, i := range v.m.itemOf {
		ce.Prices[i] = v.price[j]
	}
	if v.m.limited() {
		ce.Stock = make([]int64, len(t.p.Nodes))
	}
	for j, k := range v.m.kindOf {
		ce.Proofs[k] = *v.proofs[j]
		if ce.Stock != nil {
			ce.Stock[k] = v.stock[j]
		}
	}
	ce.Bound = t.bound(&ce, v.m.grain)
	return ce
}

// rounded writes the rows that some weight uses, and takes the others out of the weights.
func (v *prover) rounded(kinds int) [][]Rounding {
	dims := v.m.dims
	out := make([][]Rounding, kinds)
	any := false
	for j, k := range v.m.kindOf {
		used := make([]bool, len(v.sack.rounds[j]))
		v.eachWeights(j, func(w []int64) []int64 {
			for x := range used {
				used[x] = used[x] || w[dims+x] != 0
			}
			return w
		})
		for x, r := range v.sack.rounds[j] {
			if used[x] {
				of := make([]int64, dims)
				of[r.dim] = 1
				out[k] = append(out[k], Rounding{Of: of, Divisor: r.divisor})
				any = true
			}
		}
		v.eachWeights(j, func(w []int64) []int64 {
			short := w[:dims:dims]
			for x, u := range used {
				if u {
					short = append(short, w[dims+x])
				}
			}
			return short
		})
	}
	if !any {
		return nil
	}
	return out
}

func (v *prover) eachWeights(kind int, f func([]int64) []int64) {
	for i := range v.leaves {
		if l := &v.leaves[i]; l.kind == kind {
			l.proof.Weights = f(l.proof.Weights)
		}
	}
}

// bound is what a certificate's prices prove, in integers. Where a zone may be lost,
// the nodes of the others, the same in each and none beyond its part of the stock, are
// worth the demand.
func (t *task) bound(ce *Certificate, grain int64) int64 {
	sum := new(big.Int)
	zones, others := t.zonesAndOthers()
	for i, price := range ce.Prices {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(price), big.NewInt(t.demand[i])))
	}
	for k, price := range ce.Stock {
		stock := new(big.Int).Mul(big.NewInt(price), big.NewInt(max(t.p.Nodes[k].Stock, 0)/zones))
		sum.Sub(sum, stock.Mul(stock, big.NewInt(others)))
	}
	if sum.Sign() <= 0 {
		return 0
	}
	over := new(big.Int).Mul(big.NewInt(ce.Scale), big.NewInt(max(grain, 1)))
	each := quotientUp(quotientUp(sum, over), big.NewInt(others))
	return each.Mul(each, big.NewInt(zones*max(grain, 1))).Int64()
}

// zonesAndOthers are the zones, one of which may be lost, and those that remain then;
// otherwise 1 and 1.
func (t *task) zonesAndOthers() (zones, others int64) {
	if t.zones {
		return int64(t.p.Zones), int64(t.p.Zones - 1)
	}
	return 1, 1
}

// quotientUp is a by b, rounded up.
func quotientUp(a, b *big.Int) *big.Int {
	sum := new(big.Int).Add(a, b)
	return sum.Sub(sum, big.NewInt(1)).Quo(sum, b)
}
