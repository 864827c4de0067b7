package profile

import (
	"fmt"
	"slices"
	"strings"
)

// going is a pod whose going gives its node another profile.
type going struct {
	pod  int32 // number in Input.Pods
	lost []int32
	item int
}

// goings are the pods of node i whose going gives it another profile: those that
// alone hold up every path of the item that won.
func (g *engine) goings(i, winner int, count []int32) []going {
	if winner < 0 || !g.onPods(&g.trees[winner], &g.seen[i]) {
		return nil
	}
	from, to := g.podFrom[i], g.podFrom[i+1]
	for _, c := range g.meets[g.meetsFrom[from]:g.meetsFrom[to]] {
		count[c]++
	}
	var out []going
	for j := from; j < to; j++ {
		if lost := g.alone(j, count); len(lost) > 0 {
			if item, gone := g.without(&g.seen[i], lost, winner); gone && g.profileOf(item) != g.profileOf(winner) {
				out = append(out, going{g.pod[j], g.asked(lost, winner), item})
			}
		}
	}
	for _, c := range g.meets[g.meetsFrom[from]:g.meetsFrom[to]] {
		count[c] = 0
	}
	return out
}

// onPods says whether an item that matches does so by pods alone.
func (g *engine) onPods(t *tree, s *situation) bool {
	if t.always || len(t.pods) == 0 || t.byPool(s) {
		return false
	}
	for _, p := range t.paths {
		if holdsAll(p.steps, s) && !slices.ContainsFunc(p.steps, func(st step) bool { return st.pod }) {
			return false
		}
	}
	return true
}

func holdsAll(steps []step, s *situation) bool {
	return !slices.ContainsFunc(steps, func(st step) bool { return !s.holds(st) })
}

// alone are the conditions that only the j-th pod of its node meets.
func (g *engine) alone(j int32, count []int32) []int32 {
	var out []int32
	for _, c := range g.meets[g.meetsFrom[j]:g.meetsFrom[j+1]] {
		if count[c] == 1 {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

// without is the item that wins when conditions don't hold any more; gone says
// whether it is another one.
func (g *engine) without(s *situation, lost []int32, winner int) (item int, gone bool) {
	for _, c := range lost {
		s.pods[c>>6] &^= 1 << (c & 63)
	}
	item = winner
	if !g.trees[winner].matches(s) {
		item, gone = g.next(s, winner+1), true
	}
	for _, c := range lost {
		s.pods[c>>6] |= 1 << (c & 63)
	}
	return item, gone
}

// asked are those of the conditions that an item asks for.
func (g *engine) asked(conditions []int32, item int) []int32 {
	return slices.DeleteFunc(slices.Clone(conditions), func(c int32) bool {
		_, ok := slices.BinarySearch(g.trees[item].pods, c)
		return !ok
	})
}

// signature tells apart nodes whose pods hold them up differently.
func signature(list []going) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = fmt.Sprint(x.item, x.lost)
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), ";")
}

// goingMoves are goings as moves of a class, each kind once.
func (g *engine) goingMoves(list []going) []Move {
	var out []Move
	seen := map[string]bool{}
	for _, x := range list {
		if key := fmt.Sprint(x.item, x.lost); !seen[key] {
			seen[key] = true
			c := Change{Do: Go}
			for _, id := range x.lost {
				c.Pod = append(c.Pod, PodLabel{Label: g.u.pods[id].Label, Value: g.u.pods[id].Value})
			}
			out = append(out, Move{Change: c, Item: x.item, Profile: g.profileOf(x.item)})
		}
	}
	return out
}
