package certify

import (
	"fmt"
	"math/big"

	"plimsoll.dev/pack"
)

// witness checks that the patterns are nodes that can be, hold the demand, and
// cost what is said.
func (c *checker) witness(s pack.Solution) {
	used, held, cost := integers(nil, len(c.Nodes)), integers(nil, len(c.Items)), new(big.Int)
	zones := max(int64(c.Zones), 1)
	each := zones
	if s.Together && c.must(c.SurviveZoneLoss, "together: is said where no zone may be lost") {
		each = 1
	}
	for i, p := range s.Patterns {
		why := c.misfit(p.Node, p.Items)
		even := c.must(p.Copies > 0 && p.Copies%each == 0,
			"patterns[%d]: %d copies in %d zones (from 1, and the same number in each)", i, p.Copies, each)
		if c.must(why == "", "patterns[%d]: %s", i, why) && even {
			used[p.Node].Add(used[p.Node], big.NewInt(p.Copies))
			for _, stack := range p.Items {
				held[stack.Item].Add(held[stack.Item], product(stack.Count, p.Copies))
			}
		}
	}
	spares := c.standIns(s, used)
	for i, p := range s.Patterns {
		c.spared(i, p, spares)
	}
	for k, n := range c.Nodes {
		if each < zones { // these are in all zones but one, or fewer, and so many more are in that one
			used[k] = ceil(used[k], big.NewInt(zones-1))
			used[k].Mul(used[k], big.NewInt(zones))
		}
		used[k].Add(used[k], big.NewInt(at(s.Spares, k)))
		c.must(used[k].Cmp(big.NewInt(s.Nodes[k])) == 0, "nodes[%d]: %d of kind %q, where patterns and spares have %v", k,
			s.Nodes[k], n.Name, used[k])
		c.must(n.Stock < 0 || s.Nodes[k] <= n.Stock, "nodes[%d]: %d of kind %q, where the stock is %d", k, s.Nodes[k],
			n.Name, n.Stock)
		cost.Add(cost, product(s.Nodes[k], n.Cost))
	}
	c.must(cost.Cmp(big.NewInt(s.Cost)) == 0, "cost: %d, where the nodes cost %v", s.Cost, cost)
	for i, item := range c.Items {
		room := c.room(i, each)
		c.must(held[i].Cmp(room) >= 0, "items[%d] %q: there is room for %v, where it takes %v", i, item.Name, held[i], room)
		for k, n := range c.Nodes {
			c.must(c.demand[i] == item.Count || c.most(k, i) == 0 || n.Stock >= 0 && n.Stock-s.Nodes[k] < zones,
				"left[%d]: %q is left over, though one more node of kind %q could hold it", i, item.Name, n.Name)
		}
	}
}

// misfit says why a node of kind k can't hold the items; "" when it can.
func (c *checker) misfit(k int, items []pack.Stack) string {
	c.steps += (len(items)+1)*(len(c.Nodes[0].Capacity)+4) + len(c.Conflicts)
	if k < 0 || k >= len(c.Nodes) || c.steps > maxSteps {
		return fmt.Sprintf("there is no node kind %d, or too much to check", k)
	}
	node, on := c.Nodes[k], map[int]bool{}
	load := make([]int64, len(node.Capacity))
	for _, s := range items {
		if s.Item < 0 || s.Item >= len(c.Items) || on[s.Item] || s.Count < 1 || s.Count > c.most(k, s.Item) {
			return fmt.Sprintf("a node of kind %q can't hold %d of item %d, or that is there twice", node.Name, s.Count, s.Item)
		}
		on[s.Item] = true
		for d, need := range c.Items[s.Item].Need {
			if load[d] += need * s.Count; load[d] > node.Capacity[d] {
				return fmt.Sprintf("a node of kind %q has %d of dimension %d, not %d", node.Name, node.Capacity[d], d, load[d])
			}
		}
	}
	for _, pair := range c.Conflicts {
		if on[pair[0]] && on[pair[1]] {
			return fmt.Sprintf("items %d and %d exclude each other", pair[0], pair[1])
		}
	}
	return ""
}

// most is how many of item i a node of kind k can hold, with nothing else on it.
func (c *checker) most(k, i int) int64 {
	item, n := c.Items[i], int64(maxAmount)
	if item.On != nil && !item.On[k] {
		return 0
	}
	if item.MaxPerNode > 0 {
		n = item.MaxPerNode
	}
	for d, need := range item.Need {
		if need > 0 {
			n = min(n, c.Nodes[k].Capacity[d]/need)
		}
	}
	return n
}

// standIns are the nodes by kind that can take the place of those that fail: the
// spares and, where a zone may be lost, those of one zone, without which the
// others hold everything, or all that no pattern is on, as the patterns hold it together.
func (c *checker) standIns(s pack.Solution, used []*big.Int) []int64 {
	out := make([]int64, len(c.Nodes))
	copy(out, s.Spares)
	for k := range out {
		switch {
		case s.Together:
			idle := new(big.Int).Sub(big.NewInt(s.Nodes[k]), used[k])
			out[k] = larger(idle, new(big.Int)).Int64()
		case c.SurviveZoneLoss:
			out[k] += (s.Nodes[k] - out[k]) / int64(c.Zones)
		}
	}
	return out
}

// spared checks that enough spares can take the place of a node of the pattern.
func (c *checker) spared(i int, p pack.Pattern, spares []int64) {
	able := int64(0)
	for k, n := range spares {
		if c.steps > maxSteps || able >= int64(c.Spares) {
			break
		}
		if n > 0 && c.misfit(k, p.Items) == "" {
			able += n
		}
	}
	c.must(able >= int64(c.Spares), "patterns[%d]: %d nodes can take the place of its node, not %d", i, able, c.Spares)
}

// room is for how many of item i the patterns must have room, which are in so many zones
// each: an even share, rounded up; where one may be lost, a share among the others. Or
// they are in none by itself, and hold the items once.
func (c *checker) room(i int, zones int64) *big.Int {
	share := zones
	if c.SurviveZoneLoss && zones > 1 {
		share--
	}
	return product((c.demand[i]+share-1)/share, zones)
}
