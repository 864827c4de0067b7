package certify

import (
	"math/big"

	"plimsoll.dev/pack"
)

// row is an inequality that the nodes of every packing fulfil: so much is a node
// of each kind worth at most, and so much must all together be worth.
type row struct {
	worth []*big.Int
	need  *big.Int
}

// row is what a certificate's prices say of the numbers of nodes, the same in so many zones.
func (c *checker) row(ce *pack.Certificate, zones int64) row {
	r := row{need: dot(ce.Prices, c.demand)}
	for k, n := range c.Nodes {
		w := product(n.Cost, ce.Scale)
		w.Add(w, product(at(ce.Stock, k)))
		r.worth = append(r.worth, w.Mul(w, big.NewInt(zones)))
	}
	return r
}

// counted says that no numbers of nodes that cost less than the certificate's
// bound fulfil its own inequality and those of its counts; of nodes in each zone,
// where all zones but one fulfil them.
func (c *checker) counted(ce *pack.Certificate, dearest, zones int64) bool {
	others := max(zones-1, 1)
	rows := []row{c.row(ce, others)}
	for i := range ce.Counts {
		if !c.must(len(ce.Counts[i].Counts) == 0, "certificate.counts[%d]: has counts of its own", i) ||
			!c.prices(&ce.Counts[i], dearest, false) {
			return false
		}
		rows = append(rows, c.row(&ce.Counts[i], others))
	}
	return c.none(rows, 0, (ce.Bound-1)/zones, dearest, zones)
}

// none says that no numbers of nodes of kind k and those behind it fulfil all
// rows for so much money. Each row is what is still lacking to it.
func (c *checker) none(rows []row, k int, money, dearest, zones int64) bool {
	if c.steps += 32 * (len(rows)*len(c.Nodes) + 1); c.steps > maxSteps {
		return false
	}
	for _, r := range rows {
		if !c.reaches(r, k, money, dearest) {
			return true
		}
	}
	if k == len(c.Nodes) {
		return false
	}
	if node := c.Nodes[k]; node.Cost <= dearest {
		for n := int64(1); n <= money/node.Cost && (node.Stock < 0 || n <= node.Stock/zones); n++ {
			fewer := make([]row, len(rows))
			for i, r := range rows {
				fewer[i] = row{r.worth, new(big.Int).Sub(r.need, new(big.Int).Mul(r.worth[k], big.NewInt(n)))}
			}
			if !c.none(fewer, k+1, money-n*node.Cost, dearest, zones) {
				return false
			}
		}
	}
	return c.none(rows, k+1, money, dearest, zones)
}

// reaches says whether money, all of it for one of the kinds from k on, and for
// parts of nodes, buys what a row lacks.
func (c *checker) reaches(r row, k int, money, dearest int64) bool {
	if r.need.Sign() <= 0 {
		return true
	}
	for ; k < len(c.Nodes); k++ {
		if cost := c.Nodes[k].Cost; cost <= dearest &&
			new(big.Int).Mul(r.worth[k], big.NewInt(money)).Cmp(new(big.Int).Mul(r.need, big.NewInt(cost))) >= 0 {
			return true
		}
	}
	return false
}
