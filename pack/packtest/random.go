package packtest

import (
	"fmt"
	"math/rand/v2"

	"plimsoll.dev/pack"
)

// Shape is the size of a random problem.
type Shape struct {
	// Items, Dims and Kinds are the numbers of kinds of pod, of dimensions (2 to
	// 8) and of kinds of node (1 to 8).
	Items, Dims, Kinds int
	// Pods in all, roughly.
	Pods int64
	// Large pods take a tenth of a small node and more, the others a twentieth
	// and less.
	Large bool
}

// String names the shape, as in T25-D4-K8-large.
func (s Shape) String() string {
	size := "small"
	if s.Large {
		size = "large"
	}
	return fmt.Sprintf("T%d-D%d-K%d-%s", s.Items, s.Dims, s.Kinds, size)
}

// Shapes are those of the benchmark: 10, 25 and 50 kinds of pod, in 2, 4 and 8
// dimensions, on 1 and 8 kinds of node, large pods and small ones, a million each.
func Shapes() []Shape {
	var out []Shape
	for _, items := range []int{10, 25, 50} {
		for _, dims := range []int{2, 4, 8} {
			for _, kinds := range []int{1, 8} {
				for _, large := range []bool{true, false} {
					out = append(out, Shape{items, dims, kinds, 1_000_000, large})
				}
			}
		}
	}
	return out
}

// resource is a dimension of the random clouds.
type resource struct {
	name string
	// perCore is what a node has for each core, from and to.
	perCore [2]int64
	// step is the unit in which pods ask for it; share is how many pods in a
	// hundred ask for it at all.
	step, share int64
}

// resources are the dimensions in their order. Those that few pods ask for, in
// large steps, make a packing hard.
var resources = []resource{
	{"cpu", [2]int64{1000, 1000}, 50, 100},                // millicores
	{"memory", [2]int64{2 << 20, 8 << 20}, 64 << 10, 100}, // KiB
	{"pods", [2]int64{6, 12}, 1, 100},                     // pods
	{"ephemeral-storage", [2]int64{10, 40}, 1, 50},        // GiB
	{"hugepages-1Gi", [2]int64{1, 2}, 1, 15},              // pages
	{"network", [2]int64{300, 700}, 50, 60},               // Mbit/s
	{"attachable-volumes", [2]int64{1, 3}, 1, 30},         // volumes
	{"devices", [2]int64{0, 1}, 1, 10},                    // whole devices
}

// Random returns a cloud: nodes of 4 to 128 cores with prices roughly linear
// in cores and GiB, and pods that at least one kind of node can hold.
func Random(s Shape, seed uint64) pack.Problem {
	r := rand.New(rand.NewPCG(seed, uint64(s.Items)<<32|uint64(s.Dims)<<16|uint64(s.Kinds)))
	p := pack.Problem{}
	for _, d := range resources[:s.Dims] {
		p.Resources = append(p.Resources, d.name)
	}
	for k := range s.Kinds {
		p.Nodes = append(p.Nodes, randomNode(r, s, k))
	}
	weights, total := make([]int64, s.Items), int64(0)
	for i := range weights {
		weights[i] = 1 + r.Int64N(1000)
		total += weights[i]
	}
	for i, w := range weights {
		item := randomItem(r, s, &p.Nodes[r.IntN(s.Kinds)])
		item.Name = fmt.Sprintf("pod-%d", i)
		item.Count = max(1, w*s.Pods/total)
		p.Items = append(p.Items, item)
	}
	return p
}

// cores of the kinds of node; a single kind has 32 or 64.
var cores = []int64{4, 8, 16, 32, 48, 64, 96, 128}

func randomNode(r *rand.Rand, s Shape, k int) pack.NodeType {
	n := cores[k]
	if s.Kinds == 1 {
		n = cores[3+2*r.IntN(2)]
	}
	node := pack.NodeType{Name: fmt.Sprintf("node-%d", n), Stock: -1}
	for _, d := range resources[:s.Dims] {
		node.Capacity = append(node.Capacity, n*between(r, d.perCore[0], d.perCore[1])/d.step*d.step)
	}
	if s.Dims == len(resources) && s.Kinds == 1 {
		node.Capacity[s.Dims-1] = n / 8
	}
	gib := node.Capacity[1] >> 20
	// Some 40 a core and 5 a GiB, in thousandths of the currency an hour, and a tenth up or down.
	node.Cost = (40*n + 5*gib) * between(r, 900, 1100) / 1000
	return node
}

// randomItem returns a pod that a node can hold.
func randomItem(r *rand.Rand, s Shape, node *pack.NodeType) pack.Item {
	item := pack.Item{}
	for d, res := range resources[:s.Dims] {
		room := node.Capacity[d]
		need := int64(0)
		if r.Int64N(100) < res.share {
			need = randomNeed(r, s, res, room)
		}
		item.Need = append(item.Need, min(need, room))
	}
	return item
}

// randomNeed is a share of the room: 1/10 to 1/2 for large pods, 1/500 to 1/20
// for small ones, in steps; a pod is one pod.
func randomNeed(r *rand.Rand, s Shape, res resource, room int64) int64 {
	if res.name == "pods" {
		return 1
	}
	low, high := room/500, room/20
	if s.Large {
		low, high = room/10, room/2
	}
	return max(1, between(r, low, high)/res.step) * res.step
}

// between is a random number from low to high.
func between(r *rand.Rand, low, high int64) int64 { return low + r.Int64N(max(1, high-low+1)) }
