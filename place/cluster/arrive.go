package cluster

import (
	"math/rand/v2"
	"slices"

	"plimsoll.dev/place/whatif"
)

// Orders in which pods arrive.
const (
	Runs         = whatif.Runs
	Shuffled     = whatif.Shuffled
	LargestFirst = whatif.LargestFirst
)

// ShufflesTried is the number of seeds that the shuffled order is measured with, and
// OrdersTried the most orders of the kinds of pod that runs are measured in.
const (
	ShufflesTried = 5
	OrdersTried   = 6
)

// Arrivals is the kind of each pod to schedule, in the order of arrival: kind by
// kind as they are listed (those of pods that wait already before all others, in the
// order of their queue), shuffled with a seed, or the largest first. The size
// of a pod is the largest share that it takes of any resource of a mean node.
func Arrivals(c *Cluster, order string, seed uint64) []int32 {
	kinds := make([]int, len(c.Kinds))
	left := make([]int, len(c.Kinds))
	for i := range c.Kinds {
		kinds[i], left[i] = i, c.Kinds[i].Count
	}
	if order != Runs {
		return c.arrive(order, seed, kinds)
	}
	var out []int32
	for _, q := range c.Queue {
		if left[q.Kind] > 0 {
			left[q.Kind]--
			out = append(out, int32(q.Kind))
		}
	}
	count := func(k int) int { return left[k] }
	return append(out, whatif.Arrive(Runs, 0, kinds, count, nil)...)
}

// InRuns is kind by kind in the order given, an index in the cluster's kinds for
// each pod.
func InRuns(c *Cluster, kinds []int) []int32 { return c.arrive(Runs, 0, kinds) }

func (c *Cluster) arrive(order string, seed uint64, kinds []int) []int32 {
	count := func(k int) int { return c.Kinds[k].Count }
	return whatif.Arrive(order, seed, kinds, count, func() []float64 { return sizes(c) })
}

// RunOrders are orders of the kinds, that in which they are listed first: all of
// them where there are at most so many, else so many, drawn with a fixed seed.
func RunOrders(c *Cluster, most int) [][]int {
	var kinds []int
	for i, k := range c.Kinds {
		if k.Count > 0 {
			kinds = append(kinds, i)
		}
	}
	all := 1
	for i := 2; i <= len(kinds) && all <= most; i++ {
		all *= i
	}
	if all <= most {
		return permutations(kinds)
	}
	out := [][]int{kinds}
	random := rand.New(rand.NewPCG(1, 0))
	for len(out) < most {
		next := slices.Clone(kinds)
		random.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		out = append(out, next)
	}
	return out
}

// permutations are all orders of a list, the list itself first.
func permutations(list []int) [][]int {
	if len(list) == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for i, first := range list {
		rest := slices.Concat(list[:i], list[i+1:])
		for _, tail := range permutations(rest) {
			out = append(out, append([]int{first}, tail...))
		}
	}
	return out
}

// sizes is the largest share of a mean node that one pod of each kind takes.
func sizes(c *Cluster) []float64 {
	total := map[string]float64{}
	for _, n := range c.Nodes {
		for name, v := range Amounts(n.Allocatable) {
			total[name] += float64(v)
		}
	}
	out := make([]float64, len(c.Kinds))
	for i, k := range c.Kinds {
		for name, v := range Amounts(k.Pod.Request) {
			if total[name] > 0 {
				out[i] = max(out[i], float64(v)*float64(len(c.Nodes))/total[name])
			}
		}
	}
	return out
}
