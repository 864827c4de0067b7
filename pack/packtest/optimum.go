package packtest

import (
	"fmt"
	"slices"

	"plimsoll.dev/pack"
)

// Optimum is the least cost of nodes that hold everything, and still do when
// any Spares of them fail; false when no nodes do. It tries all mixes with
// all ways to fill them, so it is for some eight items in all. With SurviveZoneLoss
// each zone has the same nodes, and those of all but one hold everything; Spares are
// not looked at then. Zones of which none may be lost are not looked at.
func Optimum(p pack.Problem) (cost int64, ok bool) {
	s := search{Problem: p, known: map[string]bool{}}
	demand := make([]int64, len(p.Items))
	most := int64(0)
	for i, item := range p.Items {
		demand[i] = item.Count
		most += item.Count
	}
	if most == 0 {
		return 0, true
	}
	zones := int64(1)
	if p.SurviveZoneLoss {
		zones, s.Spares = int64(p.Zones), 0
	}
	// Of one kind, no more than a node for each item are in use at once, and so no
	// more than those and the ones that fail are ever needed.
	for _, mix := range s.mixes(most+int64(s.Spares), zones) {
		if c := s.cost(mix) * zones; (!ok || c < cost) && s.bears(times(mix, max(zones-1, 1)), demand, s.Spares) {
			cost, ok = c, true
		}
	}
	return cost, ok
}

type search struct {
	pack.Problem
	known map[string]bool
}

// mixes are all counts of nodes of each kind up to n, in each of so many zones.
func (s *search) mixes(n, zones int64) [][]int64 {
	out := [][]int64{{}}
	for _, kind := range s.Nodes {
		var longer [][]int64
		for _, mix := range out {
			for count := int64(0); count <= n && (kind.Stock < 0 || count <= kind.Stock/zones); count++ {
				longer = append(longer, append(slices.Clone(mix), count))
			}
		}
		out = longer
	}
	return out
}

func times(mix []int64, n int64) []int64 {
	out := slices.Clone(mix)
	for k := range out {
		out[k] *= n
	}
	return out
}

func (s *search) cost(mix []int64) int64 {
	cost := int64(0)
	for k, n := range mix {
		cost += n * s.Nodes[k].Cost
	}
	return cost
}

// bears says whether the mix holds the demand whichever nodes fail.
func (s *search) bears(mix, demand []int64, failures int) bool {
	if failures == 0 {
		return s.holds(mix, demand)
	}
	if sum(mix) == 0 {
		return false
	}
	for k := range mix {
		if mix[k] > 0 && !s.bears(with(mix, k, -1), demand, failures-1) {
			return false
		}
	}
	return true
}

// holds says whether the mix holds the demand.
func (s *search) holds(mix, demand []int64) bool {
	if sum(demand) == 0 {
		return true
	}
	k := slices.IndexFunc(mix, func(n int64) bool { return n > 0 })
	if k < 0 {
		return false
	}
	key := fmt.Sprint(mix, demand)
	if held, ok := s.known[key]; ok {
		return held
	}
	held := s.fill(with(mix, k, -1), k, 0, make([]int64, len(demand)), demand)
	s.known[key] = held
	return held
}

// fill tries all contents of a node of kind k, from item i on, and holds the
// rest on the rest of the mix.
func (s *search) fill(mix []int64, k, i int, on, demand []int64) bool {
	if i == len(demand) {
		return s.holds(mix, demand)
	}
	for n := demand[i]; n >= 0; n-- {
		content := with(on, i, n)
		if Fits(s.Problem, k, content) && s.fill(mix, k, i+1, content, with(demand, i, -n)) {
			return true
		}
	}
	return false
}

// Fits says whether a node of kind k holds so many of each item.
func Fits(p pack.Problem, k int, on []int64) bool {
	for d, room := range p.Nodes[k].Capacity {
		for i, n := range on {
			room -= n * p.Items[i].Need[d]
		}
		if room < 0 {
			return false
		}
	}
	for i, n := range on {
		item := p.Items[i]
		if n > 0 && (item.On != nil && !item.On[k] || item.MaxPerNode > 0 && n > item.MaxPerNode) {
			return false
		}
	}
	return !slices.ContainsFunc(p.Conflicts, func(pair [2]int) bool { return on[pair[0]] > 0 && on[pair[1]] > 0 })
}

// with is the list with n added to its i-th.
func with(list []int64, i int, n int64) []int64 {
	out := slices.Clone(list)
	out[i] += n
	return out
}

func sum(list []int64) int64 {
	total := int64(0)
	for _, n := range list {
		total += n
	}
	return total
}
