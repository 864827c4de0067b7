package whatif

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Orders in which pods or VMs arrive.
const (
	Runs         = "runs"
	Shuffled     = "shuffled"
	LargestFirst = "largestFirst"
)

// Arrive is the type of each pod or VM in the order of arrival: type by type as they
// are listed, shuffled with a seed, or those of the largest size first.
func Arrive[T int | int32](order string, seed uint64, types []T, count func(T) int, sizes func() []float64) []int32 {
	if order == LargestFirst {
		size := sizes()
		types = slices.Clone(types)
		slices.SortStableFunc(types, func(a, b T) int { return cmp.Compare(size[b], size[a]) })
	}
	total := 0
	for _, t := range types {
		total += count(t)
	}
	list := make([]int32, 0, total)
	for _, t := range types {
		for range count(t) {
			list = append(list, int32(t))
		}
	}
	if order == Shuffled {
		swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), swap)
	}
	return list
}
