package certify

import (
	"math/big"

	"plimsoll.dev/pack"
)

// prove checks a certificate over the kinds that cost at most dearest, and
// returns the bound that it proves. Where any of several zones may be lost, the
// others are worth the demand; the nodes of each are the same, and so is their cost.
func (c *checker) prove(ce *pack.Certificate, dearest, zones int64) *big.Int {
	if !c.prices(ce, dearest, true) {
		return new(big.Int)
	}
	worth, step, over := dot(ce.Prices, c.demand), new(big.Int), max(zones-1, 1)
	for k, n := range c.Nodes {
		if n.Cost <= dearest {
			worth.Sub(worth, product(at(ce.Stock, k), n.Stock/zones, over))
			step.GCD(nil, nil, step, big.NewInt(n.Cost))
		}
	}
	bound := ceil(ceil(worth, product(ce.Scale, step.Int64())), big.NewInt(over))
	bound = larger(bound.Mul(bound, product(zones, step.Int64())), new(big.Int))
	if higher := big.NewInt(ce.Bound); higher.Cmp(bound) > 0 && c.counted(ce, dearest, zones) {
		bound = higher
	}
	c.must(bound.Cmp(big.NewInt(ce.Bound)) == 0, "certificate.bound: %d, where the prices prove %v", ce.Bound, bound)
	return bound
}

// prices checks that no node that costs at most dearest is worth more than it
// costs and the price of its stock, which only those have whose stock is limited.
func (c *checker) prices(ce *pack.Certificate, dearest int64, limited bool) bool {
	if !c.must(ce.Scale > 0 && len(ce.Prices) == len(c.Items) && len(ce.Proofs) == len(c.Nodes) && natural(ce.Prices) &&
		natural(ce.Stock) && oneEach(ce.Stock, c.Nodes) && oneEach(ce.Rounded, c.Nodes),
		"certificate: the scale, prices, stock, rounded or proofs are missing, or negative") {
		return false
	}
	for k, n := range c.Nodes {
		if n.Cost <= dearest {
			c.must(at(ce.Stock, k) == 0 || n.Stock >= 0 || !limited,
				"certificate.stock[%d]: is a price, though the stock has no limit", k)
			if c.steps += len(c.Items) * (len(n.Capacity) + 4); !c.must(c.steps < maxSteps, "certificate: is too long") {
				return false
			}
			c.all(k, ce).walk(&ce.Proofs[k], 0)
		}
	}
	for i, price := range ce.Prices {
		c.must(price == 0 || c.demand[i] > 0, "certificate.prices[%d]: is a price of what nobody wants", i)
	}
	return true
}

// walk checks that the proof shows no pattern of the box to be worth more than
// the node costs. The two sides of a cut are all that is in the box.
func (b *box) walk(t *pack.Proof, depth int) {
	b.steps += 8
	if !b.must(t != nil && depth < maxDepth && b.steps < maxSteps, "certificate.proofs[%d]: is cut short, or too long",
		b.kind) {
		return
	}
	if t.Below == nil && t.Above == nil {
		b.leaf(t)
		return
	}
	if !b.must(t.Item >= 0 && t.Item < len(b.to) && t.Weights == nil,
		"certificate.proofs[%d]: cuts item %d, which there is none of", b.kind, t.Item) {
		return
	}
	i, from, to := t.Item, b.from[t.Item], b.to[t.Item]
	b.to[i] = min(to, t.At)
	b.walk(t.Below, depth+1)
	b.from[i], b.to[i] = max(from, t.At+1), to // where At+1 wraps, the box is the larger
	b.walk(t.Above, depth+1)
	b.from[i] = from
}

// leaf checks a box by weights: items are worth their weighted need, which all
// together is at most the capacity's, and what their prices exceed that by.
func (b *box) leaf(t *pack.Proof) {
	top, possible := b.top()
	if !possible || !b.must(len(t.Weights) == len(b.capacity) && natural(t.Weights) && t.Unit > 0,
		"certificate.proofs[%d]: a box has no weights", b.kind) {
		return
	}
	worth := dot(t.Weights, b.capacity)
	for i, price := range b.ce.Prices {
		if top[i] > 0 {
			excess, n := product(price, t.Unit), b.from[i]
			if excess.Sub(excess, dot(t.Weights, b.need[i])).Sign() > 0 {
				n = top[i]
			}
			worth.Add(worth, excess.Mul(excess, big.NewInt(n)))
		}
	}
	node := b.Nodes[b.kind]
	limit := product(node.Cost, b.ce.Scale, t.Unit)
	limit.Add(limit, product(at(b.ce.Stock, b.kind), t.Unit))
	b.must(worth.Cmp(limit) <= 0, "certificate.proofs[%d]: a node of kind %q may be worth %v, "+
		"where it costs %v (both in 1/%d of a price)", b.kind, node.Name, worth, limit, t.Unit)
}
