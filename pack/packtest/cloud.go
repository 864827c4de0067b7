package packtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"plimsoll.dev/pack"
)

// Cloud returns a random small cloud: two to five kinds of node as one buys them,
// with prices near their size, and one to eight types of pod for 1 to some 60 nodes.
func Cloud(seed uint64) pack.Problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := pack.Problem{Resources: []string{"cpu", "memory", "pods"}}
	sizes := []int64{4, 8, 12, 16, 18, 20, 24, 32, 48, 64}
	largest := int64(0)
	for k := range 2 + r.IntN(4) {
		cores := sizes[r.IntN(len(sizes))]
		gib := cores * []int64{2, 4, 8}[r.IntN(3)]
		price := (float64(cores)*0.03 + float64(gib)*0.005) * (0.85 + 0.3*r.Float64())
		p.Nodes = append(p.Nodes, pack.NodeType{Name: fmt.Sprint("n", k), Stock: -1,
			Capacity: []int64{cores*1000 - 80, gib*1024 - 600, 110}, Cost: int64(math.Round(price * 100))})
		largest = max(largest, cores)
	}
	cores := float64(largest) * (0.5 + 20*r.Float64()*r.Float64())
	types := 1 + r.IntN(8)
	for i := range types {
		need := []int64{100 * between(r, 1, 35), 128 * between(r, 1, 60), 1}
		if r.IntN(4) == 0 {
			need = []int64{1000 * between(r, 1, 3), 1024 * between(r, 1, 6), 1}
		}
		count := int64(cores*1000/float64(types)/float64(need[0])*(0.5+r.Float64())) + 1
		it := pack.Item{Name: fmt.Sprint("t", i), Count: count, Need: need}
		if r.IntN(8) == 0 {
			it.MaxPerNode, it.Count = 1, between(r, 1, 5)
		}
		p.Items = append(p.Items, it)
	}
	return p
}
