package fit

import (
	"cmp"
	"slices"
)

// order is a decreasing order of items by one number.
type order struct {
	name string
	key  func(shares []float64) float64
}

// orders are what Best tries; no single one wins on every workload.
var orders = []order{
	{"largest share of a node first", slices.Max[[]float64]},
	{"largest sum of shares first", sum},
	{"most of the first resource first", func(s []float64) float64 { return s[0] }},
	{"most of the second resource first", func(s []float64) float64 { return s[min(1, len(s)-1)] }},
}

func sum(s []float64) float64 {
	total := 0.0
	for _, v := range s {
		total += v
	}
	return total
}

// sort returns the items' indexes, largest first. Items that few bin types
// may hold come before all others, so that they don't find their nodes taken.
func (o order) sort(items []Item, bins []Bin) []int {
	most := largest(bins)
	keys := make([]float64, len(items))
	places := make([]int, len(items))
	shares := make([]float64, len(most))
	index := make([]int, len(items))
	for i, it := range items {
		index[i] = i
		for d := range most {
			shares[d] = float64(it.Need[d]) / float64(max(most[d], 1))
		}
		keys[i] = o.key(shares)
		for b := range bins {
			if it.allowed(b) {
				places[i]++
			}
		}
	}
	slices.SortStableFunc(index, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a], places[b]), cmp.Compare(keys[b], keys[a]))
	})
	return index
}

// largest is the largest capacity of any bin, per resource.
func largest(bins []Bin) Vec {
	most := make(Vec, len(bins[0].Cap))
	for _, b := range bins {
		for d, c := range b.Cap {
			most[d] = max(most[d], c)
		}
	}
	return most
}
