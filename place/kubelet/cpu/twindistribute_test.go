package cpu

import (
	"maps"
	"math"
	"slices"
)

// subsets calls f with each k-subset in lexicographic order until it says stop. It
// appends to what it has already handed out, as the original does.
func subsets(of []int, k int, f func([]int) (goOn bool)) {
	var extend func(from int, chosen []int) bool
	extend = func(from int, chosen []int) bool {
		if len(chosen) == k {
			return f(chosen)
		}
		for i := from; i <= len(of)-(k-len(chosen)); i++ {
			if !extend(i+1, append(chosen, of[i])) {
				return false
			}
		}
		return true
	}
	extend(0, nil)
}

func deviation(free map[int]int) float64 {
	thousandths := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	sum, squares := 0.0, 0.0
	for _, n := range free {
		sum += float64(n)
	}
	mean := thousandths(sum / float64(len(free)))
	for _, n := range free {
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	return thousandths(math.Sqrt(squares / float64(len(free))))
}

// handOut gives groups to the nodes in turn; false when it never ends.
func handOut(free map[int]int, nodes []int, rest, group int) bool {
	for rest > 0 {
		before := rest
		for _, n := range nodes {
			if rest > 0 && free[n] >= group {
				free[n] -= group
				rest -= group
			}
		}
		if rest == before {
			return false
		}
	}
	return true
}

func (w *twin) distributed(free set, n, group int) (set, error) {
	if n%group != 0 || n < 1 || n > len(free) {
		return w.packed(free, n, false)
	}
	nodes := w.nodesOf(free)
	up := func(a, b int) int { return int(math.Ceil(float64(a) / float64(b))) }
	perNode := up(up(len(w.m.CPUs), group), len(w.values(w.all(), byNode)))
	for k := up(n/group, perNode); k <= min(n/group, len(w.values(free, byNode))); k++ {
		share := n / k / group * group
		chosen, rest, err := w.balanced(free, nodes, k, n, share, group)
		switch {
		case err != nil:
			return nil, err
		case chosen != nil:
			return w.carryOut(free, chosen, rest, n, share, group)
		}
	}
	return w.packed(free, n, false)
}

func (w *twin) balanced(free set, nodes []int, k, n, share, group int) (best, bestRest []int, err error) {
	least := math.Inf(1)
	subsets(nodes, k, func(some []int) bool {
		if least == 0 {
			return false
		}
		after, groups, union := map[int]int{}, 0, set{}
		for _, node := range nodes {
			after[node] = len(w.in(free, byNode, node))
		}
		for _, node := range some {
			groups += len(w.in(free, byNode, node)) / group
			union = union.plus(w.in(free, byNode, node))
			if len(w.in(free, byNode, node)) < share {
				return true
			}
		}
		if groups*group < n || len(union) < n {
			return true
		}
		for _, node := range some {
			after[node] -= share
		}
		balance, rest, e := w.balancedRest(after, some, n-share*k, group)
		if err = e; err != nil {
			return false
		}
		if balance < least {
			least, best, bestRest = balance, some, rest
		}
		return true
	})
	return best, bestRest, err
}

func (w *twin) balancedRest(after map[int]int, some []int, rest, group int) (least float64, best []int, err error) {
	if rest == 0 {
		return deviation(after), nil, nil
	}
	able := slices.DeleteFunc(slices.Clone(some), func(n int) bool { return after[n] < group })
	least = math.Inf(1)
	for k := len(able); k > 0; k-- {
		subsets(able, k, func(few []int) bool {
			then, sum := maps.Clone(after), 0
			for _, n := range few {
				sum += then[n]
			}
			if sum < rest {
				return true
			}
			if !handOut(then, few, rest, group) {
				err = ErrHangs
				return false
			}
			if b := deviation(then); b < least {
				least, best = b, few
			}
			return true
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return least, best, nil
}

func (w *twin) carryOut(free set, nodes, rest []int, n, share, group int) (set, error) {
	h := &hand{w: w, free: free, got: set{}, need: n}
	give := func(node, n int) {
		cpus, _ := w.packed(w.in(h.free, byNode, node), n, false)
		h.take(cpus)
	}
	for _, node := range nodes {
		give(node, share)
	}
	for left := n - share*len(nodes); left > 0; {
		before := left
		for _, node := range rest {
			if left > 0 && len(w.in(h.free, byNode, node)) >= group {
				give(node, group)
				left -= group
			}
		}
		if left == before {
			return nil, ErrHangs
		}
	}
	if h.need > 0 {
		return nil, accountingError{h.need}
	}
	return h.got, nil
}
