package packtest

import (
	"math/rand/v2"

	"plimsoll.dev/pack"
)

// Tiny returns a random problem of at most seven items in all that Optimum can
// solve: up to three kinds of node and of item, with all sorts of constraints
// but zones.
func Tiny(seed uint64) pack.Problem {
	r := rand.New(rand.NewPCG(seed, 0))
	dims := 1 + r.IntN(3)
	p := pack.Problem{Resources: []string{"a", "b", "c"}[:dims]}
	amounts := func(low, high int64) []int64 {
		out := make([]int64, dims)
		for d := range out {
			out[d] = between(r, low, high)
		}
		return out
	}
	for range 1 + r.IntN(3) {
		n := node(between(r, 1, 9), -1, amounts(3, 12)...)
		if r.IntN(4) == 0 {
			n.Stock = between(r, 0, 3)
		}
		p.Nodes = append(p.Nodes, n)
	}
	for left := int64(7); left > 0 && len(p.Items) < 3; {
		i := item(between(r, 0, min(left, 4)), amounts(0, 6)...)
		left -= i.Count
		if r.IntN(4) == 0 {
			i.MaxPerNode = between(r, 1, 2)
		}
		if r.IntN(4) == 0 {
			for range p.Nodes {
				i.On = append(i.On, r.IntN(3) > 0)
			}
		}
		p.Items = append(p.Items, i)
	}
	for a := range p.Items {
		for b := range a {
			if r.IntN(5) == 0 {
				p.Conflicts = append(p.Conflicts, [2]int{b, a})
			}
		}
	}
	if r.IntN(3) == 0 {
		p.Spares = 1 + r.IntN(2)
	}
	return p
}
