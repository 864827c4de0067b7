// Package needed says how many nodes the scheduler needs for a workload in the
// order in which its pods arrive. It places pods one by one and never moves one,
// so it needs more nodes than the best packing: how many more is what this
// package measures.
//
// It knows no bound and no price; package pack does.
//
//	n, ok := needed.Nodes(c, scheduler.Profile{Release: "1.36"}, cluster.Arrivals(c, "runs", 0), 167, 167)
package needed

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/whatif"
)

// Nodes is a number of nodes, taken from the front of the cluster's, on which
// the scheduler places every pod, while it does not on one fewer, or that is the
// floor. More nodes don't always hold more pods, so there may be several such
// numbers: it is one near start, where the search begins. ok is false when not
// even all the cluster's nodes hold them.
func Nodes(c *cluster.Cluster, p scheduler.Profile, order []int32, floor, start int) (n int, ok bool) {
	return whatif.Fewest(floor, start, len(c.Nodes), func(n int) bool { return holds(c, p, order, n) })
}

// holds reports whether the scheduler places every pod on the first n nodes.
func holds(c *cluster.Cluster, p scheduler.Profile, order []int32, n int) bool {
	if n > len(c.Nodes) {
		return false
	}
	s, err := scheduler.New(p, c.Nodes[:n])
	if err != nil {
		return false
	}
	class := make([]scheduler.ClassID, len(c.Kinds))
	for i, k := range c.Kinds {
		if class[i], err = s.Class(k.Pod); err != nil {
			return false
		}
	}
	for _, b := range c.Bound {
		for range b.Count {
			switch {
			case b.Node >= n:
			case b.New:
				s.ScheduleOn(class[b.Kind], b.Node) // one that does not fit waits
			default:
				s.Bind(class[b.Kind], b.Node)
			}
		}
	}
	for _, kind := range order {
		if s.Schedule(class[kind]).Node < 0 {
			return false
		}
	}
	return true
}

// Setting is a scheduler's configuration with its name.
type Setting struct {
	Name    string
	Profile scheduler.Profile
}

// Settings are those to compare: the cluster's own, that of Kubernetes 1.36 as
// it comes, and the rule for balance up to 1.35 with every node scored, under
// which published figures were measured.
func Settings(own scheduler.Profile) []Setting {
	list := []Setting{{"1.36", scheduler.Profile{Release: "1.36"}},
		{"1.34, all", scheduler.Profile{Release: "1.34", PercentageOfNodesToScore: 100}}}
	if name := name(own); name != list[0].Name {
		return append([]Setting{{name, own}}, list...)
	}
	return list
}

// name says what is special about a configuration.
func name(p scheduler.Profile) string {
	s := p.Release
	if p.ScoringStrategy != "" && p.ScoringStrategy != "LeastAllocated" {
		s += " " + p.ScoringStrategy
	}
	switch n := p.PercentageOfNodesToScore; {
	case n == 100:
		s += ", all"
	case n > 0:
		s += fmt.Sprintf(", %d %%", n)
	}
	return s
}

// Compare measures all orders under a setting: runs in the order in which the
// kinds are listed, with the least and the most over other orders of the kinds;
// the largest first; shuffled. floor is as for Nodes. What does not fit on all
// the cluster's nodes is left out.
func Compare(c *cluster.Cluster, s Setting, floor int) []v1alpha1.NeededNodes {
	var out []v1alpha1.NeededNodes
	add := func(order string, need []int, ok bool, pick func([]int) int) {
		if ok && len(need) > 0 {
			out = append(out, v1alpha1.NeededNodes{Rules: s.Name, Order: order, Nodes: pick(need), Least: slices.Min(need),
				Most: slices.Max(need)})
		}
	}
	listed := func(need []int) int { return need[0] }
	var runs [][]int32
	for _, kinds := range cluster.RunOrders(c, cluster.OrdersTried) {
		runs = append(runs, cluster.InRuns(c, kinds))
	}
	need, ok := each(c, s.Profile, runs, floor)
	add(cluster.Runs, need, ok, listed)
	need, ok = each(c, s.Profile, [][]int32{cluster.Arrivals(c, cluster.LargestFirst, 0)}, floor)
	add(cluster.LargestFirst, need, ok, listed)
	var shuffles [][]int32
	for seed := range uint64(cluster.ShufflesTried) {
		shuffles = append(shuffles, cluster.Arrivals(c, cluster.Shuffled, seed+1))
	}
	need, ok = each(c, s.Profile, shuffles, floor)
	add(cluster.Shuffled, need, ok, median)
	return out
}

func median(list []int) int { return slices.Sorted(slices.Values(list))[len(list)/2] }

// each is the number of nodes for each order, with a seed of its own for ties.
func each(c *cluster.Cluster, p scheduler.Profile, orders [][]int32, floor int) (need []int, ok bool) {
	start := floor
	for i, order := range orders {
		p.Seed = uint64(i + 1)
		n, ok := Nodes(c, p, order, floor, start)
		if !ok {
			return nil, false
		}
		need = append(need, n)
		start = n
	}
	return need, true
}
